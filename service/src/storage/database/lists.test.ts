import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  aClient,
  aGateway,
  aProduct,
  freshDatabase,
  type TestDatabase,
} from '../../../test/harness.ts';
import {
  codeOf,
  fillPayments,
  filter,
  ids,
  listQuery,
  majorOf,
} from '../../../test/payments/listed-payments.ts';
import { aStoredPayment, type StoredPayment } from '../../../test/payments/stored-rows.ts';
import { listProductRows } from '../catalog/product-lists.ts';
import { listPaymentRows } from '../payments/payment-lists.ts';
import type { ListQuery } from './lists.ts';
import { sql } from './sql.ts';

const sameInstant = sql(
  'test_same_instant',
  "update products set created_at = '2026-01-01T00:00:00.000001Z' where client_id = $1",
);

let db: TestDatabase;
let shop: { id: string };
let rival: { id: string };
let payments: StoredPayment[];

const list = (given: Partial<ListQuery> = {}, client = shop) =>
  listPaymentRows(db.database, client.id, listQuery(given));

beforeAll(async () => {
  db = await freshDatabase();
  shop = await aClient(db.database);
  rival = await aClient(db.database);
  payments = await fillPayments(db.database, shop, 'a');
  await fillPayments(db.database, rival, 'b');
});
afterAll(() => db.close());

const orders = {
  createdAt: (p: StoredPayment) => p.createdAt,
  updatedAt: (p: StoredPayment) => p.updatedAt,
  amount: majorOf,
} as const;
const sortFields = ['createdAt', 'updatedAt', 'amount'] as const;
const directions = ['ASC', 'DESC'] as const;

function expectedOrder(sortField: keyof typeof orders, direction: 'ASC' | 'DESC'): string[] {
  const by = orders[sortField];
  const compare = (a: StoredPayment, b: StoredPayment): number => {
    if (by(a) !== by(b)) return by(a) < by(b) ? -1 : 1;
    return a.id < b.id ? -1 : 1;
  };
  const sorted = payments.toSorted(compare).map(({ id }) => id);
  return direction === 'ASC' ? sorted : sorted.reverse();
}

describe('order', () => {
  for (const sortField of sortFields) {
    for (const sortDirection of directions) {
      test(`${sortField} ${sortDirection}, ties by id, in whole, by page and by cursor`, async () => {
        const wanted = expectedOrder(sortField, sortDirection);
        const order = { sortField, sortDirection };
        expect(ids((await list(order)).rows)).toEqual(wanted);

        const byPage: string[] = [];
        for (let page = 1; page <= 6; page++) {
          byPage.push(...ids((await list({ ...order, page, limit: 4 })).rows));
        }
        expect(byPage).toEqual(wanted);

        const byCursor: string[] = [];
        let cursor: string | null | undefined;
        while (cursor !== null) {
          const page = await list({ ...order, limit: 4, ...(cursor ? { cursor } : {}) });
          expect(page.total).toBe(wanted.length);
          expect(page.rows.length).toBeGreaterThan(0);
          byCursor.push(...ids(page.rows));
          cursor = page.nextCursor;
        }
        expect(byCursor).toEqual(wanted);
      });
    }
  }

  test('amounts are compared in major units: JPY 2500 goes above EUR 30.00', async () => {
    const client = await aClient(db.database);
    const gateway = await aGateway(db.database, client);
    const makePayment = (currency: string, amountMinor: number) =>
      aStoredPayment(db.database, client, { gateway, currency, amountMinor });
    const euro = await makePayment('EUR', 3000);
    const yen = await makePayment('JPY', 2500);
    const dinar = await makePayment('KWD', 29_999);
    const unidad = await makePayment('CLF', 300_001);
    const order = { sortField: 'amount', sortDirection: 'DESC' } as const;
    const { rows } = await list(order, client);
    expect(ids(rows)).toEqual([yen.id, unidad.id, euro.id, dinar.id]);
    const exactly = await list({ filters: [filter('amount', 'eq', '30.0001')] }, client);
    expect(ids(exactly.rows)).toEqual([unidad.id]);
  });
});

