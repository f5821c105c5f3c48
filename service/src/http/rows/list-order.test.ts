// Every list after random histories, while captures overlap and the clock moves: it is in the order
// of the field that it sorts by, as the answer shows that field.

import { rows } from '@svc/contract';
import type { RowShape } from '@svc/contract/rows/row';
import { byLevel } from '@svc/tools/levels/level';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAs, moveClock, newId } from '../../../test/harness.ts';
import { aSignIn, fromOwnPage } from '../../../test/people/people.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { aHold, aSession, cards, pay, startWorld, type World } from '../../../test/world.ts';
import { sql } from '../../storage/database/sql.ts';

let world: World;
let server: TestServer;
let person: Record<string, string>;
beforeAll(async () => {
  world = await startWorld();
  server = await aServer(world.ports);
  person = fromOwnPage(await aSignIn(world.ports, { id: world.token.userId }), world.client.id);
});
afterAll(async () => {
  await server?.close();
  await world?.close();
});

const call = (row: Parameters<typeof callAs>[2], body?: object) =>
  callAs(server.app, world.token, row, {
    ...(body ? { body } : {}),
    headers: { 'idempotency-key': newId() },
  });
const holds: string[] = [];
const purchases: string[] = [];
let count = 0;
const acts = {
  hold: async () => void holds.push((await aHold(world)).paymentId),
  capture: async () => {
    const id = holds.shift();
    if (!id) return;
    await call(`PUT /v1/payments/${id}/capture`, {});
    purchases.push(id);
  },
  cancel: async () => {
    const id = holds.shift();
    if (id) await call(`PUT /v1/payments/${id}/cancel`, {});
  },
  refund: async () => {
    const id = purchases[0];
    if (id) await call(`POST /v1/payments/${id}/refunds`, { amount: 0.01 });
  },
  decline: async () => pay(world, await aSession(world), cards.declined).catch(isDeclined),
  note: async () => {
    const resourceId = purchases[0] ?? holds[0];
    if (resourceId)
      await call('POST /v1/notes', { resourceType: 'payment', resourceId, text: 'x' });
  },
  product: async () => {
    const prices = [{ currency: 'EUR', amount: 10 }];
    await call('POST /v1/products', { code: `p${count++}`, name: 'P', kind: 'item', prices });
  },
  rename: async () => void (await call('PATCH /v1/products/mug', { name: `Mug ${count++}` })),
  coupon: async () =>
    void (await call('POST /v1/coupons', { code: `C${count++}`, percentOff: 10 })),
  customer: async () =>
    void (await call('POST /v1/customers', { id: newId(), email: `c${count++}@example.test` })),
  view: async () =>
    void (await call('POST /v1/views', {
      ...{ list: 'payments', name: `v${count++}`, query: 'status=succeeded' },
    })),
  moveClock: () => moveClock(world.database, 1000 + ((count++ * 7919) % 60_000)),
};

function isDeclined(error: unknown): void {
  if ((error as { code?: string }).code !== 'card_declined') throw error;
}

type Act = keyof typeof acts;
const heavy: Act[] = ['hold', 'capture', 'capture', 'moveClock'];
const anAct = fc.constantFrom(...heavy, ...(Object.keys(acts) as Act[]));

type Listed = Record<string, unknown>;
type ListQuery = { properties: Record<string, { enum?: string[] }> };
const sortsOf = (row: RowShape): string[] =>
  (row.input as { query?: ListQuery }).query?.properties.sortField?.enum ?? [];
const lists: [string, RowShape, string][] = Object.entries(rows as Record<string, RowShape>)
  .flatMap(([name, row]) =>
    sortsOf(row).map((sort): [string, RowShape, string] => [`${name} ${sort}`, row, sort]),
  )
  // Of one event or endpoint: the history has no receiver that answers.
  .filter(([, { call: at }]) => !at.includes('{'));

const storedTimes = sql<{ column: Date; text: string; exact: boolean }>(
  'test_event_times',
  `select created_at as column, payload::json->>'timestamp' as text,
     created_at = (payload::json->>'timestamp')::timestamptz
       and floor(extract(epoch from created_at)) = (payload::json->>'created')::bigint as exact
   from events where client_id = $1`,
);

/** What an answer shows for the sort field; an event shows its time under another name. */
const shown = (item: Listed, sort: string) =>
  item.object === 'event' ? item.timestamp : item[sort];

describe('after random histories with a moved clock', () => {
  it('an event states the instant of its column, and no list is out of its order', async () => {
    const history = fc.array(fc.array(anAct, { minLength: 2, maxLength: 6 }), {
      minLength: 12,
      maxLength: 16,
    });
    await fc.assert(
      fc.asyncProperty(history, async (rounds) => {
        await acts.hold();
        for (const round of rounds)
          await Promise.all(round.map((act) => acts[act]() as Promise<unknown>));
        const times = await world.ports.database.read(storedTimes, [world.client.id]);
        expect(times.filter(({ exact }) => !exact)).toEqual([]);
        for (const list of lists) await expectInOrder(list);
      }),
      { numRuns: byLevel({ gate: 1, proof: 20 }), endOnFailure: true },
    );
  });
});

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

async function expectInOrder([name, row, sort]: [string, RowShape, string]): Promise<void> {
  const items: Listed[] = [];
  let cursor: string | null = null;
  do {
    const query = new URLSearchParams({ limit: '50', sortField: sort, sortDirection: 'ASC' });
    if (cursor) query.set('cursor', cursor);
    const url = `${row.call}?${query}` as Parameters<typeof callAs>[2];
    const response = await callAs(server.app, null, url, { headers: person });
    expect(response.statusCode, `${name}: ${response.body}`).toBe(200);
    const page = response.json() as { data: Listed[]; nextCursor: string | null };
    items.push(...page.data);
    cursor = page.nextCursor;
  } while (cursor);
  const values = items.map((item) => shown(item, sort)).filter((value) => value != null);
  const sorted = values.toSorted((a, b) =>
    typeof a === 'number' && typeof b === 'number' ? a - b : compareTexts(String(a), String(b)),
  );
  expect(values, name).toEqual(sorted);
}
