// The copy of the payments in which lists find their rows. The bench completes it at once, where
// the service's worker would take minutes, and hides it to measure lists without it.

import { copyPayments } from '@svc/service/engine/runs/payments/copy-payments';
import {
  type Database,
  databaseLimits,
  openDatabase,
} from '@svc/service/storage/database/database';
import pg from 'pg';
import type { Closers } from '../load/closers.ts';
import type { Product } from '../product.ts';

const patienceMs = 60_000;

export type Copy = {
  /**
   * Makes lists read the payments themselves, and keeps workers from the copy, until it is shown
   * again.
   */
  hide(): Promise<void>;
  show(): Promise<void>;
};

export async function openCopy(
  { database }: Product,
  { closers, say }: { readonly closers: Closers; readonly say: (line: string) => void },
): Promise<Copy> {
  const { connectMs } = databaseLimits;
  // On a busy machine a pass takes longer than the service would wait for.
  const limits = { connectMs, answerMs: patienceMs };
  const opened = openDatabase({ url: database.serviceUrl, poolSize: 1, limits });
  const storage: Database = {
    ...opened,
    transaction: (client, work) => opened.transaction(client, work, ['statement_timeout = 60000']),
  };
  try {
    // The service's own worker holds the lock for one pass at a time.
    while ((await copyPayments({ database: storage }, { step: 10_000 })) !== 'idle');
  } finally {
    await opened.close();
  }
  const admin = new pg.Client({ connectionString: database.superuserUrl });
  admin.on('error', () => undefined);
  await admin.connect();
  await closers.add(() => admin.end());
  const size = await admin.query<{ rows: string; size: string }>(
    `select (select count(*) from payment_index)::text as rows,
       pg_size_pretty(pg_total_relation_size('payment_index')
         + pg_total_relation_size('payment_words')) as size`,
  );
  await admin.query(`vacuum analyze payment_index, payment_words, payment_history, payment_day_sums, payment_movements,
      movement_sums, attempt_sums, attempt_group_sums`);
  say(`${size.rows[0]?.rows} payments copied, ${size.rows[0]?.size}`);
  const setComplete = (isComplete: boolean) =>
    admin.query('update payment_index_state set is_complete = $1', [isComplete]);
  const lock = `hashtextextended('payment_index', 12)`;
  return {
    async hide() {
      await admin.query(`select pg_advisory_lock(${lock})`);
      await setComplete(false);
    },
    async show() {
      await setComplete(true);
      await admin.query(`select pg_advisory_unlock(${lock})`);
    },
  };
}
