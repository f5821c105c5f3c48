// The provider's date of a movement of money, where its balance record came after the movement.

import type { Payment } from '../../domain/payments/payment.ts';
import type { Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

const learn = sql(
  'payments.learn_effective_at',
  `update payments set financial_effective_at = $3, updated_at = svc_clock()
   where client_id = $1 and id = $2 and financial_effective_at is null`,
);

/** Once, on a locked payment; a date that is known stays. */
export async function learnEffectiveAt(
  tx: Tx,
  payment: Pick<Payment, 'clientId' | 'id'>,
  effectiveAt: Date,
): Promise<void> {
  await tx.query(learn, [payment.clientId, payment.id, effectiveAt]);
}
