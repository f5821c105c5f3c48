import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  detachmentOf,
  endDetachmentLeases,
  methodRow,
  tapPorts,
} from '../../test/customers/detachments.ts';
import { aSavedCard, beginDetachment } from '../../test/customers/saved-cards.ts';
import { aCustomer, callerOf } from '../../test/harness.ts';
import { startWorld, type World } from '../../test/world.ts';
import { refuse } from '../engine/implement.ts';
import { operations } from '../operations/index.ts';
import { startFinishDetachments } from './finish-detachments.ts';

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

describe('startFinishDetachments', () => {
  it('ends what was left on its way: one whose holder died, and one whose detach is not known', async () => {
    const [claimed, lost] = [await aCard(), await aCard()];
    await beginDetachment(world, claimed.id);
    const tap = tapPorts(world.ports);
    tap.trouble('detachMethod', 'lost_before');
    const answer = operations.deletePaymentMethod(
      { id: lost.id },
      callerOf(world.token),
      tap.ports,
      refuse,
    );
    await expect(answer).rejects.toMatchObject({ code: 'payment_method_deletion_failed' });
    await endDetachmentLeases(world);
    const worker = startFinishDetachments(world.ports, { log, pollMs: 5 });
    await expect.poll(async () => (await methodRow(world, claimed.id)).status).toBe('removed');
    await expect.poll(async () => (await methodRow(world, lost.id)).status).toBe('removed');
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
    await beginDetachment(world, held.id);
    await world.database.write(
      {
        name: '',
        text: `update payment_method_detachments set lease_until = svc_clock() + interval '1 minute'
          where payment_method_id = $1`,
      },
      [held.id],
    );
    const watched = tapPorts(world.ports);
    const { calls } = await watched.during(async () => {
      const worker = startFinishDetachments(watched.ports, { log, pollMs: 5 });
      await worker.stop();
    });
    expect(calls).toEqual([]);
    expect((await detachmentOf(world, held.id))?.epoch).toBe(1);
    expect((await detachmentOf(world, failed.id))?.state).toBe('failed');
  });
});
