// Reading one payment and the token that asks for it in one statement.

import type { Payment } from '../domain/payment.ts';
import type { Database } from './database.ts';
import { type PaymentRow, paymentColumns, toPayment } from './payments.ts';
import { sql } from './sql.ts';
import { isLiveToken } from './standing.ts';

type RecalledToken = {
  readonly clientId: string;
  readonly tokenId: string;
  readonly userId: string;
  readonly tokenSha256: Buffer;
};

const findAsked = sql<PaymentRow>(
  'payments.find_asked',
  `select ${paymentColumns} from payments p where p.client_id = $1 and p.id = $2
     and ${isLiveToken({ credential: '$3', person: '$4', client: '$1', digest: '$5::bytea' })}`,
);

/** One payment of the client; undefined, too, where the token does not stand any more. */
export async function findPaymentAsked(
  database: Database,
  { clientId, tokenId, userId, tokenSha256 }: RecalledToken,
  id: string,
): Promise<Payment | undefined> {
  const [row] = await database.read(findAsked, [clientId, id, tokenId, userId, tokenSha256]);
  return row && toPayment(row);
}
