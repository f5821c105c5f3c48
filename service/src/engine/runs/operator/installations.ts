// The installations that have written the database, and the operator's word about a former one. Asked for where
// the database was copied. docs/decisions/reconciliation.md.

import { everyClient } from '../../../storage/database/database.ts';
import { type Installation, listInstallations } from '../../../storage/gateways/gateways.ts';
import { decideFormer } from '../../../storage/gateways/installations.ts';
import type { Ports } from '../../ports.ts';
import { recordOperatorChange } from '../../steps/audit-log/record-without-request.ts';

export type { Installation };

type DatabasePorts = Pick<Ports, 'database' | 'newId'>;

export const findInstallations = (ports: DatabasePorts): Promise<Installation[]> =>
  listInstallations(ports.database, ports.newId);

/**
 * What is undecided, for whoever starts the service or looks at it; undefined where nothing is. The first words
 * are those that people search for.
 */
export async function describeUndecided(ports: DatabasePorts): Promise<string | undefined> {
  const known = await findInstallations(ports);
  const former = known.filter(({ status }) => status === 'undecided').map(({ id }) => id);
  if (former.length === 0) return undefined;
  return `this database is a copy of the one of installation ${former.join(', ')}: until somebody says whether that \
one goes on, its subscriptions are not renewed here, and what it made at the provider since is left alone`;
}

/** The remedy for an undecided installation. */
export const undecidedMend =
  'svc installation new if the other one goes on, svc installation keep if this one takes its place';

/**
 * Records the operator's decision. `new`: this database is a copy, and the former installation still runs.
 * `keep`: this installation replaces the former one. Returns the ids of the former installations; empty when
 * there was nothing to decide.
 */
export async function decideInstallation(word: 'new' | 'keep', ports: Ports): Promise<string[]> {
  const { database, newId } = ports;
  await findInstallations(ports);
  const status = word === 'new' ? 'elsewhere' : 'ours';
  return database.transaction(everyClient, async (tx) => {
    const decided = await decideFormer(tx, status, newId);
    for (const id of decided) {
      const change = {
        action: 'installation.decided',
        resourceType: 'installation',
        resourceId: id,
        after: { status },
      };
      await recordOperatorChange(tx, change, ports);
    }
    return decided;
  });
}
