// The table `payment_operations`: claiming, taking over, finishing. The request's idempotency key
// is stored in the operation's row. Lock order: ARCHITECTURE.md.

import assert from 'node:assert';
import type { Operation, OperationKind, OperationState } from '../../domain/payments/operation.ts';
import { initiatorColumns } from '../audit-log/initiators.ts';
import type { RequestInitiator } from '../audit-log/request-initiator.ts';
import { byteStrings, texts } from '../database/array-values.ts';
import {
  type AskedColumn,
  columnsOf,
  namesOf,
  placesOf,
  valuesOf,
} from '../database/asked-rows.ts';
import type { Database, Tx } from '../database/database.ts';
import { isOpen, recoverableSql } from '../database/open-states.ts';
import { amount, column, rowShape } from '../database/row-shape.ts';
import { sql } from '../database/sql.ts';

export type OperationRow = Record<string, unknown>;

const operation = rowShape<Operation>({
  id: column('id'),
  clientId: column('client_id'),
  paymentId: column('payment_id'),
  kind: column('kind'),
  state: column('state'),
  amountMinor: amount('amount_minor'),
  attempt: column('attempt'),
  epoch: column('epoch'),
  leaseOwner: column('lease_owner'),
  leaseUntil: column('lease_until'),
  checks: column('checks'),
  firstSentAt: column('first_sent_at'),
  idempotencyKey: column('idempotency_key'),
  rawSha256: column('raw_sha256'),
  canonSha256: column('canon_sha256'),
  cardTokenSha256: column('card_token_sha256'),
  requestId: column('request_id'),
  responseStatus: column('response_status'),
  responseBody: column('response_body'),
  challenge: column('challenge'),
  lastErrorCode: column('last_error_code'),
});

export const operationColumns = operation.columns('o');

export const toOperation = operation.read;

const listCandidates = sql<OperationRow>(
  'operations.candidates',
  `with moment as materialized (select svc_clock() as now)
   select moment.now, ${operationColumns}, coalesce(o.idempotency_key = $4, false) as has_key
   from moment left join payment_operations o
     on o.client_id = $1
       and ((o.payment_id = $2 and ${isOpen()})
         or (o.kind = $3 and o.idempotency_key = $4))`,
);

/**
 * Reads the clock, the operation with this key, and the unfinished operation of the payment, in one
 * statement under the payment's lock.
 */
export async function findCandidates(
  tx: Tx,
  wanted: { clientId: string; paymentId: string; kind: OperationKind; key: string },
): Promise<{ now: Date; sameKey: Operation | undefined; open: Operation | undefined }> {
  const rows = await tx.query(listCandidates, [
    wanted.clientId,
    wanted.paymentId,
    wanted.kind,
    wanted.key,
  ]);
  const operations = rows.filter((row) => row.id !== null);
  const sameKey = operations.find((row) => row.has_key && row.kind === wanted.kind);
  const open = operations.find(
    (row) =>
      row.payment_id === wanted.paymentId && row.state !== 'succeeded' && row.state !== 'failed',
  );
  return {
    now: rows[0]?.now as Date,
    sameKey: sameKey && toOperation(sameKey),
    open: open && toOperation(open),
  };
}

/** The request that an operation is made for, as the operation's row keeps it. */
export const requestColumns: readonly AskedColumn<
  Pick<NewOperation, 'idempotencyKey' | 'rawSha256' | 'canonSha256' | 'requestId' | 'asker'>
>[] = [
  ['idempotency_key', texts, ({ idempotencyKey }) => idempotencyKey],
  ['raw_sha256', byteStrings, ({ rawSha256 }) => rawSha256],
  ['canon_sha256', byteStrings, ({ canonSha256 }) => canonSha256],
  ['request_id', texts, ({ requestId }) => requestId],
  ...columnsOf(({ asker }: Pick<NewOperation, 'asker'>) => asker, initiatorColumns),
];

const insert = sql<OperationRow>(
  'operations.insert',
  `insert into payment_operations as o (id, client_id, payment_id, kind, state, amount_minor,
     lease_owner, lease_until, next_check_at, first_sent_at, created_at, card_token_sha256,
     ${namesOf(requestColumns)})
   values ($1, $2, $3, $4, 'active', $5, $6, $7, $7, $8, $8, $9, ${placesOf(requestColumns, 10)})
   on conflict do nothing
   returning ${operationColumns}`,
);

