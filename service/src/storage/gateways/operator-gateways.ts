// Gateways as the operator of the installation creates and changes them. Only the command line uses it.

import { arrayValue, texts } from '../database/array-values.ts';
import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { RefusingGateway } from './refused-notices.ts';

export type GatewayFacts = {
  readonly accountId: string;
  readonly publishableKey: string;
  /** ISO 3166-1 codes; empty means every country that no other gateway names. */
  readonly countries: readonly string[];
  readonly isActive: boolean;
  /** The most requests a second to the account in all; null: as the provider publishes. */
  readonly requestsPerSecond: number | null;
  /** The same of one operation of the provider's API. */
  readonly endpointRequestsPerSecond: number | null;
};

export type GatewayView = GatewayFacts & {
  readonly id: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly isLive: boolean;
  readonly provider: 'cardprovider' | 'wallet';
  /** Whether the gateway's notices can be verified. */
  readonly hasNoticeSecret: boolean;
  /** The provider's last refusal of the key, since the key was set or last passed a check. */
  readonly keyRefused: KeyRefusal | null;
  /** Since the last genuine notice. */
  readonly noticesRefused: Pick<RefusingGateway, 'refused' | 'since' | 'fault'> | null;
};

export type KeyRefusal = {
  readonly at: Date;
  readonly status: number;
  /** The provider's own id of the refused request. */
  readonly requestId: string | null;
};

type Row = {
  id: string;
  client_id: string;
  client_name: string;
  is_live: boolean;
  provider: GatewayView['provider'];
  account_id: string;
  publishable_key: string;
  countries: string[];
  is_active: boolean;
  requests_per_second: number | null;
  endpoint_requests_per_second: number | null;
  has_notice_secret: boolean;
  key_refused_at: Date | null;
  key_refused_status: number | null;
  key_refused_request: string | null;
  notices_refused: number;
  notices_refused_since: Date | null;
  notices_refused_fault: string | null;
};

const columns = `g.id, g.client_id, c.name as client_name, c.is_live, g.provider, g.account_id,
  g.publishable_key, g.countries, g.is_active, g.requests_per_second,
  g.endpoint_requests_per_second,
  g.notice_secret_sealed is not null as has_notice_secret, g.key_refused_at, g.key_refused_status,
  g.key_refused_request, g.notices_refused, g.notices_refused_since, g.notices_refused_fault`;

const toView = (row: Row): GatewayView => ({
  id: row.id,
  clientId: row.client_id,
  clientName: row.client_name,
  isLive: row.is_live,
  provider: row.provider,
  accountId: row.account_id,
  publishableKey: row.publishable_key,
  countries: row.countries,
  isActive: row.is_active,
  requestsPerSecond: row.requests_per_second,
  endpointRequestsPerSecond: row.endpoint_requests_per_second,
  hasNoticeSecret: row.has_notice_secret,
  keyRefused:
    row.key_refused_at === null || row.key_refused_status === null
      ? null
      : {
          at: row.key_refused_at,
          status: row.key_refused_status,
          requestId: row.key_refused_request,
        },
  noticesRefused: row.notices_refused_since && {
    refused: row.notices_refused,
    since: row.notices_refused_since,
    fault: row.notices_refused_fault ?? '',
  },
});

const list = sql<Row>(
  'operator.list_gateways',
  `select ${columns} from gateways g join clients c on c.id = g.client_id
   where $1::uuid is null or g.client_id = $1 order by c.name, c.id, g.provider, g.id`,
);

export async function listGateways(
  database: Database,
  clientId: string | null,
): Promise<GatewayView[]> {
  return (await database.read(list, [clientId])).map(toView);
}

const find = sql<Row>(
  'operator.find_gateway',
  `select ${columns} from gateways g join clients c on c.id = g.client_id where g.id = $1`,
);

export async function findGateway(
  database: Database,
  id: string,
): Promise<GatewayView | undefined> {
  const [row] = await database.read(find, [id]);
  return row && toView(row);
}

const lock = sql<Row>(
  'operator.lock_gateway',
  `select ${columns} from gateways g join clients c on c.id = g.client_id
   where g.id = $1 for update of g`,
);

