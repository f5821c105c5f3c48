// Addresses that customers asked for on their own page. Of the secret in the mail only a digest is kept.

import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

type Owner = { readonly clientId: string; readonly userId: string };

export type NewAddress = Owner & {
  readonly id: string;
  readonly email: string;
  readonly formerEmail: string;
  readonly secretSha256: Buffer;
  /** The mail with the secret. */
  readonly mailId: string;
  readonly lifeMs: number;
};

const insert = sql(
  'customer_addresses.insert',
  `insert into customer_addresses (id, client_id, user_id, email, former_email, secret_sha256, mail_id,
     state, created_at, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, 'waiting', svc_clock(),
     svc_clock() + $8 * interval '1 millisecond')`,
);

/** Stores an address that waits to be confirmed; one that waited before has to be dropped first. */
export async function insertAddress(tx: Tx, address: NewAddress): Promise<void> {
  const { id, clientId, userId, email, formerEmail, secretSha256, mailId, lifeMs } = address;
  const values = [id, clientId, userId, email, formerEmail, secretSha256, mailId, lifeMs];
  await tx.query(insert, values);
}

const drop = sql<{ id: string }>(
  'customer_addresses.drop',
  `update customer_addresses set state = 'dropped'
   where client_id = $1 and user_id = $2 and state = 'waiting' returning id`,
);

/** Returns the id of the address that waited; undefined when none did. */
export async function dropWaitingAddress(
  tx: Tx,
  { clientId, userId }: Owner,
): Promise<string | undefined> {
  const [row] = await tx.query(drop, [clientId, userId]);
  return row?.id;
}

/** An address counts only for as long as the customer has the one that it was asked for in place of. */
const stillWaits = `a.state = 'waiting' and a.expires_at > svc_clock()
  and exists (select from customers c where c.client_id = a.client_id and c.id = a.user_id
    and lower(c.email) = lower(a.former_email))`;

export type WaitingAddress = { readonly email: string; readonly expiresAt: Date };

const findWaiting = sql<{ email: string; expires_at: Date }>(
  'customer_addresses.find_waiting',
  `select a.email, a.expires_at from customer_addresses a
   where a.client_id = $1 and a.user_id = $2 and ${stillWaits}`,
);

export async function findWaitingAddress(
  via: Tx | Database,
  { clientId, userId }: Owner,
): Promise<WaitingAddress | undefined> {
  const run = 'query' in via ? via.query : via.read;
  const [row] = await run(findWaiting, [clientId, userId]);
  return row && { email: row.email, expiresAt: row.expires_at };
}

const findOwner = sql<{ client_id: string; user_id: string }>(
  'customer_addresses.find_owner',
  'select client_id, user_id from customer_addresses where secret_sha256 = $1',
);

/** Returns whose address the secret confirms; undefined when it is unknown. */
export async function findAddressOwner(
  database: Database,
  secretSha256: Buffer,
): Promise<Owner | undefined> {
  const [row] = await database.read(findOwner, [secretSha256]);
  return row && { clientId: row.client_id, userId: row.user_id };
}

const confirm = sql<{ email: string }>(
  'customer_addresses.confirm',
  `update customer_addresses a set state = 'confirmed'
   where a.client_id = $1 and a.secret_sha256 = $2 and ${stillWaits} returning a.email`,
);

/** Returns the address that this call confirmed; undefined where it does not wait any more. The customer is locked. */
export async function confirmAddress(
  tx: Tx,
  clientId: string,
  secretSha256: Buffer,
): Promise<string | undefined> {
  const [row] = await tx.query(confirm, [clientId, secretSha256]);
  return row?.email;
}

const isConfirmed = sql(
  'customer_addresses.is_confirmed',
  `select from customer_addresses a
   join customers c on c.client_id = a.client_id and c.id = a.user_id
   where a.client_id = $1 and a.secret_sha256 = $2 and a.state = 'confirmed'
     and lower(c.email) = lower(a.email)`,
);

/** Whether an earlier call confirmed it, and the customer has it still. */
export const isAddressConfirmed = async (
  tx: Tx,
  clientId: string,
  secretSha256: Buffer,
): Promise<boolean> => (await tx.query(isConfirmed, [clientId, secretSha256])).length === 1;
