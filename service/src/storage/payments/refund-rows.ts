// Refunds as rows of their own, and their sums on the purchase.

import assert from 'node:assert';
import type { Payment } from '../../domain/payments/payment.ts';
import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { type PaymentRow, paymentColumns, toPayment } from './payments.ts';

const insertRefundRow = sql<PaymentRow>(
  'payments.insert_refund',
  `insert into payments as p (id, client_id, session_id, user_id, email, type, parent_payment_id,
     provider, gateway_id, provider_intent_id, gateway_charge_id, amount_minor, currency,
     capture_method, status, card, metadata, is_live, refund_reason, event_seq, created_at,
     updated_at, is_buyer_verified, external_id, reference)
   values ($1, $2, $3, $4, $5, 'refund', $6, $7, $8, $9, $10, $11, $12, $13, 'pending', $14, $15,
     $16, $17, 1, $18, $18, $19, $20, $21)
   returning ${paymentColumns}`,
);

/** Inserts a new refund of a locked purchase, `pending`; its first event is written with it. */
export async function insertRefund(
  tx: Tx,
  purchase: Payment,
  refund: Pick<Payment, 'id' | 'amountMinor' | 'refundReason' | 'metadata' | 'createdAt'>,
): Promise<Payment> {
  const [row] = await tx.query(insertRefundRow, [
    refund.id,
    purchase.clientId,
    purchase.sessionId,
    purchase.userId,
    purchase.email,
    purchase.id,
    purchase.provider,
    purchase.gatewayId,
    purchase.providerIntentId,
    purchase.gatewayChargeId,
    refund.amountMinor,
    purchase.currency,
    purchase.captureMethod,
    purchase.card,
    refund.metadata,
    purchase.isLive,
    refund.refundReason,
    refund.createdAt,
    purchase.isBuyerVerified,
    purchase.externalId,
    purchase.reference,
  ]);
  assert(row, 'an insert returns its row');
  return toPayment(row);
}

const setRefundSums = sql<PaymentRow>(
  'payments.set_refund_sums',
  `update payments p set status = $3, refunded_minor = $4, refund_pending_minor = $5,
     updated_at = $6
   where p.client_id = $1 and p.id = $2
   returning ${paymentColumns}`,
);

/** Writes the sums of the refunds to a locked purchase. */
export async function updateRefundSums(
  tx: Tx,
  purchase: Payment,
  sums: Pick<Payment, 'status' | 'refundedMinor' | 'refundPendingMinor' | 'updatedAt'>,
): Promise<void> {
  await tx.query(setRefundSums, [
    purchase.clientId,
    purchase.id,
    sums.status,
    sums.refundedMinor,
    sums.refundPendingMinor,
    sums.updatedAt,
  ]);
}

const setRefundId = sql(
  'payments.set_refund_id',
  `update payments set provider_refund_id = $3, updated_at = $4
   where client_id = $1 and id = $2
     and (provider_refund_id is null or ($5 and provider_refund_id <> $3))`,
);

/** Stores the provider's refund id; once, unless the new id is proven. The caller holds the refund's lock. */
export async function setProviderRefund(
  tx: Tx,
  refund: Pick<Payment, 'clientId' | 'id'>,
  given: { providerRefundId: string; isProven: boolean; now: Date },
): Promise<void> {
  const { providerRefundId, isProven, now } = given;
  await tx.query(setRefundId, [refund.clientId, refund.id, providerRefundId, now, isProven]);
}

const findByRefund = sql<{ client_id: string; id: string }>(
  'payments.find_by_refund',
  `select client_id, id from payments
   where gateway_id = $1 and provider_refund_id = $2 and type = 'refund'`,
);

/** Finds the payment of a notice about a refund. */
export async function findPaymentByRefund(
  database: Database,
  gatewayId: string,
  providerRefundId: string,
): Promise<{ clientId: string; id: string } | undefined> {
  const [row] = await database.read(findByRefund, [gatewayId, providerRefundId]);
  return row && { clientId: row.client_id, id: row.id };
}
