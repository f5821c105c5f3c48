// Objects at the card provider that carry the service's marks: the metadata with which the service
// creates every intent.

import type Stripe from 'stripe';
import { type Marks, readMaker, readMarks } from '../../domain/protocol/marks.ts';
import type { MarkedReading, NoticeSpan, OwnObjectsPage } from '../../engine/ports.ts';
import { expand } from './holds.ts';
import { isIntent, translateIntent } from './translate.ts';
import { read, type Wire } from './wire.ts';

const marksOf = ({ metadata }: Stripe.PaymentIntent): Marks | null =>
  readMarks({
    paymentId: metadata?.payment_id,
    operationId: metadata?.operation_id,
    sessionId: metadata?.session_id,
  });

/** Reads an intent with its marks. */
export async function retrieveMarked(wire: Wire, intentId: string): Promise<MarkedReading> {
  const answer = await read(wire, (options) =>
    wire.sdk.paymentIntents.retrieve(intentId, { expand }, options),
  );
  const { trace } = answer;
  if (answer.kind === 'error' && answer.status === 404) return { kind: 'missing', trace };
  if (answer.kind !== 'ok') return { kind: 'in_doubt', cause: 'read_failed', trace };
  const { value } = answer;
  if (!isIntent(value) || value.id !== intentId) {
    return { kind: 'in_doubt', cause: 'answer_mismatch', trace };
  }
  const marks = marksOf(value);
  if (!marks) return { kind: 'foreign', trace };
  const { customer } = value;
  const payment = {
    ...translateIntent(value),
    marks,
    maker: readMaker(value.metadata),
    captureMethod: value.capture_method === 'manual' ? 'manual' : 'automatic',
    customerId: typeof customer === 'string' ? customer : (customer?.id ?? null),
    payerEmail: value.receipt_email ?? null,
  } as const;
  return { kind: 'found', payment, trace };
}

const toUnix = (at: Date): number => at.getTime() / 1000;

/** Lists the intents of a span, newest first. */
export async function listMarked(wire: Wire, span: NoticeSpan): Promise<OwnObjectsPage> {
  const { from, until, page } = span;
  const listIntentsPage = (limit: number) =>
    read(wire, (options) =>
      wire.sdk.paymentIntents.list(
        {
          created: { gte: Math.floor(toUnix(from)), lte: Math.ceil(toUnix(until)) },
          limit,
          ...(page === null ? {} : { starting_after: page }),
        },
        options,
      ),
    );
  const most = await listIntentsPage(50);
  // With long metadata a full page may exceed the size limit of an answer.
  const answer = most.kind === 'lost' ? await listIntentsPage(5) : most;
  const { trace } = answer;
  if (answer.kind !== 'ok') return { kind: 'in_doubt', cause: 'read_failed', trace };
  const { data, has_more: isCut } = answer.value;
  const next = isCut ? data?.at(-1)?.id : null;
  if (!Array.isArray(data) || next === undefined || (next !== null && next === page)) {
    return { kind: 'in_doubt', cause: 'answer_malformed', trace };
  }
  const payments = data.flatMap((intent) => {
    const marks = isIntent(intent) ? marksOf(intent) : null;
    return marks ? [{ intentId: intent.id, marks, maker: readMaker(intent.metadata) }] : [];
  });
  return { kind: 'found', payments, next, trace };
}
