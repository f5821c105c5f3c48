// The table `webhook_endpoints`. Which endpoints hear of an event is decided where the event is
// appended.
import assert from 'node:assert';
import type { DisabledReason } from '../domain/webhook-schedule.ts';
import type { Tx } from './database.ts';
import type { SealedPlace } from './sealed.ts';
import { sql } from './sql.ts';

export type NewWebhookEndpoint = {
  readonly id: string;
  readonly clientId: string;
  readonly url: string;
  /** Null: all types. */
  readonly eventTypes: readonly string[] | null;
  readonly secretSealed: Buffer;
  readonly apiVersion: string;
};

/** Where an endpoint's secret is sealed to; `previous_secret` holds the same value while rotating. */
export const webhookSecretPlace = (clientId: string, endpointId: string): SealedPlace => ({
  clientId,
  table: 'webhook_endpoints',
  rowId: endpointId,
  field: 'secret',
});

const insert = sql(
  'webhook_endpoints.insert',
  `insert into webhook_endpoints
     (id, client_id, url, event_types, secret_sealed, api_version, created_at, updated_at)
   select $1, $2, $3, $4, $5, $6, clock.now, clock.now from (select svc_clock() as now) as clock`,
);

export async function insertWebhookEndpoint(tx: Tx, endpoint: NewWebhookEndpoint): Promise<void> {
  await tx.query(insert, [
    endpoint.id,
    endpoint.clientId,
    endpoint.url,
    endpoint.eventTypes,
    endpoint.secretSealed,
    endpoint.apiVersion,
  ]);
}

export type LockedEndpoint = {
  readonly id: string;
  readonly clientId: string;
  readonly isEnabled: boolean;
  readonly failingSince: Date | null;
};

type LockedRow = {
  id: string;
  client_id: string;
  is_enabled: boolean;
  failing_since: Date | null;
};

const toLocked = (row: LockedRow): LockedEndpoint => ({
  id: row.id,
  clientId: row.client_id,
  isEnabled: row.is_enabled,
  failingSince: row.failing_since,
});

// "No key" everywhere: the inserts of deliveries refer to the endpoint and must not wait.
const lockFree = sql<LockedRow>(
  'webhook_endpoints.lock_free',
  `select id, client_id, is_enabled, failing_since from webhook_endpoints
   where id = any($1::uuid[]) order by id for no key update skip locked`,
);

/** Locks those that nobody else has locked right now. */
export async function lockFreeEndpoints(tx: Tx, ids: readonly string[]): Promise<LockedEndpoint[]> {
  return (await tx.query(lockFree, [ids])).map(toLocked);
}

const lock = sql<LockedRow>(
  'webhook_endpoints.lock',
  `select id, client_id, is_enabled, failing_since from webhook_endpoints
   where id = $1 for no key update`,
);

export async function lockWebhookEndpoint(tx: Tx, id: string): Promise<LockedEndpoint | undefined> {
  const [row] = await tx.query(lock, [id]);
  return row && toLocked(row);
}

const markFailing = sql(
  'webhook_endpoints.mark_failing',
  `update webhook_endpoints set failing_since = $2
   where id = $1 and failing_since is null`,
);

export async function markEndpointFailing(tx: Tx, id: string, since: Date): Promise<void> {
  await tx.query(markFailing, [id, since]);
}

const disable = sql(
  'webhook_endpoints.disable',
  `update webhook_endpoints
   set is_enabled = false, disabled_reason = $2, updated_at = svc_clock()
   where id = $1 and is_enabled`,
);

type FactsRow = { url: string; is_live: boolean; last_sequence: number };

const findFacts = sql<FactsRow>(
  'webhook_endpoints.find_facts',
  `select e.url, c.is_live, (select coalesce(max(v.sequence), 0) from events v
     where v.resource_id = e.id) as last_sequence
   from webhook_endpoints e join clients c on c.id = e.client_id where e.id = $1`,
);

/** What its next event says; read under the lock, in a statement of its own. */
export async function findEndpointFacts(
  tx: Tx,
  id: string,
): Promise<{ url: string; isLive: boolean; lastSequence: number }> {
  const [row] = await tx.query(findFacts, [id]);
  assert(row, 'a locked endpoint exists');
  return { url: row.url, isLive: row.is_live, lastSequence: row.last_sequence };
}

/** The caller holds the lock; deliveries still waiting are cancelled beside. */
export async function disableWebhookEndpoint(
  tx: Tx,
  id: string,
  reason: DisabledReason,
): Promise<void> {
  await tx.query(disable, [id, reason]);
}
