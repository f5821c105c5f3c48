// A run of reconciling over every payment at once, with all that it told.

import type { Difference } from '../src/operations/reconcile/compare.ts';
import {
  type ReconcileSettings,
  type Reconciliation,
  runReconcile,
} from '../src/operations/reconcile/run-reconcile.ts';
import type { World } from './world.ts';

export type Told = Difference & { readonly end: 'stands' | 'settled' };

export async function reconcileAll(
  ports: World['ports'],
  given: Partial<ReconcileSettings> = {},
): Promise<Reconciliation & { readonly seen: Told[] }> {
  const seen: Told[] = [];
  const sums = await runReconcile(ports, {
    isSettling: false,
    readsPerSecond: 1000,
    olderThanMs: 0,
    sample: 1,
    ...given,
    onDifference: (difference, end) => void seen.push({ ...difference, end }),
  });
  return { ...sums, seen };
}
