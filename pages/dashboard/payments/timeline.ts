// What happened to a payment, in words for people. Entries for developers are marked.

import type { TimelineEntry } from '@svc/contract/payments/disputes';
import type { Payment } from '@svc/contract/payments/payments';
import { money, plainAmount } from '../../kit/money.ts';

export type TimelineText = {
  readonly at: string;
  readonly text: string;
  /** True for what programs did: attempts, events, deliveries. */
  readonly isTechnical: boolean;
};

const purchase: Readonly<Record<string, string>> = {
  pending: 'The buyer started to pay',
  authorized: 'The amount was held on the card',
  processing: 'The provider started processing',
  succeeded: 'The payment succeeded',
  failed: 'The payment failed',
  refunded: 'The whole amount was refunded',
  partially_refunded: 'A part was refunded',
  unknown: 'The provider did not report the result',
};

const refund: Readonly<Record<string, string>> = {
  pending: 'A refund of {sum} started',
  processing: 'The refund of {sum} is on its way',
  succeeded: '{sum} was refunded',
  refund_failed: 'The refund of {sum} failed: the buyer did not get the money',
  unknown: 'The provider did not report the result of the refund of {sum}',
};

function statusText({ type, status, text }: TimelineEntry, about: Payment | undefined): string {
  const sum = about ? money(Math.abs(about.amount), about.currency) : 'an amount';
  if (type === 'chargeback') {
    return about && about.amount < 0 ? `The bank returned ${sum}` : `The bank withdrew ${sum}`;
  }
  const words = (type === 'refund' ? refund : purchase)[status ?? ''];
  return (words ?? text).replace('{sum}', sum);
}

const technical = {
  operation: ({ type, status }: TimelineEntry) => `Operation ${type}: ${status}`,
  attempt: ({ type, status, attempt, code }: TimelineEntry) =>
    `Call of the provider for ${type}, attempt ${attempt}: ${status}${code ? ` (${code})` : ''}`,
  mail: ({ text }: TimelineEntry) => text,
  event: ({ type, eventId }: TimelineEntry) => `Event ${type}, ${eventId}`,
  delivery: ({ type, status, httpStatus, attempt, code }: TimelineEntry) =>
    `Delivery of ${type}: ${status}${httpStatus ? `, answered ${httpStatus}` : ''}${
      code ? ` (${code})` : ''
    }, ${attempt} tried`,
} as const;

/** Events of which no status tells, in words for people. */
const toldEvents: Readonly<Record<string, string>> = {
  'payment.fraud_warning': 'The card’s bank reported this payment as fraud',
  'payment.review_opened': 'The card provider put the payment under review',
  'payment.review_closed': 'The review at the card provider ended',
};
const toldEventOf = ({ kind, type }: TimelineEntry) =>
  kind === 'event' ? toldEvents[type] : undefined;

/**
 * True for what a person requested, which is shown among the statuses; the service's own operations are
 * not.
 */
const isRequestedByPerson = ({ kind, actor }: TimelineEntry) =>
  kind === 'mail' || (kind === 'operation' && actor !== null);

/** The service writes `79.50 EUR`: here sums are told as everywhere on the page. */
function withSum(text: string, about: Payment | undefined): string {
  if (!about) return text;
  const amount = Math.abs(about.amount);
  const { currency } = about;
  return text.replace(`${plainAmount(amount, currency)} ${currency}`, money(amount, currency));
}

const textOf = (entry: TimelineEntry, about: Payment | undefined): string =>
  toldEventOf(entry) ??
  (entry.kind === 'status' || isRequestedByPerson(entry)
    ? withSum(entry.text, about)
    : technical[entry.kind](entry));

/** Removes statuses that repeat the payment's previous one: only its version had changed. */
function withoutRepeats(entries: readonly TimelineEntry[]): readonly TimelineEntry[] {
  const last = new Map<string | null, string | null>();
  return entries.filter(({ kind, paymentId, status }) => {
    if (kind !== 'status') return true;
    const isRepeat = last.get(paymentId) === status;
    last.set(paymentId, status);
    return !isRepeat;
  });
}

/**
 * Returns the entries, oldest first, as the service does. `rows`: the payment and those that belong to it.
 */
export function describeEntries(
  entries: readonly TimelineEntry[],
  rows: readonly Payment[],
): TimelineText[] {
  return withoutRepeats(entries).map((entry) => {
    const about = rows.find(({ id }) => id === entry.paymentId);
    return {
      at: entry.at,
      isTechnical: entry.kind !== 'status' && !isRequestedByPerson(entry) && !toldEventOf(entry),
      text: entry.kind === 'status' ? statusText(entry, about) : textOf(entry, about),
    };
  });
}
