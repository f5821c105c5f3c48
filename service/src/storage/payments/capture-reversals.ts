// What a capture that was taken back was: the attempt that merchants are told of.

import type { Payment } from '../../domain/payments/payment.ts';
import type { Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

const findAttempt = sql<{ attempt: number }>(
  'take_backs.attempt',
  `select attempt from payment_operations
   where client_id = $1 and payment_id = $2 and state = 'succeeded'
     and kind in ('capture', 'authorize')
   order by kind = 'capture' desc limit 1`,
);

/** The attempt of ours that took the money; 0 where somebody else did. */
export async function findCaptureAttempt(tx: Tx, payment: Payment): Promise<number> {
  const [row] = await tx.query(findAttempt, [payment.clientId, payment.id]);
  return row?.attempt ?? 0;
}
