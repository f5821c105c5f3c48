// The catalog's products over the wire. Contract §8.

import type { Product } from '@svc/contract/catalog/catalog';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aClient,
  aProduct,
  aToken,
  callAs,
  freshDatabase,
  portsFor,
  type TestDatabase,
  type TestToken,
} from '../../../test/harness.ts';
import { raceFor } from '../../../test/held-row.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { findCartProducts } from '../../storage/catalog/catalog.ts';

let db: TestDatabase;
let server: TestServer;
let token: TestToken;
let reader: TestToken;
let rival: TestToken;
beforeAll(async () => {
  db = await freshDatabase();
  const [shop, other] = [await aClient(db.database), await aClient(db.database)];
  token = await aToken(db.database, shop);
  reader = await aToken(db.database, shop, { scopes: ['catalog:read'] });
  rival = await aToken(db.database, other);
  await aProduct(db.database, other, { code: 'theirs' });
  server = await aServer(portsFor(db.database));
});
afterAll(async () => {
  await server?.close();
  await db?.close();
});

let made = 0;
const productBody = (given: object = {}) => {
  made += 1;
  return {
    code: `p-${made}`,
    name: 'A mug',
    kind: 'item',
    prices: [{ currency: 'EUR', amount: 19.9 }],
    ...given,
  };
};
const create = (given: object = {}, as = token) =>
  callAs(server.app, as, 'POST /v1/products', { body: productBody(given) });
const change = (code: string, body: object, as = token) =>
  callAs(server.app, as, `PATCH /v1/products/${encodeURIComponent(code)}`, { body });
const readProduct = (code: string, as = token) =>
  callAs(server.app, as, `GET /v1/products/${encodeURIComponent(code)}`);
const storeProduct = async (given: object = {}): Promise<Product> => (await create(given)).json();

type RefusedResponse = {
  statusCode: number;
  json(): { code: string; errors?: { path: string }[] };
};
const statusAndErrors = (response: RefusedResponse): unknown[] => {
  const { code, errors } = response.json();
  return [response.statusCode, code, ...(errors ?? []).map(({ path }) => path)];
};

