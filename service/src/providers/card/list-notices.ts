// Lists the notices about what happens without the service, such as money that moves and cards that
// change, from the provider's own list of events, which keeps 30 days. docs/decisions/reconciliation.md.

import type { NoticePage, NoticeSpan } from '../../engine/ports.ts';
import { readEvent } from './notices.ts';
import { read, type Wire } from './wire.ts';

// Events about settled payments, which reconcile only samples, about saved cards, and about suspected fraud. Two
// event types report a reversed capture and every decline: one of the two is enough.
const types = [
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
  'charge.failed',
  'payment_method.automatically_updated',
  'payment_method.detached',
  'payment_method.updated',
  'radar.early_fraud_warning.created',
  'radar.early_fraud_warning.updated',
  'refund.created',
  'refund.updated',
  'refund.failed',
  'review.closed',
  'review.opened',
];

const toUnix = (at: Date): number => at.getTime() / 1000;

/** Newest first, as the provider lists them. */
export async function listNotices(wire: Wire, span: NoticeSpan): Promise<NoticePage> {
  const { from, until, page } = span;
  const listEventsPage = (limit: number) =>
    read(wire, (options) =>
      wire.sdk.events.list(
        {
          types,
          created: { gte: Math.floor(toUnix(from)), lte: Math.ceil(toUnix(until)) },
          limit,
          ...(page === null ? {} : { starting_after: page }),
        },
        options,
      ),
    );
  const most = await listEventsPage(20);
  // With the evidence of disputes, a full page may exceed the size limit of an answer.
  const answer = most.kind === 'lost' ? await listEventsPage(1) : most;
  const { trace } = answer;
  if (answer.kind !== 'ok') return { kind: 'in_doubt', cause: 'read_failed', trace };
  const { data, has_more: isCut } = answer.value;
  const next = isCut ? data?.at(-1)?.id : null;
  if (!Array.isArray(data) || next === undefined || (next !== null && next === page)) {
    return { kind: 'in_doubt', cause: 'answer_malformed', trace };
  }
  return { kind: 'found', notices: data.flatMap((event) => readEvent(event) ?? []), next, trace };
}
