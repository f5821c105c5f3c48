import type { Filter } from '@svc/contract/row';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aClient, aGateway, aProduct, freshDatabase, newId, type TestDatabase } from '../../test/harness.ts';
import { aStoredPayment, aStoredSession, type StoredPayment } from '../../test/stored-rows.ts';
import { toMajor } from '../domain/money.ts';
import type { Refusal } from '../domain/refusal.ts';
import type { ListQuery } from './lists.ts';
import { listPaymentRows } from './payment-lists.ts';
import { listProductRows } from './products.ts';
import { sql } from './sql.ts';

const sameInstant = sql(
  'test_same_instant',
  "update products set created_at = '2026-01-01T00:00:00.000001Z' where client_id = $1",
);

let db: TestDatabase;
let shop: { id: string };
let rival: { id: string };
let payments: StoredPayment[];
let rivals: StoredPayment[];

const query = (given: Partial<ListQuery> = {}): ListQuery => ({
  page: 1,
  limit: 100,
  sortField: 'createdAt',
  sortDirection: 'DESC',
  filters: [],
  ...given,
});
const filter = (field: string, op: Filter['op'], ...values: string[]): Filter => ({
  field,
  op,
  values,
});
const list = (given: Partial<ListQuery> = {}, client = shop) =>
  listPaymentRows(db.database, client.id, query(given));
const ids = (rows: readonly { id?: unknown }[]) => rows.map(({ id }) => id as string);
const codeOf = async (work: Promise<unknown>) =>
  work.then(
    () => 'accepted',
    (error: Refusal) => error.code,
  );

const currencies = ['EUR', 'JPY', 'KWD', 'CLF', 'USD'] as const;
const statuses = ['pending', 'authorized', 'succeeded', 'failed', 'voided'] as const;

async function fill(client: { id: string }, prefix: string): Promise<StoredPayment[]> {
  const gateway = await aGateway(db.database, client);
  const session = await aStoredSession(db.database, client, { gateway });
  const users = [newId(), newId()];
  const stored: StoredPayment[] = [];
  for (let i = 0; i < 23; i++) {
    // Few distinct instants, half of them apart by microseconds only, so that ties are common.
    const createdAt = `2026-01-0${1 + (i % 3)}T00:00:00.123${i % 2 ? '456' : '000'}Z`;
    stored.push(
      await aStoredPayment(db.database, client, {
        gateway,
        sessionId: i % 7 === 0 ? session.id : null,
        userId: i % 4 === 0 ? null : (users[i % 2] ?? null),
        email: i % 5 === 0 ? null : `${prefix}${i % 3}@example.test`,
        type: i > 20 ? 'refund' : 'purchase',
        parentPaymentId: i > 20 ? (stored[0]?.id ?? null) : null,
        provider: i % 6 === 0 ? 'wallet' : 'cardprovider',
        gatewayChargeId: i % 3 === 0 ? null : `ch_${prefix}_${i}`,
        amountMinor: 1 + ((i * 7919) % 4000),
        currency: currencies[i % currencies.length] ?? 'EUR',
        captureMethod: i % 2 ? 'manual' : 'automatic',
        status: statuses[i % statuses.length] ?? 'pending',
        createdAt,
        updatedAt: `2026-02-01T00:00:${String(i % 4).padStart(2, '0')}.000000Z`,
      }),
    );
  }
  return stored;
}

beforeAll(async () => {
  db = await freshDatabase();
  shop = await aClient(db.database);
  rival = await aClient(db.database);
  payments = await fill(shop, 'a');
  rivals = await fill(rival, 'b');
});
afterAll(() => db.close());

