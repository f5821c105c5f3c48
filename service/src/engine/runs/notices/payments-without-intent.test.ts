// Tests of notices that never arrived, about payments whose intent was not known when the notices
// were listed.

import type pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { raceBehindLock } from '../../../../test/held-row.ts';
import { paymentsOf, runRecovery } from '../../../../test/payments/checkouts.ts';
import { dispute, disputeOf } from '../../../../test/payments/disputes.ts';
import { readAllNotices } from '../../../../test/payments/notices.ts';
import { advance, plantInDatabase } from '../../../../test/payments/planted.ts';
import { aHold, aSession, pay, startWorld, type World } from '../../../../test/world.ts';
import { sql } from '../../../storage/database/sql.ts';
import { listLostNotices } from './list-lost-notices.ts';

let world: World;
beforeEach(async () => {
  world = await startWorld();
  // A gateway's notices are listed once a payment has gone through it.
  await aHold(world);
});
afterEach(() => world?.close());

const list = () =>
  listLostNotices(world.ports, {
    readsPerSecond: 1000,
    onError: (_, error) => {
      throw error;
    },
  });

/**
 * Creates a payment that succeeded at the provider while nothing about it was stored, as after a
 * restored backup.
 */
async function createUnnamedPayment() {
  const session = await aSession(world, { captureMethod: 'automatic' });
  const said: string[] = [];
  const ports: World['ports'] = {
    ...world.ports,
    provider: (gateway) => {
      const provider = world.ports.provider(gateway);
      return {
        ...provider,
        authorize: async (call) => {
          const onIntent = async (intentId: string) => said.push(intentId) > 0;
          await provider.authorize({ ...call, onIntent });
          throw new Error('planted');
        },
      };
    },
  };
  await expect(pay({ ...world, ports }, session)).rejects.toThrow('planted');
  return { session, intent: said[0] ?? '' };
}

const hour = 3600;

it('is kept, and read once the payment has heard the name of its intent', async () => {
  const { session, intent } = await createUnnamedPayment();
  await dispute(world, intent);
  expect(await list()).toBeGreaterThan(0);
  // The next list goes back ten minutes at most.
  await advance(world, hour);
  expect(await list()).toBe(0);
  await readAllNotices(world);
  await runRecovery(world);
  const [payment] = await paymentsOf(world, session);
  expect(payment).toMatchObject({ status: 'succeeded', provider_intent_id: intent });
  await readAllNotices(world);
  expect(await disputeOf(world, payment?.id ?? '')).toMatchObject({ status: 'needs_response' });
});

const rename = sql(
  'test_rename_unnamed',
  'update payments set provider_intent_id = $2 where id = $1',
);
it('is kept where the payment hears the name between two looks for it', async () => {
  const { session, intent } = await createUnnamedPayment();
  const [payment] = await paymentsOf(world, session);
  await dispute(world, intent);
  // Nothing looks for payments without an intent until this payment has its intent.
  const lockOperations = async (naming: pg.Client) => {
    await naming.query('lock table payment_operations in access exclusive mode');
    await naming.query(rename.text, [payment?.id, intent]);
  };
  const race = { hold: lockOperations, waiting: 1 };
  const [lost] = await raceBehindLock(world.url, race, () => [list()]);
  // The dispute was opened, and its money withdrawn.
  expect(lost).toBe(2);
});

const outcomes = sql<{ outcome: string | null }>(
  'test_unnamed_outcomes',
  'select distinct outcome from provider_inbox where object_id = $1',
);

it('of a payment that has another intent is kept with it, and becomes money that no payment knows', async () => {
  const foreign = await createUnnamedPayment();
  await runRecovery(world);
  const [payment] = await paymentsOf(world, foreign.session);
  await plantInDatabase(world.ownerUrl, (run) => run(rename.text, [payment?.id, 'pi_of_somebody']));
  await dispute(world, foreign.intent);
  expect(await list()).toBe(0);
  const ours = await createUnnamedPayment();
  expect(await list()).toBeGreaterThan(0);
  await runRecovery(world);
  await advance(world, 25 * hour);
  await readAllNotices(world);
  expect(await world.database.read(outcomes, [foreign.intent])).toEqual([
    { outcome: 'unknown_money' },
  ]);
  expect(await paymentsOf(world, ours.session)).toMatchObject([{ status: 'succeeded' }]);
});
