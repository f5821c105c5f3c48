// Operations that wait for a person, over all clients. Only the command line uses it.

import {
  capturedOtherwise,
  manualChecks,
  manualMs,
  type Operation,
  type OperationKind,
  type OperationState,
} from '../../domain/payments/operation.ts';
import { type Database, everyClient } from '../database/database.ts';
import { isOpen, recoverableSql } from '../database/open-states.ts';
import { intervalOf, sql } from '../database/sql.ts';
import { type OperationRow, operationColumns, toOperation } from './payment-operations.ts';

// The outcome of a capture or cancel is looked up without end, because repeating the look-up is
// harmless; after a day it counts as stuck, like an operation that is not looked up at all. So does
// a refund that the provider had under way and does not show now; one that it still shows may take
// days. A capture of another amount counts at once: the next reading may show the whole amount, and if
// none does, only a person can tell what becomes of it.
const isStuck = `(o.state = 'manual'
  or (o.state = 'in_doubt' and o.last_error_code = '${capturedOtherwise}') or (o.state = 'in_doubt' and o.kind <> 'authorize'
  and (o.kind <> 'refund' or o.last_error_code is not null)
  and o.first_sent_at < (select svc_clock()) - ${intervalOf(manualMs)}))`;

// Every lease holder adds an epoch and every answer of the provider adds a check. A lease holder that cannot
// call the provider, because the account's keys do not decrypt, gets no answer for as long as that
// lasts, in whatever state the operation is.
const isUnasked = `(o.epoch - o.checks > ${manualChecks}
  and o.first_sent_at < (select svc_clock()) - ${intervalOf(manualMs)})`;

export type OperationView = {
  readonly id: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly paymentId: string;
  readonly kind: OperationKind;
  readonly state: OperationState;
  readonly amountMinor: number;
  readonly currency: string;
  readonly provider: 'cardprovider' | 'wallet';
  readonly providerIntentId: string | null;
  readonly firstSentAt: Date;
  readonly checks: number;
  readonly lastErrorCode: string | null;
};

type ViewRow = {
  id: string;
  client_id: string;
  client_name: string;
  payment_id: string;
  kind: OperationKind;
  state: OperationState;
  amount_minor: string;
  currency: string;
  provider: 'cardprovider' | 'wallet';
  provider_intent_id: string | null;
  first_sent_at: Date;
  checks: number;
  last_error_code: string | null;
};

const list = sql<ViewRow>(
  'operator.list_operations',
  `select o.id, o.client_id, c.name as client_name, o.payment_id, o.kind, o.state, p.amount_minor,
     p.currency, p.provider, p.provider_intent_id, o.first_sent_at, o.checks, o.last_error_code
   from payment_operations o join payments p on p.id = o.payment_id
     join clients c on c.id = o.client_id
   where ${isOpen()}
     and case when $1::text is null then ${isStuck} or ${isUnasked} else o.state = $1 end
   order by o.first_sent_at, o.id limit 1000`,
);

/**
 * Lists operations that wait for a person, or could not be looked up for a day; or all operations
 * in one unfinished state. Oldest first.
 */
export async function listOperations(
  database: Database,
  state: OperationState | null,
): Promise<OperationView[]> {
  return (await database.read(list, [state])).map((row) => ({
    id: row.id,
    clientId: row.client_id,
    clientName: row.client_name,
    paymentId: row.payment_id,
    kind: row.kind,
    state: row.state,
    amountMinor: Number(row.amount_minor),
    currency: row.currency,
    provider: row.provider,
    providerIntentId: row.provider_intent_id,
    firstSentAt: row.first_sent_at,
    checks: row.checks,
    lastErrorCode: row.last_error_code,
  }));
}

const countGoingOn = sql<{ state: OperationState; count: number; next_check_at: Date }>(
  'operator.count_going_on',
  `select state, count(*)::int as count, min(next_check_at) as next_check_at
   from payment_operations where ${recoverableSql('payment_operations')}
   group by state order by state`,
);

export type OpenOperationCount = {
  readonly state: OperationState;
  readonly count: number;
  /** When the service looks up the first of them. */
  readonly nextCheckAt: Date;
};

/** Counts the operations that the service continues by itself. */
export async function countOperationsGoingOn(database: Database): Promise<OpenOperationCount[]> {
  const rows = await database.read(countGoingOn, []);
  return rows.map(({ state, count, next_check_at }) => ({
    ...{ state, count, nextCheckAt: next_check_at },
  }));
}

const findNextCheck = sql<{ next_check_at: Date }>(
  'operator.find_next_check',
  'select next_check_at from payment_operations where id = $1',
);

/** Returns when the service looks the operation up next; undefined when it has ended. */
export async function findNextCheckOf(database: Database, id: string): Promise<Date | undefined> {
  const [row] = await database.transaction(everyClient, (tx) => tx.query(findNextCheck, [id]));
  return row?.next_check_at;
}

const claim = sql<OperationRow & { now: Date }>(
  'operator.claim_operation',
  `update payment_operations o set state = 'active', epoch = o.epoch + 1, lease_owner = $2,
     lease_until = svc_clock() + $3 * interval '1 millisecond',
     next_check_at = svc_clock() + $3 * interval '1 millisecond'
   where o.id = $1 and ${isStuck} and coalesce(o.lease_until < svc_clock(), true)
   returning ${operationColumns}, svc_clock() as now`,
);

/**
 * Claims an operation that waits for a person. When its lease holder dies, the workers take it up, and it
 * waits for a person again. Returns undefined when it does not wait for a person.
 */
export async function claimStuckOperation(
  database: Database,
  id: string,
  lease: { readonly owner: string; readonly ms: number },
): Promise<{ readonly operation: Operation; readonly now: Date } | undefined> {
  const [row] = await database.write(claim, [id, lease.owner, lease.ms]);
  return row && { operation: toOperation(row), now: row.now };
}

const justAsked = sql<{ is_just_asked: boolean }>(
  'operator.just_asked',
  `select exists (select from operation_attempts where operation_id = $1
     and ended_at > (select svc_clock()) - interval '2 minutes') as is_just_asked`,
);

/** Returns whether an attempt ended within the last two minutes: its request may still be under way. */
export async function wasJustAsked(database: Database, id: string): Promise<boolean> {
  const [row] = await database.transaction(everyClient, (tx) => tx.query(justAsked, [id]));
  return row?.is_just_asked === true;
}

const find = sql<OperationRow>(
  'operator.find_operation',
  `select ${operationColumns} from payment_operations o where o.id = $1`,
);

/** Finds an operation by its id, across all clients. */
export async function findOperationOf(
  database: Database,
  id: string,
): Promise<Operation | undefined> {
  const [row] = await database.transaction(everyClient, (tx) => tx.query(find, [id]));
  return row && toOperation(row);
}
