// What is read off an order without asking anybody.

import type { Order, Payment } from '@vendure/core';

/** What mends a placed order without money. */
export const payAgain = (code: string): string =>
  `Cancel the order, or move it to ArrangingAdditionalPayment and send its buyer the answer of svcPaymentLink(orderCode: "${code}").`;

/** At Svc one reference is paid once. What an order asks for after it was paid, being modified, has its own. */
export function referenceOf({ code }: Order, payments: readonly Payment[]): string {
  const paid = payments.filter(({ transactionId }) => transactionId).length;
  return paid === 0 ? code : `${code}/${paid}`;
}

/** By the buyer's country Svc chooses among accounts that are for some countries only. */
export function countryOf({ billingAddress, shippingAddress }: Order): { country?: string } {
  const country = billingAddress?.countryCode || shippingAddress?.countryCode;
  return country ? { country: country.toUpperCase() } : {};
}
