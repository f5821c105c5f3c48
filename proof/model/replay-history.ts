// Checker 2: replays the append-only history of every payment on the reference model, version by
// version, with the events about it and the responses that showed it.

import { isCaptured, isMove, type RowType, type Status } from './moves.ts';

/** A row of `payment_history`, with the fields of its payment that never change. */
export type HistoryRow = {
  readonly paymentId: string;
  readonly type: RowType;
  readonly amountMinor: number;
  readonly version: number;
  readonly status: Status;
  readonly voidReason: string | null;
  readonly capturedMinor: number;
  readonly refundedMinor: number;
  readonly eventSeq: number;
};

export type HistoryEvent = {
  readonly paymentId: string;
  readonly sequence: number;
  readonly type: string;
};

/** A response that showed a payment: its body, as it was sent. */
export type HistoryAnswer = { readonly body: string };

// `$1` is a client, or a payment whose refunds and chargebacks are included.
const whose = 'p.client_id = $1 or p.id = $1 or p.parent_payment_id = $1';

/** Selects `HistoryRow`s of a client, or of one payment with its refunds and chargebacks. */
export const historySql = `select h.payment_id as "paymentId", p.type,
    p.amount_minor::float8 as "amountMinor", h.version, h.status,
    h.authorization_void_reason as "voidReason", h.captured_minor::float8 as "capturedMinor",
    h.refunded_minor::float8 as "refundedMinor", h.event_seq as "eventSeq"
  from payment_history h join payments p on p.id = h.payment_id
  where ${whose} order by h.payment_id, h.version`;

/** Selects the `HistoryEvent`s of the same payments. */
export const eventsSql = `select e.resource_id as "paymentId", e.sequence, e.type
  from events e join payments p on p.id = e.resource_id
  where ${whose} order by e.resource_id, e.sequence`;

/** Returns the violations of the contract, one sentence each; empty when there are none. */
export function replayHistory(
  rows: readonly HistoryRow[],
  events: readonly HistoryEvent[],
  answers: readonly HistoryAnswer[] = [],
): string[] {
  const told = new Map(events.map((one) => [`${one.paymentId} ${one.sequence}`, one.type]));
  const byPayment = Map.groupBy(rows, (row) => row.paymentId);
  const found: string[] = [];
  for (const [paymentId, unordered] of byPayment) {
    const history = unordered.toSorted((one, other) => one.version - other.version);
    const addViolation = (text: string) => found.push(`${paymentId}: ${text}`);
    history.forEach((row, index) => {
      if (row.version !== index) addViolation(`version ${row.version} comes as number ${index}`);
      for (const text of stateFaults(row)) addViolation(`version ${row.version} ${text}`);
      const before = history[index - 1];
      if (before) for (const text of stepFaults(before, row, told)) addViolation(text);
    });
    const last = history.at(-1);
    const count = events.filter((one) => one.paymentId === paymentId).length;
    if (last && last.eventSeq !== count) addViolation(`${count} events, ${last.eventSeq} counted`);
  }
  return [...found, ...answerFaults(byPayment, answers)];
}

function stateFaults(row: HistoryRow): string[] {
  const { type, status, capturedMinor, refundedMinor, amountMinor, voidReason } = row;
  const faults: string[] = [];
  if ((status === 'voided') !== (voidReason !== null)) faults.push(`is ${status}: ${voidReason}`);
  if (type !== 'purchase') return faults;
  const isPaid = capturedMinor === amountMinor;
  if (capturedMinor !== 0 && !isPaid) faults.push(`has captured ${capturedMinor}`);
  if (isCaptured(status) && !isPaid) faults.push(`is ${status} without its money`);
  if (capturedMinor !== 0 && !isCaptured(status) && status !== 'unknown' && status !== 'failed') {
    faults.push(`is ${status} with money`);
  }
  if (refundedMinor < 0 || refundedMinor > capturedMinor) {
    faults.push(`has ${refundedMinor} of ${capturedMinor} refunded`);
  }
  if (isCaptured(status) && statusOf(refundedMinor, capturedMinor) !== status) {
    faults.push(`is ${status} with ${refundedMinor} of ${capturedMinor} refunded`);
  }
  return faults;
}

const statusOf = (refunded: number, captured: number): Status =>
  refunded === 0 ? 'succeeded' : refunded === captured ? 'refunded' : 'partially_refunded';

function stepFaults(
  before: HistoryRow,
  row: HistoryRow,
  told: ReadonlyMap<string, string>,
): string[] {
  const faults: string[] = [];
  const step = `${before.status} to ${row.status}`;
  if (row.status !== before.status && !isMove(row.type, before.status, row.status)) {
    faults.push(`moved from ${step}`);
  }
  const count = row.eventSeq - before.eventSeq;
  if (count !== 0 && count !== 1) faults.push(`${step} counts ${count} events`);
  const event = count === 1 ? told.get(`${row.paymentId} ${row.eventSeq}`) : undefined;
  if (count === 1 && event === undefined) faults.push(`event ${row.eventSeq} is missing`);
  const wanted = wantedEvents(before, row);
  if (!wanted.includes(event ?? 'none')) {
    faults.push(`${step} is told by ${event ?? 'none'}, not by ${wanted.join(' or ')}`);
  }
  return faults;
}

const purchased = ['item.purchased', 'payment.succeeded'];

/**
 * Returns the events that may report a step; `none` when it has no event. Specification, Events.
 */
function wantedEvents(before: HistoryRow, row: HistoryRow): readonly string[] {
  if (row.type === 'refund') {
    if (row.status === before.status) return ['none', 'refund.created'];
    if (row.status === 'succeeded') return ['refund.succeeded'];
    return row.status === 'refund_failed' ? ['refund.failed'] : ['none'];
  }
  if (row.status === before.status) {
    return row.status === 'authorized'
      ? ['none', 'payment.capture_failed', 'payment.authorization_expiring']
      : ['none'];
  }
  if (row.status === 'voided') {
    return row.voidReason === 'expired'
      ? ['payment.authorization_expired']
      : ['payment.authorization_voided'];
  }
  if (row.status === 'failed') {
    return before.capturedMinor > 0 || before.status === 'unknown'
      ? ['payment.failed', 'payment.capture_failed']
      : ['payment.failed'];
  }
  if (row.status === 'succeeded' && before.capturedMinor === 0) return purchased;
  if (row.status === 'authorized') return ['payment.authorized', 'payment.capture_failed', 'none'];
  return ['none'];
}

type Body = {
  readonly id?: string;
  readonly object?: string;
  readonly version?: number;
  readonly status?: string;
  readonly authorizationVoidReason?: string | null;
};

/** A response must show the payment as it was at the version that the response names. */
function answerFaults(
  byPayment: ReadonlyMap<string, readonly HistoryRow[]>,
  answers: readonly HistoryAnswer[],
): string[] {
  return answers.flatMap(({ body }) => {
    const shown = JSON.parse(body) as Body;
    if (shown.object !== 'payment' || shown.id === undefined) return [];
    const row = byPayment.get(shown.id)?.find(({ version }) => version === shown.version);
    if (!row) return [`${shown.id}: version ${shown.version} was shown and never was`];
    const isSame =
      row.status === shown.status && row.voidReason === (shown.authorizationVoidReason ?? null);
    return isSame
      ? []
      : [`${shown.id}: version ${row.version} was ${row.status} and shown as ${shown.status}`];
  });
}
