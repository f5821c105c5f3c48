// Amounts as the card provider counts them. Pure.

import { cardShift, shifted } from '../../domain/money/money.ts';

/** Our minor units as the provider counts them; not whole when it cannot count them. */
export const toProviderAmount = (minor: number, currency: string): number =>
  shifted(minor, cardShift(currency));

/** The provider's minor units as ours; not whole when they cannot be. */
export const fromProviderAmount = (amount: number, currency: string): number =>
  shifted(amount, -cardShift(currency));
