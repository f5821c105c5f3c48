import type { PricedLine } from '../money/pricing.ts';

/** A line of the cart, as its session stores it. */
export type Line = PricedLine;

/** Unit price times quantity, before overrides and discounts. */
export const lineTotal = (line: Line): number => line.unitMinor * line.quantity;

/** The amount of the line before discounts: the override, else unit price times quantity. */
export const lineDue = (line: Line): number => line.overrideMinor ?? lineTotal(line);

/** A subscription that is charged in every period; one that costs nothing never is. */
export const isCharged = (line: Line): boolean => line.kind === 'subscription' && lineDue(line) > 0;
