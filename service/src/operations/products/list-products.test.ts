import type { rows } from '@svc/contract';
import type { Filter, InputOf } from '@svc/contract/rows/row';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  aClient,
  aProduct,
  aToken,
  callerOf,
  freshDatabase,
  portsFor,
  type TestDatabase,
  type TestToken,
} from '../../../test/harness.ts';
import { refuse } from '../../engine/implement.ts';
import { sql } from '../../storage/database/sql.ts';
import { listProducts } from './list-products.ts';

let db: TestDatabase;
let token: TestToken;
let rivalToken: TestToken;

const retire = sql(
  'test_retire_listed',
  'update products set is_active = false where client_id = $1 and code = $2',
);

beforeAll(async () => {
  db = await freshDatabase();
  const [shop, rival] = [await aClient(db.database), await aClient(db.database)];
  [token, rivalToken] = [await aToken(db.database, shop), await aToken(db.database, rival)];
  const prices = { USD: 1690, EUR: 1490, JPY: 2500, KWD: 5123 };
  await aProduct(db.database, shop, { code: 'beans', name: 'Coffee beans', prices });
  await aProduct(db.database, shop, { code: 'club', kind: 'subscription' });
  await aProduct(db.database, shop, { code: 'old', prices: {} });
  await db.database.write(retire, [shop.id, 'old']);
  await aProduct(db.database, rival, { code: 'beans', name: 'Other beans', prices: { EUR: 1 } });
});
afterAll(() => db.close());

const list = async (as: TestToken, given: Partial<InputOf<typeof rows.listProducts>> = {}) => {
  const input: InputOf<typeof rows.listProducts> = {
    page: 1,
    limit: 20,
    sortField: 'createdAt',
    sortDirection: 'ASC',
    filters: [],
    ...given,
  };
  const answer = await listProducts(input, callerOf(as), portsFor(db.database), refuse);
  if (!('body' in answer)) throw new Error('a list has a body');
  return answer.body;
};
const codes = (page: Awaited<ReturnType<typeof list>>) => page.data.map(({ code }) => code);

describe('listProducts', () => {
  test('the catalog, each price with the digits of its currency, in order of currency', async () => {
    const page = await list(token);
    expect(codes(page)).toEqual(['beans', 'club', 'old']);
    expect(page.data[0]).toMatchObject({
      object: 'product',
      name: 'Coffee beans',
      kind: 'item',
      interval: null,
      active: true,
      prices: [
        { currency: 'EUR', amount: 14.9 },
        { currency: 'JPY', amount: 2500 },
        { currency: 'KWD', amount: 5.123 },
        { currency: 'USD', amount: 16.9 },
      ],
    });
    expect(page.data[1]).toMatchObject({ kind: 'subscription', interval: 'month' });
    expect(page.data[2]).toMatchObject({ active: false, prices: [] });
    expect(page.total).toBe(3);
  });

  test('a page without rows is empty, with the total', async () => {
    expect(await list(token, { page: 4, limit: 1 })).toEqual({
      data: [],
      page: 4,
      limit: 1,
      total: 3,
      nextCursor: null,
    });
  });

  test('code, kind and active filter', async () => {
    const equalsFilter = (field: string, value: string): Filter[] => [
      { field, op: 'eq', values: [value] },
    ];
    expect(codes(await list(token, { filters: equalsFilter('code', 'club') }))).toEqual(['club']);
    expect(codes(await list(token, { filters: equalsFilter('kind', 'item') }))).toEqual([
      'beans',
      'old',
    ]);
    expect(codes(await list(token, { filters: equalsFilter('active', 'true') }))).toEqual([
      'beans',
      'club',
    ]);
    expect(codes(await list(token, { filters: equalsFilter('active', 'false') }))).toEqual(['old']);
  });

  test("another merchant's product of the same code stays its own, prices too", async () => {
    const page = await list(rivalToken);
    expect(codes(page)).toEqual(['beans']);
    expect(page.data[0]).toMatchObject({
      name: 'Other beans',
      prices: [{ currency: 'EUR', amount: 0.01 }],
    });
  });
});
