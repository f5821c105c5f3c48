// The table `operation_attempts`: the outcome of each time that a process held an operation. Usual
// rows are written where the operation is settled.

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
 * Records that a lease holder stops without having sent anything: its epoch has no other outcome, and the
 * lease stays until it expires.
 */
export async function recordUnsent(
  database: Database,
  { clientId, id, epoch }: Operation,
  { code, startedAt }: { readonly code: 'gateway_unopened'; readonly startedAt: Date },
): Promise<void> {
  await database.write(unsent, [clientId, id, epoch, code, startedAt]);
}

// With these codes the lease holder could not even read at the provider, had no account or customer to
// use, or was asked to wait, so it did nothing; an attempt that waits for its buyer has taken no money.
const findUnclear = sql<{ is_unclear: boolean }>(
  'operations.is_unclear',
  `select count(*) < $2::int - 1 as is_unclear from operation_attempts
   where operation_id = $1 and epoch < $2 and (outcome = 'requires_action'
     or outcome = 'in_doubt' and provider_code in ('read_failed', 'intent_missing', 'order_not_approved',
       'gateway_unopened', 'customer_unknown', 'held_back'))`,
);

/**
 * Returns whether an earlier holder of an attempt may have moved money: it left no outcome, or one
 * that does not exclude that money was taken.
 */
export async function mayHaveBeenSent(
  database: Database,
  { id, epoch }: Pick<Operation, 'id' | 'epoch'>,
): Promise<boolean> {
  const [row] = await database.read(findUnclear, [id, epoch]);
  return row?.is_unclear !== false;
}
