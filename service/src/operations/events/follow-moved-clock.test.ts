// A reader continues from the last event that it saw, while the sandbox's clock is moved.

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
  type TestClient,
  type TestDatabase,
  type TestToken,
} from '../../../test/harness.ts';
import { untilBlocked } from '../../../test/held-row.ts';
import { refuse } from '../../engine/implement.ts';
import { composeEvent } from '../../engine/steps/events/compose-event.ts';
import { setClock } from '../../engine/steps/sandbox/set-clock.ts';
import { readClock } from '../../storage/database/clock.ts';
import { appendEvent } from '../../storage/webhooks/events.ts';
import { listEvents } from './list-events.ts';

let db: TestDatabase;
let client: TestClient;
let token: TestToken;
let shiftMs = 0;
beforeAll(async () => {
  db = await freshDatabase();
  client = await aClient(db.database);
  token = await aToken(db.database, client);
});
afterAll(() => db?.close());

const dayMs = 86_400_000;
const moveClockTo = async (ms: number) => {
  const moved = await setClock(ms, { database: db.database });
  shiftMs = ms;
  return moved;
};
const pause = (ms: number) => passTime(ms, 'writers hold their places for different times');

/** Appends an event, which fixes its place in the order of events, and commits after `meanwhile`. */
async function write(meanwhile: () => Promise<void> = async () => undefined): Promise<string> {
  const id = newId();
  return db.database.transaction(client.id, async (tx) => {
    const now = await readClock(tx);
    const { type, data } = eventExamples['payment.authorized'];
    const resource = { type: 'payment', id, version: 1 } as const;
    const composed = composeEvent({
      ...{ id, type, resource, now, sequence: 1, request: null },
      ...{ clientId: client.id, isLive: false, data },
    });
    await appendEvent(tx, composed);
    await meanwhile();
    return (JSON.parse(composed.payload) as { id: string }).id;
  });
}

class Reader {
  readonly seen: string[] = [];

  async read(): Promise<void> {
    const after = this.seen.at(-1) ?? `evt_${'0'.repeat(32)}`;
    const page = { page: 1, limit: 100, sortField: 'createdAt', sortDirection: 'DESC' } as const;
    const input = { ...page, after, filters: [] };
    const found = await listEvents(input, callerOf(token), portsFor(db.database), refuse);
    if (!('body' in found)) throw new Error('no page');
    this.seen.push(...found.body.data.map(({ id }) => id));
  }

  async readUntil(id: string): Promise<void> {
    const until = performance.now() + 5000;
    while (!this.seen.includes(id) && performance.now() < until) await this.read();
  }
}

describe('listEvents, after, while the clock of the sandbox is moved', () => {
  it('forward, while one that began before it is still being written: every event, once, in order', async () => {
    const reader = new Reader();
    const began = Promise.withResolvers<void>();
    const may = Promise.withResolvers<void>();
    const slow = write(() => {
      began.resolve();
      return may.promise;
    });
    await began.promise;
    const quick = await write();
    const moving = moveClockTo(shiftMs + 30 * dayMs);
    // The move waits for the slow transaction, or has ended.
    await Promise.race([moving, untilBlocked(db.url)]);
    await reader.read();
    may.resolve();
    const late = await slow;
    await moving;
    const last = await write();
    await reader.readUntil(last);
    expect(reader.seen).toEqual([late, quick, last]);
  });

  it('forward again and again, while three write: every event, once', async () => {
    const reader = new Reader();
    await reader.read();
    const known = reader.seen.length;
    const written: string[] = [];
    const writing = Array.from({ length: 3 }, async (_, writer) => {
      for (let n = 0; n < 15; n++) written.push(await write(() => pause(writer * 7 + (n % 3) * 4)));
    });
    let isWriting = true;
    const all = Promise.all(writing).finally(() => {
      isWriting = false;
    });
    const reading = (async () => {
      while (isWriting) await reader.read();
    })();
    for (let n = 0; n < 6; n++) await moveClockTo(shiftMs + (n % 2 ? dayMs : 50));
    await Promise.all([all, reading]);
    const last = await write();
    await reader.readUntil(last);
    expect(reader.seen.slice(known).toSorted()).toEqual([...written, last].toSorted());
  });

  it('back before an event that was written it is refused, for what follows would stand before it', async () => {
    const reader = new Reader();
    const ahead = await write();
    await reader.readUntil(ahead);
    const before = shiftMs;
    await expect(moveClockTo(shiftMs - dayMs)).rejects.toMatchObject({
      code: 'invalid_request',
      facts: { param: 'shiftMs' },
    });
    expect((await moveClockTo(before)).shiftMs).toBe(before);
    const next = await write();
    await reader.readUntil(next);
    expect(reader.seen.slice(-2)).toEqual([ahead, next]);
  });

  it('back to where nothing was written yet it moves', async () => {
    const before = shiftMs;
    await moveClockTo(before + dayMs);
    await moveClockTo(before);
    const reader = new Reader();
    const next = await write();
    await reader.readUntil(next);
    expect(reader.seen.at(-1)).toBe(next);
  });
});
