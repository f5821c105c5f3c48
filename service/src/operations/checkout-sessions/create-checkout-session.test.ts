// Spec: Checkout sessions, POST. Contract §3.

import { createHash } from 'node:crypto';
import type { CreateCheckoutSession } from '@svc/contract/checkout-sessions/checkout-sessions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aClient,
  aProduct,
  aToken,
  callerOf,
  newId,
  repeatUntilServed,
} from '../../../test/harness.ts';
import { aStoredCoupon } from '../../../test/payments/coupons.ts';
import { startWorld, type World } from '../../../test/world.ts';
import { mostMinor } from '../../domain/money/money.ts';
import { refuse } from '../../engine/implement.ts';
import type { Caller } from '../../engine/ports.ts';
import { sql } from '../../storage/database/sql.ts';
import { operations } from '../index.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
  await aProduct(world.database, world.client, { code: 'pen', prices: { EUR: 150 } });
  await aProduct(world.database, world.client, { code: 'yacht', prices: { EUR: mostMinor } });
  const retire = sql(
    'test_retire_product',
    'update products set is_active = false where client_id = $1 and code = $2',
  );
  await aProduct(world.database, world.client, { code: 'retired' });
  await world.database.write(retire, [world.client.id, 'retired']);
});
afterAll(() => world?.close());

const anonymous: Caller = { kind: 'anonymous', requestId: 'req_test', origin: null };
const merchant = () => callerOf(world.token);
const buyer = () => ({ userId: newId(), email: 'buyer@example.test' });

type Body = CreateCheckoutSession;
const create = (given: Partial<Body> = {}, caller: Caller = anonymous, ports = world.ports) =>
  operations.createCheckoutSession(
    {
      body: {
        clientId: world.client.id,
        currency: 'EUR',
        products: [{ code: 'mug', quantity: 1 }],
        accountData: buyer(),
        ...given,
      },
    },
    caller,
    ports,
    refuse,
  );
async function createAndRead(given: Partial<Body> = {}, caller: Caller = anonymous) {
  const answer = await create(given, caller);
  if (answer.status !== 201 || !('body' in answer)) throw new Error('not created');
  return answer.body;
}
/** Returns a body without a field that the builder would fill in. */
const withoutField = (name: 'currency' | 'accountData', more: Partial<Body> = {}): Partial<Body> =>
  ({ ...more, [name]: undefined }) as Partial<Body>;
const code = (name: string, facts: object = {}) =>
  expect.objectContaining({ code: name, facts: expect.objectContaining(facts) });

const minutesAhead = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();

const everything = sql<{ row: string }>(
  'test_session_row',
  'select s::text as row from checkout_sessions s where id = $1',
);
const customers = sql<{ id: string; email: string; country: string | null }>(
  'test_customers_of',
  'select id, email, country from customers where client_id = $1 and id = $2',
);
const customer = async (userId: string) =>
  (await world.database.read(customers, [world.client.id, userId]))[0];

