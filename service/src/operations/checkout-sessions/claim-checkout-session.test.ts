// Two phases: a shell, then its claim. Spec: Checkout sessions, PATCH claim; Unclaimed shell rules.
// Contract §3.

import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aClient, aGateway, moveClock, newId, sessionCaller } from '../../../test/harness.ts';
import { untilBlocked } from '../../../test/held-row.ts';
import {
  anonymous,
  aShell,
  bodyOf,
  claim,
  claimBody,
  expireNow,
  readState,
} from '../../../test/payments/checkouts.ts';
import { aStoredCoupon } from '../../../test/payments/coupons.ts';
import { aCardToken, aSession, cards, pay, startWorld, type World } from '../../../test/world.ts';
import { refuse } from '../../engine/implement.ts';
import { sql } from '../../storage/database/sql.ts';
import { operations } from '../index.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const code = (name: string, facts?: object) =>
  expect.objectContaining({
    code: name,
    ...(facts ? { facts: expect.objectContaining(facts) } : {}),
  });
const minutesAhead = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
type CreatedSession = Record<string, unknown> & { id: string; nonce: string };
const create = (body: object) =>
  operations.createCheckoutSession(
    {
      body: { clientId: world.client.id, currency: 'EUR', deferDataAttachment: true, ...body },
    } as never,
    anonymous,
    world.ports,
    refuse,
  );
const readSession = (session: { sessionId: string; nonce: string }) =>
  bodyOf<Record<string, unknown>>(
    operations.getCheckoutSession(
      { checkoutSessionId: session.sessionId },
      sessionCaller(session.nonce),
      world.ports,
      refuse,
    ),
  );
const stored = sql<{ version: number; claimed: boolean; user_id: string | null; lines: unknown[] }>(
  'test_claim_row',
  `select version, claim_sha256 is not null as claimed, user_id, lines from checkout_sessions
   where id = $1`,
);
const rowOf = async (id: string) => (await world.database.read(stored, [id]))[0];

describe('createCheckoutSession with deferDataAttachment', () => {
  it('Spec 2.2 vault · Spec 2.3 deferDataAttachment · Contract §3 status unclaimed · 201: a shell with gateway, nonce and card form, for an hour, without cart and buyer', async () => {
    const shell = await bodyOf<CreatedSession>(create({ account: { country: 'DE' } }));
    expect(shell).toMatchObject({
      status: 'unclaimed',
      currency: 'EUR',
      account: { country: 'DE' },
      accountData: null,
      products: [],
      totals: null,
      gateways: { cardprovider: { publishableKey: world.account.publishableKey } },
      vault: { formUrl: expect.any(String), mountToken: expect.stringMatching(/^svcm_/) },
      nonce: expect.any(String),
      paymentId: null,
    });
    const life = Date.parse(String(shell.expiresAt)) - Date.parse(String(shell.createdAt));
    expect(life).toBe(3_600_000);
  });

  it('a card can be typed before the cart is known', async () => {
    const shell = await aShell(world);
    expect(await aCardToken(world, shell, cards.approved)).toMatch(/^svct_/);
  });

  it('no catalog and no buyer-identity lock: a client without products gets one', async () => {
    const other = await aClient(world.database);
    await aGateway(world.database, other);
    await expect(create({ clientId: other.id })).resolves.toMatchObject({ status: 201 });
  });

  it('the country chooses the gateway; one that names no country is for the rest', async () => {
    const other = await aClient(world.database);
    await aGateway(world.database, other, { accountId: 'acct_rest' });
    const french = await aGateway(world.database, other, { accountId: 'acct_fr' });
    const only = sql(
      'test_gateway_country',
      "update gateways set countries = '{FR}' where id = $1",
    );
    await world.database.write(only, [french.id]);
    const accountOf = async (country: string) =>
      (
        await bodyOf<{ gateways: { cardprovider: { accountId: string } } }>(
          create({ clientId: other.id, account: { country } }),
        )
      ).gateways.cardprovider.accountId;
    expect([await accountOf('FR'), await accountOf('DE')]).toEqual(['acct_fr', 'acct_rest']);
  });

  it.each([
    [{ products: [{ code: 'no such product', quantity: 1 }], couponCodes: ['NONE'] }],
    [{ captureMethod: 'manual' }],
    [{ accountData: { userId: newId(), email: 'a@b.test' } }],
    [{ account: { userId: newId(), country: 'DE' } }],
    [{ metadata: { order: '7' }, allowSecondSubscription: true }],
    [{ expiresAt: '2030-01-01T00:00:00.000Z' }],
  ])('201: %j is for the claim, neither judged nor kept', async (body) => {
    expect(await bodyOf(create(body))).toMatchObject({
      status: 'unclaimed',
      captureMethod: 'automatic',
      products: [],
      couponCodes: [],
      accountData: null,
      totals: null,
      metadata: {},
    });
  });

  it('422 currency_required · 404 client_not_found · 409 gateway_not_configured', async () => {
    await expect(create({ currency: undefined })).rejects.toEqual(code('currency_required'));
    await expect(create({ currency: 'XQX' })).rejects.toEqual(code('currency_required'));
    await expect(create({ clientId: newId() })).rejects.toEqual(code('client_not_found'));
    const other = await aClient(world.database);
    await expect(create({ clientId: other.id })).rejects.toEqual(code('gateway_not_configured'));
  });
});

