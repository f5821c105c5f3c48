// Reconciles every payment at once, and returns all reported differences.

import type { Difference } from '../../src/engine/runs/reconcile/compare.ts';
import {
  type ReconcileSettings,
  type Reconciliation,
  runReconcile,
} from '../../src/engine/runs/reconcile/run-reconcile.ts';
import { newId } from '../harness.ts';
import type { World } from '../world.ts';
import { plantInDatabase } from './planted.ts';

export type ReportedDifference = Difference & { readonly end: 'stands' | 'settled' };

export async function reconcileAll(
  ports: World['ports'],
  given: Partial<ReconcileSettings> = {},
): Promise<Reconciliation & { readonly seen: ReportedDifference[] }> {
  const seen: ReportedDifference[] = [];
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

/**
 * Moves payments to a gateway of the merchant whose secret cannot be decrypted; returns the
 * gateway's id.
 */
export async function breakGatewayOf(
  world: Pick<World, 'ownerUrl' | 'gatewayId'>,
  payments: readonly string[],
): Promise<string> {
  const broken = newId();
  await plantInDatabase(world.ownerUrl, async (plant) => {
    const other = `jsonb_build_object('id', $2::text, 'account_id', 'acct_broken',
      'secret_key_sealed', '\\x00', 'is_active', false)`;
    await plant(
      `insert into gateways select (jsonb_populate_record(g, ${other})).* from gateways g
       where id = $1`,
      [world.gatewayId, broken],
    );
    await plant('update payments set gateway_id = $1 where id = any($2)', [broken, payments]);
  });
  return broken;
}

export const mendGateway = (
  world: Pick<World, 'ownerUrl' | 'gatewayId'>,
  broken: string,
): Promise<void> =>
  plantInDatabase(world.ownerUrl, (plant) =>
    plant('update payments set gateway_id = $1 where gateway_id = $2', [world.gatewayId, broken]),
  );