describe('createCheckoutSession', () => {
  it('Spec 4.1.1 · Spec 2.2 uuid, id, gateways, products · Spec 2.3 products, successUrl · Contract §3 create, life · 201: cart, totals and buyer as the catalog and the request say, open for a day', async () => {
    const accountData = buyer();
    const session = await createAndRead(
      {
        products: [
          { code: 'mug', quantity: 2 },
          { code: 'pen', quantity: 3, totalAmount: 4.5 },
        ],
        accountData,
        captureMethod: 'manual',
        successUrl: '/thanks',
        metadata: { order: '7' },
      },
      merchant(),
    );
    expect(session).toMatchObject({
      uuid: session.id,
      object: 'checkout.session',
      status: 'open',
      checkoutMode: 'payment',
      captureMethod: 'manual',
      currency: 'EUR',
      accountData,
      products: [
        { code: 'mug', name: 'Mug', quantity: 2, totalAmount: 39.8, overrideAmount: null },
        { code: 'pen', quantity: 3, totalAmount: 4.5, overrideAmount: null },
      ],
      totals: { subtotal: 44.3, discount: 0, total: 44.3, currency: 'EUR' },
      gateways: {
        cardprovider: {
          publishableKey: world.account.publishableKey,
          accountId: world.account.accountId,
        },
      },
      successUrl: '/thanks',
      cancelUrl: null,
      paymentId: null,
      latestTransactionAttempt: null,
      metadata: { order: '7' },
    });
    const life = Date.parse(session.expiresAt) - Date.parse(session.createdAt);
    expect(life).toBe(24 * 3_600_000);
  });

  it.each([
    ['anybody', () => anonymous],
    ['the merchant', merchant],
  ])('expiresAt for %s: ends then, 30 minutes to 24 hours ahead; else 400', async (_, caller) => {
    for (const minutes of [31, 24 * 60 - 1]) {
      const expiresAt = minutesAhead(minutes);
      expect(await createAndRead({ expiresAt }, caller())).toMatchObject({ expiresAt });
    }
    for (const minutes of [29, 24 * 60 + 1, -60]) {
      await expect(createAndRead({ expiresAt: minutesAhead(minutes) }, caller())).rejects.toEqual(
        code('invalid_request', { param: 'expiresAt' }),
      );
    }
    await expect(
      createAndRead({ expiresAt: '2026-13-45T00:00:00.000Z' }, caller()),
    ).rejects.toEqual(code('invalid_request', { param: 'expiresAt' }));
  });

  it('a currency without decimals is counted in whole units', async () => {
    const session = await createAndRead({
      currency: 'JPY',
      products: [{ code: 'mug', quantity: 2 }],
    });
    expect(session.totals).toEqual({ subtotal: 5000, discount: 0, total: 5000, currency: 'JPY' });
  });

  it('Spec 2.3 currency: automatic unless told, and the currency may stand on the lines', async () => {
    const products = [{ code: 'mug', quantity: 1, currency: 'EUR' }];
    const session = await createAndRead(withoutField('currency', { products }));
    expect(session).toMatchObject({ captureMethod: 'automatic', currency: 'EUR' });
  });

  it('Spec 2.2 nonce · Contract §3 nonce, url: the nonce: 256 random bits, only hashed at rest, in the fragment of the url alone', async () => {
    const session = await createAndRead();
    expect(Buffer.from(session.nonce, 'base64url')).toHaveLength(32);
    const url = new URL(session.url ?? '');
    expect(url.hash).toBe(`#${session.nonce}`);
    expect(url.pathname).toBe(`/c/${session.id}`);
    expect(url.search).toBe('');
    const [row] = await world.database.read(everything, [session.id]);
    expect(row?.row).not.toContain(session.nonce);
    expect(row?.row).not.toContain(Buffer.from(session.nonce).toString('hex'));
    expect(row?.row).toContain(createHash('sha256').update(session.nonce).digest('hex'));
    expect((await createAndRead()).nonce).not.toBe(session.nonce);
  });
});

