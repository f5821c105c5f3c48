// What contract §3 decides about sessions, over HTTP. A title begins with the place that it shows.

import { createHash } from 'node:crypto';
import { scaled } from '@svc/tools/machine';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../service/src/storage/database/database.ts';
import { sql } from '../../service/src/storage/database/sql.ts';
import { newId } from '../../service/test/harness.ts';
import { cards } from '../../service/test/world.ts';
import {
  catalogProblem,
  claimBody,
  email,
  mug,
  type Open,
  openShop,
  refusal,
  type Shop,
  sessions,
} from './buyer.ts';
import type { Answer } from './merchant.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterEach(() => shop.control('DELETE', '/_control/faults'));
afterAll(() => shop?.close());

const anHour = 3600;
const lifeOf = ({ expiresAt, createdAt }: Record<string, unknown>) =>
  (Date.parse(String(expiresAt)) - Date.parse(String(createdAt))) / 1000;
/** The fields that are the same in every read of one session. */
const stableFields = ({ body: { vault: _, ...session } }: Answer) => session;

const nonceAtRest = sql<{ nonce_sha256: Buffer; row: string }>(
  'spec_nonce',
  'select nonce_sha256, s::text as row from checkout_sessions s where id = $1',
);
const customersOf = sql<{ email: string }>(
  'spec_customers',
  'select email from customers where client_id = $1 and id = $2',
);
const customers = async (userId: string) =>
  (await shop.database.read(customersOf, [shop.client.id, userId])).map((one) => one.email);

const lives = sql<{ seconds: number }>(
  'spec_token_lives',
  `select distinct extract(epoch from expires_at - created_at)::int as seconds
   from vault.card_tokens`,
);
const makeOld = sql(
  'spec_token_old',
  `update vault.card_tokens set expires_at = expires_at - interval '15 minutes'`,
);

/** The vault uses its own clock, which no sandbox moves, so its rows are made older. */
async function letTokensExpire(): Promise<void> {
  const vault = openDatabase({ url: shop.vaultUrl });
  try {
    expect(await vault.read(lives, [])).toEqual([{ seconds: 15 * 60 }]);
    await vault.write(makeOld, []);
  } finally {
    await vault.close();
  }
}

