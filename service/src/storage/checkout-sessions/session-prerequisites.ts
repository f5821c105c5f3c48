// The data that a one-shot create needs before it prices the cart, in one statement. Contract §3, §8.

import type { CartProduct } from '../../domain/money/pricing.ts';
import { shareAnswers } from '../database/batch.ts';
import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';

export type SessionPrerequisites = {
  readonly allowedOrigins: readonly string[];
  /** Undefined when the client has no active gateway for the country. */
  readonly gateway:
    | {
        readonly id: string;
        readonly publishableKey: string;
        readonly accountId: string;
        readonly isLive: boolean;
      }
    | undefined;
  /** Whether the client has an active wallet. */
  readonly hasWallet: boolean;
  /** The named products, with their unit price in the currency. */
  readonly products: readonly CartProduct[];
};

const find = sql<{
  allowed_origins: string[];
  is_live: boolean;
  gateway_id: string | null;
  publishable_key: string;
  account_id: string;
  has_wallet: boolean;
  products: CartProduct[] | null;
}>(
  'sessions.fixture',
  `select c.allowed_origins, c.is_live, g.id as gateway_id, g.publishable_key, g.account_id,
     exists (select from gateways
       where client_id = $1 and provider = 'wallet' and is_active) as has_wallet,
     (select json_agg(json_build_object('code', p.code, 'name', p.name, 'kind', p.kind,
         'interval', p.interval_unit, 'isActive', p.is_active, 'unitMinor', r.amount_minor))
       from products p left join product_prices r
         on r.client_id = p.client_id and r.product_code = p.code and r.currency = $3
       where p.client_id = $1 and p.code = any($2)) as products
   from clients c left join lateral (
     select id, publishable_key, account_id from gateways
     where client_id = $1 and provider = 'cardprovider' and is_active
       and (countries = '{}' or $4::text = any(countries))
     order by countries = '{}', id limit 1) g on true
   where c.id = $1`,
);

type CouponQuery = {
  readonly clientId: string;
  readonly codes: readonly string[];
  readonly currency: string;
  readonly country: string | null;
};

const shared = new WeakMap<
  Database,
  (wanted: CouponQuery) => Promise<SessionPrerequisites | undefined>
>();

/**
 * Returns undefined when there is no such client. Calls that ask the same before the query is sent
 * share its answer.
 */
export function findSessionPrerequisites(
  database: Database,
  wanted: CouponQuery,
): Promise<SessionPrerequisites | undefined> {
  const known = shared.get(database);
  if (known) return known(wanted);
  const ask = shareAnswers<CouponQuery, SessionPrerequisites | undefined>(
    ({ clientId, codes, currency, country }) =>
      JSON.stringify([clientId, currency, country, ...codes]),
    (one) => readFixture(database, one),
  );
  shared.set(database, ask);
  return ask(wanted);
}

async function readFixture(
  database: Database,
  { clientId, codes, currency, country }: CouponQuery,
): Promise<SessionPrerequisites | undefined> {
  const [row] = await database.read(find, [clientId, codes, currency, country]);
  if (!row) return undefined;
  return {
    allowedOrigins: row.allowed_origins,
    gateway: row.gateway_id
      ? {
          id: row.gateway_id,
          publishableKey: row.publishable_key,
          accountId: row.account_id,
          isLive: row.is_live,
        }
      : undefined,
    hasWallet: row.has_wallet,
    products: row.products ?? [],
  };
}