describe('paging', () => {
  test('the last full page has no successor, the page after it is empty, the total stays', async () => {
    const full = await list({ limit: 23 });
    expect([full.rows.length, full.total, full.nextCursor]).toEqual([23, 23, null]);
    const short = await list({ limit: 22 });
    expect([short.rows.length, short.total]).toEqual([22, 23]);
    expect(short.nextCursor).toEqual(expect.any(String));
    const beyond = await list({ limit: 23, page: 2 });
    expect(beyond).toEqual({ rows: [], page: 2, limit: 23, total: 23, nextCursor: null });
    const far = await list({ limit: 100, page: 5_000_000_000 });
    expect([far.rows.length, far.total]).toEqual([0, 23]);
  });

  test('a merchant without payments gets an empty page', async () => {
    const empty = await list({}, await aClient(db.database));
    expect(empty).toEqual({ rows: [], page: 1, limit: 100, total: 0, nextCursor: null });
  });

  test('400 invalid_query: too deep with a filter, out of range, page with cursor', async () => {
    const filters = [filter('type', 'eq', 'purchase')];
    expect(await codeOf(list({ page: 1000, filters }))).toBe('accepted');
    expect(await codeOf(list({ page: 1001, filters }))).toBe('invalid_query');
    expect(await codeOf(list({ page: 1001 }))).toBe('accepted');
    expect(await codeOf(list({ page: 1e300 }))).toBe('invalid_query');
    const { nextCursor } = await list({ limit: 2 });
    expect(await codeOf(list({ page: 2, cursor: nextCursor ?? '' }))).toBe('invalid_query');
  });

  test('400 invalid_query: a sort field that the list does not have', async () => {
    for (const sortField of ['id', 'created_at', 'amount; drop table payments', '__proto__', '']) {
      expect(await codeOf(list({ sortField }))).toBe('invalid_query');
    }
  });
});

describe('cursor', () => {
  test('rows that are written later neither repeat nor push out rows of the next page', async () => {
    const client = await aClient(db.database);
    const gateway = await aGateway(db.database, client);
    const make = (createdAt: string) => aStoredPayment(db.database, client, { gateway, createdAt });
    const old = await make('2026-01-01T00:00:00.000001Z');
    const newer = await make('2026-01-01T00:00:00.000002Z');
    const first = await list({ limit: 1 }, client);
    expect(ids(first.rows)).toEqual([newer.id]);
    await make('2026-01-02T00:00:00.000000Z');
    const second = await list({ limit: 1, cursor: first.nextCursor ?? '' }, client);
    expect(ids(second.rows)).toEqual([old.id]);
    expect([second.total, second.nextCursor]).toEqual([3, null]);
  });

  test('400 invalid_query: of another merchant, order, direction, filter or list', async () => {
    const cursor = (await list({ limit: 2 })).nextCursor ?? '';
    expect(await codeOf(list({ limit: 3, cursor }))).toBe('accepted');
    expect(await codeOf(list({ cursor }, rival))).toBe('invalid_query');
    expect(await codeOf(list({ cursor, sortField: 'updatedAt' }))).toBe('invalid_query');
    expect(await codeOf(list({ cursor, sortDirection: 'ASC' }))).toBe('invalid_query');
    const filters = [filter('type', 'eq', 'purchase')];
    expect(await codeOf(list({ cursor, filters }))).toBe('invalid_query');
    const products = listProductRows(db.database, shop.id, listQuery({ cursor }));
    expect(await codeOf(products)).toBe('invalid_query');
  });

  test('400 invalid_query: any text that the list did not write', async () => {
    const cursor = (await list({ limit: 2 })).nextCursor ?? '';
    expect(cursor.length).toBeLessThanOrEqual(200);
    const forged = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.base64String({ maxLength: 200 }),
      fc
        .tuple(fc.nat(cursor.length - 1), fc.constantFrom(...'AZaz09-_=+/ '))
        .map(([at, letter]) => cursor.slice(0, at) + letter + cursor.slice(at + 1)),
      fc.nat(cursor.length - 1).map((length) => cursor.slice(0, length)),
      fc.string({ minLength: 1, maxLength: 3 }).map((more) => cursor + more),
    );
    await fc.assert(
      fc.asyncProperty(forged, async (text) => {
        fc.pre(text !== cursor);
        expect(await codeOf(list({ cursor: text }))).toBe('invalid_query');
      }),
      { numRuns: 300 },
    );
  });
});

describe('products', () => {
  test('codes settle ties by code point, and long codes still have a cursor', async () => {
    const client = await aClient(db.database);
    const codes = ['B', 'Z'.repeat(100), '_', 'a', 'é'];
    for (const code of codes.toReversed()) await aProduct(db.database, client, { code });
    await db.database.write(sameInstant, [client.id]);
    const order = { limit: 1, sortDirection: 'ASC' } as const;
    const found: string[] = [];
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const given = cursor ? { cursor } : {};
      const page = await listProductRows(db.database, client.id, listQuery({ ...order, ...given }));
      found.push(...page.rows.map(({ code }) => code));
      cursor = page.nextCursor;
      expect(cursor?.length ?? 0).toBeLessThanOrEqual(200);
    }
    expect(found).toEqual(codes);
  });
});