describe('createCheckoutSession refuses', () => {
  it('Spec 2.3 clientId · 404 client_not_found: an unknown client, and another one than the credential is of', async () => {
    await expect(create({ clientId: newId() })).rejects.toEqual(code('client_not_found'));
    const other = await aClient(world.database);
    const stranger = callerOf(await aToken(world.database, other));
    await expect(create({}, stranger)).rejects.toEqual(code('client_not_found'));
  });

  it('Spec 2.3 accountData · 400 invalid_request: no buyer, half a buyer, two buyers', async () => {
    const one = buyer();
    for (const account of [{}, { userId: newId() }, { email: 'buyer@example.test' }]) {
      await expect(create(withoutField('accountData', { account }))).rejects.toEqual(
        code('invalid_request', { param: 'accountData' }),
      );
    }
    for (const account of [{ userId: newId() }, { email: 'other@example.test' }]) {
      await expect(create({ accountData: one, account })).rejects.toEqual(
        code('invalid_request', { param: 'account' }),
      );
    }
  });

  it('Contract §3 account: accountData and account may both name the buyer, in either case of letters', async () => {
    const one = buyer();
    const account = {
      userId: one.userId.toUpperCase(),
      email: 'BUYER@example.test',
      country: 'FR',
    };
    const session = await createAndRead({ accountData: one, account });
    expect(session.accountData).toEqual({ ...one, externalId: null });
    expect(session.account).toEqual({ country: 'FR' });
    const only = await createAndRead(withoutField('accountData', { account }));
    expect(only.accountData?.userId).toBe(one.userId);
  });

  it.each(['successUrl', 'cancelUrl'] as const)(
    'Spec 2.3 successUrl, cancelUrl · 400 invalid_request: %s elsewhere',
    async (param) => {
      for (const url of ['https://evil.example/', '//evil.example', 'javascript:alert(1)']) {
        await expect(create({ [param]: url }), url).rejects.toEqual(
          code('invalid_request', { param }),
        );
      }
      expect((await createAndRead({ [param]: 'http://localhost:3000/x' }))[param]).toBe(
        'http://localhost:3000/x',
      );
      const isLive = { ...world.ports, settings: { ...world.ports.settings, isLive: true } };
      await expect(
        create({ [param]: 'http://localhost:3000/x' }, anonymous, isLive),
      ).rejects.toEqual(code('invalid_request', { param }));
    },
  );

  it('422 currency_required: neither on the session nor on a line', async () => {
    await expect(create(withoutField('currency'))).rejects.toEqual(code('currency_required'));
  });

  it('Contract §3 price · Contract §8 product active · 422 invalid_catalog_data: every problem with its place', async () => {
    await expect(
      create({
        products: [
          { code: 'nothing', quantity: 1 },
          { code: 'retired', quantity: 1 },
          { code: 'mug', quantity: 1, totalAmount: 1 },
          { code: 'mug', quantity: 1, overrideAmount: 1 },
          { code: 'mug', quantity: 1 },
          { code: 'yacht', quantity: 2 },
        ],
        couponCodes: ['HALF'],
      }),
    ).rejects.toEqual(
      code('invalid_catalog_data', {
        errors: [
          expect.objectContaining({ path: 'products[0].code', code: 'product_unknown' }),
          expect.objectContaining({ path: 'products[1].code', code: 'product_unknown' }),
          expect.objectContaining({ path: 'products[2].totalAmount', code: 'price_differs' }),
          expect.objectContaining({ path: 'products[3].overrideAmount', code: 'price_differs' }),
          expect.objectContaining({ path: 'products[5].quantity', code: 'amount_too_large' }),
          expect.objectContaining({ path: 'couponCodes[0]', code: 'coupon_unknown' }),
        ],
      }),
    );
  });

  it('Contract §8 product prices · 422 invalid_catalog_data: no price in the currency, mixed currencies, an unknown product', async () => {
    const line = { code: 'mug', quantity: 1 };
    const bad: [Partial<Body>, Caller][] = [
      [{ currency: 'USD' }, anonymous],
      [{ products: [{ ...line, currency: 'JPY' }] }, anonymous],
      [{ products: [{ code: 'yacht', quantity: 1 }, line] }, anonymous],
    ];
    for (const [body, caller] of bad) {
      await expect(create(body, caller)).rejects.toEqual(
        expect.objectContaining({ code: 'invalid_catalog_data' }),
      );
    }
  });

  it("another client's product is no product", async () => {
    const other = await aClient(world.database);
    await aProduct(world.database, other, { code: 'theirs' });
    await expect(create({ products: [{ code: 'theirs', quantity: 1 }] })).rejects.toEqual(
      code('invalid_catalog_data'),
    );
  });

  it('422 amount_precision: more decimals than the currency has', async () => {
    const products = [{ code: 'mug', quantity: 1, totalAmount: 19.901 }];
    await expect(create({ products })).rejects.toEqual(code('amount_precision'));
    const yen = { currency: 'JPY', products: [{ code: 'mug', quantity: 1, totalAmount: 2500.5 }] };
    await expect(create(yen)).rejects.toEqual(code('amount_precision'));
  });

  it('422 capture_method_not_supported: by hand with a subscription in the cart', async () => {
    const products = [
      { code: 'mug', quantity: 1 },
      { code: 'club', quantity: 1 },
    ];
    await expect(create({ products, captureMethod: 'manual' })).rejects.toEqual(
      code('capture_method_not_supported'),
    );
    await expect(createAndRead({ products })).rejects.toEqual(code('buyer_not_verified'));
  });

  it('409 gateway_not_configured: the client has no active gateway', async () => {
    const other = await aClient(world.database);
    await aProduct(world.database, other, { code: 'mug' });
    await expect(create({ clientId: other.id })).rejects.toEqual(code('gateway_not_configured'));
  });

  it('and stores nothing', async () => {
    const count = sql<{ n: number }>(
      'test_count_sessions',
      'select count(*)::int as n from checkout_sessions',
    );
    const before = await world.database.read(count, []);
    await expect(create({ captureMethod: 'manual', currency: 'USD' })).rejects.toThrow();
    expect(await world.database.read(count, [])).toEqual(before);
  });
});

