// A run with a limited time, however many payments there are: the hourly run, and the command
// unless it is told to compare every payment.

import { findPlace, savePlace } from '../../../storage/payments/reconcile-turn.ts';
import type { Ports, PublicSettings } from '../../ports.ts';
import { type ReconcileSettings, type Reconciliation, runReconcile } from './run-reconcile.ts';

/** Ten minutes of every hour, in milliseconds: 12 000 readings at twenty per second. */
const budgetMs = 600_000;
/** The most payments that one run reads: the newest, and others, with which the next run continues. */
const limits: NonNullable<PublicSettings['reconcileLimits']> = { newest: 20_000, others: 100_000 };

/** Continues where the last run ended. */
export async function runBounded(
  ports: Ports,
  settings: Omit<ReconcileSettings, 'bounds'>,
): Promise<Reconciliation> {
  const bounds = {
    ...(ports.settings.reconcileLimits ?? limits),
    place: await findPlace(ports.database),
  };
  const timeUp = AbortSignal.timeout(budgetMs);
  const run = await runReconcile(ports, { timeUp, ...settings, bounds });
  if (settings.isSettling && run.isComplete) await savePlace(ports.database, run.left.place);
  return run;
}
