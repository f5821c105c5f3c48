// How long the hourly comparison with the provider chooses its payments, and how many rows it reads. The provider is
// not asked: its answers take what its pace allows, whatever the size of the database.

import {
  chooseBounded,
  type UnreadPayments,
} from '@svc/service/engine/runs/reconcile/choose-payments';
import { openDatabase } from '@svc/service/storage/database/database';
import { passTime } from '@svc/tools/pass-time';
import type { Product } from '../product.ts';

type Place = UnreadPayments['place'];

/** Makes two runs, one after the other: the second continues where the first one ended. */
export async function measureReconcile({ database }: Product, say: (line: string) => void) {
  let place: Place = { watchedAfter: null, othersAfter: null };
  for (const name of ['first', 'second']) {
    const rowsBefore = await readRows(database);
    const began = performance.now();
    const storage = openDatabase({ url: database.serviceUrl, poolSize: 1 });
    let [lookedAt, chosen] = [0, 0];
    try {
      const choice = { olderThanMs: 600_000, sample: 0.01, since: null };
      const bounds = { newest: 20_000, others: 100_000, place };
      const pages = await chooseBounded(storage, { choice, pageSize: 2000, bounds });
      for await (const page of pages.pages()) {
        lookedAt += page.lookedAt;
        chosen += page.chosen.length;
      }
      ({ place } = await pages.left());
    } finally {
      // A connection reports what it read when it ends.
      await storage.close();
    }
    const ms = performance.now() - began;
    const rows = (await readRows(database)) - rowsBefore;
    say(
      `reconcile, ${name} run: ${ms.toFixed(0)} ms, ${lookedAt} payments looked at, ${chosen} to ask for, ${rows} rows read`,
    );
  }
}

const readRows = (database: Product['database']): Promise<number> =>
  database.withAdmin(async (admin) => {
    await passTime(500, 'PostgreSQL counts what a connection read after the connection has ended');
    const { rows } = await admin.query<{ rows: string }>(
      `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::text as rows from pg_stat_user_tables
       where relname in ('payments', 'open_holds', 'payment_operations', 'disputes')`,
    );
    return Number(rows[0]?.rows);
  });
