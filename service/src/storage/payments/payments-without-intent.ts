// Payments that may exist at a provider under an id that is not stored yet.

import type { Database } from '../database/database.ts';
import { isOpen } from '../database/open-states.ts';
import { sql } from '../database/sql.ts';

// The payment is looked up by key, one row: few attempts are open, and there are many payments
// (docs/decisions/money-operations.md).
const findUnnamed = sql<{ is_found: boolean }>(
  'payments.find_unnamed',
  `select exists (select from payment_operations o
     where ${isOpen()} and o.kind = 'authorize'
       and o.first_sent_at < $2
       and (select p.gateway_id = $1 and p.provider_intent_id is null
         from payments p where p.id = o.payment_id limit 1)) as is_found`,
);

/** Returns whether an attempt that was first sent before `before` has no known intent. */
export async function hasPaymentWithoutIntent(
  database: Database,
  gatewayId: string,
  before: Date,
): Promise<boolean> {
  return (await database.read(findUnnamed, [gatewayId, before]))[0]?.is_found === true;
}
