// Changes that merchants make to their endpoints, each under the endpoint's lock.
import assert from 'node:assert';
import type { Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import {
  type EndpointRow,
  endpointColumns,
  toWebhookEndpoint,
  type WebhookEndpoint,
} from './webhook-endpoints.ts';

export type OwnEndpoint = WebhookEndpoint & {
  readonly isDeleted: boolean;
  readonly isLive: boolean;
  /** The API version that the endpoint's client is pinned to. */
  readonly clientVersion: string;
};

const lockOwn = sql<
  EndpointRow & { is_deleted: boolean; is_live: boolean; client_version: string }
>(
  'webhook_endpoints.lock_own',
  `select ${endpointColumns}, e.deleted_at is not null as is_deleted, c.is_live,
     c.api_version as client_version
   from webhook_endpoints e join clients c on c.id = e.client_id
   where e.client_id = $1 and e.id = $2 for no key update of e`,
);

/**
 * Locks the client's own endpoint, also a deleted one. `for no key update`, because inserts of deliveries
 * check that the endpoint exists and would wait for a stronger lock.
 */
export async function lockOwnEndpoint(
  tx: Tx,
  clientId: string,
  id: string,
): Promise<OwnEndpoint | undefined> {
  const [row] = await tx.query(lockOwn, [clientId, id]);
  return (
    row && {
      ...toWebhookEndpoint(row),
      isDeleted: row.is_deleted,
      isLive: row.is_live,
      clientVersion: row.client_version,
    }
  );
}

// A type that stays in the filter keeps the time since when it is in it, so that its missed events
// still count.
const update = sql<EndpointRow>(
  'webhook_endpoints.update',
  `update webhook_endpoints e set url = $3, description = $4, event_types = $5, api_version = $6,
     is_enabled = $7, disabled_reason = $8, failing_since = $9, test_fault = $10,
     warned_at = case when $9::timestamptz is null then null else e.warned_at end,
     event_types_since = case when e.event_types is distinct from $5::text[] then clock.now
       else e.event_types_since end,
     kept_types_since = case when e.event_types is distinct from $5::text[]
       then (select jsonb_object_agg(kept.type, coalesce(
           (e.kept_types_since ->> kept.type)::timestamptz, e.event_types_since, e.created_at))
         from unnest(coalesce($5::text[], e.event_types)) as kept(type)
         where e.event_types is null or kept.type = any(e.event_types))
       else e.kept_types_since end,
     updated_at = clock.now
   from (select svc_clock() as now) as clock
   where e.client_id = $1 and e.id = $2 returning ${endpointColumns}`,
);

export async function updateWebhookEndpoint(
  tx: Tx,
  changed: WebhookEndpoint,
): Promise<WebhookEndpoint> {
  const [row] = await tx.query(update, [
    changed.clientId,
    changed.id,
    changed.url,
    changed.description,
    changed.eventTypes,
    changed.apiVersion,
    changed.isEnabled,
    changed.disabledReason,
    changed.failingSince,
    changed.testFault,
  ]);
  assert(row, 'a locked endpoint exists');
  return toWebhookEndpoint(row);
}

const replaceSecret = sql<EndpointRow>(
  'webhook_endpoints.replace_secret',
  `update webhook_endpoints e set secret_sealed = $3,
     previous_secret_sealed = case when $4::int > 0 then e.secret_sealed end,
     previous_secret_until = case when $4::int > 0
       then clock.now + make_interval(secs => $4::int) end,
     updated_at = clock.now
   from (select svc_clock() as now) as clock
   where e.client_id = $1 and e.id = $2 returning ${endpointColumns}`,
);

/** The previous secret stays valid beside the new one; an older one ends here. */
export async function replaceWebhookSecret(
  tx: Tx,
  { clientId, id }: Pick<WebhookEndpoint, 'clientId' | 'id'>,
  next: { readonly secretSealed: Buffer; readonly overlapSeconds: number },
): Promise<WebhookEndpoint> {
  const values = [clientId, id, next.secretSealed, next.overlapSeconds];
  const [row] = await tx.query(replaceSecret, values);
  assert(row, 'a locked endpoint exists');
  return toWebhookEndpoint(row);
}

const remove = sql(
  'webhook_endpoints.remove',
  `update webhook_endpoints e set is_enabled = false, deleted_at = clock.now,
     updated_at = clock.now, secret_sealed = '', previous_secret_sealed = null,
     previous_secret_until = null
   from (select svc_clock() as now) as clock
   where e.client_id = $1 and e.id = $2 and e.deleted_at is null`,
);

/** Deletes the endpoint's secrets for good; its deliveries can still be read through their events. */
export async function removeWebhookEndpoint(
  tx: Tx,
  { clientId, id }: Pick<WebhookEndpoint, 'clientId' | 'id'>,
): Promise<void> {
  await tx.query(remove, [clientId, id]);
}
