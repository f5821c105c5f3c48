// Sentences for the entries of a payment's timeline, for people who read no codes.

import { toDecimal } from '../../../domain/money/money.ts';
import type { TimelineRow } from '../../../storage/payments/timelines.ts';

const began: Readonly<Record<string, string>> = {
  purchase: 'The payment of {sum} began.',
  refund: 'A refund of {sum} began.',
  chargeback: "The buyer's bank moved {sum} over a dispute.",
};

const statuses: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  purchase: {
    authorized: '{sum} is held on the card.',
    processing: 'The payment is being worked on.',
    succeeded: '{sum} was collected.',
    failed: 'The payment failed.',
    refunded: 'The whole amount was refunded.',
    partially_refunded: 'A part was refunded.',
    voided: 'The hold was released.',
    unknown: 'The provider has not said yet what happened.',
  },
  refund: {
    processing: 'The provider is working on the refund of {sum}.',
    succeeded: '{sum} was refunded.',
    refund_failed: 'The refund of {sum} failed.',
    unknown: 'The provider has not said yet whether {sum} was refunded.',
  },
};

const voided: Readonly<Record<string, string>> = {
  merchant_requested: 'The hold was released.',
  expired: 'The hold ran out.',
  provider_canceled: 'The provider released the hold.',
};

const requestTexts: Readonly<Record<string, string>> = {
  authorize: '{who} asked the provider for {sum}.',
  capture: '{who} asked to capture {sum}.',
  cancel: '{who} asked to release the hold.',
  expire: '{who} asked the provider to let the hold go, for its time is over.',
  refund: '{who} asked to refund {sum}{why}.',
  approved: '{who} refunded {sum}{why}, approved by {approver}.',
};

const reasons: Readonly<Record<string, string>> = {
  duplicate: 'paid twice',
  fraudulent: 'fraud',
  requested_by_customer: 'requested by customer',
  other: 'another reason',
};

const sumOf = ({ amount_minor, currency }: TimelineRow): string =>
  amount_minor === null || currency === null
    ? 'it'
    : `${toDecimal(Math.abs(Number(amount_minor)), currency)} ${currency}`;

const requesterOf = (row: TimelineRow): string =>
  row.requester_id === null ? askerOf(row) : (row.requester_name ?? row.requester_email ?? '');

const askerOf = (row: TimelineRow): string =>
  row.asker_name ?? row.asker_email ?? row.asker_application_name ?? 'The service';

function statusText(row: TimelineRow): string {
  const { status, version, void_reason: reason } = row;
  if (version === 0) return began[row.type] ?? began.purchase ?? '';
  if (status === 'voided' && reason !== null) return voided[reason] ?? 'The hold was released.';
  return statuses[row.type]?.[status ?? ''] ?? 'The payment was changed.';
}

const deliveries: Readonly<Record<string, string>> = {
  delivered: 'was delivered',
  pending: 'waits to be delivered',
  failed: 'could not be delivered',
};

const mails: Readonly<Record<string, string>> = {
  receipt: '{who} mailed the receipt to {recipient}.',
  refund: '{who} mailed the buyer about the refund, to {recipient}.',
  refund_failed: '{who} mailed the buyer that the refund failed, to {recipient}.',
};

const templates: Readonly<Record<TimelineRow['kind'], (row: TimelineRow) => string>> = {
  status: statusText,
  operation: (row) =>
    requestTexts[row.requester_id === null ? row.type : 'approved'] ?? '{who} began an operation.',
  attempt: ({ type, attempt, status }) =>
    `Attempt ${attempt ?? 1} of ${type} at the provider: ${(status ?? 'under way').replaceAll('_', ' ')}.`,
  event: ({ type }) => `The event ${type} was recorded.`,
  mail: ({ type }) => mails[type] ?? '{who} mailed the buyer.',
  delivery: ({ type, status }) =>
    `The event ${type} ${deliveries[status ?? ''] ?? `is ${status}`}.`,
};

/** Returns the sentence for an entry. Amounts are in major units with the currency's code. */
export function describeEntry(row: TimelineRow): string {
  const why = row.refund_reason ? `: ${reasons[row.refund_reason] ?? row.refund_reason}` : '';
  return templates[row.kind](row)
    .replace('{sum}', () => sumOf(row))
    .replace('{who}', () => requesterOf(row))
    .replace('{approver}', () => askerOf(row))
    .replace('{why}', () => why)
    .replace('{recipient}', () => row.mail_recipient ?? 'the buyer');
}
