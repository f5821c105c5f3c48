// Liveness: a due renewal is charged without a request.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aClub,
  advanceToRenewal,
  renewalsOf,
  subscriptionOf,
} from '../../test/customers/subscriptions.ts';
import { startWorld, type World } from '../../test/world.ts';
import { startRenewSubscriptions } from './renew-subscriptions.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

describe('startRenewSubscriptions', () => {
  it('two processes: each period is charged once, by whichever comes first', async () => {
    const told: unknown[] = [];
    const log = { error: (facts: object) => void told.push(facts) };
    const workers = [1, 2].map(() => startRenewSubscriptions(world.ports, { log, pollMs: 20 }));
    const clubs = [await aClub(world), await aClub(world)];
    for (const { id } of clubs) await advanceToRenewal(world, id);
    const periodsOf = async () =>
      Promise.all(clubs.map(async ({ id }) => (await subscriptionOf(world, id)).periods));
    await expect.poll(periodsOf).toEqual([2, 2]);
    await Promise.all(workers.map((worker) => worker.stop()));
    for (const { id } of clubs) expect(await renewalsOf(world, id)).toHaveLength(1);
    expect(told).toEqual([]);
  });

  it('what goes wrong with one is told, and the worker goes on', async () => {
    const club = await aClub(world);
    await advanceToRenewal(world, club.id);
    let isBroken = true;
    const ports = {
      ...world.ports,
      newId: () => {
        if (isBroken) throw new Error('planted');
        return world.ports.newId();
      },
    };
    const told: unknown[] = [];
    const log = { error: (facts: object) => void told.push(facts) };
    const worker = startRenewSubscriptions(ports, { log, pollMs: 20 });
    await expect.poll(() => told.length).toBeGreaterThan(1);
    expect(told[0]).toMatchObject({ clientId: world.client.id, err: { message: 'planted' } });
    isBroken = false;
    const periods = async () => (await subscriptionOf(world, club.id)).periods;
    await expect.poll(periods).toBe(2);
    await worker.stop();
  });
});
