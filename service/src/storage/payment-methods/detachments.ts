// Detachments of saved methods, held by lease and epoch. Every change of a detachment holds the lock of
// its method, which is taken first. docs/decisions/saved-cards.md.

import type { Detachment } from '../../domain/payments/detachment.ts';
import type { PaymentMethod } from '../../domain/payments/payment-method.ts';
import { readClock } from '../database/clock.ts';
import { type Database, everyClient, type Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

type DetachmentRow = {
  payment_method_id: string;
  client_id: string;
  step: Detachment['step'];
  state: Detachment['state'];
  replacement_id: string | null;
  moved_subscriptions: string[];
  has_moved_default: boolean;
  was_provider_default: boolean;
  customer_version: number | null;
  failure_reason: string | null;
  epoch: number;
  lease_owner: string | null;
  lease_until: Date | null;
  tries: number;
};

const columns = `r.payment_method_id, r.client_id, r.step, r.state, r.replacement_id,
  r.moved_subscriptions, r.has_moved_default, r.was_provider_default, r.customer_version, r.failure_reason,
  r.epoch, r.lease_owner, r.lease_until, r.tries`;

const toDetachment = (row: DetachmentRow): Detachment => ({
  paymentMethodId: row.payment_method_id,
  clientId: row.client_id,
  step: row.step,
  state: row.state,
  replacementId: row.replacement_id,
  movedSubscriptions: row.moved_subscriptions,
  hasMovedDefault: row.has_moved_default,
  wasProviderDefault: row.was_provider_default,
  customerVersion: row.customer_version,
  failureReason: row.failure_reason,
  epoch: row.epoch,
  leaseOwner: row.lease_owner,
  leaseUntil: row.lease_until,
  tries: row.tries,
});

const find = sql<DetachmentRow>(
  'detachments.find',
  `select ${columns} from payment_method_detachments r
   where r.client_id = $1 and r.payment_method_id = $2`,
);

/** Returns the newest run; it cannot change while the caller holds the method's lock. */
export async function findDetachment(
  via: Tx | Database,
  { clientId, id }: Pick<PaymentMethod, 'clientId' | 'id'>,
): Promise<Detachment | undefined> {
  const run = 'query' in via ? via.query : via.read;
  const [row] = await run(find, [clientId, id]);
  return row && toDetachment(row);
}

export type Lease = { readonly owner: string; readonly ms: number; readonly now: Date };

const start = sql<DetachmentRow>(
  'detachments.start',
  `insert into payment_method_detachments as r (payment_method_id, client_id, step, state, started_at,
     lease_owner, lease_until, next_try_at)
   select $1, $2, 'claimed', 'running', $3, $4, until, until
   from (select $3::timestamptz + $5 * interval '1 millisecond' as until) as lease
   on conflict (payment_method_id) do update set step = 'claimed', state = 'running',
     replacement_id = null, moved_subscriptions = '{}', has_moved_default = false,
     was_provider_default = false, customer_version = null, failure_reason = null, started_at = excluded.started_at,
     finished_at = null, epoch = r.epoch + 1, lease_owner = excluded.lease_owner,
     lease_until = excluded.lease_until, next_try_at = excluded.next_try_at, tries = 0
   where r.client_id = excluded.client_id and r.state = 'failed'
   returning ${columns}`,
);

/** Starts a first run, or a new one after a failed one. */
export async function startDetachment(
  tx: Tx,
  { clientId, id }: Pick<PaymentMethod, 'clientId' | 'id'>,
  lease: Lease,
): Promise<Detachment> {
  const [row] = await tx.query(start, [id, clientId, lease.now, lease.owner, lease.ms]);
  if (!row) throw new Error(`detachment of ${id}: one is running`);
  return toDetachment(row);
}

const takeOver = sql<DetachmentRow>(
  'detachments.take_over',
  `update payment_method_detachments r set epoch = r.epoch + 1, lease_owner = $3, lease_until = until,
     next_try_at = until
   from (select $4::timestamptz + $5 * interval '1 millisecond' as until) as lease
   where r.client_id = $1 and r.payment_method_id = $2 and r.state = 'running'
   returning ${columns}`,
);

/** Continues a run whose lease has expired. */
export async function takeOverDetachment(
  tx: Tx,
  { clientId, paymentMethodId }: Detachment,
  lease: Lease,
): Promise<Detachment> {
  const values = [clientId, paymentMethodId, lease.owner, lease.now, lease.ms];
  const [row] = await tx.query(takeOver, values);
  if (!row) throw new Error(`detachment of ${paymentMethodId}: none is running`);
  return toDetachment(row);
}

const save = sql<DetachmentRow>(
  'detachments.save',
  `update payment_method_detachments r set step = $4, state = $5, replacement_id = $6,
     moved_subscriptions = $7, has_moved_default = $8, was_provider_default = $9,
     failure_reason = $10, tries = $11, lease_owner = $12, lease_until = $13,
     next_try_at = coalesce($14, $13, r.next_try_at), customer_version = $16,
     finished_at = case when $5 = 'running' then null else $15::timestamptz end
   where r.client_id = $1 and r.payment_method_id = $2 and r.epoch = $3 and r.state = 'running'
   returning ${columns}`,
);

/** Writes the changes of a step, and the lease with them. Throws when another process holds the run. */
export async function saveDetachment(
  tx: Tx,
  next: Detachment,
  { now, nextTryAt = null }: { readonly now: Date; readonly nextTryAt?: Date | null },
): Promise<Detachment> {
  const [row] = await tx.query(save, [
    next.clientId,
    next.paymentMethodId,
    next.epoch,
    next.step,
    next.state,
    next.replacementId,
    next.movedSubscriptions,
    next.hasMovedDefault,
    next.wasProviderDefault,
    next.failureReason,
    next.tries,
    next.leaseOwner,
    next.leaseUntil,
    nextTryAt,
    now,
    next.customerVersion,
  ]);
  if (!row) throw new Error(`detachment of ${next.paymentMethodId}: it is not held any more`);
  return toDetachment(row);
}

const listDue = sql<{ payment_method_id: string; client_id: string }>(
  'detachments.list_due',
  `select r.payment_method_id, r.client_id from payment_method_detachments r
   where r.state = 'running' and r.next_try_at <= $1
     and (r.lease_until is null or r.lease_until <= $1)
   order by r.next_try_at limit $2`,
);

export type DueDetachment = { readonly clientId: string; readonly paymentMethodId: string };

/** Lists runs that no process holds; taking one over requires its method's lock. */
export function listDueDetachments(database: Database, limit: number): Promise<DueDetachment[]> {
  return database.transaction(everyClient, async (tx) => {
    const rows = await tx.query(listDue, [await readClock(tx), limit]);
    return rows.map((row) => ({
      clientId: row.client_id,
      paymentMethodId: row.payment_method_id,
    }));
  });
}
