// The table `webhook_endpoints`. Which endpoints get an event is decided when the event is appended.
import assert from 'node:assert';
import type { DisabledReason } from '../../domain/protocol/webhook-schedule.ts';
import type { Database, Tx } from '../database/database.ts';
import { defineList, type List } from '../database/lists.ts';
import type { SealedPlace } from '../database/sealed.ts';
import { sql } from '../database/sql.ts';

/** An endpoint without its secrets, which only deliveries read. */
export type WebhookEndpoint = {
  readonly id: string;
  readonly clientId: string;
  readonly url: string;
  readonly description: string | null;
  /** Null means all types. */
  readonly eventTypes: readonly string[] | null;
  readonly apiVersion: string;
  readonly isEnabled: boolean;
  readonly disabledReason: DisabledReason | 'merchant' | null;
  readonly failingSince: Date | null;
  /** Null when no rotation is under way. */
  readonly previousSecretUntil: Date | null;
  readonly testFault: 'duplicate' | 'reorder' | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

export type EndpointRow = {
  id: string;
  client_id: string;
  url: string;
  description: string | null;
  event_types: string[] | null;
  api_version: string;
  is_enabled: boolean;
  disabled_reason: WebhookEndpoint['disabledReason'];
  failing_since: Date | null;
  previous_until: Date | null;
  test_fault: WebhookEndpoint['testFault'];
  created_at: Date;
  updated_at: Date;
};

export const endpointColumns = `e.id, e.client_id, e.url, e.description, e.event_types, e.api_version, e.is_enabled,
  e.disabled_reason, e.failing_since,
  case when e.previous_secret_until > svc_clock() then e.previous_secret_until end
    as previous_until,
  e.test_fault, e.created_at, e.updated_at`;

export const toWebhookEndpoint = (row: EndpointRow): WebhookEndpoint => ({
  id: row.id,
  clientId: row.client_id,
  url: row.url,
  description: row.description,
  eventTypes: row.event_types,
  apiVersion: row.api_version,
  isEnabled: row.is_enabled,
  disabledReason: row.disabled_reason,
  failingSince: row.failing_since,
  previousSecretUntil: row.previous_until,
  testFault: row.test_fault,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** Lists one page of the client's endpoints. */
export const listEndpointRows: List<EndpointRow> = defineList({
  name: 'webhook_endpoints.list',
  from: '(select * from webhook_endpoints where deleted_at is null) e',
  columns: endpointColumns,
  tenant: 'e.client_id',
  key: { sql: 'e.id', kind: 'uuid' },
  sorts: { createdAt: { sql: 'e.created_at', kind: 'instant' } },
  filters: {
    isEnabled: { sql: 'e.is_enabled', kind: 'boolean' },
    url: { sql: 'e.url', kind: 'text' },
    createdAt: { sql: 'e.created_at', kind: 'instant' },
  },
});

const find = sql<EndpointRow>(
  'webhook_endpoints.find',
  `select ${endpointColumns} from webhook_endpoints e
   where e.client_id = $1 and e.id = $2 and e.deleted_at is null`,
);

export async function findWebhookEndpoint(
  database: Database,
  clientId: string,
  id: string,
): Promise<WebhookEndpoint | undefined> {
  const [row] = await database.read(find, [clientId, id]);
  return row && toWebhookEndpoint(row);
}

export type NewWebhookEndpoint = {
  readonly id: string;
  readonly clientId: string;
  readonly url: string;
  readonly description?: string | null;
  /** Null means all types. */
  readonly eventTypes: readonly string[] | null;
  readonly secretSealed: Buffer;
  readonly apiVersion: string;
};

/**
 * The place that an endpoint's secret is sealed to; `previous_secret` holds the same value during a
 * rotation.
 */
export const webhookSecretPlace = (clientId: string, endpointId: string): SealedPlace => ({
  clientId,
  table: 'webhook_endpoints',
  rowId: endpointId,
  field: 'secret',
});

const insert = sql<EndpointRow>(
  'webhook_endpoints.insert',
  `insert into webhook_endpoints as e
     (id, client_id, url, event_types, secret_sealed, api_version, description, created_at,
      updated_at)
   select $1, $2, $3, $4, $5, $6, $7, clock.now, clock.now
   from (select svc_clock() as now) as clock returning ${endpointColumns}`,
);

export async function insertWebhookEndpoint(
  tx: Tx,
  endpoint: NewWebhookEndpoint,
): Promise<WebhookEndpoint> {
  const [row] = await tx.query(insert, [
    endpoint.id,
    endpoint.clientId,
    endpoint.url,
    endpoint.eventTypes,
    endpoint.secretSealed,
    endpoint.apiVersion,
    endpoint.description ?? null,
  ]);
  assert(row, 'an insert answers its row');
  return toWebhookEndpoint(row);
}

const lockMaker = sql<{ api_version: string }>(
  'webhook_endpoints.lock_maker',
  'select api_version from clients where id = $1 for no key update',
);

const countOwn = sql<{ endpoints: number }>(
  'webhook_endpoints.count',
  `select count(*)::int as endpoints from webhook_endpoints
   where client_id = $1 and deleted_at is null`,
);

/**
 * Returns how many endpoints the client has, under a lock that every other creation waits for: the
 * count includes all endpoints that were made before.
 */
export async function lockEndpointMaker(
  tx: Tx,
  clientId: string,
): Promise<{ readonly apiVersion: string; readonly endpoints: number }> {
  const [maker] = await tx.query(lockMaker, [clientId]);
  const [own] = await tx.query(countOwn, [clientId]);
  assert(maker && own, 'clients are never deleted');
  return { apiVersion: maker.api_version, endpoints: own.endpoints };
}

type FactsRow = { url: string; is_live: boolean; last_sequence: number };

const findFacts = sql<FactsRow>(
  'webhook_endpoints.find_facts',
  `select e.url, c.is_live, (select coalesce(max(v.sequence), 0) from events v
     where v.resource_id = e.id) as last_sequence
   from webhook_endpoints e join clients c on c.id = e.client_id where e.id = $1`,
);

/** Returns the facts for the endpoint's next event; call it under the lock, in a statement of its own. */
export async function findEndpointFacts(
  tx: Tx,
  id: string,
): Promise<{ url: string; isLive: boolean; lastSequence: number }> {
  const [row] = await tx.query(findFacts, [id]);
  assert(row, 'a locked endpoint exists');
  return { url: row.url, isLive: row.is_live, lastSequence: row.last_sequence };
}