export type NewOperation = {
  readonly id: string;
  readonly clientId: string;
  readonly paymentId: string;
  readonly kind: OperationKind;
  readonly amountMinor: number;
  readonly leaseOwner: string;
  readonly leaseUntil: Date;
  readonly now: Date;
  readonly idempotencyKey: string | null;
  readonly rawSha256: Buffer | null;
  readonly canonSha256: Buffer;
  readonly cardTokenSha256: Buffer | null;
  readonly requestId: string | null;
  /** Set when a merchant asked for the operation. */
  readonly asker?: RequestInitiator;
};

/** Returns undefined when a unique index refused the row: another operation is open, or the key is in use. */
export async function insertOperation(
  tx: Tx,
  operation: NewOperation,
): Promise<Operation | undefined> {
  const [row] = await tx.query(insert, [
    operation.id,
    operation.clientId,
    operation.paymentId,
    operation.kind,
    operation.amountMinor,
    operation.leaseOwner,
    operation.leaseUntil,
    operation.now,
    operation.cardTokenSha256,
    ...valuesOf(requestColumns, operation),
  ]);
  return row && toOperation(row);
}

const hold = sql<OperationRow>(
  'operations.hold',
  `update payment_operations o set state = 'active', epoch = o.epoch + 1, attempt = o.attempt + $3,
     lease_owner = $4, lease_until = $5, next_check_at = $5, finished_at = null
   where o.client_id = $1 and o.id = $2
   returning ${operationColumns}`,
);

/** Takes the operation under a new lease, with the same attempt (0) or the next one (1). */
export async function holdOperation(
  tx: Tx,
  operation: Operation,
  lease: { owner: string; until: Date; attemptStep: 0 | 1 },
): Promise<Operation> {
  const [row] = await tx.query(hold, [
    operation.clientId,
    operation.id,
    lease.attemptStep,
    lease.owner,
    lease.until,
  ]);
  assert(row, 'an operation found under the lock exists');
  return toOperation(row);
}

const lock = sql<OperationRow & { now: Date }>(
  'operations.lock',
  `select ${operationColumns}, svc_clock() as now from payment_operations o
   where o.client_id = $1 and o.id = $2 for update`,
);

export async function lockOperation(
  tx: Tx,
  clientId: string,
  id: string,
): Promise<{ operation: Operation; now: Date } | undefined> {
  const [row] = await tx.query(lock, [clientId, id]);
  return row && { operation: toOperation(row), now: row.now };
}

const find = sql<OperationRow>(
  'operations.find',
  `select ${operationColumns} from payment_operations o where o.client_id = $1 and o.id = $2`,
);

export async function findOperation(
  via: Tx | Database,
  clientId: string,
  id: string,
): Promise<Operation | undefined> {
  const run = 'query' in via ? via.query : via.read;
  const [row] = await run(find, [clientId, id]);
  return row && toOperation(row);
}

const findEarlier = sql<OperationRow>(
  'operations.find_earlier',
  `select ${operationColumns}
   from payments p join payment_operations o on o.client_id = p.client_id and o.payment_id = p.id
   where p.client_id = $1 and p.session_id = $2 and o.kind = 'authorize' and o.canon_sha256 = $3
   order by o.created_at desc limit 1`,
);

/** Returns the session's newest attempt with this fingerprint. */
export async function findEarlierAttempt(
  tx: Tx,
  session: { readonly clientId: string; readonly id: string },
  fingerprint: Buffer,
): Promise<Operation | undefined> {
  const [row] = await tx.query(findEarlier, [session.clientId, session.id, fingerprint]);
  return row && toOperation(row);
}

const findOpen = sql<OperationRow>(
  'operations.find_open',
  `select ${operationColumns} from payment_operations o
   where o.client_id = $1 and o.payment_id = $2
     and ${isOpen()}`,
);

/** Returns the unfinished operation of a payment; hold the payment's lock when the result must stay true. */
export async function findOpenOperation(
  via: Tx | Database,
  clientId: string,
  paymentId: string,
): Promise<Operation | undefined> {
  const run = 'query' in via ? via.query : via.read;
  const [row] = await run(findOpen, [clientId, paymentId]);
  return row && toOperation(row);
}