export async function lockGateway(tx: Tx, id: string): Promise<GatewayView | undefined> {
  const [row] = await tx.query(lock, [id]);
  return row && toView(row);
}

const findSame = sql<{ id: string }>(
  'operator.find_same_gateway',
  `select id from gateways where client_id = $1 and provider = $2 and account_id = $3
     and publishable_key = $4 and countries @> $5::text[] and countries <@ $5::text[] and is_active
   order by id limit 1`,
);

/** Returns the active gateway with exactly these values. */
export async function findSameGateway(
  tx: Tx,
  gateway: Pick<
    GatewayView,
    'clientId' | 'provider' | 'accountId' | 'publishableKey' | 'countries'
  >,
): Promise<string | undefined> {
  const { clientId, provider, accountId, publishableKey, countries } = gateway;
  const values = [clientId, provider, accountId, publishableKey, arrayValue(texts, countries)];
  return (await tx.query(findSame, values))[0]?.id;
}

export type SealedKeys = {
  readonly secretKeySealed: Buffer | null;
  readonly noticeSecretSealed: Buffer | null;
};

const insert = sql(
  'operator.insert_gateway',
  `insert into gateways (id, client_id, provider, account_id, publishable_key, countries, is_active,
     secret_key_sealed, notice_secret_sealed, requests_per_second, endpoint_requests_per_second,
     classified_from, created_at)
   select $1, $2, $3, $4, $5, $6::text[], $7, $8, $9, $10::int, $11::int, now, now
   from (select svc_clock() as now) as clock`,
);

export async function insertGateway(
  tx: Tx,
  gateway: GatewayFacts &
    SealedKeys & {
      readonly id: string;
      readonly clientId: string;
      readonly provider: GatewayView['provider'];
    },
): Promise<void> {
  await tx.query(insert, [
    gateway.id,
    gateway.clientId,
    gateway.provider,
    gateway.accountId,
    gateway.publishableKey,
    arrayValue(texts, gateway.countries),
    gateway.isActive,
    gateway.secretKeySealed,
    gateway.noticeSecretSealed,
    gateway.requestsPerSecond,
    gateway.endpointRequestsPerSecond,
  ]);
}

const update = sql(
  'operator.update_gateway',
  `update gateways set account_id = $2, publishable_key = $3, countries = $4::text[], is_active = $5,
     secret_key_sealed = coalesce($6, secret_key_sealed),
     notice_secret_sealed = coalesce($7, notice_secret_sealed),
     key_refused_at = case when $6::bytea is null then key_refused_at end,
     notices_refused = case when $7::bytea is null then notices_refused else 0 end,
     notices_refused_since = case when $7::bytea is null then notices_refused_since end,
     notices_refused_fault = case when $7::bytea is null then notices_refused_fault end,
     requests_per_second = $8, endpoint_requests_per_second = $9
   where id = $1`,
);

/** Keys that are null do not change. */
export async function updateGateway(
  tx: Tx,
  id: string,
  { facts, keys }: { readonly facts: GatewayFacts; readonly keys: SealedKeys },
): Promise<void> {
  await tx.query(update, [
    id,
    facts.accountId,
    facts.publishableKey,
    arrayValue(texts, facts.countries),
    facts.isActive,
    keys.secretKeySealed,
    keys.noticeSecretSealed,
    facts.requestsPerSecond,
    facts.endpointRequestsPerSecond,
  ]);
}

const saveRefused = sql(
  'operator.save_key_refused',
  `update gateways set key_refused_at = svc_clock(), key_refused_status = $2, key_refused_request = $3
   where id = $1 and secret_key_sealed = $4`,
);

/** Stores that the provider refused the gateway's key, if the gateway still has that key. */
export async function saveKeyRefused(
  database: Database,
  id: string,
  refusal: Omit<KeyRefusal, 'at'> & { readonly secretKeySealed: Buffer },
): Promise<void> {
  const { status, requestId, secretKeySealed } = refusal;
  await database.write(saveRefused, [id, status, requestId, secretKeySealed]);
}

const clearRefused = sql(
  'operator.clear_key_refused',
  'update gateways set key_refused_at = null where id = $1',
);

/** Clears the refusal after a check that passed. */
export async function clearKeyRefused(database: Database, id: string): Promise<void> {
  await database.write(clearRefused, [id]);
}
