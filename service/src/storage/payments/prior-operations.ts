// Earlier operations by their idempotency keys, for callers who want to know, before asking again,
// whether the same was done already.

import type { PaymentStatus } from '@svc/contract/payments/payments';
import type { OperationState } from '../../domain/payments/operation.ts';
import type { Payment } from '../../domain/payments/payment.ts';
import type { Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { type PaymentRow, paymentColumns, toPayment } from './payments.ts';

export type PriorOperation = {
  readonly key: string;
  readonly at: Date;
  readonly state: OperationState;
  /** True once the final answer is stored: the same key gets that answer and no other. */
  readonly isAnswered: boolean;
  readonly amountMinor: number;
  /** The status of the payment, or of the refund that the operation made. */
  readonly status: PaymentStatus;
};

const findByKeys = sql<{
  idempotency_key: string;
  created_at: Date;
  state: OperationState;
  is_answered: boolean;
  amount_minor: string;
  status: PaymentStatus;
}>(
  'operations.find_by_keys',
  `select o.idempotency_key, o.created_at, o.state, o.response_status is not null as is_answered,
     o.amount_minor, p.status
   from payment_operations o
     join payments p on p.client_id = o.client_id and p.id = o.payment_id
   where o.client_id = $1 and o.kind = $2 and o.idempotency_key = any($3)`,
);

/** Returns the accepted operations that have one of the keys, in no order. */
export async function findPriorOperations(
  tx: Tx,
  asked: { clientId: string; kind: 'capture' | 'cancel' | 'refund'; keys: readonly string[] },
): Promise<PriorOperation[]> {
  const rows = await tx.query(findByKeys, [asked.clientId, asked.kind, asked.keys]);
  return rows.map((row) => ({
    key: row.idempotency_key,
    at: row.created_at,
    state: row.state,
    isAnswered: row.is_answered,
    amountMinor: Number(row.amount_minor),
    status: row.status,
  }));
}

const findInTx = sql<PaymentRow>(
  'payments.find_in_tx',
  `select ${paymentColumns} from payments p where p.client_id = $1 and p.id = $2`,
);

/** Returns one payment of the client, unlocked, within a transaction. */
export async function findPaymentIn(
  tx: Tx,
  clientId: string,
  id: string,
): Promise<Payment | undefined> {
  const [row] = await tx.query(findInTx, [clientId, id]);
  return row && toPayment(row);
}
