import { readAskingTime } from '../../../storage/database/clock.ts';
import { everyClient } from '../../../storage/database/database.ts';
import {
  type FoundDifference,
  insertReconciliation,
} from '../../../storage/reports/reconciliations.ts';
import type { Ports } from '../../ports.ts';
import type { Difference } from './compare.ts';
import { describeDifference } from './describe-difference.ts';
import type { Reconciliation } from './run-reconcile.ts';

/** Notes what a run finds, and writes it down at its end: a run that was stopped leaves nothing. */
export async function beginRecord({ database, newId }: Pick<Ports, 'database' | 'newId'>): Promise<{
  note(difference: Difference, isSettled: boolean): void;
  end(run: Reconciliation): Promise<void>;
}> {
  const beganAt = await readAskingTime(database);
  const found: FoundDifference[] = [];
  return {
    note(difference, isSettled) {
      const { clientId, paymentId, kind } = difference;
      const description = describeDifference(difference);
      found.push({ clientId, paymentId, kind, isSettled, description });
    },
    end({ left, givenUp }) {
      const run = {
        id: newId(),
        beganAt,
        isWhole: left.watched === 0 && givenUp.length === 0,
      };
      return database.transaction(everyClient, (tx) => insertReconciliation(tx, run, found));
    },
  };
}
