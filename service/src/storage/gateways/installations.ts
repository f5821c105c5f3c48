// What an operator says about the former installations of a database that was copied.
// docs/decisions/reconciliation.md.

import type { Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { endInstallation, insertInstallation } from './gateways.ts';

const decide = sql<{ id: string }>(
  'installations.decide',
  `update installations set status = $1 where status = 'undecided' returning id`,
);
const settleTheirs = sql<{ id: string }>(
  'installations.settle_unknown',
  `update unknown_money set status = 'settled' where status in ('watched', 'open') returning id`,
);

/**
 * Stores what became of the former installation. `elsewhere`: it still runs, and this database is a copy of its
 * database; the copy gets an installation of its own unless it has one, and unknown money that waits for a
 * decision belongs to the former installation. `ours`: it runs nowhere any more. Returns the decided ids.
 */
export async function decideFormer(
  tx: Tx,
  status: 'elsewhere' | 'ours',
  newId: () => string,
): Promise<string[]> {
  const decided = (await tx.query(decide, [status])).map(({ id }) => id);
  if (status === 'ours') return decided;
  if (decided.length === 0) {
    const [ended] = await tx.query(endInstallation, [status, true]);
    if (ended) decided.push(ended.id);
    await tx.query(insertInstallation, [newId()]);
  }
  await tx.query(settleTheirs, []);
  return decided;
}
