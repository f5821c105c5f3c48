// Customers of a merchant: created by the merchant's own calls, or by a checkout whose buyer it vouches for.

import { languageOf } from '@svc/contract/settings/languages';
import type { BuyerId } from '../../domain/people/buyer-id.ts';
import type { Customer } from '../../domain/people/customer.ts';
import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

// A shop that has not read the customer again still sends the address that the customer has replaced on the customer's page:
// it may be a stranger's by now.
const isAnotherEmail = `lower(customers.email) <> lower(excluded.email)
  and not has_replaced_email(excluded.client_id, excluded.id, excluded.email)`;

const upsert = sql(
  'customers.attach',
  `insert into customers (client_id, id, email, country, external_id, created_at, updated_at)
   values ($1, $2, $3, $4, $5, svc_clock(), svc_clock())
   on conflict (client_id, id) do update
     set email = case when ${isAnotherEmail} then excluded.email else customers.email end,
       country = coalesce(excluded.country, customers.country), updated_at = excluded.updated_at
   where customers.external_id is not distinct from excluded.external_id
     and customers.forgotten_at is null and (${isAnotherEmail}
       or customers.country is distinct from excluded.country)`,
);

const lock = sql<{ external_id: string | null; forgotten_at: Date | null }>(
  'customers.lock',
  'select external_id, forgotten_at from customers where client_id = $1 and id = $2 for update',
);

/**
 * Creates or updates the buyer under its row lock, the buyer-identity lock of contract §3. Only for
 * a buyer that the merchant vouches for: an anonymous session never changes a customer. An address that
 * the customer has replaced does not come back. Changes nothing when the customer was forgotten, or when the
 * merchant knows it by another id.
 */
export async function attachCustomer(
  tx: Tx,
  customer: BuyerId & { clientId: string; email: string; country: string | null },
): Promise<'attached' | 'forgotten' | 'of_another_id'> {
  const { clientId, userId, externalId, email, country } = customer;
  await tx.query(upsert, [clientId, userId, email, country, externalId]);
  const [row] = await tx.query(lock, [clientId, userId]);
  if (row?.forgotten_at) return 'forgotten';
  return row?.external_id === externalId ? 'attached' : 'of_another_id';
}

/**
 * Takes only the buyer-identity lock: a buyer whom the merchant does not vouch for changes no customer. Returns
 * true when the customer was forgotten.
 */
export async function lockCustomer(tx: Tx, clientId: string, userId: string): Promise<boolean> {
  const [row] = await tx.query(lock, [clientId, userId]);
  return row !== undefined && row.forgotten_at !== null;
}

export type CustomerRow = {
  client_id: string;
  id: string;
  external_id: string | null;
  email: string;
  name: string | null;
  country: string | null;
  language: string | null;
  metadata: Record<string, string>;
  default_payment_method_id: string | null;
  version: number;
  created_at: Date;
  updated_at: Date;
  forgotten_at: Date | null;
};

export const customerColumns = `c.client_id, c.id, c.external_id, c.email, c.name, c.country, c.language, c.metadata,
  c.default_payment_method_id, c.version, c.created_at, c.updated_at, c.forgotten_at`;

export const toCustomer = (row: CustomerRow): Customer => ({
  clientId: row.client_id,
  id: row.id,
  externalId: row.external_id,
  email: row.email,
  name: row.name,
  country: row.country,
  language: row.language === null ? null : languageOf(row.language),
  metadata: row.metadata,
  defaultPaymentMethodId: row.default_payment_method_id,
  version: row.version,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  forgottenAt: row.forgotten_at,
});

const find = sql<CustomerRow>(
  'customers.find',
  `select ${customerColumns} from customers c where c.client_id = $1 and c.id = $2`,
);

/** Returns undefined when the customer is missing or another client's. */
export async function findCustomer(
  via: Tx | Database,
  clientId: string,
  id: string,
): Promise<Customer | undefined> {
  const run = 'query' in via ? via.query : via.read;
  const [row] = await run(find, [clientId, id]);
  return row && toCustomer(row);
}

const findName = sql<{ external_id: string | null }>(
  'customers.find_external_id',
  'select external_id from customers where client_id = $1 and id = $2',
);

/** Returns the merchant's own id of a customer, when that id is not a UUID. */
export async function findExternalId(
  tx: Tx,
  { clientId, userId }: { readonly clientId: string; readonly userId: string },
): Promise<string | null> {
  const [row] = await tx.query(findName, [clientId, userId]);
  return row?.external_id ?? null;
}

const insert = sql<CustomerRow>(
  'customers.insert',
  `insert into customers as c (client_id, id, email, name, country, metadata, external_id, language,
     created_at, updated_at)
   select $1, $2, $3, $4, $5, $6, $7, $8, now, now from (select svc_clock() as now) as clock
   on conflict (client_id, id) do nothing returning ${customerColumns}`,
);

export type CustomerFields = Pick<Customer, 'email' | 'name' | 'country' | 'language' | 'metadata'>;

/** Returns undefined when the client already has a customer with that id. */
export async function insertCustomer(
  tx: Tx,
  { clientId, id, externalId }: Pick<Customer, 'clientId' | 'id' | 'externalId'>,
  { email, name, country, language, metadata }: CustomerFields,
): Promise<Customer | undefined> {
  const values = [
    ...[clientId, id, email, name, country, JSON.stringify(metadata), externalId, language],
  ];
  const [row] = await tx.query(insert, values);
  return row && toCustomer(row);
}

const update = sql<CustomerRow>(
  'customers.update',
  `update customers c set email = $3, name = $4, country = $5, metadata = $6,
     default_payment_method_id = $7, language = $9,
     version = c.version + case when $8 or $7::uuid is distinct from c.default_payment_method_id
       then 1 else 0 end,
     updated_at = svc_clock()
   where c.client_id = $1 and c.id = $2 returning ${customerColumns}`,
);

/**
 * Writes a locked customer as given. A chosen default raises the version even when it is the same
 * as before.
 */
export async function updateCustomer(
  tx: Tx,
  customer: Customer,
  { hasChosenDefault = false } = {},
): Promise<Customer> {
  const { clientId, id, email, name, country, language, metadata, defaultPaymentMethodId } =
    customer;
  const [row] = await tx.query(update, [
    clientId,
    id,
    email,
    name,
    country,
    JSON.stringify(metadata),
    defaultPaymentMethodId,
    hasChosenDefault,
    language,
  ]);
  if (!row) throw new Error(`customer ${id} is missing`);
  return toCustomer(row);
}

const countEvent = sql<{ sequence: number; resource_id: string }>(
  'customers.count_event',
  `update customers c set event_seq = event_seq + 1 where c.client_id = $1 and c.id = $2
   returning event_seq as sequence, event_resource(client_id, id) as resource_id`,
);

/** Counts one more event of a locked customer. Returns its number, and the id that its events stand under. */
export async function countCustomerEvent(
  tx: Tx,
  { clientId, id }: Pick<Customer, 'clientId' | 'id'>,
): Promise<{ sequence: number; resourceId: string }> {
  const [row] = await tx.query(countEvent, [clientId, id]);
  if (!row) throw new Error(`customer ${id} is missing`);
  return { sequence: row.sequence, resourceId: row.resource_id };
}