describe('createProduct', () => {
  it('Contract §8 product name, product kind · 201: the product with its prices by currency, active, version 0; read again the same', async () => {
    const body = productBody({
      prices: [
        { currency: 'USD', amount: 21 },
        { currency: 'JPY', amount: 2500 },
        { currency: 'KWD', amount: 5.12 },
        { currency: 'EUR', amount: 0 },
      ],
    });
    const response = await callAs(server.app, token, 'POST /v1/products', { body });
    expect(response.statusCode).toBe(201);
    expect(response.json()).toMatchObject({
      object: 'product',
      code: body.code,
      kind: 'item',
      interval: null,
      active: true,
      prices: [
        { currency: 'EUR', amount: 0 },
        { currency: 'JPY', amount: 2500 },
        { currency: 'KWD', amount: 5.12 },
        { currency: 'USD', amount: 21 },
      ],
      version: 0,
    });
    expect((await readProduct(body.code)).json()).toEqual(response.json());
  });

  it('Contract §8 product interval · 201: a subscription with its interval, and an inactive one', async () => {
    const product = await storeProduct({ kind: 'subscription', interval: 'year', active: false });
    expect(product).toMatchObject({ kind: 'subscription', interval: 'year', active: false });
  });

  it.each(['Cafe au lait / 250 g', '../x', 'a?b#c%d', '~'.repeat(100), "o'clock;--"])(
    'any visible ASCII text is a code: %s',
    async (code) => {
      expect((await create({ code })).statusCode).toBe(201);
      expect((await readProduct(code)).json()).toMatchObject({ code });
    },
  );

  it.each<[string, object, unknown[]]>([
    ['a blank at the end of the code', { code: 'mug ' }, ['code']],
    ['a control character in the code', { code: 'm\u0007g' }, ['code']],
    ['a code that is not ASCII', { code: 'café' }, ['code']],
    ['a zero-width space in the code', { code: 'm\u200bug' }, ['code']],
    ['a code that is a dot', { code: '.' }, ['code']],
    ['a code of two dots', { code: '..' }, ['code']],
    ['a direction override in the name', { name: 'Gold \u202eknalb' }, ['name']],
    ['101 characters of code', { code: 'm'.repeat(101) }, ['code']],
    ['251 characters of name', { name: 'm'.repeat(251) }, ['name']],
    ['no name', { name: '' }, ['name']],
    ['an unknown kind', { kind: 'gift' }, ['kind']],
    ['a subscription without an interval', { kind: 'subscription' }, ['interval']],
    ['an item with an interval', { interval: 'month' }, ['interval']],
    ['no price', { prices: [] }, ['prices']],
    ['a price below zero', { prices: [{ currency: 'EUR', amount: -1 }] }, ['prices[0].amount']],
    ['a price as text', { prices: [{ currency: 'EUR', amount: '1' }] }, ['prices[0].amount']],
    [
      'a currency in small letters',
      { prices: [{ currency: 'eur', amount: 1 }] },
      ['prices[0].currency'],
    ],
    [
      'a currency that is none',
      { prices: [{ currency: 'XTS', amount: 1 }] },
      ['prices[0].currency'],
    ],
    [
      'an amount over 15 digits',
      { prices: [{ currency: 'CLF', amount: 1e12 }] },
      ['prices[0].amount'],
    ],
    [
      'a currency twice',
      {
        prices: [
          { currency: 'EUR', amount: 1 },
          { currency: 'EUR', amount: 2 },
        ],
      },
      ['prices[1].currency'],
    ],
    ['an unknown field', { price: 1 }, ['price']],
    [
      'an unknown field of a price',
      { prices: [{ currency: 'EUR', amount: 1, net: 1 }] },
      ['prices[0].net'],
    ],
  ])('400 invalid_request: %s', async (_what, given, paths) => {
    expect(statusAndErrors(await create(given))).toEqual([400, 'invalid_request', ...paths]);
  });

  it('400 invalid_request: more prices than there are currencies', async () => {
    const prices = Array.from({ length: 201 }, () => ({ currency: 'EUR', amount: 1 }));
    expect(statusAndErrors(await create({ prices }))).toEqual([400, 'invalid_request', 'prices']);
  });

  it.each([
    ['EUR', 19.901],
    ['JPY', 0.5],
    ['KWD', 5.1234],
    // The currency has three decimals, but the provider requires the last one to be zero.
    ['KWD', 5.123],
  ])('422 amount_precision: %s %d', async (currency, amount) => {
    const prices = [
      { currency: 'USD', amount: 1 },
      { currency, amount },
    ];
    expect(statusAndErrors(await create({ prices }))).toEqual([
      422,
      'amount_precision',
      'prices[1].amount',
    ]);
  });

  it('400 raw_card_data_forbidden: no card number becomes a code', async () => {
    expect(statusAndErrors(await create({ code: '4242 4242 4242 4242' }))[1]).toBe(
      'raw_card_data_forbidden',
    );
  });

  it('Contract §8 product code · 409 product_code_taken: the first one stands, also among ten at once', async () => {
    const code = 'only-once';
    const names = Array.from({ length: 10 }, (_, index) => `Name ${index}`);
    const all = await Promise.all(names.map((name) => create({ code, name })));
    const first = all.filter(({ statusCode }) => statusCode === 201);
    expect(first).toHaveLength(1);
    const refused = all.find(({ statusCode }) => statusCode !== 201);
    expect(refused && statusAndErrors(refused)).toEqual([409, 'product_code_taken']);
    expect((await readProduct(code)).json()).toEqual(first[0]?.json());
  });

  it("another merchant's code is free", async () => {
    expect((await create({ code: 'theirs' })).statusCode).toBe(201);
    expect((await readProduct('theirs', rival)).json().name).toBe('A mug');
  });

  it('403 insufficient_scope with catalog:read alone', async () => {
    expect(statusAndErrors(await create({}, reader))).toEqual([403, 'insufficient_scope']);
  });
});

