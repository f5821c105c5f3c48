// The tables `receipts`, their counters, and `buyer_mails`. Additions §2, Receipts.

import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

export type IssuedReceipt = {
  readonly id: string;
  readonly clientId: string;
  readonly paymentId: string;
  readonly number: number;
  readonly token: Buffer;
  readonly issuedAt: Date;
};

type Row = {
  id: string;
  client_id: string;
  payment_id: string;
  number: string;
  token: Buffer;
  issued_at: Date;
};

const columns = 'id, client_id, payment_id, number, token, issued_at';

const toReceipt = (row: Row): IssuedReceipt => ({
  id: row.id,
  clientId: row.client_id,
  paymentId: row.payment_id,
  number: Number(row.number),
  token: row.token,
  issuedAt: row.issued_at,
});

const find = sql<Row>(
  'receipts.find',
  `select ${columns} from receipts where client_id = $1 and payment_id = $2`,
);

export async function findReceipt(
  database: Database,
  clientId: string,
  paymentId: string,
): Promise<IssuedReceipt | undefined> {
  const [row] = await database.read(find, [clientId, paymentId]);
  return row && toReceipt(row);
}

const findByToken = sql<Row>(
  'receipts.find_by_token',
  `select ${columns} from receipts where token = $1`,
);

/** Searches across all clients: a buyer who has the secret in the URL is no merchant's caller. */
export async function findReceiptByToken(
  database: Database,
  token: Buffer,
): Promise<IssuedReceipt | undefined> {
  const [row] = await database.read(findByToken, [token]);
  return row && toReceipt(row);
}

// The counter's row is locked until the number is used, so that no number is skipped.
const lockCounter = sql(
  'receipts.lock_counter',
  `insert into receipt_counters (client_id, last_number) values ($1, 0)
   on conflict (client_id) do update set last_number = receipt_counters.last_number`,
);
const insert = sql<Row>(
  'receipts.insert',
  `with next as (
     update receipt_counters set last_number = last_number + 1 where client_id = $2
     returning last_number)
   insert into receipts (id, client_id, payment_id, number, token, issued_at)
   select $1, $2, $3, next.last_number, $4, svc_clock() from next
   returning ${columns}`,
);

export type NewReceipt = {
  readonly id: string;
  readonly clientId: string;
  readonly paymentId: string;
  readonly token: Buffer;
};

/** Returns the payment's receipt; when there is none, inserts it with the merchant's next number. */
export async function ensureReceipt(database: Database, made: NewReceipt): Promise<IssuedReceipt> {
  const { id, clientId, paymentId, token } = made;
  return database.transaction(clientId, async (tx) => {
    await tx.query(lockCounter, [clientId]);
    const [known] = await tx.query(find, [clientId, paymentId]);
    if (known) return toReceipt(known);
    const given = [id, clientId, paymentId, token];
    const [row] = await tx.query(insert, given);
    if (!row) throw new Error('the receipt counter has lost its row');
    return toReceipt(row);
  });
}

export type BuyerMail = {
  readonly id: string;
  readonly clientId: string;
  readonly paymentId: string;
  readonly kind: 'receipt' | 'refund' | 'refund_failed';
  readonly recipientMasked: string;
  readonly actorKind: 'api_token' | 'oauth' | 'person' | 'system';
  /** Null when the service sent the mail automatically. */
  readonly sentBy: string | null;
};

const lockReceipt = sql(
  'receipts.lock',
  'select from receipts where client_id = $1 and payment_id = $2 for update',
);
// Two mails of a merchant at once are counted one after the other.
const lockMailer = sql(
  'receipts.lock_mailer',
  'select from clients where id = $1 for no key update',
);
const countMails = sql<ReceiptMails>(
  'receipts.count_mails',
  `select
     (select count(*)::int from buyer_mails b where b.client_id = $1 and b.payment_id = $2
       and b.kind = 'receipt' and b.created_at > svc_clock() - interval '1 day') as receipt,
     (select count(*)::int from mails m where m.client_id = $1 and lower(m.recipient) = lower($3)
       and m.kind = 'buyer_receipt' and m.created_at > svc_clock() - interval '1 day') as address,
     (select count(*)::int from buyer_mails b where b.client_id = $1 and b.kind = 'receipt'
       and b.sent_by = $4 and b.created_at > svc_clock() - interval '1 hour') as person,
     (select count(*)::int from buyer_mails b where b.client_id = $1 and b.kind = 'receipt'
       and b.sent_by is not null and b.created_at > svc_clock() - interval '1 hour') as merchant`,
);

/** How many receipts were mailed: of the receipt and to the address within a day, by whom within an hour. */
export type ReceiptMails = Readonly<Record<'receipt' | 'address' | 'person' | 'merchant', number>>;

/** Counts what limits the mail; other mails of receipts of the merchant wait for this transaction. */
export async function countReceiptMails(
  tx: Tx,
  mail: { clientId: string; paymentId: string; to: string; sentBy: string },
): Promise<ReceiptMails> {
  const { clientId, paymentId, to, sentBy } = mail;
  await tx.query(lockMailer, [clientId]);
  await tx.query(lockReceipt, [clientId, paymentId]);
  const [row] = await tx.query(countMails, [clientId, paymentId, to, sentBy]);
  if (!row) throw new Error('a statement without a table has one row');
  return row;
}

const lockEmail = sql<{ email: string | null }>(
  'receipts.lock_email',
  'select email from payments where client_id = $1 and id = $2 for key share',
);

/**
 * Returns the address of the payment, or null. Whoever forgets the buyer waits for this transaction, so a mail
 * that it queues is found and emptied; after the forgetting there is no address.
 */
export async function lockPaymentEmail(
  tx: Tx,
  clientId: string,
  paymentId: string,
): Promise<string | null> {
  const [row] = await tx.query(lockEmail, [clientId, paymentId]);
  return row?.email ?? null;
}

const insertMail = sql<{ id: string }>(
  'receipts.insert_mail',
  `insert into buyer_mails (id, client_id, payment_id, kind, recipient_masked, actor_kind, sent_by,
     created_at) values ($1, $2, $3, $4, $5, $6, $7, svc_clock())
   on conflict (client_id, payment_id) where kind = 'refund' do nothing returning id`,
);

/** Returns false when the refund's mail was inserted before. */
export async function insertBuyerMail(tx: Tx, mail: BuyerMail): Promise<boolean> {
  const { id, clientId, paymentId, kind, recipientMasked, actorKind, sentBy } = mail;
  const given = [id, clientId, paymentId, kind, recipientMasked, actorKind, sentBy];
  return (await tx.query(insertMail, given)).length > 0;
}
