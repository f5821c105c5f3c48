// What the hourly comparison with the providers found.

import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

export type FoundDifference = {
  readonly clientId: string;
  readonly paymentId: string;
  readonly kind: string;
  readonly isSettled: boolean;
  readonly description: string;
};

const insertRun = sql(
  'reconciliations.insert',
  `insert into reconcile_runs (id, began_at, ended_at, is_whole) values ($1, $2, svc_clock(), $3)`,
);
const insertDifferences = sql(
  'reconciliations.insert_differences',
  `insert into reconcile_differences (run_id, client_id, payment_id, kind, is_settled, description)
   select $1, x."clientId", x."paymentId", x.kind, x."isSettled", x.description
   from jsonb_to_recordset($2::jsonb) as x("clientId" uuid, "paymentId" uuid, kind text,
     "isSettled" boolean, description text)
   on conflict do nothing`,
);
const forget = sql(
  'reconciliations.forget',
  `delete from reconcile_runs where ended_at < svc_clock() - interval '2592000 s'`,
);

/** Writes a run that has ended, and deletes those of more than thirty days ago. */
export async function insertReconciliation(
  tx: Tx,
  run: { readonly id: string; readonly beganAt: Date; readonly isWhole: boolean },
  differences: readonly FoundDifference[],
): Promise<void> {
  await tx.query(insertRun, [run.id, run.beganAt, run.isWhole]);
  await tx.query(insertDifferences, [run.id, JSON.stringify(differences)]);
  await tx.query(forget, []);
}

export type ReconciliationRow = {
  readonly id: string;
  readonly began_at: Date;
  readonly ended_at: Date;
  readonly is_whole: boolean;
  readonly total: number;
  readonly open: number;
  readonly differences: readonly Omit<FoundDifference, 'clientId'>[];
};

const list = sql<ReconciliationRow>(
  'reconciliations.list',
  `select r.id, r.began_at, r.ended_at, r.is_whole, found.total, found.open,
     coalesce(first.differences, '[]') as differences
   from (select * from reconcile_runs order by ended_at desc, id desc limit $2::int) r
   cross join lateral (
     select count(*)::int as total, count(*) filter (where not d.is_settled)::int as open
     from reconcile_differences d where d.run_id = r.id and d.client_id = $1) found
   cross join lateral (
     select jsonb_agg(jsonb_build_object('paymentId', d.payment_id, 'kind', d.kind,
       'isSettled', d.is_settled, 'description', d.description)) as differences
     from (select * from reconcile_differences d where d.run_id = r.id and d.client_id = $1
       order by d.is_settled, d.payment_id, d.kind limit 20) d) first
   order by r.ended_at desc, r.id desc`,
);

/** The last runs with what they found of the client's payments, the newest first. */
export const listReconciliationRows = (
  database: Database,
  clientId: string,
  limit: number,
): Promise<ReconciliationRow[]> => database.read(list, [clientId, limit]);
