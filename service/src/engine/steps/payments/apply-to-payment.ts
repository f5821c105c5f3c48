import assert from 'node:assert';
import type { Line } from '../../../domain/payments/line.ts';
import type { Operation } from '../../../domain/payments/operation.ts';
import type { Payment } from '../../../domain/payments/payment.ts';
import type { Settlement } from '../../../domain/payments/settlement.ts';
import { isStartProof } from '../../../domain/protocol/start-proof.ts';
import { findLines } from '../../../storage/checkout-sessions/checkout-sessions.ts';
import type { Tx } from '../../../storage/database/database.ts';
import { updatePayment } from '../../../storage/payments/payments.ts';
import { appendEvent, type NewEvent } from '../../../storage/webhooks/events.ts';
import type { Ports } from '../../ports.ts';
import { composeEvent, showPurchase } from '../events/compose-event.ts';
import { showPayment } from './show-payment.ts';

export type AppliedChange = {
  readonly payment: Payment;
  /** Null when the provider's state changed without a request of ours. */
  readonly operation: Operation | null;
  readonly settlement: Pick<Settlement, 'change' | 'event' | 'failure'>;
  readonly now: Date;
  readonly ports: Ports;
};

/** Writes the change and its event onto a locked payment. */
export async function applyToPayment(tx: Tx, applied: AppliedChange): Promise<Payment> {
  const { payment, operation, settlement, now, ports } = applied;
  if (!settlement.change) return payment;
  const sequence = payment.eventSeq + (settlement.event ? 1 : 0);
  const next = await updatePayment(tx, payment, {
    ...settlement.change,
    eventSeq: sequence,
    updatedAt: now,
  });
  if (!settlement.event) return next;

  const lines: Line[] =
    settlement.event === 'purchase' && payment.sessionId
      ? await findLines(tx, payment.clientId, payment.sessionId)
      : [];
  await appendEvent(
    tx,
    composePaymentEvent({ payment, next, operation, settlement, lines, now, ports }),
  );
  return next;
}

/** Composes the event of a payment's change, as merchants receive it. */
export function composePaymentEvent(
  facts: AppliedChange & { readonly next: Payment; readonly lines: readonly Line[] },
): NewEvent {
  const { payment, next, operation, settlement, lines, now, ports } = facts;
  const { event, failure } = settlement;
  assert(event, 'a change without an event has none to compose');
  const about = {
    id: ports.newId(),
    clientId: next.clientId,
    isLive: next.isLive,
    now,
    resource: { type: 'payment', id: next.id, version: next.version },
    sequence: next.eventSeq,
    isStartProof: isStartProof(next),
    request: operation && {
      id: operation.requestId,
      idempotencyKey: operation.idempotencyKey,
    },
  } as const;
  const previousAttributes = payment.status === next.status ? {} : { status: payment.status };
  if (event === 'purchase' && lines.some((line) => line.kind === 'item')) {
    const object = showPurchase(next, lines, now);
    return composeEvent({ ...about, type: 'item.purchased', data: { object, previousAttributes } });
  }
  const type = event === 'purchase' ? 'payment.succeeded' : event;
  const data = { object: showPayment(next), previousAttributes };
  if (type !== 'payment.capture_failed') return composeEvent({ ...about, type, data });
  assert(failure, 'a failed capture says why');
  const { code, message } = failure;
  const attempt = operation?.attempt ?? 0;
  return composeEvent({ ...about, type, data: { ...data, failure: { code, message, attempt } } });
}