const finish = sql(
  'operations.finish',
  `with attempted as (
     insert into operation_attempts (operation_id, epoch, attempt, outcome, http_status,
       provider_code, provider_request_id, started_at, ended_at)
     values ($2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict do nothing)
   update payment_operations set state = $11, lease_owner = null, lease_until = null,
     next_check_at = $12, checks = checks + case when $7 = 'held_back' then 0 else 1 end,
     response_status = $13, response_body = $14,
     challenge = $15, last_error_code = $7,
     finished_at = case when $11 in ('succeeded', 'failed') then $10::timestamptz end
   where client_id = $1 and id = $2`,
);

export type Finish = {
  readonly state: OperationState;
  readonly nextCheckAt: Date;
  /**
   * The final answer, which retries get byte for byte; null while the outcome is open. Its body is null where nobody
   * can repeat the request.
   */
  readonly answer: { readonly status: number; readonly body: string | null } | null;
  readonly challenge: Operation['challenge'];
  readonly outcome: string;
  readonly httpStatus: number | null;
  readonly providerCode: string | null;
  readonly providerRequestId: string | null;
  readonly startedAt: Date;
  readonly now: Date;
};

/** Records the attempt and the operation's new state; the caller holds the operation's lock. */
export async function finishOperation(tx: Tx, operation: Operation, end: Finish): Promise<void> {
  await tx.query(finish, [
    operation.clientId,
    operation.id,
    operation.epoch,
    operation.attempt,
    end.outcome,
    end.httpStatus,
    end.providerCode,
    end.providerRequestId,
    end.startedAt,
    end.now,
    end.state,
    end.nextCheckAt,
    end.answer?.status ?? null,
    end.answer?.body ?? null,
    end.challenge,
  ]);
}

// Captures that wait for their turn at a provider come last: there may be thousands of them.
const claimDue = sql<OperationRow & { now: Date }>(
  'operations.claim_due',
  `with due as (
     select id from payment_operations
     where ${recoverableSql('payment_operations')} and next_check_at <= (select svc_clock())
     order by kind <> 'authorize' and last_error_code is not distinct from 'held_back', next_check_at
     limit $1 for update skip locked)
   update payment_operations o set epoch = o.epoch + 1, lease_owner = $2,
     lease_until = svc_clock() + $3 * interval '1 millisecond',
     next_check_at = svc_clock() + $3 * interval '1 millisecond'
   from due where o.id = due.id
   returning ${operationColumns}, svc_clock() as now`,
);

/** Claims unfinished operations that no process holds. */
export async function claimDueOperations(
  database: Database,
  lease: { limit: number; owner: string; ms: number },
): Promise<{ operation: Operation; now: Date }[]> {
  const rows = await database.write(claimDue, [lease.limit, lease.owner, lease.ms]);
  return rows.map((row) => ({ operation: toOperation(row), now: row.now }));
}

const isHeld = sql<{ is_held: boolean }>(
  'operations.is_held',
  `select coalesce(lease_until > svc_clock(), false) as is_held
   from payment_operations where client_id = $1 and id = $2`,
);

/** Returns whether a process is working on the operation now. For waiting without locks. */
export async function isOperationRunning(
  database: Database,
  clientId: string,
  id: string,
): Promise<boolean> {
  const [row] = await database.read(isHeld, [clientId, id]);
  return row?.is_held === true;
}

const seeDeclines = sql(
  'operations.see_declines',
  `update payment_operations set declines_seen = $3
   where client_id = $1 and id = $2 and coalesce(declines_seen, 0) < $3`,
);

/** Stores how many cards the provider has declined on the operation's intent, where that is news. */
export async function storeDeclines(
  database: Database,
  { clientId, id }: Operation,
  declines: number,
): Promise<void> {
  await database.write(seeDeclines, [clientId, id, declines]);
}

const hurry = sql(
  'operations.hurry',
  `update payment_operations set next_check_at = least(next_check_at, svc_clock()),
     state = case state when 'manual' then 'in_doubt' else state end
   where client_id = $1 and id = $2 and lease_until is null`,
);

/**
 * Makes the operation due for the recovery worker now, unless a process holds it. An operation that
 * waits for a person is taken up again, because the provider has sent news.
 */
export async function hurryOperation(database: Database, operation: Operation): Promise<void> {
  await database.write(hurry, [operation.clientId, operation.id]);
}
