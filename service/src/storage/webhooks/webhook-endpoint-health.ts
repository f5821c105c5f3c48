// The columns of `webhook_endpoints` that deliveries read and write, under the endpoint's lock,
// which comes before the lock of any of its deliveries.
import type { DisabledReason } from '../../domain/protocol/webhook-schedule.ts';
import { arrayValue, uuids } from '../database/array-values.ts';
import type { Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { LockTimes } from './webhook-deliveries.ts';

/** The endpoint's data that its deliveries need. */
export type DueEndpoint = {
  readonly id: string;
  readonly clientId: string;
  readonly isEnabled: boolean;
  readonly isFailing: boolean;
  readonly url: string;
  readonly secretSealed: Buffer;
  readonly previousSecretSealed: Buffer | null;
  /** Only for sandbox clients. */
  readonly testFault: 'duplicate' | 'reorder' | null;
};

type DueRow = {
  id: string;
  client_id: string;
  is_enabled: boolean;
  is_failing: boolean;
  url: string;
  secret_sealed: Buffer;
  previous_sealed: Buffer | null;
  test_fault: DueEndpoint['testFault'];
};

const dueColumns = `e.id, e.client_id, e.is_enabled, e.failing_since is not null as is_failing,
  e.url, e.secret_sealed,
  case when e.previous_secret_until > svc_clock() then e.previous_secret_sealed end
    as previous_sealed,
  case when not c.is_live then e.test_fault end as test_fault`;

const toDue = (row: DueRow): DueEndpoint => ({
  id: row.id,
  clientId: row.client_id,
  isEnabled: row.is_enabled,
  isFailing: row.is_failing,
  url: row.url,
  secretSealed: row.secret_sealed,
  previousSecretSealed: row.previous_sealed,
  testFault: row.test_fault,
});

// "No key" locks everywhere: inserts of deliveries refer to the endpoint and must not wait.
const lockDue = sql<DueRow & { locked_at: Date; real_at: Date }>(
  'webhook_endpoints.lock_due',
  `select ${dueColumns}, svc_clock() as locked_at, clock_timestamp() as real_at
   from webhook_endpoints e join clients c on c.id = e.client_id
   where e.id = any($1::uuid[]) order by e.id for no key update of e skip locked`,
);

export type LockedEndpoint = DueEndpoint & { readonly lockedAt: LockTimes };

/** Locks the endpoints that no other transaction holds now. */
export async function lockDueEndpoints(tx: Tx, ids: readonly string[]): Promise<LockedEndpoint[]> {
  const rows = await tx.query(lockDue, [arrayValue(uuids, ids)]);
  return rows.map((row) => ({
    ...toDue(row),
    lockedAt: { ours: row.locked_at, real: row.real_at },
  }));
}

const lockOne = sql<DueRow>(
  'webhook_endpoints.lock_one_due',
  `select ${dueColumns} from webhook_endpoints e join clients c on c.id = e.client_id
   where e.client_id = $1 and e.id = $2 and e.deleted_at is null for no key update of e`,
);

/** Locks the client's own endpoint, after whoever holds it now. Returns undefined for a deleted one. */
export async function lockDueEndpoint(
  tx: Tx,
  clientId: string,
  id: string,
): Promise<DueEndpoint | undefined> {
  const [row] = await tx.query(lockOne, [clientId, id]);
  return row && toDue(row);
}

// Only a test is a delivery of an endpoint's own event to itself.
const countTests = sql<{ here: number; all: number }>(
  'webhook_endpoints.count_tests',
  `select count(*) filter (where e.id = $2)::int as here, count(*)::int as all
   from webhook_endpoints e join webhook_deliveries d
     on d.endpoint_id = e.id and d.resource_id = e.id and d.state = 'pending'
   where e.client_id = $1`,
);

/** Returns how many test sends are under way: to this endpoint, and to any of the client's. */
export async function countRunningTests(
  tx: Tx,
  clientId: string,
  endpointId: string,
): Promise<{ readonly here: number; readonly all: number }> {
  const [row] = await tx.query(countTests, [clientId, endpointId]);
  return row ?? { here: 0, all: 0 };
}

export type EndpointHealth = {
  readonly id: string;
  readonly clientId: string;
  readonly url: string;
  readonly isEnabled: boolean;
  readonly failingSince: Date | null;
  readonly warnedAt: Date | null;
};

const lockHealthOf = sql<{
  id: string;
  client_id: string;
  url: string;
  is_enabled: boolean;
  failing_since: Date | null;
  warned_at: Date | null;
}>(
  'webhook_endpoints.lock_health',
  `select id, client_id, url, is_enabled, failing_since, warned_at from webhook_endpoints
   where id = $1 for no key update`,
);

export async function lockEndpointHealth(tx: Tx, id: string): Promise<EndpointHealth | undefined> {
  const [row] = await tx.query(lockHealthOf, [id]);
  return (
    row && {
      id: row.id,
      clientId: row.client_id,
      url: row.url,
      isEnabled: row.is_enabled,
      failingSince: row.failing_since,
      warnedAt: row.warned_at,
    }
  );
}

const markFailing = sql(
  'webhook_endpoints.note_failing',
  `update webhook_endpoints set failing_since = $2
   where id = $1 and failing_since is null`,
);

export async function markEndpointFailing(tx: Tx, id: string, since: Date): Promise<void> {
  await tx.query(markFailing, [id, since]);
}

const markWarned = sql(
  'webhook_endpoints.mark_warned',
  'update webhook_endpoints set warned_at = $2 where id = $1',
);

export async function markEndpointWarned(tx: Tx, id: string, at: Date): Promise<void> {
  await tx.query(markWarned, [id, at]);
}

const disable = sql(
  'webhook_endpoints.give_up',
  `update webhook_endpoints
   set is_enabled = false, disabled_reason = $2, updated_at = svc_clock()
   where id = $1 and is_enabled`,
);

/** The caller holds the lock, and cancels the waiting deliveries separately. */
export async function disableWebhookEndpoint(
  tx: Tx,
  id: string,
  reason: DisabledReason,
): Promise<void> {
  await tx.query(disable, [id, reason]);
}