describe('getProduct', () => {
  it("404 product_not_found: unknown, malformed and another merchant's, answered alike", async () => {
    const { code } = await storeProduct();
    const bodies = new Set<string>();
    for (const response of [
      await readProduct('nowhere'),
      await readProduct(' '),
      await readProduct('x'.repeat(101)),
      await readProduct(code, rival),
    ]) {
      const { requestId: _, param: __, errors: ___, message: ____, ...rest } = response.json();
      bodies.add(JSON.stringify(rest));
    }
    expect([...bodies]).toEqual([expect.stringContaining('product_not_found')]);
  });

  it('200 with catalog:read alone', async () => {
    const { code } = await storeProduct();
    expect((await readProduct(code, reader)).statusCode).toBe(200);
  });
});

describe('updateProduct', () => {
  it('200: what is given changes, the rest stays, the version rises by one', async () => {
    const before = await storeProduct();
    const renamed = (await change(before.code, { name: 'A cup' })).json();
    expect(renamed).toMatchObject({
      name: 'A cup',
      active: true,
      prices: before.prices,
      version: 1,
    });
    const off = (await change(before.code, { active: false })).json();
    expect(off).toMatchObject({ name: 'A cup', active: false, version: 2 });
    expect(off.createdAt).toBe(before.createdAt);
    expect(off.updatedAt > before.updatedAt).toBe(true);
    expect((await readProduct(before.code)).json()).toEqual(off);
  });

  it('200: prices are replaced as a whole, and carts see the new ones', async () => {
    const { code } = await storeProduct();
    const prices = [{ currency: 'USD', amount: 25 }];
    expect((await change(code, { prices })).json().prices).toEqual(prices);
    const findInCart = (currency: string) =>
      findCartProducts(db.database, token.clientId, { codes: [code], currency });
    expect(await findInCart('USD')).toMatchObject([{ unitMinor: 2500, interval: null }]);
    expect(await findInCart('EUR')).toMatchObject([{ unitMinor: null }]);
  });

  it('200: nothing given changes nothing, not even the version', async () => {
    const product = await storeProduct();
    expect((await change(product.code, {})).json()).toEqual(product);
  });

  it.each([{ code: 'other' }, { kind: 'subscription' }, { interval: 'month' }])(
    '400 invalid_request: %o never changes',
    async (body) => {
      const { code } = await storeProduct();
      expect(statusAndErrors(await change(code, body)).slice(0, 2)).toEqual([
        400,
        'invalid_request',
      ]);
    },
  );

  it('422 amount_precision leaves the product as it was', async () => {
    const product = await storeProduct();
    const prices = [{ currency: 'EUR', amount: 1.234 }];
    const refused = await change(product.code, { name: 'Other', prices });
    expect(statusAndErrors(refused)).toEqual([422, 'amount_precision', 'prices[0].amount']);
    expect((await readProduct(product.code)).json()).toEqual(product);
  });

  const lock = 'select from products where client_id = $1 and code = $2 for update';

  it('409 version_conflict: of eight changes from one version, one is made', async () => {
    const { code } = await storeProduct();
    const all = await raceFor(db.url, { lock, values: [token.clientId, code], waiting: 8 }, () =>
      Array.from({ length: 8 }, (_, index) => change(code, { name: `Name ${index}`, version: 0 })),
    );
    expect(all.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
    const refused = all.filter(({ statusCode }) => statusCode !== 200).map(statusAndErrors);
    expect(refused).toEqual(Array(7).fill([409, 'version_conflict']));
    expect((await readProduct(code)).json().version).toBe(1);
  });

  it('200 for the same change from the same version again: its first answer was lost', async () => {
    const { code } = await storeProduct();
    const prices = ['USD', 'EUR'].map((currency) => ({ currency, amount: 7.5 }));
    const body = { name: 'Other', active: false, prices, version: 0 };
    const first = await change(code, body);
    expect(first.json()).toMatchObject({ name: 'Other', version: 1 });
    const again = await change(code, body);
    expect([again.statusCode, again.json()]).toEqual([200, first.json()]);
    for (const other of [{ name: 'Third' }, { name: 'Other', active: true }, {}]) {
      const refused = await change(code, { ...other, version: 0 });
      expect(statusAndErrors(refused)).toEqual([409, 'version_conflict']);
    }
    await change(code, { name: 'Other' });
    expect(statusAndErrors(await change(code, body))).toEqual([409, 'version_conflict']);
  });

  it('eight changes at once without a version: each is whole, none is lost', async () => {
    const { code } = await storeProduct();
    const prices = (amount: number) => ['EUR', 'USD'].map((currency) => ({ currency, amount }));
    const all = await raceFor(db.url, { lock, values: [token.clientId, code], waiting: 8 }, () =>
      Array.from({ length: 8 }, (_, index) =>
        change(code, index % 2 === 0 ? { name: `Name ${index}` } : { prices: prices(index) }),
      ),
    );
    expect(all.map(({ statusCode }) => statusCode)).toEqual(Array(8).fill(200));
    const after = (await readProduct(code)).json();
    expect(after.version).toBe(8);
    expect(after.name).toMatch(/^Name/);
    // The prices of one change are never mixed with those of another.
    expect(after.prices).toEqual(prices(after.prices[0].amount));
  });

  it("404 product_not_found: another merchant's, which stays as it was", async () => {
    const product = await storeProduct();
    expect(statusAndErrors(await change(product.code, { active: false }, rival))).toEqual([
      404,
      'product_not_found',
    ]);
    expect((await readProduct(product.code)).json()).toEqual(product);
  });

  it('403 insufficient_scope with catalog:read alone', async () => {
    const { code } = await storeProduct();
    expect(statusAndErrors(await change(code, {}, reader))).toEqual([403, 'insufficient_scope']);
  });
});

describe('listProducts, over the wire', () => {
  it('sorts by code, filters by createdAt and pages with an exact total', async () => {
    const shop = await aToken(db.database, await aClient(db.database));
    for (const code of ['b', 'a', 'C']) await create({ code }, shop);
    const list = async (query: string) =>
      (await callAs(server.app, shop, `GET /v1/products?${query}`)).json();
    const page = await list('sortField=code&sortDirection=ASC&limit=2');
    expect(page.data.map(({ code }: Product) => code)).toEqual(['C', 'a']);
    expect(page.total).toBe(3);
    const rest = await list(`sortField=code&sortDirection=ASC&limit=2&cursor=${page.nextCursor}`);
    expect(rest.data.map(({ code }: Product) => code)).toEqual(['b']);
    const first = rest.data[0].createdAt;
    expect((await list(`createdAt[lte]=${first}`)).total).toBe(1);
    expect((await list('name[eq]=x')).code).toBe('invalid_query');
  });

  it('pages through the longest codes, also those of before in other scripts, in every order', async () => {
    const client = await aClient(db.database);
    const shop = await aToken(db.database, client);
    const codes = ['x', 'ü', '語', '😀'].map((letter) => letter.repeat(100));
    for (const code of codes) {
      await aProduct(db.database, client, { code });
      expect((await readProduct(code, shop)).json()).toMatchObject({ code });
    }
    for (const sortField of ['code', 'createdAt', 'updatedAt']) {
      const found: string[] = [];
      for (let onwards = ''; onwards !== 'null'; ) {
        const query = `sortField=${sortField}&sortDirection=ASC&limit=1${onwards}`;
        const response = await callAs(server.app, shop, `GET /v1/products?${query}`);
        expect(response.statusCode, response.body).toBe(200);
        const { data, nextCursor } = response.json();
        found.push(...data.map(({ code }: Product) => code));
        onwards = nextCursor === null ? 'null' : `&cursor=${nextCursor}`;
      }
      expect(found).toEqual(codes);
    }
  });
});
