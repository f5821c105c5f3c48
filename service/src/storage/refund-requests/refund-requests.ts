// The table `refund_requests`. Additions §2, Refund requests.

import type { PaymentStatus } from '@svc/contract/payments/payments';
import type { RefundRequestStatus } from '@svc/contract/payments/refund-requests';
import type { RefundReason } from '@svc/contract/payments/refunds';
import type { Role } from '@svc/contract/rows/roles';
import type { Database, Tx } from '../database/database.ts';
import { defineList, type List } from '../database/lists.ts';
import { sql } from '../database/sql.ts';

export type RefundRequestRow = {
  readonly id: string;
  readonly client_id: string;
  readonly payment_id: string;
  readonly amount_minor: string;
  readonly currency: string;
  readonly reason: RefundReason | null;
  readonly note: string | null;
  readonly status: RefundRequestStatus;
  readonly requested_by: string;
  readonly requester_email: string;
  readonly requester_name: string | null;
  readonly decided_by: string | null;
  readonly decider_email: string | null;
  readonly decider_name: string | null;
  readonly refund_id: string | null;
  readonly refund_status: PaymentStatus | null;
  readonly version: number;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly decided_at: Date | null;
  readonly canon_sha256: Buffer;
  readonly event_seq: number;
};

/** A request that nobody decided in time is expired, also before its row states it. */
const statusSql = `case when r.status = 'waiting' and r.expires_at <= svc_clock()
  then 'expired' else r.status end`;

const columns = `r.id, r.client_id, r.payment_id, r.amount_minor, r.currency, r.reason, r.note,
  ${statusSql} as status, r.requested_by, r.decided_by, r.refund_id, r.version,
  r.created_at, r.expires_at, r.decided_at, r.canon_sha256, r.event_seq`;

const joinPeople = (request: string) => `join lateral (
    select a.email as requester_email, a.name as requester_name, b.email as decider_email,
      b.name as decider_name, f.status as refund_status
    from users a
    left join users b on b.id = ${request}.decided_by
    left join payments f on f.id = ${request}.refund_id
    where a.id = ${request}.requested_by) more on true`;

export const listRefundRequestRows: List<RefundRequestRow> = defineList({
  name: 'refund_requests.list',
  from: 'refund_requests r',
  columns,
  joins: `left ${joinPeople('page')}`,
  tenant: 'r.client_id',
  key: { sql: 'r.id', kind: 'uuid' },
  sorts: { createdAt: { sql: 'r.created_at', kind: 'instant' } },
  filters: {
    status: { sql: statusSql, kind: 'text' },
    paymentId: { sql: 'r.payment_id', kind: 'uuid' },
    requestedBy: { sql: 'r.requested_by', kind: 'uuid' },
    createdAt: { sql: 'r.created_at', kind: 'instant' },
  },
});

const find = sql<RefundRequestRow>(
  'refund_requests.find',
  `select ${columns}, more.* from refund_requests r ${joinPeople('r')}
   where r.client_id = $1 and r.id = $2`,
);

/** Returns undefined when the request does not exist or belongs to another merchant. */
export async function findRefundRequest(
  database: Database,
  clientId: string,
  id: string,
): Promise<RefundRequestRow | undefined> {
  const [row] = await database.read(find, [clientId, id]);
  return row;
}

const findByKey = sql<RefundRequestRow>(
  'refund_requests.find_by_key',
  `select ${columns}, more.* from refund_requests r ${joinPeople('r')}
   where r.client_id = $1 and r.idempotency_key = $2`,
);

/** Returns the request that was created with this key. */
export async function findRefundRequestByKey(
  tx: Tx,
  clientId: string,
  idempotencyKey: string,
): Promise<RefundRequestRow | undefined> {
  const [row] = await tx.query(findByKey, [clientId, idempotencyKey]);
  return row;
}

const lock = sql<RefundRequestRow>(
  'refund_requests.lock',
  `select ${columns}, more.* from refund_requests r ${joinPeople('r')}
   where r.client_id = $1 and r.id = $2 for update of r`,
);

