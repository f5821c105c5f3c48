import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aCustomer, callerOf } from '../../test/harness.ts';
import { letRemovalsGo, methodRow, removalOf, tapPorts } from '../../test/removals.ts';
import { aSavedCard, beginRemoval } from '../../test/saved-cards.ts';
import { startWorld, type World } from '../../test/world.ts';
import { refuse } from '../engine/implement.ts';
import { operations } from '../operations/index.ts';
import { startFinishRemovals } from './finish-removals.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const aCard = async () =>
  aSavedCard(world, { userId: (await aCustomer(world.database, world.client)).id });

const log = {
  error: (facts: object, message: string): never => {
    throw new Error(`${message}: ${JSON.stringify(facts)}`);
  },
};

describe('startFinishRemovals', () => {
  it('ends what was left on its way: one whose holder died, and one whose detach is not known', async () => {
    const [claimed, lost] = [await aCard(), await aCard()];
    await beginRemoval(world, claimed.id);
    const tap = tapPorts(world.ports);
    tap.trouble('detachMethod', 'lost_before');
    const answer = operations.deletePaymentMethod(
      { id: lost.id },
      callerOf(world.token),
      tap.ports,
      refuse,
    );
    await expect(answer).rejects.toMatchObject({ code: 'payment_method_deletion_failed' });
    await letRemovalsGo(world);
    const worker = startFinishRemovals(world.ports, { log, pollMs: 5 });
    await expect
      .poll(async () => (await methodRow(world, claimed.id)).status, { timeout: 10_000 })
      .toBe('removed');
    await expect
      .poll(async () => (await methodRow(world, lost.id)).status, { timeout: 10_000 })
      .toBe('removed');
    await worker.stop();
  });

  it('leaves alone what somebody holds, and what has failed', async () => {
    const [held, failed] = [await aCard(), await aCard()];
    const tap = tapPorts(world.ports);
    tap.trouble('forget', 'lost_before');
    const answer = operations.deletePaymentMethod(
      { id: failed.id },
      callerOf(world.token),
      tap.ports,
      refuse,
    );
    await expect(answer).rejects.toMatchObject({ code: 'payment_method_deletion_failed' });
    await beginRemoval(world, held.id);
    await world.database.write(
      {
        name: '',
        text: `update payment_method_removals set lease_until = svc_clock() + interval '1 minute'
          where payment_method_id = $1`,
      },
      [held.id],
    );
    const watched = tapPorts(world.ports);
    const { calls } = await watched.during(async () => {
      const worker = startFinishRemovals(watched.ports, { log, pollMs: 5 });
      await worker.stop();
    });
    expect(calls).toEqual([]);
    expect((await removalOf(world, held.id))?.epoch).toBe(1);
    expect((await removalOf(world, failed.id))?.state).toBe('failed');
  });
});
