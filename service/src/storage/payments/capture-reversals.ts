// Finds the attempt of a capture that was reversed, which its event names.

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

/** Returns the attempt of the service that took the money; 0 when it was captured elsewhere. */
export async function findCaptureAttempt(tx: Tx, payment: Payment): Promise<number> {
  const [row] = await tx.query(findAttempt, [payment.clientId, payment.id]);
  return row?.attempt ?? 0;
}
