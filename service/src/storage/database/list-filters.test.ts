import type { Filter } from '@svc/contract/rows/row';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aClient, freshDatabase, newId, type TestDatabase } from '../../../test/harness.ts';
import {
  codeOf,
  fillPayments,
  filter,
  ids,
  listQuery,
  majorOf,
} from '../../../test/payments/listed-payments.ts';
import type { StoredPayment } from '../../../test/payments/stored-rows.ts';
import { listPaymentRows } from '../payments/payment-lists.ts';
import type { ListQuery } from './lists.ts';

let db: TestDatabase;
let shop: { id: string };
let rival: { id: string };
let payments: StoredPayment[];
let rivals: StoredPayment[];

beforeAll(async () => {
  db = await freshDatabase();
  shop = await aClient(db.database);
  rival = await aClient(db.database);
  payments = await fillPayments(db.database, shop, 'a');
  rivals = await fillPayments(db.database, rival, 'b');
});
afterAll(() => db.close());

const list = (given: Partial<ListQuery> = {}) =>
  listPaymentRows(db.database, shop.id, listQuery(given));

/** The field's value as a caller sees it: text or number, and null when there is none. */
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

function matches(
  value: string | number | null,
  op: Filter['op'],
  asked: readonly string[],
): boolean {
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
  "' or 1=1 --",
  '\u0000',
  'a\u0000b',
  '\ud800',
  '{}',
  '{a,b}',
  '"',
  '\\',
  'null',
  '',
  'NaN',
  'Infinity',
  '-0',
  '1e400',
  '1e3',
  '0x10',
  ' 1',
  '1 ',
  '9'.repeat(30),
  '0.00000000001',
  '1_000',
  '2026-02-30T00:00:00.000Z',
  '2026-13-01T00:00:00.000Z',
  '0000-01-01T00:00:00.000Z',
  '9999-12-31T23:59:59.999Z',
  '0001-01-01T00:00:00.000Z',
  '2026-01-01T24:00:00.000Z',
  '2026-01-01T23:59:60.000Z',
  '2026-01-01T00:00:00Z',
  'infinity',
  'now',
  'epoch',
  'today',
  'true',
  't',
  'yes',
  '00000000-0000-0000-0000-000000000000',
  '00000000000000000000000000000000',
  '{00000000-0000-0000-0000-000000000000}',
  'a'.repeat(1000),
  'a'.repeat(1001),
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

  test('Contract §2 in · 400 invalid_query: unknown field or operator, one filter twice, no value or too many', async () => {
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

  test('a filter by a foreign id answers as one by an id that does not exist', async () => {
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
