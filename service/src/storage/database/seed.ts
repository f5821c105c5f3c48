// Statements for the demo merchant. Each writes only what is missing, unless its comment states otherwise.

import assert from 'node:assert';
import type pg from 'pg';
import type { Database, Tx } from './database.ts';
import { type Query, sql } from './sql.ts';

type Id = { id: string };

const findClock = sql<{ is_live: boolean; mode: string | null }>(
  'seed.clock',
  'select is_live, mode from clock_shift',
);

/** Returns the mode of a database that is not a sandbox, test or live; null for a sandbox. */
export async function findRealMode(database: Database): Promise<string | null> {
  const [row] = await database.read(findClock, []);
  if (row?.is_live) return 'live';
  return row?.mode === 'test' ? 'test' : null;
}

const findMerchant = sql('seed.find_merchant', 'select from clients limit 1');

/** Returns whether the database has a merchant. */
export async function hasMerchants(database: Database): Promise<boolean> {
  return (await database.read(findMerchant, [])).length > 0;
}

// The update locks the row, so that concurrent seeds run one after the other. A person who was switched off
// could not use the token of the start.
const lockUser = sql<Id>(
  'seed.lock_user',
  `insert into users (id, email, name, created_at) values ($1, $2, $3, svc_clock())
   on conflict (email) do update set disabled_at = null returning id`,
);

export async function lockDemoUser(
  tx: Tx,
  user: { newId: string; email: string; name: string },
): Promise<string> {
  return queryOnlyRow(tx, lockUser, [user.newId, user.email, user.name]);
}

const findPassword = sql<Id & { password_hash: string | null }>(
  'seed.find_password',
  'select id, password_hash from users where email = $1',
);

/**
 * Returns the stored password hash of the address; null when no password was chosen or no person
 * has the address.
 */
export async function findPasswordHash(database: Database, email: string): Promise<string | null> {
  const [row] = await database.read(findPassword, [email]);
  return row?.password_hash ?? null;
}

const setPassword = sql<Id>(
  'seed.set_password',
  `update users set password_hash = $2, password_changed_at = now, updated_at = now,
     email_proven_at = coalesce(email_proven_at, now)
   from (select svc_clock() as now) as clock where email = $1 and password_hash is null
   returning id`,
);

/** Returns false when there is already a password, or no person has the address. */
export async function setFirstPassword(
  database: Database,
  email: string,
  passwordHash: string,
): Promise<boolean> {
  return (await database.write(setPassword, [email, passwordHash])).length > 0;
}

const findClient = sql<Id>(
  'seed.find_client',
  `select m.client_id as id from memberships m join clients c on c.id = m.client_id
   where m.user_id = $1 and m.role = 'owner' and not c.is_live order by m.client_id limit 1`,
);
const insertClient = sql(
  'seed.insert_client',
  `insert into clients (id, name, api_version, created_at, updated_at)
   select $1, $2, $3, now, now from (select svc_clock() as now) as clock`,
);
const insertMembership = sql(
  'seed.insert_membership',
  `insert into memberships (client_id, user_id, role, created_at)
   values ($1, $2, 'owner', svc_clock())`,
);

/** Returns the sandbox client that the user owns; creates one when there is none. */
export async function ensureDemoClient(
  tx: Tx,
  client: { newId: string; ownerUserId: string; name: string; apiVersion: string },
): Promise<string> {
  const [found] = await tx.query(findClient, [client.ownerUserId]);
  if (found) return found.id;
  await tx.query(insertClient, [client.newId, client.name, client.apiVersion]);
  await tx.query(insertMembership, [client.newId, client.ownerUserId]);
  return client.newId;
}

const addOrigins = sql(
  'seed.add_origins',
  `update clients set updated_at = svc_clock(), allowed_origins = allowed_origins
     || array(select o from unnest($2::text[]) o where o <> all(allowed_origins))
   where id = $1 and not allowed_origins @> $2::text[]`,
);

export async function addAllowedOrigins(
  tx: Tx,
  clientId: string,
  origins: readonly string[],
): Promise<void> {
  await tx.query(addOrigins, [clientId, origins]);
}

const ensureGateway = sql<Id>(
  'seed.ensure_gateway',
  `with found as (
     select id from gateways where client_id = $2 and provider = $5 order by id limit 1
   ), added as (
     insert into gateways (id, client_id, provider, account_id, publishable_key,
       secret_key_sealed, is_active, classified_from, created_at)
     select $1, $2, $5, $3, $4, '', false, now, now
     from (select svc_clock() as now) as clock where not exists (select from found)
     returning id
   ) select id from found union all select id from added`,
);

