// The table `fraud_signals`: warnings of fraud, and reviews. The database guards its changes.

import assert from 'node:assert';
import type { FraudSignal, ProviderSignal, SignalFacts } from '../../domain/payments/dispute.ts';
import type { Payment } from '../../domain/payments/payment.ts';
import type { Database, Tx } from '../database/database.ts';
import { column, rowShape } from '../database/row-shape.ts';
import { sql } from '../database/sql.ts';

type SignalRow = Record<string, unknown>;

const signal = rowShape<FraudSignal>({
  id: column('id'),
  clientId: column('client_id'),
  paymentId: column('payment_id'),
  gatewayId: column('gateway_id'),
  kind: column('kind'),
  providerSignalId: column('provider_signal_id'),
  reason: column('reason'),
  isOpen: column('is_open'),
  closedReason: column('closed_reason'),
  isLive: column('is_live'),
  eventSeq: column('event_seq'),
  version: column('version'),
  raisedAt: column('raised_at'),
  createdAt: column('created_at'),
  updatedAt: column('updated_at'),
});
const signalColumns = signal.columns('f');

const lock = sql<SignalRow>(
  'fraud_signals.lock',
  `select ${signalColumns} from fraud_signals f
   where f.client_id = $1 and f.gateway_id = $2 and f.provider_signal_id = $3 for update`,
);

/** Returns the signal as stored, under the lock of its purchase. */
export async function lockSignal(
  tx: Tx,
  purchase: Payment,
  providerSignalId: string,
): Promise<FraudSignal | undefined> {
  const [row] = await tx.query(lock, [purchase.clientId, purchase.gatewayId, providerSignalId]);
  return row && signal.read(row);
}

const insert = sql<SignalRow>(
  'fraud_signals.insert',
  `insert into fraud_signals as f (id, client_id, payment_id, gateway_id, kind, provider_signal_id,
     reason, is_open, closed_reason, is_live, event_seq, raised_at, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 1, $11, $12, $12)
   returning ${signalColumns}`,
);

/** Inserts a signal that was not known before; its first event is written with it. */
export async function insertSignal(
  tx: Tx,
  purchase: Payment,
  { id, said, now }: { readonly id: string; readonly said: ProviderSignal; readonly now: Date },
): Promise<FraudSignal> {
  const [row] = await tx.query(insert, [
    ...[id, purchase.clientId, purchase.id, purchase.gatewayId, said.kind, said.signalId],
    ...[said.reason, said.isOpen, said.closedReason, purchase.isLive, said.raisedAt, now],
  ]);
  assert(row, 'an insert returns its row');
  return signal.read(row);
}

const update = sql<SignalRow>(
  'fraud_signals.update',
  `update fraud_signals f set reason = $3, is_open = $4, closed_reason = $5, event_seq = $6,
     updated_at = $7
   where f.client_id = $1 and f.id = $2
   returning ${signalColumns}`,
);

/** Saves a locked signal; the version rises by one. */
export async function updateSignal(
  tx: Tx,
  { clientId, id }: FraudSignal,
  change: SignalFacts & { readonly eventSeq: number; readonly updatedAt: Date },
): Promise<FraudSignal> {
  const { reason, isOpen, closedReason, eventSeq, updatedAt } = change;
  const values = [clientId, id, reason, isOpen, closedReason, eventSeq, updatedAt];
  const [row] = await tx.query(update, values);
  assert(row, 'a locked signal is updated');
  return signal.read(row);
}

const findAll = sql<SignalRow>(
  'fraud_signals.of_payment',
  `select ${signalColumns} from fraud_signals f
   where f.client_id = $1 and f.payment_id = (select coalesce(p.parent_payment_id, p.id)
     from payments p where p.client_id = $1 and p.id = $2)
   order by f.raised_at, f.id`,
);

/** Returns the signals of a purchase, or of that behind a refund or chargeback, the oldest first. */
export async function findSignalsOf(
  database: Database,
  clientId: string,
  paymentId: string,
): Promise<readonly FraudSignal[]> {
  return (await database.read(findAll, [clientId, paymentId])).map(signal.read);
}

/**
 * True of a purchase with an open signal of these kinds, about which something can still be done: a bank's
 * report helps nobody once there is a dispute or nothing left to give back.
 */
export const hasOpenSignal = (payment: string, kinds: string): string =>
  `(${payment}.id in (select f.payment_id from fraud_signals f where f.is_open and f.kind = any(${kinds}))
    and ${payment}.status in ('authorized', 'succeeded', 'partially_refunded')
    and not exists (select from disputes d where d.payment_id = ${payment}.id))`;
