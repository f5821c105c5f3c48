// Notices that never came, of payments whose intent was not known here when they were listed.

import type pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { paymentsOf, recover } from '../../../../test/checkouts.ts';
import { dispute, disputeOf } from '../../../../test/disputes.ts';
import { raceBehind } from '../../../../test/held-row.ts';
import { readAllNotices } from '../../../../test/notices.ts';
import { advance, plantIn } from '../../../../test/planted.ts';
import { aHold, aSession, pay, startWorld, type World } from '../../../../test/world.ts';
import { sql } from '../../../storage/database/sql.ts';
import { listLostNotices } from './list-lost-notices.ts';

let world: World;
beforeEach(async () => {
  world = await startWorld();
  // A gateway is asked for what it has told once a payment has gone through it.
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

/** Paid at the provider, and no word of it written down: as after a restored backup. */
async function anUnnamed() {
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
  const { session, intent } = await anUnnamed();
  await dispute(world, intent);
  expect(await list()).toBeGreaterThan(0);
  // The list goes back no further than ten minutes the next time.
  await advance(world, hour);
  expect(await list()).toBe(0);
  await readAllNotices(world);
  await recover(world);
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
  const { session, intent } = await anUnnamed();
  const [payment] = await paymentsOf(world, session);
  await dispute(world, intent);
  // Nobody looks for payments without a name until this one has it.
  const hold = async (naming: pg.Client) => {
    await naming.query('lock table payment_operations in access exclusive mode');
    await naming.query(rename.text, [payment?.id, intent]);
  };
  const race = { hold, waiting: 1 };
  const [lost] = await raceBehind(world.url, race, () => [list()]);
  // Opened, and its money withdrawn.
  expect(lost).toBe(2);
});

const outcomes = sql<{ outcome: string | null }>(
  'test_unnamed_outcomes',
  'select distinct outcome from provider_inbox where object_id = $1',
);

it('of a payment that has another intent is kept with it, and becomes money that no payment knows', async () => {
  const foreign = await anUnnamed();
  await recover(world);
  const [payment] = await paymentsOf(world, foreign.session);
  await plantIn(world.ownerUrl, (run) => run(rename.text, [payment?.id, 'pi_of_somebody']));
  await dispute(world, foreign.intent);
  expect(await list()).toBe(0);
  const ours = await anUnnamed();
  expect(await list()).toBeGreaterThan(0);
  await recover(world);
  await advance(world, 25 * hour);
  await readAllNotices(world);
  expect(await world.database.read(outcomes, [foreign.intent])).toEqual([
    { outcome: 'unknown_money' },
  ]);
  expect(await paymentsOf(world, ours.session)).toMatchObject([{ status: 'succeeded' }]);
});
