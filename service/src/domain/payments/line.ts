import type { PricedLine } from '../money/pricing.ts';

/** A line of the cart, as its session stores it. */
export type Line = PricedLine;

/** Whether the line is of the merchant's own, and no product of the catalog. */
const isOwn = (line: Line): boolean => line.code === null;

/** Unit price times quantity, before overrides and discounts; of a line of the merchant's own its amount. */
export const lineTotal = (line: Line): number =>
  isOwn(line) ? (line.overrideMinor ?? 0) : line.unitMinor * line.quantity;

/** The merchant's price in place of the catalog's. */
export const overrideOf = (line: Line): number | null => (isOwn(line) ? null : line.overrideMinor);

/** The amount of the line before discounts: the override, else unit price times quantity. */
export const lineDue = (line: Line): number => line.overrideMinor ?? lineTotal(line);

/** A subscription that is charged in every period; one that costs nothing never is. */
export const isCharged = (line: Line): boolean => line.kind === 'subscription' && lineDue(line) > 0;
