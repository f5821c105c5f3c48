import { readAskingTime } from '../../../storage/database/clock.ts';
import { everyClient } from '../../../storage/database/database.ts';
import {
  type FoundDifference,
  insertReconciliation,
} from '../../../storage/reports/reconciliations.ts';
import type { Ports } from '../../ports.ts';
import { describeDifference } from './describe-difference.ts';
import { runBounded } from './run-bounded.ts';
import type { ReconcileSettings, Reconciliation } from './run-reconcile.ts';

/** Makes a bounded run and writes what it found. A run that was stopped writes nothing. */
export async function recordRun(
  ports: Ports,
  settings: Omit<ReconcileSettings, 'bounds'>,
): Promise<Reconciliation> {
  const { database, newId } = ports;
  const beganAt = await readAskingTime(database);
  const found: FoundDifference[] = [];
  const run = await runBounded(ports, {
    ...settings,
    async onDifference(difference, end) {
      const { clientId, paymentId, kind } = difference;
      const description = describeDifference(difference);
      found.push({ clientId, paymentId, kind, isSettled: end === 'settled', description });
      await settings.onDifference?.(difference, end);
    },
  });
  if (settings.signal?.aborted) return run;
  const isWhole = run.left.watched === 0 && run.givenUp.length === 0;
  await database.transaction(everyClient, (tx) =>
    insertReconciliation(tx, { id: newId(), beganAt, isWhole }, found),
  );
  return run;
}
