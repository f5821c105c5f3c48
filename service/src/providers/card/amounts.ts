// Converts amounts to and from the card provider's units. Pure.

import { cardShift, shiftByTens } from '../../domain/money/money.ts';

/**
 * Converts the service's minor units to the provider's; the result is not whole when the provider
 * cannot represent the amount.
 */
export const toProviderAmount = (minor: number, currency: string): number =>
  shiftByTens(minor, cardShift(currency));

/**
 * Converts the provider's minor units to the service's; the result is not whole when the service
 * cannot represent the amount.
 */
export const fromProviderAmount = (amount: number, currency: string): number =>
  shiftByTens(amount, -cardShift(currency));
