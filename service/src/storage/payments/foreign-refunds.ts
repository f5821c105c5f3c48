// Refunds that were made at the provider by hand: what decides whether one becomes a row.

import assert from 'node:assert';
import type { Payment } from '../../domain/payments/payment.ts';
import type { Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

const find = sql<{ classified_from: Date; is_recorded: boolean }>(
  'foreign_refunds.find',
  `select g.classified_from, exists (select from payments r
     where r.gateway_id = g.id and r.provider_refund_id = $3) as is_recorded
   from gateways g where g.client_id = $1 and g.id = $2`,
);

/**
 * Returns whether the refund is a row already, and from when on such refunds become rows. The
 * caller holds the purchase's lock.
 */
export async function findForeignRefund(
  tx: Tx,
  purchase: Payment,
  providerRefundId: string,
): Promise<{ isRecorded: boolean; classifiedFrom: Date }> {
  const [row] = await tx.query(find, [purchase.clientId, purchase.gatewayId, providerRefundId]);
  assert(row, 'a payment has its gateway');
  return { isRecorded: row.is_recorded, classifiedFrom: row.classified_from };
}
