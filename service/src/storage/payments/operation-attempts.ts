// The table `operation_attempts`: what came of each time that somebody held an operation. Its usual rows are
// written where the operation is settled.

import type { Operation } from '../../domain/payments/operation.ts';
import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';

const unsent = sql(
  'operations.record_unsent',
  `insert into operation_attempts (operation_id, epoch, attempt, outcome, provider_code, started_at,
     ended_at)
   select o.id, o.epoch, o.attempt, 'in_doubt', $4, $5, svc_clock() from payment_operations o
   where o.client_id = $1 and o.id = $2 and o.epoch = $3 on conflict do nothing`,
);

/**
 * Puts on record that a holder ends without having sent anything: no outcome of its epoch follows, and
 * the lease stands until it is over.
 */
export async function recordUnsent(
  database: Database,
  { clientId, id, epoch }: Operation,
  { code, startedAt }: { readonly code: 'gateway_unopened'; readonly startedAt: Date },
): Promise<void> {
  await database.write(unsent, [clientId, id, epoch, code, startedAt]);
}

// Who could not even read, or knew no account or customer to ask for, has sent nothing, and of what waits
// for its buyer nothing was taken.
const findUnclear = sql<{ is_unclear: boolean }>(
  'operations.is_unclear',
  `select count(*) < $2::int - 1 as is_unclear from operation_attempts
   where operation_id = $1 and epoch < $2 and (outcome = 'requires_action'
     or outcome = 'in_doubt' and provider_code in ('read_failed', 'intent_missing', 'order_not_approved',
       'gateway_unopened', 'customer_unknown'))`,
);

/**
 * Whether an earlier holder of an attempt may have moved money: one that left no outcome, or one that does
 * not say for sure that nothing was taken.
 */
export async function isUnclear(
  database: Database,
  { id, epoch }: Pick<Operation, 'id' | 'epoch'>,
): Promise<boolean> {
  const [row] = await database.read(findUnclear, [id, epoch]);
  return row?.is_unclear !== false;
}