const majorOf = (payment: StoredPayment) => toMajor(payment.amountMinor, payment.currency);
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
    const make = (currency: string, amountMinor: number) =>
      aStoredPayment(db.database, client, { gateway, currency, amountMinor });
    const euro = await make('EUR', 3000);
    const yen = await make('JPY', 2500);
    const dinar = await make('KWD', 29_999);
    const unidad = await make('CLF', 300_001);
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
    const make = (createdAt: string) =>
      aStoredPayment(db.database, client, { gateway, createdAt });
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
    const products = listProductRows(db.database, shop.id, query({ cursor }));
    expect(await codeOf(products)).toBe('invalid_query');
  });

  test('400 invalid_query: any text that the list did not write', async () => {
    const cursor = (await list({ limit: 2 })).nextCursor ?? '';
    expect(cursor.length).toBeLessThanOrEqual(200);
    const forged = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.base64String({ maxLength: 200 }),
      fc.tuple(fc.nat(cursor.length - 1), fc.constantFrom(...'AZaz09-_=+/ ')).map(
        ([at, letter]) => cursor.slice(0, at) + letter + cursor.slice(at + 1),
      ),
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

/** What a caller sees of the field, as text or number, and null where there is none. */
const seen: Readonly<Record<string, (p: StoredPayment) => string | number | null>> = {
  id: (p) => p.id,
  email: (p) => p.email,
  userId: (p) => p.userId,
  sessionId: (p) => p.sessionId,
  status: (p) => p.status,
  type: (p) => p.type,
  currency: (p) => p.currency,
  captureMethod: (p) => p.captureMethod,
  provider: (p) => p.provider,
  gatewayChargeId: (p) => p.gatewayChargeId,
  parentPaymentId: (p) => p.parentPaymentId,
  amount: majorOf,
  createdAt: (p) => p.createdAt.replace(/\d{3}Z$/, 'Z'),
  updatedAt: (p) => p.updatedAt.replace(/\d{3}Z$/, 'Z'),
};
const operators = ['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte'] as const;

function matches(value: string | number | null, op: Filter['op'], asked: readonly string[]): boolean {
  const [one = ''] = asked;
  const wanted = typeof value === 'number' ? Number(one) : one;
  if (op === 'ne') return value !== wanted;
  if (value === null) return false;
  if (op === 'in') return asked.some((text) => text === String(value));
  if (op === 'eq') return value === wanted;
  if (op === 'gt') return value > wanted;
  if (op === 'gte') return value >= wanted;
  return op === 'lt' ? value < wanted : value <= wanted;
}

const strange = [
  "' or 1=1 --", '\u0000', 'a\u0000b', '\ud800', '{}', '{a,b}', '"', '\\', 'null', '', 'NaN',
  'Infinity', '-0', '1e400', '1e3', '0x10', ' 1', '1 ', '9'.repeat(30), '0.00000000001', '1_000',
  '2026-02-30T00:00:00.000Z', '2026-13-01T00:00:00.000Z', '0000-01-01T00:00:00.000Z',
  '9999-12-31T23:59:59.999Z', '0001-01-01T00:00:00.000Z', '2026-01-01T24:00:00.000Z',
  '2026-01-01T23:59:60.000Z', '2026-01-01T00:00:00Z', 'infinity', 'now', 'epoch', 'today',
  'true', 't', 'yes', '00000000-0000-0000-0000-000000000000', '00000000000000000000000000000000',
  '{00000000-0000-0000-0000-000000000000}', 'a'.repeat(1000), 'a'.repeat(1001),
];

describe('filters', () => {
  for (const [field, see] of Object.entries(seen)) {
    test(`${field}: each operator finds exactly what callers see`, async () => {
      const values = [...new Set(payments.map(see).filter((value) => value !== null))].map(String);
      expect(values.length).toBeGreaterThan(0);
      for (const op of operators) {
        for (const asked of op === 'in' ? [values.slice(0, 2), values] : values.map((v) => [v])) {
          const wanted = payments.filter((p) => matches(see(p), op, asked)).map(({ id }) => id);
          const { rows, total } = await list({ filters: [filter(field, op, ...asked)] });
          expect(ids(rows).sort(), `${field}[${op}]=${asked}`).toEqual(wanted.sort());
          expect(total).toBe(wanted.length);
        }
      }
    });
  }

  test('several filters all hold, in any order, and the total is theirs', async () => {
    const range = [
      filter('createdAt', 'gte', '2026-01-02T00:00:00.123Z'),
      filter('currency', 'in', 'EUR', 'JPY'),
      filter('createdAt', 'lt', '2026-01-03T00:00:00.123Z'),
    ];
    const wanted = payments.filter(
      ({ createdAt, currency }) =>
        createdAt.startsWith('2026-01-02') && ['EUR', 'JPY'].includes(currency),
    );
    expect(wanted.length).toBeGreaterThan(1);
    const first = await list({ filters: range, limit: 1 });
    const cursor = first.nextCursor ?? '';
    const rest = await list({ filters: range.toReversed(), cursor });
    expect([...ids(first.rows), ...ids(rest.rows)].sort()).toEqual(
      wanted.map(({ id }) => id).sort(),
    );
    expect([first.total, rest.total]).toEqual([wanted.length, wanted.length]);
  });

  test('400 invalid_query: unknown field or operator, one filter twice, no value or too many', async () => {
    const refused = [
      [filter('client_id', 'eq', shop.id)],
      [filter('clientId', 'eq', rival.id)],
      [filter('constructor', 'eq', 'x')],
      [filter('type', 'like' as never, 'p')],
      [filter('type', 'constructor' as never, 'p')],
      [filter('type', 'eq', 'refund'), filter('type', 'eq', 'purchase')],
      [filter('type', 'eq')],
      [filter('type', 'eq', 'refund', 'purchase')],
      [filter('type', 'in')],
      [filter('type', 'in', ...Array<string>(101).fill('refund'))],
    ];
    for (const filters of refused) {
      expect(await codeOf(list({ filters })), JSON.stringify(filters)).toBe('invalid_query');
    }
  });

  for (const text of strange) {
    test(`the value ${JSON.stringify(text)} is answered or refused by every field`, async () => {
      const asked = Object.keys(seen).flatMap((field) =>
        (['eq', 'lte', 'in'] as const).map((op) => [filter(field, op, text)]),
      );
      const codes = await Promise.all(asked.map((filters) => codeOf(list({ filters }))));
      const others = codes.filter((code) => code !== 'accepted' && code !== 'invalid_query');
      expect(others).toEqual([]);
    });
  }

  test('any value is either answered or refused, and never reaches the statement as text', async () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.constantFrom(...strange),
      fc.double().map(String),
      fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
      fc.uuid(),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.keys(seen)),
        fc.constantFrom(...operators),
        fc.array(hostile, { minLength: 1, maxLength: 3 }),
        async (field, op, values) => {
          const filters = [filter(field, op, ...(op === 'in' ? values : values.slice(0, 1)))];
          expect(['accepted', 'invalid_query']).toContain(await codeOf(list({ filters })));
        },
      ),
      { numRuns: 600 },
    );
    expect((await list()).total).toBe(payments.length);
  });
});

