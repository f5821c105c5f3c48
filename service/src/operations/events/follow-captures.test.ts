// A reader continues from the last event that it saw, while several captures commit together.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { callerOf, newId } from '../../../test/harness.ts';
import { aHold, moveHold, startWorld, type World } from '../../../test/world.ts';
import { refuse } from '../../engine/implement.ts';
import { sql } from '../../storage/database/sql.ts';
import { listEvents } from './list-events.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const readAll = sql<{ id: string }>(
  'test_all_events',
  `select 'evt_' || replace(id::text, '-', '') as id from events where client_id = $1`,
);

it('listEvents, after: while four capture at once, every event, once', async () => {
  const holds: string[] = [];
  for (let n = 0; n < 60; n++) holds.push((await aHold(world)).paymentId);
  const seen: string[] = [];
  const page = async (): Promise<number> => {
    const after = seen.at(-1) ?? `evt_${'0'.repeat(32)}`;
    const input = { page: 1, limit: 100, sortField: 'createdAt', sortDirection: 'DESC' } as const;
    const found = await listEvents(
      { ...input, after, filters: [] },
      callerOf(world.token),
      world.ports,
      refuse,
    );
    if (!('body' in found)) throw new Error('no page');
    seen.push(...found.body.data.map(({ id }) => id));
    return found.body.data.length;
  };
  let isBusy = true;
  const capture = async () => {
    for (let paymentId = holds.pop(); paymentId; paymentId = holds.pop()) {
      await moveHold(world, 'capturePayment', { paymentId, key: newId() });
    }
  };
  const done = Promise.all([1, 2, 3, 4].map(capture)).finally(() => {
    isBusy = false;
  });
  while (isBusy) await page();
  await done;
  const written = await world.ports.database.read(readAll, [world.client.id]);
  const until = performance.now() + 5000;
  while (seen.length < written.length && performance.now() < until) await page();
  expect(seen.toSorted()).toEqual(written.map(({ id }) => id).toSorted());
});