/** Locks the request until the transaction ends. */
export async function lockRefundRequest(
  tx: Tx,
  clientId: string,
  id: string,
): Promise<RefundRequestRow | undefined> {
  const [row] = await tx.query(lock, [clientId, id]);
  return row;
}

export type NewRefundRequest = {
  readonly id: string;
  readonly clientId: string;
  readonly paymentId: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly reason: RefundReason | null;
  readonly note: string | null;
  readonly idempotencyKey: string;
  readonly canonSha256: Buffer;
  readonly requestedBy: string;
  readonly now: Date;
  readonly expiresAt: Date;
};

const insert = sql(
  'refund_requests.insert',
  `insert into refund_requests (id, client_id, payment_id, amount_minor, currency, reason, note,
     idempotency_key, canon_sha256, requested_by, created_at, expires_at, event_seq)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 1)`,
);

export async function insertRefundRequest(
  tx: Tx,
  request: NewRefundRequest,
): Promise<RefundRequestRow> {
  const { id, clientId, paymentId, amountMinor, currency, reason, note } = request;
  const { idempotencyKey, canonSha256, requestedBy, now, expiresAt } = request;
  await tx.query(insert, [
    ...[id, clientId, paymentId, amountMinor, currency, reason, note],
    ...[idempotencyKey, canonSha256, requestedBy, now, expiresAt],
  ]);
  return readRequestAgain(tx, clientId, id);
}

const decide = sql(
  'refund_requests.decide',
  `update refund_requests set status = $3, decided_by = $4, decided_at = $5, refund_id = $6,
     version = version + 1, event_seq = event_seq + 1
   where client_id = $1 and id = $2`,
);

type Decision = {
  readonly status: 'approved' | 'declined';
  readonly by: string;
  readonly at: Date;
  readonly refundId: string | null;
};

/** Stores the decision about a locked request that is waiting. */
export async function decideRefundRequest(
  tx: Tx,
  { client_id: clientId, id }: RefundRequestRow,
  { status, by, at, refundId }: Decision,
): Promise<RefundRequestRow> {
  await tx.query(decide, [clientId, id, status, by, at, refundId]);
  return readRequestAgain(tx, clientId, id);
}

const listDue = sql<{ id: string; client_id: string; payment_id: string }>(
  'refund_requests.list_due',
  `select id, client_id, payment_id from refund_requests
   where status = 'waiting' and expires_at <= (select svc_clock()) order by expires_at limit $1`,
);

/** Lists requests of all clients that nobody decided in time and whose rows do not state it yet. */
export const listDueRequests = (
  database: Database,
  limit: number,
): Promise<{ id: string; client_id: string; payment_id: string }[]> =>
  database.read(listDue, [limit]);

const expire = sql<{ id: string }>(
  'refund_requests.expire',
  `update refund_requests set status = 'expired', version = version + 1,
     event_seq = event_seq + 1
   where client_id = $1 and id = $2 and status = 'waiting' and expires_at <= svc_clock()
   returning id`,
);

/** Writes that a request has expired. Undefined when it was decided, or another process wrote it. */
export async function expireRefundRequest(
  tx: Tx,
  clientId: string,
  id: string,
): Promise<RefundRequestRow | undefined> {
  const [row] = await tx.query(expire, [clientId, id]);
  return row && readRequestAgain(tx, clientId, id);
}

async function readRequestAgain(tx: Tx, clientId: string, id: string): Promise<RefundRequestRow> {
  const [row] = await tx.query(find, [clientId, id]);
  if (!row) throw new Error(`refund request ${id} is missing`);
  return row;
}

const keepRoles = sql<{ user_id: string; role: Role }>(
  'refund_requests.keep_roles',
  `select m.user_id, m.role from memberships m
   join users u on u.id = m.user_id and u.disabled_at is null
   where m.client_id = $1 and m.user_id = any($2::uuid[])
   order by m.user_id for share of m`,
);

/** Returns the roles of these people and locks their memberships until the transaction ends. */
export async function keepRolesOf(
  tx: Tx,
  clientId: string,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, Role>> {
  const rows = await tx.query(keepRoles, [clientId, userIds]);
  return new Map(rows.map(({ user_id, role }) => [user_id, role]));
}
