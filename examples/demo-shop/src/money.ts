// Money in the shop: whole cents inside, because sums of 14.90 in floating point are not exact.
// The shop sells in currencies with two decimals only.

export const currencies = ['EUR', 'USD'] as const;
export type Currency = (typeof currencies)[number];

/** Cents of an amount in major units, as the API writes it. */
export const centsOf = (amount: number): number => Math.round(amount * 100);

/** `€14.90` */
export const showMoney = (cents: number, currency: string): string =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).format(cents / 100);
