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
 * States what became of the former installation. `elsewhere`: it goes on, so this database is the copy, gets an
 * installation of its own where it has none yet, and the money that waits for a decision is the other one's.
 * `ours`: it goes on nowhere. Returns the ids that were decided; empty where there was nothing to decide.
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