/** Returns the client's gateway at the provider; a new one stays inactive until its secrets are written. */
export async function ensureDemoGateway(
  tx: Tx,
  gateway: {
    newId: string;
    clientId: string;
    provider: 'cardprovider' | 'wallet';
    accountId: string;
    publishableKey: string;
  },
): Promise<string> {
  const { newId, clientId, provider, accountId, publishableKey } = gateway;
  return queryOnlyRow(tx, ensureGateway, [newId, clientId, accountId, publishableKey, provider]);
}

const setPace = sql(
  'seed.set_pace',
  'update gateways set requests_per_second = $2, endpoint_requests_per_second = $2 where id = $1',
);

/** Sets how many requests a second the gateway may send; null: as the provider publishes. */
export async function setDemoPace(
  database: Database,
  gatewayId: string,
  perSecond: number | null,
): Promise<void> {
  await database.write(setPace, [gatewayId, perSecond]);
}

const openGateway = sql(
  'seed.open_gateway',
  `update gateways set account_id = $3, publishable_key = $4, secret_key_sealed = $5,
     notice_secret_sealed = $6, is_active = true, countries = '{}'
   where client_id = $1 and id = $2`,
);

/**
 * Replaces account and keys: a sandbox provider that was emptied has issued new ones. The gateway is switched on
 * for every country.
 */
export async function openDemoGateway(
  tx: Tx,
  gateway: {
    clientId: string;
    id: string;
    accountId: string;
    publishableKey: string;
    secretKeySealed: Buffer;
    noticeSecretSealed: Buffer;
  },
): Promise<void> {
  await tx.query(openGateway, [
    gateway.clientId,
    gateway.id,
    gateway.accountId,
    gateway.publishableKey,
    gateway.secretKeySealed,
    gateway.noticeSecretSealed,
  ]);
}

const ensureCustomer = sql<Id>(
  'seed.ensure_customer',
  `with found as (
     select id from customers where client_id = $2 and email = $3 and forgotten_at is null
     order by id limit 1
   ), added as (
     insert into customers (id, client_id, email, name, created_at, updated_at)
     select $1, $2, $3, $4, now, now from (select svc_clock() as now) as clock
     where not exists (select from found) returning id
   ) select id from found union all select id from added`,
);

export async function ensureDemoCustomer(
  tx: Tx,
  customer: { newId: string; clientId: string; email: string; name: string },
): Promise<string> {
  const { newId, clientId, email, name } = customer;
  return queryOnlyRow(tx, ensureCustomer, [newId, clientId, email, name]);
}

const insertProduct = sql(
  'seed.insert_product',
  `with product as (
     insert into products (client_id, code, name, kind, interval_unit, created_at, updated_at)
     select $1, $2, $3, case when $4::text is null then 'item' else 'subscription' end, $4, now, now
     from (select svc_clock() as now) as clock
     on conflict do nothing returning client_id, code)
   insert into product_prices (client_id, product_code, currency, amount_minor)
   select product.client_id, product.code, price.currency, price.minor
   from product, unnest($5::text[], $6::bigint[]) as price (currency, minor)`,
);

/** Adds the product; changes that the merchant made to an existing one stay. */
export async function ensureDemoProduct(
  tx: Tx,
  clientId: string,
  product: {
    code: string;
    name: string;
    interval: string | null;
    prices: Readonly<Record<string, number>>;
  },
): Promise<void> {
  await tx.query(insertProduct, [
    clientId,
    product.code,
    product.name,
    product.interval,
    Object.keys(product.prices),
    Object.values(product.prices),
  ]);
}

const openProduct = sql(
  'seed.open_product',
  `with product as (
     update products set is_active = true, updated_at = svc_clock()
     where client_id = $1 and code = $2 and not is_active)
   insert into product_prices as r (client_id, product_code, currency, amount_minor)
   values ($1, $2, $3, $4)
   on conflict (client_id, product_code, currency) do update set amount_minor = excluded.amount_minor
   where r.amount_minor not between 100 and 1000000`,
);

/** Puts a product on sale again, at its price unless the merchant's own can be paid by card in a sandbox. */
export async function openDemoProduct(
  tx: Tx,
  clientId: string,
  price: { code: string; currency: string; amountMinor: number },
): Promise<void> {
  await tx.query(openProduct, [clientId, price.code, price.currency, price.amountMinor]);
}

const insertCoupon = sql(
  'seed.insert_coupon',
  `insert into coupons (client_id, code, percent_off_basis_points, created_at, updated_at)
   select $1, $2, $3, now, now from (select svc_clock() as now) as clock on conflict do nothing`,
);

