// A refund that somebody made at the provider, in its dashboard or through its API. It becomes a
// refund row of the purchase, with its events, once. docs/decisions/reconciliation.md.

import type { Operation } from '../../../domain/payments/operation.ts';
import { judgeForeignRefund, moveRefund } from '../../../domain/payments/refund.ts';
import { uuidPattern } from '../../../domain/protocol/uuid.ts';
import { readClock } from '../../../storage/database/clock.ts';
import { repeatWhenLost, type Tx } from '../../../storage/database/database.ts';
import { findForeignRefund } from '../../../storage/payments/foreign-refunds.ts';
import { findOperation } from '../../../storage/payments/payment-operations.ts';
import { lockPayment } from '../../../storage/payments/payments.ts';
import { insertRefund, updateRefundSums } from '../../../storage/payments/refund-rows.ts';
import { appendEvent } from '../../../storage/webhooks/events.ts';
import type { Ports, ProviderRefund } from '../../ports.ts';
import { composeEvent } from '../events/compose-event.ts';
import { settleRefundIn } from '../payments/settle-refund.ts';
import { showPayment } from '../payments/show-payment.ts';

/** `misfit`: it cannot be a refund of this purchase; reconciliation keeps reporting it. */
export type RecordedRefund = 'recorded' | 'known' | 'wait' | 'leave' | 'misfit';

/**
 * Finds our operation that asked for the refund. A refund made by somebody else may name none, or
 * an attempt or a capture where the metadata of its payment was copied.
 */
export async function findRefundOperation(
  clientId: string,
  { operationId }: ProviderRefund,
  { database }: Ports,
): Promise<Operation | undefined> {
  if (!operationId || !uuidPattern.test(operationId)) return undefined;
  const operation = await findOperation(database, clientId, operationId);
  return operation?.kind === 'refund' ? operation : undefined;
}

/**
 * Records a refund that was made at the provider and not by an operation of ours. Repeatable: it is
 * recorded once.
 */
export async function recordRefund(
  purchase: { readonly clientId: string; readonly id: string },
  said: ProviderRefund,
  ports: Ports,
): Promise<RecordedRefund> {
  const outcome = await repeatWhenLost(() =>
    ports.database.transaction(purchase.clientId, (tx) =>
      recordOnce(tx, purchase, { said, ports }),
    ),
  );
  if (outcome === 'recorded') ports.nudge('deliver-webhooks');
  return outcome;
}

async function recordOnce(
  tx: Tx,
  { clientId, id }: { readonly clientId: string; readonly id: string },
  { said, ports }: { said: ProviderRefund; ports: Ports },
): Promise<RecordedRefund> {
  const purchase = await lockPayment(tx, clientId, id);
  if (!purchase) throw new Error(`payment ${id} is missing`);
  const { isRecorded, classifiedFrom } = await findForeignRefund(tx, purchase, said.refundId);
  if (isRecorded) return 'known';
  const judged = judgeForeignRefund(purchase, said, classifiedFrom);
  if (judged !== 'record') return judged;
  const now = await readClock(tx);
  const refund = await insertRefund(tx, purchase, {
    id: ports.newId(),
    amountMinor: said.amountMinor,
    refundReason: null,
    metadata: {},
    createdAt: now,
  });
  await updateRefundSums(tx, purchase, {
    ...moveRefund(purchase, { ...refund, status: 'refund_failed' }, 'pending'),
    updatedAt: now,
  });
  await appendEvent(
    tx,
    composeEvent({
      id: ports.newId(),
      type: 'refund.created',
      clientId,
      isLive: refund.isLive,
      now,
      resource: { type: 'payment', id: refund.id, version: refund.version },
      sequence: refund.eventSeq,
      request: null,
      data: { object: showPayment(refund) },
    }),
  );
  const held = { clientId, refundId: refund.id, purchaseId: id, operation: null, startedAt: now };
  const trace = { httpStatus: null, providerCode: null, requestId: null };
  const theirs = { ...said, operationId: null };
  await settleRefundIn(tx, held, { outcome: { kind: 'confirmed', refund: theirs, trace }, ports });
  return 'recorded';
}
