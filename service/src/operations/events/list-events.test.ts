import type { rows } from '@svc/contract';
import type { InputOf } from '@svc/contract/rows/row';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  aClient,
  aToken,
  callerOf,
  freshDatabase,
  moveClock,
  newId,
  portsFor,
  type TestClient,
  type TestDatabase,
  type TestToken,
} from '../../../test/harness.ts';
import { aStoredEvent, type StoredEvent } from '../../../test/payments/stored-rows.ts';
import type { Refusal } from '../../domain/protocol/refusal.ts';
import { refuse } from '../../engine/implement.ts';
import { getEvent } from './get-event.ts';
import { listEvents } from './list-events.ts';

// The service's clock is not the machine's.
const hourMs = 3_600_000;

let db: TestDatabase;
let shop: { client: TestClient; token: TestToken };
let rival: { client: TestClient; token: TestToken };
let stored: StoredEvent[];
let foreign: StoredEvent;

const aShop = async () => {
  const client = await aClient(db.database);
  return { client, token: await aToken(db.database, client) };
};

beforeAll(async () => {
  db = await freshDatabase();
  await moveClock(db.database, hourMs);
  [shop, rival] = [await aShop(), await aShop()];
  const resourceId = newId();
  stored = [];
  for (let i = 0; i < 6; i++) {
    // The later id belongs to the earlier event, and two share one instant.
    const createdAt = `2026-01-0${6 - Math.floor(i / 2)}T00:00:00.000000Z`;
    const type = i % 2 ? 'item.purchased' : 'payment.authorized';
    const own = i < 2 ? { resourceId, sequence: i + 1 } : {};
    stored.push(await aStoredEvent(db.database, shop.client, { createdAt, type, ...own }));
  }
  foreign = await aStoredEvent(db.database, rival.client);
});
afterAll(() => db.close());

type Input = InputOf<typeof rows.listEvents>;
const listAs = async ({ token }: { token: TestToken }, given: Partial<Input> = {}) => {
  const input: Input = {
    page: 1,
    limit: 20,
    sortField: 'createdAt',
    sortDirection: 'DESC',
    filters: [],
    ...given,
  };
  const answer = await listEvents(input, callerOf(token), portsFor(db.database), refuse);
  if (!('body' in answer)) throw new Error('a list has a body');
  return answer.body;
};
const ids = (found: readonly { id: string }[]) => found.map(({ id }) => id);
const codeOf = async (work: Promise<unknown>) =>
  work.then(
    () => 'accepted',
    (error: Refusal) => error.code,
  );
const oldestFirst = () =>
  stored.toSorted((a, b) => (`${a.createdAt}${a.uuid}` < `${b.createdAt}${b.uuid}` ? -1 : 1));

describe('listEvents', () => {
  test('newest first by time of creation, ties by id, as they were sent', async () => {
    const page = await listAs(shop);
    expect(ids(page.data)).toEqual(ids(oldestFirst().reverse()));
    expect(page).toMatchObject({ total: 6, nextCursor: null });
    expect(page.data[0]).toMatchObject({ id: oldestFirst()[5]?.id, type: 'item.purchased' });
  });

  test('after: what follows, oldest first, whatever the direction asked for', async () => {
    const order = ids(oldestFirst());
    for (const [index, id] of order.entries()) {
      for (const sortDirection of ['ASC', 'DESC'] as const) {
        const page = await listAs(shop, { after: id, sortDirection });
        expect(ids(page.data)).toEqual(order.slice(index + 1));
        expect(page.total).toBe(5 - index);
      }
    }
  });

  test('after: going on from the last one seen reads each once', async () => {
    const order = ids(oldestFirst());
    const read = order.slice(0, 1);
    for (let round = 0; round < 5; round++) {
      const { data } = await listAs(shop, { after: read.at(-1) ?? '', limit: 2 });
      read.push(...ids(data));
    }
    expect(read).toEqual(order);
    const first = await listAs(shop, { after: order[0] ?? '', limit: 3 });
    const cursor = first.nextCursor ?? '';
    const rest = await listAs(shop, { after: order[0] ?? '', limit: 3, cursor });
    expect(ids([...first.data, ...rest.data])).toEqual(order.slice(1));
  });

  test('after, within a span of time: only what is in it follows, and is counted', async () => {
    const order = oldestFirst();
    const [bound, other] = [order[0]?.createdAt, order[4]?.createdAt].map((at) =>
      new Date(at ?? '').toISOString(),
    );
    const filters = [
      { field: 'createdAt', op: 'gte', values: [bound ?? ''] },
      { field: 'createdAt', op: 'lt', values: [other ?? ''] },
    ] as const satisfies Input['filters'];
    const page = await listAs(shop, { after: order[0]?.id ?? '', limit: 2, filters });
    expect(ids(page.data)).toEqual(ids(order.slice(1, 3)));
    expect(page).toMatchObject({ total: 3, nextCursor: expect.any(String) });
    const last = await listAs(shop, { after: order[2]?.id ?? '', limit: 2, filters });
    expect([ids(last.data), last.nextCursor]).toEqual([[order[3]?.id], null]);
  });

  test('type, resourceId and createdAt filter', async () => {
    const [first, second] = stored;
    const byType = await listAs(shop, {
      filters: [{ field: 'type', op: 'eq', values: ['item.purchased'] }],
    });
    expect(byType.total).toBe(3);
    const byResource = await listAs(shop, {
      filters: [{ field: 'resourceId', op: 'eq', values: [first?.resourceId ?? ''] }],
    });
    expect(ids(byResource.data).sort()).toEqual([first?.id, second?.id].sort());
    const byTime = await listAs(shop, {
      filters: [{ field: 'createdAt', op: 'lte', values: ['2026-01-04T00:00:00.000Z'] }],
    });
    expect(byTime.total).toBe(2);
  });

  test('another merchant sees none of them, not by filter either', async () => {
    const page = await listAs(rival);
    expect([ids(page.data), page.total]).toEqual([[foreign.id], 1]);
    const values = [stored[0]?.resourceId ?? ''];
    const filtered = await listAs(rival, { filters: [{ field: 'resourceId', op: 'eq', values }] });
    expect([filtered.data, filtered.total]).toEqual([[], 0]);
  });

  test('after the nil id come all events, from the very first', async () => {
    const after = `evt_${'0'.repeat(32)}`;
    expect(ids((await listAs(shop, { after })).data)).toEqual(ids(oldestFirst()));
    const filters = [{ field: 'type', op: 'eq' as const, values: ['item.purchased'] }];
    const bought = await listAs(shop, { after, filters });
    const types = bought.data.map(({ type }) => type);
    expect([types, bought.total]).toEqual([Array(3).fill('item.purchased'), 3]);
  });

  test('404 event_not_found: after an unknown, foreign or malformed id', async () => {
    const missing = `evt_${newId().replaceAll('-', '')}`;
    for (const after of [missing, foreign.id, 'evt_1', stored[0]?.uuid ?? '', "evt_' or 1=1 --"]) {
      expect(await codeOf(listAs(shop, { after })), after).toBe('event_not_found');
    }
  });
});