/** Adds a coupon with a percentage off everything, for anybody who knows the code. */
export async function ensureDemoCoupon(
  tx: Tx,
  clientId: string,
  coupon: { code: string; percentOffBasisPoints: number },
): Promise<void> {
  await tx.query(insertCoupon, [clientId, coupon.code, coupon.percentOffBasisPoints]);
}

type EndpointRow = Id & { secret_sealed: Buffer };

const ensureEndpoint = sql<EndpointRow>(
  'seed.ensure_endpoint',
  `with found as (
     select id, secret_sealed from webhook_endpoints
     where client_id = $2 and deleted_at is null and (url = $3 or description = $5)
     order by url = $3 desc, id limit 1
   ), added as (
     insert into webhook_endpoints (id, client_id, url, secret_sealed, api_version, description,
       is_enabled, created_at, updated_at)
     select $1, $2, $3, '', $4, $5, false, now, now from (select svc_clock() as now) as clock
     where not exists (select from found) returning id, secret_sealed
   ) select id, secret_sealed from found union all select id, secret_sealed from added`,
);

/**
 * Returns the demo shop's endpoint, known by its address, or by its description where ports have changed. A new
 * one, as after a deletion, stays disabled until its secret is written.
 */
export async function ensureDemoEndpoint(
  tx: Tx,
  endpoint: {
    newId: string;
    clientId: string;
    url: string;
    apiVersion: string;
    description: string;
  },
): Promise<{ id: string; secretSealed: Buffer | null }> {
  const { newId, clientId, url, apiVersion, description } = endpoint;
  const values = [newId, clientId, url, apiVersion, description];
  const [row] = await tx.query(ensureEndpoint, values);
  assert(row, 'the endpoint is found or added');
  return { id: row.id, secretSealed: row.secret_sealed.length > 0 ? row.secret_sealed : null };
}

const takesProof = "(event_types is null or 'item.purchased' = any(event_types))";
const openEndpoint = sql(
  'seed.open_endpoint',
  `update webhook_endpoints set url = $3, secret_sealed = $4, description = $5, is_enabled = true,
     disabled_reason = null, failing_since = null, updated_at = clock.now,
     event_types = case when ${takesProof} then event_types end,
     event_types_since = case when ${takesProof} then event_types_since else clock.now end,
     kept_types_since = case when ${takesProof} then kept_types_since end
   from (select svc_clock() as now) as clock
   where client_id = $1 and id = $2`,
);

/**
 * Sets the endpoint's description, its address to where the receiver listens now, enables it, and removes a filter that withholds
 * the event for which a start waits.
 */
export async function openDemoEndpoint(
  tx: Tx,
  endpoint: {
    clientId: string;
    id: string;
    url: string;
    secretSealed: Buffer;
    description: string;
  },
): Promise<void> {
  const { clientId, id, url, secretSealed, description } = endpoint;
  await tx.query(openEndpoint, [clientId, id, url, secretSealed, description]);
}

const insertToken = sql(
  'seed.insert_token',
  `insert into api_tokens (id, client_id, user_id, name, token_sha256, created_at)
   values ($1, $2, $3, $4, $5, svc_clock()) on conflict (token_sha256) do nothing`,
);
const findToken = sql<Id>(
  'seed.find_token',
  `select id from api_tokens
   where client_id = $1 and user_id = $2 and token_sha256 = $3 and revoked_at is null
     and (expires_at is null or expires_at > svc_clock())`,
);
const revokeOldest = sql(
  'seed.revoke_oldest_token',
  `update api_tokens set revoked_at = svc_clock() where id in (
     select id from api_tokens where client_id = $1 and user_id = $2 and revoked_at is null
     order by name = $3, id desc offset 9)`,
);

export type DemoToken = {
  readonly newId: string;
  readonly clientId: string;
  readonly userId: string;
  readonly name: string;
  readonly sha256: Buffer;
};

/** Returns true when the token is valid, false when it was revoked or belongs to somebody else. */
export async function ensureDemoToken(tx: Tx, token: DemoToken): Promise<boolean> {
  const { newId, clientId, userId, name, sha256 } = token;
  const [known] = await tx.query(findToken, [clientId, userId, sha256]);
  if (known) return true;
  // A person has at most ten tokens. Those whose values were lost with the caller's file are revoked first.
  await tx.query(revokeOldest, [clientId, userId, name]);
  await tx.query(insertToken, [newId, clientId, userId, name, sha256]);
  const [added] = await tx.query(findToken, [clientId, userId, sha256]);
  return added !== undefined;
}

async function queryOnlyRow<Row extends Id & pg.QueryResultRow>(
  tx: Tx,
  query: Query<Row>,
  values: readonly unknown[],
): Promise<string> {
  const [row] = await tx.query(query, values);
  assert(row, `${query.name} returns a row`);
  return row.id;
}