describe('claimCheckoutSession', () => {
  it('Spec 4.1.2 · Contract §3 status open, claim · 200: buyer, cart and totals attached, open for a day, without a nonce', async () => {
    const shell = await aShell(world);
    const body = await bodyOf(
      claim(world, shell, {
        products: [{ code: 'mug', quantity: 2, totalAmount: 39.8 }],
        captureMethod: 'manual',
        successUrl: '/thanks',
        cancelUrl: 'http://localhost:3000/cart',
      }),
    );
    expect(body).toMatchObject({
      id: shell.sessionId,
      status: 'open',
      captureMethod: 'manual',
      accountData: { userId: shell.userId },
      products: [{ code: 'mug', name: 'Mug', quantity: 2, totalAmount: 39.8 }],
      totals: { subtotal: 39.8, discount: 0, total: 39.8, currency: 'EUR' },
      successUrl: '/thanks',
      cancelUrl: 'http://localhost:3000/cart',
      url: null,
    });
    expect(body).not.toHaveProperty('nonce');
    const life = Date.parse(String(body.expiresAt)) - Date.parse(String(body.createdAt));
    expect(life).toBeGreaterThanOrEqual(24 * 3_600_000);
    expect(life).toBeLessThan(24 * 3_600_000 + 60_000);
    expect(await pay(world, shell)).toMatchObject({ body: { status: 'authorized' } });
  });

  it('expiresAt: ends then, 30 minutes to 24 hours ahead; else 400, and the shell stays', async () => {
    const shell = await aShell(world);
    for (const minutes of [29, 24 * 60 + 1]) {
      await expect(claim(world, shell, { expiresAt: minutesAhead(minutes) })).rejects.toEqual(
        code('invalid_request', { param: 'expiresAt' }),
      );
    }
    const expiresAt = minutesAhead(31);
    expect(await bodyOf(claim(world, shell, { expiresAt }))).toMatchObject({ expiresAt });
    expect(await bodyOf(claim(world, shell, { expiresAt }))).toMatchObject({ expiresAt });
    const last = await aShell(world);
    const end = minutesAhead(24 * 60 - 1);
    expect(await bodyOf(claim(world, last, { expiresAt: end }))).toMatchObject({ expiresAt: end });
  });

  it('the same body again, in whatever order and spacing, answers the same session', async () => {
    const shell = await aShell(world);
    const first = await bodyOf(claim(world, shell));
    const { accountData, ...rest } = claimBody(shell);
    const { email, ...id } = accountData;
    const reordered = { accountData: { email, ...id }, ...rest };
    const again = await bodyOf(claim(world, shell, reordered));
    const { vault: _, ...facts } = first;
    expect(again).toMatchObject(facts);
    expect(await rowOf(shell.sessionId)).toMatchObject({ version: 1 });
  });

  it('a replay is answered whatever the catalog says by now, and long after the payment too', async () => {
    const shell = await aShell(world);
    await claim(world, shell);
    const retire = sql(
      'test_claim_retire',
      'update products set is_active = $2 where client_id = $1 and code = $$mug$$',
    );
    await world.database.write(retire, [world.client.id, false]);
    try {
      expect(await bodyOf(claim(world, shell))).toMatchObject({ status: 'open' });
    } finally {
      await world.database.write(retire, [world.client.id, true]);
    }
    await pay(world, shell);
    const replayed = { status: 'completed', vault: null };
    expect(await bodyOf(claim(world, shell))).toMatchObject(replayed);
    await moveClock(world.database, 61 * 60_000);
    expect(await bodyOf(claim(world, shell))).toMatchObject({ ...replayed, accountData: null });
  });

  it.each([
    ['another quantity', { products: [{ code: 'mug', quantity: 2 }] }],
    ['another buyer', { accountData: { userId: newId(), email: 'buyer@example.test' } }],
    ['another capture method', { captureMethod: 'manual' as const }],
    ['a success address', { successUrl: '/other' }],
    ['another end', { expiresAt: minutesAhead(60) }],
    ['an explicit amount', { products: [{ code: 'mug', quantity: 1, totalAmount: 19.9 }] }],
  ])('Spec 7.3.4 · 409 checkout_session_already_claimed: %s', async (_, given) => {
    const shell = await aShell(world);
    await claim(world, shell);
    const before = await rowOf(shell.sessionId);
    await expect(claim(world, shell, given)).rejects.toEqual(
      code('checkout_session_already_claimed'),
    );
    expect(await rowOf(shell.sessionId)).toEqual(before);
  });

  it('Contract §3 fingerprint: the same in other words is the same claim: defaults, letter case, order', async () => {
    const shell = await aShell(world);
    const products = [
      { code: 'mug', quantity: 1 },
      { code: 'mug', quantity: 2 },
    ];
    const { userId } = shell;
    await claim(world, shell, { products });
    const before = await rowOf(shell.sessionId);
    const others = [
      { products: products.toReversed() },
      { products, couponCodes: [], captureMethod: 'automatic' as const },
      { products: products.map((line) => ({ ...line, name: 'A mug', overrideAmount: null })) },
      { products, accountData: { userId: userId.toUpperCase(), email: 'Buyer@Example.TEST' } },
      { products, allowSecondSubscription: false },
    ];
    for (const given of others) {
      expect(await bodyOf(claim(world, shell, given))).toMatchObject({ status: 'open' });
    }
    expect(await rowOf(shell.sessionId)).toEqual(before);
  });

  it('letter case and order of coupon codes make no other claim', async () => {
    const codes = [
      await aStoredCoupon(world.database, world.client),
      await aStoredCoupon(world.database, world.client),
    ];
    const shell = await aShell(world);
    await claim(world, shell, { couponCodes: codes });
    const couponCodes = codes.toReversed().map((each) => each.toLowerCase());
    expect(await bodyOf(claim(world, shell, { couponCodes }))).toMatchObject({ status: 'open' });
  });

  it('409 checkout_session_already_claimed: a session that was created whole, in words of its own', async () => {
    const whole = await aSession(world);
    await expect(claim(world, whole)).rejects.toEqual(
      expect.objectContaining({
        code: 'checkout_session_already_claimed',
        message: 'The session was created with its cart and buyer: there is nothing to claim.',
      }),
    );
  });

  it('Contract §3 concurrent: 50 identical claims at once: one is written, all are answered alike', async () => {
    const shell = await aShell(world);
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => bodyOf(claim(world, shell))),
    );
    const seen = new Set(answers.map(({ vault: _, ...facts }) => JSON.stringify(facts)));
    expect(seen.size).toBe(1);
    expect(await rowOf(shell.sessionId)).toMatchObject({ version: 1, claimed: true });
  });

  it('I9: two different claims at once, over and over: exactly one wins, and it stands', async () => {
    for (let round = 0; round < 10; round++) {
      const shell = await aShell(world);
      const quantities = [1, 2];
      const settled = await Promise.allSettled(
        quantities.map((quantity) =>
          claim(world, shell, { products: [{ code: 'mug', quantity }] }),
        ),
      );
      const won = settled.findIndex(({ status }) => status === 'fulfilled');
      const lost = settled.filter(({ status }) => status === 'rejected');
      expect(lost).toHaveLength(1);
      expect((lost[0] as PromiseRejectedResult).reason).toEqual(
        code('checkout_session_already_claimed'),
      );
      const { products } = await readSession(shell);
      expect(products).toMatchObject([{ quantity: quantities[won] }]);
    }
  });

  it('Spec 7.3.5 · Contract §3 refused claim · 422 invalid_catalog_data, and the shell stays unclaimed: the right cart still claims it', async () => {
    const shell = await aShell(world);
    const bad = [
      { products: [{ code: 'nothing', quantity: 1 }] },
      { products: [{ code: 'mug', quantity: 1, totalAmount: 1 }] },
      { products: [{ code: 'mug', quantity: 1, overrideAmount: 0.5 }] },
      { couponCodes: ['NOSUCH'] },
    ];
    for (const given of bad) {
      await expect(claim(world, shell, given)).rejects.toEqual(code('invalid_catalog_data'));
      expect(await rowOf(shell.sessionId)).toMatchObject({
        claimed: false,
        user_id: null,
        version: 0,
      });
    }
    expect(await bodyOf(claim(world, shell))).toMatchObject({ status: 'open' });
  });

  it('422 currency_mismatch and 422 amount_precision leave the shell unclaimed as well', async () => {
    const shell = await aShell(world);
    await expect(claim(world, shell, { currency: 'JPY' })).rejects.toEqual(
      code('currency_mismatch', { param: 'currency' }),
    );
    const products = [{ code: 'mug', quantity: 1, totalAmount: 19.901 }];
    await expect(claim(world, shell, { products })).rejects.toEqual(code('amount_precision'));
    expect(await readState(world, shell)).toMatchObject({ status: 'unclaimed' });
  });

  it('422 capture_method_not_supported: by hand with a subscription in the cart', async () => {
    const shell = await aShell(world);
    const products = [{ code: 'club', quantity: 1 }];
    await expect(claim(world, shell, { products, captureMethod: 'manual' })).rejects.toEqual(
      code('capture_method_not_supported'),
    );
  });

  it('400 invalid_request: an address to return to that is nobody’s', async () => {
    const shell = await aShell(world);
    await expect(claim(world, shell, { successUrl: 'https://evil.example/' })).rejects.toEqual(
      code('invalid_request', { param: 'successUrl' }),
    );
  });

  it('404 checkout_session_not_found: a wrong nonce and an unknown session alike', async () => {
    const [shell, other] = [await aShell(world), await aShell(world)];
    await expect(claim(world, shell, {}, { nonce: other.nonce })).rejects.toEqual(
      code('checkout_session_not_found'),
    );
    await expect(claim(world, { ...shell, sessionId: newId() })).rejects.toEqual(
      code('checkout_session_not_found'),
    );
  });

  it('409 checkout_session_expired: after its hour', async () => {
    const shell = await aShell(world);
    await expireNow(world, shell);
    expect(await readState(world, shell)).toMatchObject({ status: 'expired' });
    await expect(claim(world, shell)).rejects.toEqual(code('checkout_session_expired'));
  });

  it('waits for the lock of the buyer’s row, and changes no customer', async () => {
    const shell = await aShell(world);
    const insert = sql(
      'test_claim_customer',
      `insert into customers (client_id, id, email, created_at, updated_at)
       values ($1, $2, 'known@example.test', svc_clock(), svc_clock())`,
    );
    const find = sql<{ email: string }>(
      'test_claim_find',
      'select email from customers where id = $1',
    );
    await world.database.write(insert, [world.client.id, shell.userId]);
    // This connection is outside the product's pool, which allows no transaction inside a
    // transaction.
    const other = new pg.Client({ connectionString: world.url });
    await other.connect();
    await other.query('begin');
    await other.query('select 1 from customers where id = $1 for update', [shell.userId]);
    let isClaimed = false;
    const claiming = claim(world, shell).then(() => {
      isClaimed = true;
    });
    await untilBlocked(world.url);
    expect(isClaimed).toBe(false);
    await other.query('commit');
    await other.end();
    await claiming;
    expect(await world.database.read(find, [shell.userId])).toEqual([
      { email: 'known@example.test' },
    ]);
  });
});