describe('listEvents while events are being written', () => {
  test('a reader that goes on with after misses no event that commits late', async () => {
    const client = await aShop();
    const start = await aStoredEvent(db.database, client.client);
    const slow = new pg.Client({ connectionString: db.url });
    await slow.connect();
    try {
      const clock = async (on: { query: pg.Client['query'] }): Promise<string> =>
        (await on.query<{ now: string }>('select svc_clock()::text as now')).rows[0]?.now ?? '';
      const writer = {
        write: async (query: { text: string }, values: readonly unknown[]) =>
          (await slow.query(query.text, [...values])).rows as never[],
      };
      await slow.query('begin');
      const late = await aStoredEvent(writer, client.client, { createdAt: await clock(slow) });
      const other = new pg.Client({ connectionString: db.url });
      await other.connect();
      const createdAt = await clock(other);
      await other.end();
      const early = await aStoredEvent(db.database, client.client, { createdAt });

      expect(ids((await listAs(client)).data)).toEqual([early.id, start.id]);
      expect(ids((await listAs(client, { after: start.id })).data)).toEqual([]);
      await slow.query('commit');
      const { data } = await listAs(client, { after: start.id });
      expect(ids(data)).toEqual([late.id, early.id]);
    } finally {
      await slow.end();
    }
  });

  test('a transaction of another database holds nobody back', async () => {
    const client = await aShop();
    const start = await aStoredEvent(db.database, client.client);
    const elsewhere = await freshDatabase();
    const slow = new pg.Client({ connectionString: elsewhere.url });
    await slow.connect();
    try {
      await slow.query('begin');
      // By the service's clock, no older than a transaction that may still be open.
      const { rows } = await slow.query<{ at: string }>(
        "select (now() + interval '1 hour' - interval '500 microseconds')::text as at",
      );
      const next = await aStoredEvent(db.database, client.client, { createdAt: rows[0]?.at ?? '' });
      expect(ids((await listAs(client, { after: start.id })).data)).toEqual([next.id]);
      await slow.query('rollback');
    } finally {
      await slow.end();
      await elsewhere.close();
    }
  });
});

describe('getEvent', () => {
  const readEvent = (eventId: string) =>
    getEvent({ eventId }, callerOf(shop.token), portsFor(db.database), refuse);

  test('200: one event, in either case of its hex digits', async () => {
    const [event] = stored;
    const hex = event?.id.slice(4) ?? '';
    for (const id of [`evt_${hex}`, `evt_${hex.toUpperCase()}`]) {
      expect(await readEvent(id)).toMatchObject({ status: 200, body: { id: event?.id } });
    }
  });

  test('404 event_not_found: unknown, foreign and malformed alike', async () => {
    const missing = `evt_${newId().replaceAll('-', '')}`;
    for (const id of [missing, foreign.id, stored[0]?.uuid ?? '', 'evt_', `${stored[0]?.id}0`]) {
      expect(await codeOf(readEvent(id)), id).toBe('event_not_found');
    }
  });
});