describe('Contract §3, create', () => {
  it('Contract §3 create: 201 with every field, null where there is nothing', async () => {
    const { body } = await shop.open();
    const nullable = ['accountData', 'totals', 'vault', 'url', 'successUrl', 'cancelUrl'];
    const named =
      `id uuid object nonce status checkoutMode captureMethod currency account products couponCodes
       gateways paymentId authorizationExpiresAt latestTransactionAttempt metadata expiresAt
       createdAt`.split(/\s+/);
    expect(Object.keys(body)).toEqual(expect.arrayContaining([...named, ...nullable]));
    expect(body).toMatchObject({
      object: 'checkout.session',
      account: { country: null },
      successUrl: null,
      cancelUrl: null,
      paymentId: null,
      authorizationExpiresAt: null,
      latestTransactionAttempt: null,
      metadata: {},
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    expect(Object.keys((await shop.shell()).body).sort()).toEqual(Object.keys(body).sort());
  });

  it('Contract §3 line: totalAmount is unit price times quantity, before discounts', async () => {
    const couponCodes = [await shop.aCoupon()];
    const { body } = await shop.open({ products: [{ code: 'mug', quantity: 3 }], couponCodes });
    expect(body.products).toMatchObject([{ quantity: 3, totalAmount: 59.7 }]);
    expect(body.totals).toMatchObject({ subtotal: 59.7, discount: 5.97 });
  });

  it('Contract §3 nonce and url: in the answer to create alone; 32 random bytes, kept as SHA-256', async () => {
    const [session, shell] = [await shop.open(), await shop.shell()];
    expect(Buffer.from(session.nonce, 'base64url')).toHaveLength(32);
    expect(session.nonce).toMatch(/^[\w-]{43}$/);
    for (const answer of [await shop.get(session), await shop.claim(shell)]) {
      expect(answer.body).toMatchObject({ url: null });
      expect(answer.body).not.toHaveProperty('nonce');
    }
    const [row] = await shop.database.read(nonceAtRest, [session.sessionId]);
    expect(row?.nonce_sha256).toEqual(createHash('sha256').update(session.nonce).digest());
    expect(row?.row).not.toContain(session.nonce);
  });

  it('Contract §3 url: the checkout page, the nonce in its fragment', async () => {
    const { body, sessionId, nonce } = await shop.open();
    expect(body.url).toBe(`http://localhost:4000/c/${sessionId}#${nonce}`);
  });

  it('Contract §3 life: a day; a shell an hour until it is claimed, then a day from there', async () => {
    expect(lifeOf((await shop.open()).body)).toBe(24 * anHour);
    const shell = await shop.shell();
    expect(lifeOf(shell.body)).toBe(anHour);
    await shop.advance(anHour - 60);
    expect(lifeOf((await shop.claim(shell)).body)).toBeGreaterThanOrEqual(25 * anHour - 60);
  });

  it('Contract §3 expiry: told once by checkout.session.expired', async () => {
    const session = await shop.open();
    await shop.advance(24 * anHour);
    await shop.sweep();
    await shop.sweep();
    expect(await shop.types(session.sessionId)).toEqual(['checkout.session.expired']);
  });

  it('Contract §3 price: 422 for another totalAmount than that of the catalog', async () => {
    const products = [{ ...mug, totalAmount: 1 }];
    expect(await shop.create({ products })).toMatchObject(
      catalogProblem('products[0].totalAmount', 'price_differs'),
    );
  });

  it('Contract §3 override: with the credential of the merchant it becomes overrideAmount', async () => {
    const session = await shop.open({ products: [{ ...mug, totalAmount: 5 }] }, true);
    expect(session.body).toMatchObject({
      products: [{ totalAmount: 19.9, overrideAmount: 5 }],
      totals: { subtotal: 5, total: 5 },
    });
    const { body } = await shop.pay(session);
    expect(await shop.read(String(body.paymentId))).toMatchObject({ amount: 5 });
  });

  it('Contract §3 account: beside accountData only where both say the same', async () => {
    const accountData = { userId: newId(), email };
    const both = { accountData, account: { ...accountData, country: 'DE' } };
    expect(await shop.create(both)).toMatchObject({ status: 201 });
    const account = { ...accountData, userId: newId() };
    expect(await shop.create({ accountData, account })).toMatchObject(
      refusal(400, 'invalid_request', { param: 'account' }),
    );
  });

  it('Contract §3 buyer: known by the credential of the merchant alone; without it no customer is made or changed', async () => {
    const session = await shop.open();
    await shop.pay(session);
    expect(await customers(session.userId)).toEqual([]);
    const known = await shop.open({}, true);
    expect(await customers(known.userId)).toEqual([email]);
    const thief = { userId: known.userId, email: 'thief@example.test' };
    await shop.create({ accountData: thief });
    await shop.claim(await shop.shell(), { accountData: thief });
    expect(await customers(known.userId)).toEqual([email]);
  });

  it('Contract §3 origins: the answer is for pages of registered origins, and of this machine', async () => {
    // A session's origins are cached for ten seconds, so each request uses another session.
    const allowsOrigin = async (origin: string) => {
      const session = await shop.open();
      const path = `GET ${sessions}/${session.sessionId}` as const;
      const { status, body, headers } = await shop.call(session, path, { headers: { origin } });
      // A page that is refused may read the reason too.
      expect(headers['access-control-allow-origin']).toBe(origin);
      return [status, (body as { code?: string }).code];
    };
    const origin = 'https://shop.example';
    expect(await allowsOrigin(origin)).toEqual([403, 'origin_not_allowed']);
    const body = { allowedOrigins: [origin] };
    expect(await shop.ask('PATCH /v1/client', { body })).toMatchObject({ status: 200 });
    expect(await allowsOrigin(origin)).toEqual([200, undefined]);
    expect(await allowsOrigin('https://other.example')).toEqual([403, 'origin_not_allowed']);
    expect(await allowsOrigin('http://localhost:3000')).toEqual([200, undefined]);
  });
});

describe('Contract §3, shell and claim', () => {
  it('Contract §3 shell: takes the whole create input, and keeps client, currency and country of it', async () => {
    const shell = { clientId: shop.client.id, currency: 'EUR', deferDataAttachment: true };
    const body = {
      ...shell,
      products: [mug],
      accountData: { userId: newId(), email },
      captureMethod: 'manual',
      couponCodes: ['A'],
      successUrl: '/a',
      account: { country: 'DE', email },
    };
    expect(await shop.call(null, `POST ${sessions}`, { body })).toMatchObject({
      status: 201,
      body: {
        status: 'unclaimed',
        account: { country: 'DE' },
        accountData: null,
        captureMethod: 'automatic',
        couponCodes: [],
        products: [],
        successUrl: null,
      },
    });
  });

  it('Contract §3 claim: captureMethod and the addresses come with it, and count as it', async () => {
    const shell = await shop.shell();
    const more = { captureMethod: 'manual', successUrl: '/thanks', cancelUrl: '/cart' };
    const answer = await shop.claim(shell, more);
    expect(answer).toMatchObject({ status: 200, body: { captureMethod: 'manual' } });
    for (const [name, value] of [
      ['captureMethod', 'automatic'],
      ['successUrl', '/elsewhere'],
      ['cancelUrl', '/elsewhere'],
    ] as const) {
      expect(await shop.claim(shell, { ...more, [name]: value })).toMatchObject(
        refusal(409, 'checkout_session_already_claimed'),
      );
    }
    expect((await shop.pay(shell)).body).toMatchObject({ status: 'authorized' });
  });

  it('Contract §3 fingerprint: what the body means, in whatever order, spacing and words', async () => {
    const shell = await shop.shell();
    const first = await shop.claim(shell);
    const { accountData, products, currency } = claimBody(shell);
    const { userId } = accountData;
    const rewritten = { products, accountData: { email, userId }, currency };
    const again = await shop.claim(shell, JSON.stringify(rewritten, null, 3));
    expect([again.status, stableFields(again)]).toEqual([200, stableFields(first)]);
    expect(await shop.claim(shell, { couponCodes: [] })).toMatchObject({ status: 200 });
    const more = { products: [{ code: 'mug', quantity: 9 }] };
    expect(await shop.claim(shell, more)).toMatchObject({ status: 409 });
  });

  it('Contract §3 concurrent: identical claims write once and read the same; of different ones one wins', async () => {
    const shell = await shop.shell();
    const same = await Promise.all(Array.from({ length: 10 }, () => shop.claim(shell)));
    expect(new Set(same.map((answer) => JSON.stringify(stableFields(answer)))).size).toBe(1);
    expect(same[0]).toMatchObject({ status: 200 });
    const other = await shop.shell();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        shop.claim(other, { products: [{ code: 'mug', quantity: n + 1 }] }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
    const won = answers.find(({ status }) => status === 200);
    expect((await shop.get(other)).body.totals).toEqual(won?.body.totals);
  });

  it('Contract §3 refused claim: leaves the shell unclaimed, and the right cart still claims it', async () => {
    const shell = await shop.shell();
    for (const more of [
      { products: [{ code: 'no-such', quantity: 1 }] },
      { couponCodes: ['NOSUCH'] },
      { currency: 'JPY' },
      { captureMethod: 'manual', products: [{ code: 'club', quantity: 1 }] },
    ]) {
      expect((await shop.claim(shell, more)).status).toBe(422);
      expect((await shop.get(shell)).body).toMatchObject({
        status: 'unclaimed',
        accountData: null,
        products: [],
        totals: null,
      });
    }
    expect(await shop.claim(shell)).toMatchObject({ status: 200 });
  });
});

describe('Contract §3, paying', () => {
  const nothing = refusal(400, 'invalid_request', { param: 'tokenizedData.token' });
  const paymentsMade = async (session: Open) => {
    const list = `GET /v1/payments?sessionId[eq]=${session.sessionId}` as const;
    return (await shop.ask(list)).body.total;
  };

  it('Contract §3 token: pays once, in its own session, within 15 minutes', async () => {
    const [session, other] = [await shop.open(), await shop.open()];
    const token = await shop.card(session, cards.declined);
    const first = await shop.payWith(session, { token });
    const again = await shop.payWith(session, { token });
    for (const answer of [first, again]) {
      expect(answer).toMatchObject(refusal(402, 'card_declined'));
    }
    expect(await paymentsMade(session)).toBe(1);
    const fresh = await shop.card(session);
    expect(await shop.payWith(other, { token: fresh })).toMatchObject(nothing);
    await letTokensExpire();
    expect(await shop.payWith(session, { token: fresh })).toMatchObject(nothing);
    expect(await shop.pay(session)).toMatchObject({ status: 200 });
  });

  it('Contract §3 either token or paymentMethodId: 400 for both, and for neither', async () => {
    const session = await shop.open();
    const token = await shop.card(session);
    for (const given of [{}, { token, paymentMethodId: newId() }]) {
      expect(await shop.payWith(session, given)).toMatchObject(
        refusal(400, 'invalid_request', { param: 'tokenizedData' }),
      );
    }
  });

  it('Contract §3 chv: opaque, up to 4096 characters; the challenge itself decides', async () => {
    const session = await shop.open();
    const token = await shop.card(session, cards.needs3ds);
    const answer = await shop.payWith(session, { token });
    const payWithResult = (chv: string) => shop.payWith(session, { token }, { chv });
    expect(await payWithResult('x'.repeat(4097))).toMatchObject(
      refusal(400, 'invalid_request', { param: 'chv' }),
    );
    expect(await payWithResult('approved')).toMatchObject({ body: { type: '3ds_required' } });
    await shop.challenge(answer, 'approve');
    expect(await payWithResult('é'.repeat(4096))).toMatchObject({ body: { type: 'success' } });
  });

  it('Contract §3 attempt: of many cards at once one is charged', async () => {
    const session = await shop.open();
    const tokens = await Promise.all(Array.from({ length: 5 }, () => shop.card(session)));
    const before = (await shop.ledger()).length;
    const answers = await Promise.all(tokens.map((token) => shop.payWith(session, { token })));
    const paid = answers.filter(({ status }) => status === 200);
    expect(new Set(paid.map(({ body }) => body.paymentId)).size).toBe(1);
    for (const { status, body } of answers) {
      if (status !== 200) expect(body.code).toBe('checkout_attempt_in_progress');
    }
    expect((await shop.ledger()).slice(before).map(({ kind }) => kind)).toEqual([
      'authorize',
      'capture',
    ]);
  });

  it('Contract §3 replay: a settled session answers its success, to the same card and to another', async () => {
    const session = await shop.open();
    const token = await shop.card(session);
    const first = await shop.payWith(session, { token });
    expect(first).toMatchObject({ status: 200, body: { type: 'success' } });
    expect(await shop.payWith(session, { token })).toMatchObject({ body: first.body });
    expect(await shop.charge(session, token)).toMatchObject({ body: first.body });
    expect(await shop.payWith(session, { token: 'another' })).toMatchObject({ body: first.body });
    expect(await paymentsMade(session)).toBe(1);
  });

  it('Contract §3 intents: one open per session, of the amount that the cart comes to', async () => {
    const session = await shop.open();
    const all = await Promise.all(Array.from({ length: 5 }, () => shop.intent(session)));
    const ids = all.map(({ body }) => (body.data as { intentId: string }).intentId);
    expect(new Set(ids).size).toBe(1);
    await shop.setCoupons(session, [await shop.aCoupon()]);
    const next = (await shop.intent(session)).body.data as { intentId: string; amount: number };
    expect(next).toMatchObject({ amount: 17.91 });
    expect(next.intentId).not.toBe(ids[0]);
  });

  it('Contract §3 intent email: that of the claimed buyer, else 422', async () => {
    const session = await shop.open();
    expect(await shop.intent(session, { email: 'other@example.test' })).toMatchObject(
      refusal(422, 'email_mismatch'),
    );
    expect(await shop.intent(session, { email: email.toUpperCase() })).toMatchObject({
      status: 200,
    });
  });

  it('Contract §3 decline: repeatable; after success 409 checkout_session_completed', async () => {
    const [left, paid] = [await shop.open(), await shop.open()];
    const first = await shop.decline(left);
    expect(first).toMatchObject({ status: 200, body: { data: { status: 'canceled' } } });
    expect((await shop.decline(left)).body).toEqual(first.body);
    await shop.pay(paid);
    expect(await shop.decline(paid)).toMatchObject(refusal(409, 'checkout_session_completed'));
  });

  it('Contract §3 wait: answers when the status changes, and at the end of the wait where it does not', async () => {
    const session = await shop.open();
    const token = await shop.card(session);
    const begun = performance.now();
    const waiting = shop.status(session, '?wait=10');
    await shop.payWith(session, { token });
    expect((await waiting).body).toMatchObject({ data: { status: 'completed' } });
    expect(performance.now() - begun).toBeLessThan(scaled(9000));
    const other = await shop.open();
    const still = performance.now();
    expect((await shop.status(other, '?wait=1')).body).toMatchObject({ data: { status: 'open' } });
    expect(performance.now() - still).toBeGreaterThanOrEqual(1000);
  });
});
