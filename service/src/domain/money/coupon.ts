// Coupons: whether a coupon may be used now, and its discount on the lines of a cart. Contract §8.

import { type CatalogProblem, currencyUnknown, readAmount } from './product.ts';

/** Hundredths of a percent in the whole: 12.5 % is 1250, 100 % is 10 000. */
const wholeBasisPoints = 10_000;

/** A row of `coupons`. Exactly one of `percentOffBasisPoints` and `amountOffMinor` is set. */
export type Coupon = {
  readonly clientId: string;
  /** In upper case, so that the case in which a buyer types it does not matter. */
  readonly code: string;
  readonly percentOffBasisPoints: number | null;
  readonly amountOffMinor: number | null;
  /** The currency of `amountOffMinor`; null for percentages, which apply in any currency. */
  readonly currency: string | null;
  /** The products that the coupon applies to; null for all. */
  readonly productCodes: readonly string[] | null;
  readonly startsAt: Date | null;
  /** The coupon is over from this instant on. */
  readonly endsAt: Date | null;
  readonly maxRedemptions: number | null;
  /** The number of payments that use the coupon now. */
  readonly redemptions: number;
  /** Goes up by one at each change that the merchant makes. */
  readonly version: number;
  readonly isActive: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** The form in which coupon codes are stored and compared. */
export const couponCode = (text: string): string => text.toUpperCase();

/** Whether both lists are the same codes in the same order. */
export const isSameCodes = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((code, index) => code === others[index]);

export type CouponUse = { readonly currency: string; readonly now: Date };

type Reason = { readonly code: string; readonly message: string };

const reason = (code: string, message: string): Reason => ({ code, message });

/** Why the coupon may not be used with any cart; null when it may. */
export function refuseCoupon(coupon: Coupon | undefined, use: CouponUse): Reason | null {
  if (!coupon) return reason('coupon_unknown', 'No such coupon.');
  if (!coupon.isActive) return reason('coupon_inactive', 'The coupon is not active.');
  if (coupon.startsAt && use.now < coupon.startsAt) {
    return reason('coupon_not_started', 'The coupon is not valid yet.');
  }
  if (coupon.endsAt && use.now >= coupon.endsAt) {
    return reason('coupon_ended', 'The coupon is no longer valid.');
  }
  if (coupon.currency !== null && coupon.currency !== use.currency) {
    return reason('coupon_currency_differs', `The coupon is for ${coupon.currency} only.`);
  }
  if (coupon.maxRedemptions !== null && coupon.redemptions >= coupon.maxRedemptions) {
    return reason('coupon_exhausted', 'The coupon has been redeemed as often as it may.');
  }
  return null;
}

/**
 * The order in which coupons apply, whatever order they were given in: percentages before amounts,
 * and within a kind by code, so that the order gives a buyer no advantage.
 */
export function inOrderOfUse(coupons: readonly Coupon[]): Coupon[] {
  return coupons.toSorted(
    (a, b) =>
      Number(a.amountOffMinor !== null) - Number(b.amountOffMinor !== null) ||
      (a.code < b.code ? -1 : 1),
  );
}

/** A line that a coupon applies to, with what is left to pay of it, in minor units. */
export type PayableLine = { readonly code: string | null; readonly dueMinor: number };

/**
 * Returns the coupon's discount on each line, never more than is left to pay. Percentages are
 * rounded half up on each line to a multiple of `stepMinor`, which the provider accepts; an amount
 * is spread over the lines in proportion, and the parts add up to it exactly.
 */
export function discountsOf(
  coupon: Coupon,
  lines: readonly PayableLine[],
  stepMinor: number,
): number[] {
  const dues = lines.map(({ code, dueMinor }) =>
    coupon.productCodes === null || (code !== null && coupon.productCodes.includes(code))
      ? dueMinor
      : 0,
  );
  if (coupon.amountOffMinor !== null) {
    // The amount is spread in whole steps where that is exact, so that no line is left with an
    // amount that the provider does not accept.
    const isWhole = [coupon.amountOffMinor, ...dues].every((minor) => minor % stepMinor === 0);
    const unit = isWhole ? stepMinor : 1;
    const inUnits = dues.map((due) => due / unit);
    return spreadAmount(coupon.amountOffMinor / unit, inUnits).map((part) => part * unit);
  }
  const basisPoints = coupon.percentOffBasisPoints ?? 0;
  return dues.map((due) => Math.min(due, roundedShare(due, { basisPoints, stepMinor })));
}

// BigInt, because a product of 15 digits and 5 digits does not fit a double.
function roundedShare(
  minor: number,
  { basisPoints, stepMinor }: { readonly basisPoints: number; readonly stepMinor: number },
): number {
  const unit = BigInt(wholeBasisPoints) * BigInt(stepMinor);
  const steps = (BigInt(minor) * BigInt(basisPoints) * 2n + unit) / (unit * 2n);
  return Number(steps) * stepMinor;
}

/**
 * The method of largest remainders: each part is its exact share rounded down or up; on a tie the
 * earlier line gets more.
 */
function spreadAmount(amount: number, dues: readonly number[]): number[] {
  const sum = dues.reduce((total, due) => total + BigInt(due), 0n);
  if (sum === 0n) return dues.map(() => 0);
  const off = BigInt(amount) < sum ? BigInt(amount) : sum;
  const shares = dues.map((due) => (BigInt(due) * off) / sum);
  const rests = dues.map((due) => (BigInt(due) * off) % sum);
  let left = off - shares.reduce((total, share) => total + share, 0n);
  const byRest = [...dues.keys()].sort((a, b) => {
    const [restA = 0n, restB = 0n] = [rests[a], rests[b]];
    return restA === restB ? a - b : restA < restB ? 1 : -1;
  });
  for (const index of byRest) {
    if (left === 0n) break;
    shares[index] = (shares[index] ?? 0n) + 1n;
    left -= 1n;
  }
  return shares.map(Number);
}

/** The percentage as the API shows it, with up to two decimals; null for amounts. */
export const percentOf = ({ percentOffBasisPoints }: Coupon): number | null =>
  percentOffBasisPoints === null ? null : percentOffBasisPoints / 100;

type CouponDiscount = Pick<Coupon, 'percentOffBasisPoints' | 'amountOffMinor' | 'currency'>;

/**
 * Reads a coupon's discount from percent or major units; returns every problem with the path of its
 * field.
 */
export function readDiscount(wanted: {
  readonly percentOff: number | null;
  readonly amountOff: number | null;
  readonly currency: string | null;
}): { discount: CouponDiscount; problems: CatalogProblem[] } {
  const { percentOff, amountOff, currency } = wanted;
  const problems: CatalogProblem[] = [];
  const add = (path: string, code: string, message: string) =>
    problems.push({ path, code, message });
  if ((percentOff === null) === (amountOff === null)) {
    const path = amountOff === null ? 'percentOff' : 'amountOff';
    add(path, 'one_discount', 'A coupon has either percentOff or amountOff.');
  }
  if (amountOff !== null && currency === null) {
    add('currency', 'currency_required', 'An amount needs its currency.');
  }
  if (amountOff === null && currency !== null) {
    add('currency', 'currency_not_allowed', 'A percentage suits any currency: leave it out.');
  }
  const basisPoints = percentOff === null ? null : percentDigits(percentOff);
  if (percentOff !== null && basisPoints === null) {
    add('percentOff', 'percent_precision', 'A percentage has up to two decimals.');
  }
  const read =
    amountOff === null || currency === null ? null : readAmount({ amount: amountOff, currency });
  if (read !== null && typeof read === 'object') {
    problems.push({ path: read.code === currencyUnknown ? 'currency' : 'amountOff', ...read });
  }
  const amountOffMinor = typeof read === 'number' ? read : null;
  return { discount: { percentOffBasisPoints: basisPoints, amountOffMinor, currency }, problems };
}

/** Returns hundredths of a percent, read from the digits: in doubles, 0.29 times 100 is not 29. */
function percentDigits(percent: number): number | null {
  const [, whole = '', fraction = ''] = /^(\d+)(?:\.(\d{1,2}))?$/.exec(String(percent)) ?? [];
  if (whole === '') return null;
  return Number(whole) * 100 + Number(fraction.padEnd(2, '0'));
}
