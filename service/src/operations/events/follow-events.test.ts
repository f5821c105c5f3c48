// A reader continues from the last event that it saw, while many transactions write and some commit
// late.
import { eventExamples } from '@svc/contract/events/event-examples';
import { passTime } from '@svc/tools/pass-time';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aClient,
  aToken,
  callerOf,
  freshDatabase,
  newId,
  portsFor,
  type TestDatabase,
} from '../../../test/harness.ts';
import { refuse } from '../../engine/implement.ts';
import { composeEvent } from '../../engine/steps/events/compose-event.ts';
import { readClock } from '../../storage/database/clock.ts';
import { appendEvent } from '../../storage/webhooks/events.ts';
import { listEvents } from './list-events.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await freshDatabase();
});
afterAll(() => db?.close());

const pause = (ms: number) => passTime(ms, 'writers hold their places for different times');
const writers = 6;
const perWriter = 20;

describe('listEvents, after', () => {
  it('while six write and commit in another order than they began: every event, once', async () => {
    const client = await aClient(db.database);
    const token = await aToken(db.database, client);
    const written: string[] = [];
    const write = async (writer: number) => {
      for (let count = 0; count < perWriter; count++) {
        const id = newId();
        const event = await db.database.transaction(client.id, async (tx) => {
          const now = await readClock(tx);
          const resource = { type: 'payment', id, version: 1 } as const;
          const type = count % 2 ? 'payment.failed' : 'payment.authorized';
          const facts = { id, type, resource, now, sequence: 1, request: null } as const;
          const { data } = eventExamples['payment.failed'];
          const own = { clientId: client.id, isLive: false, data };
          const composed = composeEvent({ ...facts, ...own });
          await appendEvent(tx, composed);
          // Every odd writer takes its place in the order long before it commits.
          await pause((writer % 3) * 9 + (count % 4) * 3);
          return JSON.parse(composed.payload) as { id: string };
        });
        written.push(event.id);
      }
    };
    const seen: string[] = [];
    const page = async (limit: number) => {
      const after = seen.at(-1) ?? `evt_${'0'.repeat(32)}`;
      const input = { page: 1, limit, sortField: 'createdAt', sortDirection: 'DESC' } as const;
      const found = await listEvents(
        { ...input, after, filters: [] },
        callerOf(token),
        portsFor(db.database),
        refuse,
      );
      if (!('body' in found)) throw new Error('no page');
      seen.push(...found.body.data.map(({ id }) => id));
      return found.body.data.length;
    };
    let isWriting = true;
    const all = Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
    const done = all.finally(() => {
      isWriting = false;
    });
    // One, two or seven events per page, so that pages end at every position.
    for (let turn = 0; isWriting; turn++) await page([1, 2, 7][turn % 3] ?? 1);
    await done;
    const until = performance.now() + 5000;
    while (seen.length < written.length && performance.now() < until) await page(100);
    expect(seen.toSorted()).toEqual(written.toSorted());
  });
});
