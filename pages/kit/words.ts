// The API's values in words for people.

import type { Subscription } from '@svc/contract/customers/subscriptions';
import type { Dispute } from '@svc/contract/payments/disputes';
import type { Payment } from '@svc/contract/payments/payments';
import type { RefundRequestStatus } from '@svc/contract/payments/refund-requests';

export type Tone = 'good' | 'soon' | 'bad' | 'plain';
export type Words = { readonly text: string; readonly tone: Tone };

const purchases: Readonly<Record<Payment['status'], Words>> = {
  pending: { text: 'Not finished', tone: 'plain' },
  authorized: { text: 'Held', tone: 'soon' },
  processing: { text: 'Processing', tone: 'plain' },
  succeeded: { text: 'Succeeded', tone: 'good' },
  failed: { text: 'Failed', tone: 'bad' },
  refunded: { text: 'Refunded', tone: 'plain' },
  partially_refunded: { text: 'Partly refunded', tone: 'plain' },
  refund_failed: { text: 'Refund failed', tone: 'bad' },
  voided: { text: 'Released', tone: 'plain' },
  unknown: { text: 'Not known yet', tone: 'soon' },
};

/** The choices of the status filter, which does not distinguish types. */
export const statusChoices: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(purchases).map(([status, { text }]) => [status, text]),
);

const refunds: Partial<Record<Payment['status'], Words>> = {
  pending: { text: 'Refund begun', tone: 'plain' },
  processing: { text: 'Refund on its way', tone: 'plain' },
  succeeded: { text: 'Refunded', tone: 'good' },
};

/** A refund that had been paid, and that the buyer's bank sent back. */
export const failedLater: Words = { text: 'Failed later', tone: 'bad' };

type PaymentStatusFields = Pick<Payment, 'type' | 'status' | 'amount'>;

/** Returns the text for the status of a purchase, refund or chargeback. */
export function statusWords({ type, status, amount }: PaymentStatusFields): Words {
  if (type === 'chargeback') {
    const isBack = amount < 0;
    return { text: isBack ? 'Reinstated' : 'Charged back', tone: isBack ? 'good' : 'bad' };
  }
  return (type === 'refund' ? refunds[status] : null) ?? purchases[status];
}

export const typeNames: Readonly<Record<Payment['type'], string>> = {
  purchase: 'Purchase',
  refund: 'Refund',
  chargeback: 'Chargeback',
};

const brands: Readonly<Record<string, string>> = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'American Express',
  discover: 'Discover',
  diners: 'Diners Club',
  jcb: 'JCB',
  unionpay: 'UnionPay',
};

/** The kinds of payment methods. */
export const kinds: Readonly<Record<string, string>> = {
  card: 'Card',
  google_pay: 'Google Pay',
  apple_pay: 'Apple Pay',
  wallet: 'Wallet',
};

/** The name of a card's brand; one that is not known as the provider gives it. */
export const brandOf = (brand: string): string => brands[brand] ?? brand;

type CardLike = {
  readonly type: string;
  readonly brand: string | null;
  readonly lastFour: string | null;
};

/** The customer's email address, or "Forgotten customer" when the customer's data was erased. */
export const customerWords = ({ email }: { readonly email: string }): string =>
  email || 'Forgotten customer';

type Buyer = { readonly email: string | null; readonly customerName: string | null };

/** Who paid: the name, else the address; null where neither is known. */
export const buyerOf = ({ email, customerName }: Buyer): string | null =>
  customerName ?? (email || null);

/** Returns for example `Visa •••• 4242`. */
export function cardWords(card: CardLike | null): string {
  if (!card) return '–';
  const name = card.brand ? brandOf(card.brand) : (kinds[card.type] ?? card.type);
  return card.lastFour ? `${name} •••• ${card.lastFour}` : name;
}

export const disputeWords: Readonly<Record<Dispute['status'], Words>> = {
  warning_needs_response: { text: 'Inquiry, to answer', tone: 'soon' },
  warning_under_review: { text: 'Inquiry, answered', tone: 'plain' },
  warning_closed: { text: 'Inquiry closed', tone: 'plain' },
  needs_response: { text: 'To answer', tone: 'bad' },
  under_review: { text: 'Answered', tone: 'plain' },
  won: { text: 'Won', tone: 'good' },
  lost: { text: 'Lost', tone: 'bad' },
  prevented: { text: 'Prevented', tone: 'good' },
  appeal_needs_response: { text: 'Appeal, to answer', tone: 'bad' },
  appeal_under_review: { text: 'Appeal, answered', tone: 'plain' },
};

/**
 * Returns whether a refund would pay twice: the bank has the money, or is about to decide. An inquiry takes
 * no money.
 */
export const blocksRefund = ({ status }: Pick<Dispute, 'status'>): boolean =>
  /^(appeal_)?(needs_response|under_review)$|^lost$/.test(status);

/** Whether the merchant has to answer: a dispute that the provider answers by itself needs nothing. */
export const needsAnswer = ({ awaits }: Pick<Dispute, 'awaits'>): boolean => awaits === 'merchant';

export const subscriptionWords: Readonly<Record<Subscription['status'], Words>> = {
  trialing: { text: 'In trial', tone: 'plain' },
  active: { text: 'Active', tone: 'good' },
  past_due: { text: 'Past due', tone: 'bad' },
  unpaid: { text: 'Unpaid', tone: 'bad' },
  paused: { text: 'Paused', tone: 'plain' },
  canceled: { text: 'Cancelled', tone: 'plain' },
};

export const requestWords: Readonly<Record<RefundRequestStatus, Words>> = {
  waiting: { text: 'Waiting for approval', tone: 'soon' },
  approved: { text: 'Approved', tone: 'good' },
  declined: { text: 'Declined', tone: 'plain' },
  expired: { text: 'Not approved in time', tone: 'plain' },
};

/** Returns the texts of a table as the choices of a filter. */
export const choicesOf = (
  words: Readonly<Record<string, Words>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(words).map(([name, { text }]) => [name, text]));

const counts = new Intl.NumberFormat('en');

/** Returns for example `1 payment` or `12,407 payments`. */
export const countedNoun = (count: number, [one, many]: readonly [string, string]): string =>
  `${counts.format(count)} ${count === 1 ? one : many}`;