describe("the merchant's credential", () => {
  it('Contract §3 override, line: may override what a line costs; the catalog total is still shown', async () => {
    const products = [
      { code: 'mug', quantity: 2, overrideAmount: 30 },
      { code: 'pen', quantity: 1, totalAmount: 1 },
    ];
    const session = await createAndRead({ products }, merchant());
    expect(session.products).toMatchObject([
      { totalAmount: 39.8, overrideAmount: 30 },
      { totalAmount: 1.5, overrideAmount: 1 },
    ]);
    expect(session.totals?.total).toBe(31);
  });

  it('422: a period that could never be charged by itself, though the first payment could', async () => {
    const kind = { kind: 'subscription', interval: 'month' } as const;
    const prices = { EUR: 150_000_000, BHD: 1_500 };
    await aProduct(world.database, world.client, { code: 'palace', ...kind, prices });
    await aProduct(world.database, world.client, { code: 'key', prices: { BHD: 10 } });
    const half = { percentOffBasisPoints: 5000 };
    const coupon = await aStoredCoupon(world.database, world.client, half);
    const palace = { code: 'palace', quantity: 1 };
    const large = { products: [palace], couponCodes: [coupon] };
    await expect(create(large, merchant())).rejects.toMatchObject({
      code: 'invalid_catalog_data',
      message: expect.stringContaining('A period of a subscription is over'),
    });
    const fine = { ...palace, overrideAmount: 1.234 };
    const rest = { code: 'key', quantity: 1, overrideAmount: 0.006 };
    const uncarried = { currency: 'BHD', products: [fine, rest] };
    await expect(create(uncarried, merchant())).rejects.toEqual(code('amount_precision'));
  });

  it('attaches the buyer, and keeps it up to date', async () => {
    const one = buyer();
    await createAndRead({ accountData: one, account: { country: 'DE' } }, merchant());
    expect(await customer(one.userId)).toMatchObject({ email: one.email, country: 'DE' });
    await createAndRead({ accountData: { ...one, email: 'new@example.test' } }, merchant());
    expect(await customer(one.userId)).toMatchObject({ email: 'new@example.test', country: 'DE' });
  });

  it('20 sessions of one buyer at once: one customer, all created', async () => {
    const userId = newId();
    const sessions = await Promise.all(
      Array.from({ length: 20 }, (_, n) => {
        const accountData = { userId, email: `buyer${n % 3}@example.test` };
        return repeatUntilServed(() => createAndRead({ accountData }, merchant()));
      }),
    );
    expect(new Set(sessions.map((session) => session.id)).size).toBe(20);
    expect((await customer(userId))?.email).toMatch(/^buyer[012]@/);
  });

  it('Contract §3 buyer: is what makes a buyer known: without it no customer is made, linked or changed', async () => {
    const known = buyer();
    await createAndRead({ accountData: known }, merchant());
    const before = await customer(known.userId);
    const stranger = buyer();
    await createAndRead({ accountData: stranger });
    await createAndRead({ accountData: { ...known, email: 'thief@example.test' } });
    expect(await customer(stranger.userId)).toBeUndefined();
    expect(await customer(known.userId)).toEqual(before);
    const verified = sql<{ is_buyer_verified: boolean }>(
      'test_verified',
      'select is_buyer_verified from checkout_sessions where user_id = $1 order by id',
    );
    expect(await world.database.read(verified, [known.userId])).toEqual([
      { is_buyer_verified: true },
      { is_buyer_verified: false },
    ]);
  });
});