describe('tenant', () => {
  test('no filter, whatever its operator and value, brings up a foreign row', async () => {
    const foreign = new Set(rivals.map(({ id }) => id));
    for (const [field, see] of Object.entries(seen)) {
      const values = [...new Set(rivals.map(see).filter((value) => value !== null))].map(String);
      for (const op of operators) {
        for (const value of values) {
          const { rows } = await list({ filters: [filter(field, op, value)] });
          expect(ids(rows).filter((id) => foreign.has(id))).toEqual([]);
          expect(rows.every(({ client_id }) => client_id === shop.id)).toBe(true);
        }
      }
    }
  });

  test("a filter by a foreign id answers as one by an id that does not exist", async () => {
    for (const field of ['id', 'userId', 'sessionId', 'parentPaymentId'] as const) {
      const foreign = rivals.map((p) => p[field]).find((value) => value !== null) ?? '';
      const missing = newId();
      const [one, other] = await Promise.all(
        [foreign, missing].map((value) => list({ filters: [filter(field, 'eq', value)] })),
      );
      expect(one).toEqual({ rows: [], page: 1, limit: 100, total: 0, nextCursor: null });
      expect(other).toEqual(one);
    }
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
      const page = await listProductRows(db.database, client.id, query({ ...order, ...given }));
      found.push(...page.rows.map(({ code }) => code));
      cursor = page.nextCursor;
      expect(cursor?.length ?? 0).toBeLessThanOrEqual(200);
    }
    expect(found).toEqual(codes);
  });
});
