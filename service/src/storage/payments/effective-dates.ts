// The provider's balance record of a movement of money, when it arrives after the movement.

import type { Balance } from '../../domain/payments/balance.ts';
import type { Payment } from '../../domain/payments/payment.ts';
import { setParameters, valuesOf } from '../database/asked-rows.ts';
import type { Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { balanceColumns } from './payments.ts';

const learnDate = sql(
  'payments.learn_effective_at',
  `update payments set financial_effective_at = $3, updated_at = svc_clock()
   where client_id = $1 and id = $2 and financial_effective_at is null`,
);

const learnRecord = sql(
  'payments.learn_balance',
  `update payments set ${setParameters(balanceColumns, 3)}, updated_at = svc_clock()
   where client_id = $1 and id = $2 and balance_transaction_id is null`,
);

/** Writes each value once, on a locked payment; a known value does not change. */
export async function learnBooking(
  tx: Tx,
  { clientId, id, currency }: Pick<Payment, 'clientId' | 'id' | 'currency'>,
  {
    effectiveAt,
    balance,
  }: { readonly effectiveAt: Date | null; readonly balance?: Balance | null },
): Promise<void> {
  if (effectiveAt) await tx.query(learnDate, [clientId, id, effectiveAt]);
  if (!balance) return;
  const values = valuesOf(balanceColumns, { balance, currency });
  await tx.query(learnRecord, [clientId, id, ...values]);
}
