// The checkout half of the specification, row by row, over HTTP: database, vault and provider are
// real. A title begins with the row that it shows.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../service/test/harness.ts';
import { openWalletShop } from '../../service/test/wallet-shop.ts';
import { cards } from '../../service/test/world.ts';
import { catalogProblem, email, mug, openShop, refusal, type Shop } from './buyer.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterEach(() => shop.control('DELETE', '/_control/faults'));
afterAll(() => shop?.close());

const uuid = expect.stringMatching(
  /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/,
);
const form = {
  formUrl: expect.stringMatching(/^http/),
  mountToken: expect.stringMatching(/^svcm_/),
};
const unattached = 'checkout_session_data_attachment_required';

describe('Checkout endpoints', () => {
  it('Spec 4.1.1: POST sessions answers 201 with id, nonce and gateways; a shell asks no catalog and no buyer', async () => {
    const whole = await shop.open({ captureMethod: 'manual' });
    expect(whole.body).toMatchObject({ id: uuid, status: 'open', nonce: expect.any(String) });
    const shell = await shop.shell({ account: { country: 'DE' } });
    expect(shell.body).toMatchObject({
      id: uuid,
      nonce: expect.any(String),
      status: 'unclaimed',
      gateways: { cardprovider: { accountId: shop.account.accountId } },
      vault: form,
      account: { country: 'DE' },
      accountData: null,
      products: [],
      totals: null,
    });
    // Fields that belong to the claim are neither checked nor stored.
    const products = [{ code: 'no-such-product', quantity: 1 }];
    const early = await shop.shell({ products, accountData: { userId: newId(), email } });
    expect(early.body).toMatchObject({
      status: 'unclaimed',
      accountData: null,
      products: [],
      totals: null,
    });
  });

  it('Spec 4.1.2: PATCH claim attaches buyer, cart, coupons and totals; the same bytes answer the same session', async () => {
    const shell = await shop.shell();
    const couponCodes = [await shop.aCoupon()];
    const first = await shop.claim(shell, { couponCodes });
    expect(first).toMatchObject({
      status: 200,
      body: {
        id: shell.sessionId,
        status: 'open',
        accountData: { userId: shell.userId, email },
        products: [{ code: 'mug', name: 'Mug', quantity: 1, totalAmount: 19.9 }],
        couponCodes,
        totals: { subtotal: 19.9, discount: 1.99, total: 17.91, currency: 'EUR' },
      },
    });
    const again = await shop.claim(shell, { couponCodes });
    const stableFields = ({ body: { vault: _, ...session } }: typeof first) => session;
    expect(stableFields(again)).toEqual(stableFields(first));
  });

  it('Spec 4.1.3: GET reads the raw session with x-checkout-session-token', async () => {
    const session = await shop.open();
    const { nonce: _, url: __, vault: ___, ...created } = session.body;
    expect(await shop.get(session)).toMatchObject({
      status: 200,
      body: {
        ...created,
        couponsAccepted: expect.any(Boolean),
        cardsAccepted: true,
        subscriptionExists: false,
        merchant: expect.objectContaining({ name: expect.any(String) }),
        vault: form,
      },
    });
  });

  it('Spec 4.1.4: GET status answers uuid, status, paymentId, authorizationExpiresAt and the result', async () => {
    const session = await shop.open({ captureMethod: 'manual' });
    expect((await shop.status(session)).body).toEqual({
      data: {
        uuid: session.sessionId,
        status: 'open',
        paymentId: null,
        // Contract §3: of setup sessions.
        paymentMethodId: null,
        authorizationExpiresAt: null,
        latestTransactionAttempt: null,
      },
    });
    const { body } = await shop.pay(session);
    expect((await shop.status(session)).body).toMatchObject({
      data: {
        uuid: session.sessionId,
        status: 'authorized',
        paymentId: body.paymentId,
        authorizationExpiresAt: body.authorizationExpiresAt,
        latestTransactionAttempt: { result: 'AUTHORIZED' },
      },
    });
  });

  it('Spec 4.1.5: POST process answers success, 3ds_required or wallet_redirect_required', async () => {
    expect(await shop.pay(await shop.open())).toMatchObject({
      status: 200,
      body: { type: 'success', status: 'succeeded', paymentId: uuid },
    });
    expect((await shop.pay(await shop.open(), cards.needs3ds)).body.type).toBe('3ds_required');
    const other = await openShop();
    try {
      await openWalletShop(other);
      const wallet = { provider: 'wallet', type: 'wallet' };
      const answer = await other.payWith(await other.open(), wallet);
      expect(answer.body.type).toBe('wallet_redirect_required');
    } finally {
      await other.close();
    }
  });

  it('Spec 4.1.6: POST intents takes session, email, method and wallet flag', async () => {
    const session = await shop.open();
    const answer = await shop.intent(session);
    expect(answer).toMatchObject({
      status: 200,
      body: {
        data: {
          intentId: expect.stringMatching(/^pi_/),
          clientSecret: expect.any(String),
          provider: 'cardprovider',
          publishableKey: shop.account.publishableKey,
          status: 'requires_payment_method',
          amount: 19.9,
          currency: 'EUR',
          captureMethod: 'automatic',
          paymentId: uuid,
        },
      },
    });
    const applePay = { paymentMethod: 'apple_pay', isWallet: 'true' };
    expect(await shop.intent(session, applePay)).toMatchObject({ status: 200, body: answer.body });
    expect(await shop.intent(session, { isWallet: true })).toMatchObject(
      refusal(400, 'invalid_request', { param: 'isWallet' }),
    );
  });
});

describe('Unclaimed shell rules', () => {
  it('Spec 4.1 unclaimed process: 409 checkout_session_data_attachment_required', async () => {
    expect(await shop.pay(await shop.shell())).toMatchObject(refusal(409, unattached));
  });

  it('Spec 4.1 unclaimed intent: 409 checkout_session_data_attachment_required', async () => {
    expect(await shop.intent(await shop.shell())).toMatchObject(refusal(409, unattached));
  });

  it('Spec 4.1 unclaimed decline: 409 checkout_session_data_attachment_required', async () => {
    expect(await shop.decline(await shop.shell())).toMatchObject(refusal(409, unattached));
  });

  it('Spec 4.1 unclaimed vault charge: held, then 503 to be retried; charged once the claim is there', async () => {
    const shell = await shop.shell();
    const token = await shop.card(shell);
    const begun = performance.now();
    const held = await shop.charge(shell, token);
    expect(performance.now() - begun).toBeGreaterThan(900);
    expect(held).toMatchObject(refusal(503, 'checkout_session_claim_pending', { retryable: true }));
    expect(held.headers['retry-after']).toBe('1');
    const again = shop.charge(shell, token);
    expect(await shop.claim(shell)).toMatchObject({ status: 200 });
    await again;
    expect(await shop.charge(shell, token)).toMatchObject({ body: { type: 'success' } });
  });

  it('Spec 4.1 unclaimed money: no call of an unclaimed session reaches the provider', async () => {
    const before = await shop.chargesAsked();
    const shell = await shop.shell();
    const token = await shop.card(shell);
    const refused = await shop.claim(shell, { products: [{ code: 'no-such', quantity: 1 }] });
    expect(refused.status).toBe(422);
    await Promise.all([
      shop.payWith(shell, { token }),
      shop.intent(shell),
      shop.decline(shell),
      shop.charge(shell, token),
    ]);
    expect(await shop.chargesAsked()).toBe(before);
    expect(await shop.stands(shell)).toMatchObject({ status: 'unclaimed', paymentId: null });
    await shop.claim(shell);
    await shop.payWith(shell, { token });
    expect(await shop.chargesAsked()).toBeGreaterThan(before);
  });
});

describe('Fields of a session', () => {
  it('Spec 2.2 uuid and id: one UUID', async () => {
    const { body } = await shop.open();
    expect(body).toMatchObject({ id: uuid, uuid: body.id });
  });

  it('Spec 2.2 nonce: returned at creation, it opens this session and no other', async () => {
    const [session, other] = [await shop.open(), await shop.open()];
    expect(await shop.get(session, session.nonce)).toMatchObject({ status: 200 });
    expect(await shop.get(session, other.nonce)).toMatchObject({ status: 404 });
  });

  it('Spec 2.2 status, paymentId and authorizationExpiresAt: authorized, with payment and expiry of the hold', async () => {
    const session = await shop.open({ captureMethod: 'manual' });
    expect((await shop.get(session)).body).toMatchObject({
      paymentId: null,
      authorizationExpiresAt: null,
    });
    const { body } = await shop.pay(session);
    const payment = await shop.read(String(body.paymentId));
    expect((await shop.get(session)).body).toMatchObject({
      status: 'authorized',
      paymentId: payment.id,
      authorizationExpiresAt: payment.authorizationExpiresAt,
    });
    expect(payment.status).toBe('authorized');
  });

  it('Spec 2.2 latestTransactionAttempt.result: AUTHORIZED in the authorised case', async () => {
    const session = await shop.open({ captureMethod: 'manual' });
    await shop.pay(session);
    const result = { result: 'AUTHORIZED', declineCode: null };
    expect((await shop.get(session)).body.latestTransactionAttempt).toMatchObject(result);
  });

  it('Spec 2.2 checkoutMode: setup for card-setup sessions, payment for the others', async () => {
    expect((await shop.get(await shop.open())).body.checkoutMode).toBe('payment');
    expect((await shop.get(await shop.aSetup())).body.checkoutMode).toBe('setup');
  });

  it('Spec 2.2 vault: the card form of a shell, whose token makes a card token', async () => {
    const shell = await shop.shell();
    expect(shell.body.vault).toMatchObject(form);
    expect(await shop.card(shell)).toEqual(expect.any(String));
  });

  it('Spec 2.2 gateways: cardprovider for every session, wallet with its order where there is one', async () => {
    const { accountId, publishableKey } = shop.account;
    const { gateways } = (await shop.open()).body;
    expect(gateways).toEqual({ cardprovider: { accountId, publishableKey } });
    const other = await openShop();
    try {
      const { app } = await openWalletShop(other);
      const { gateways: both } = (await other.get(await other.open())).body;
      expect(both).toMatchObject({
        cardprovider: { accountId: other.account.accountId },
        wallet: { clientId: app.clientId, orderId: expect.any(String) },
      });
    } finally {
      await other.close();
    }
  });

  it('Spec 2.2 products: code given, name, totalAmount and overrideAmount resolved from the catalog', async () => {
    const { body } = await shop.open({ products: [{ code: 'mug', quantity: 2 }] });
    expect(body.products).toEqual([
      {
        code: 'mug',
        name: 'Mug',
        quantity: 2,
        totalAmount: 39.8,
        overrideAmount: null,
        interval: null,
        currency: 'EUR',
      },
    ]);
  });
});

describe('Create input', () => {
  it('Spec 2.3 clientId: required, a UUID', async () => {
    for (const clientId of [undefined, 'shop', 7]) {
      expect(await shop.create({ clientId })).toMatchObject(
        refusal(400, 'invalid_request', { param: 'clientId' }),
      );
    }
  });

  it('Spec 2.3 captureMethod: automatic by default, manual for a hold, nothing else', async () => {
    expect((await shop.open()).body.captureMethod).toBe('automatic');
    const manual = await shop.open({ captureMethod: 'manual' });
    expect((await shop.pay(manual)).body).toMatchObject({ status: 'authorized' });
    expect(await shop.create({ captureMethod: 'later' })).toMatchObject(
      refusal(400, 'invalid_request', { param: 'captureMethod' }),
    );
  });

  it('Spec 2.3 currency: of the session, or resolved from a line; 422 without either', async () => {
    const products = [{ ...mug, currency: 'JPY' }];
    const fromLine = await shop.open({ currency: undefined, products });
    expect(fromLine.body).toMatchObject({ currency: 'JPY', totals: { total: 2500 } });
    expect(await shop.create({ currency: undefined })).toMatchObject(
      refusal(422, 'currency_required'),
    );
  });

  it('Spec 2.3 products: code and quantity; totalAmount and currency of a line are accepted', async () => {
    const line = { ...mug, totalAmount: 19.9, currency: 'EUR' };
    expect((await shop.open({ products: [line] })).body.totals).toMatchObject({ total: 19.9 });
    for (const products of [undefined, [], [{ code: 'mug' }], [{ code: 'mug', quantity: 0.5 }]]) {
      expect(await shop.create({ products })).toMatchObject(refusal(400, 'invalid_request'));
    }
  });

  it('Spec 2.3 accountData: userId and email, required; account is its other name', async () => {
    const buyer = { userId: newId(), email };
    const shown = { ...buyer, externalId: null };
    expect((await shop.open({ accountData: buyer })).body.accountData).toEqual(shown);
    const account = { ...buyer, country: 'FR' };
    expect((await shop.open({ accountData: undefined, account })).body).toMatchObject({
      accountData: shown,
      account: { country: 'FR' },
    });
    for (const accountData of [undefined, { userId: newId() }, { email }]) {
      expect(await shop.create({ accountData })).toMatchObject(refusal(400, 'invalid_request'));
    }
  });

  it('Spec 2.3 couponCodes: taken off the total', async () => {
    const couponCodes = [await shop.aCoupon()];
    expect((await shop.open({ couponCodes })).body).toMatchObject({
      couponCodes,
      totals: { discount: 1.99, total: 17.91 },
    });
  });

  it('Spec 2.3 successUrl and cancelUrl: an address or a path; the answer of process leads there', async () => {
    const successUrl = 'http://localhost:3000/thanks';
    const session = await shop.open({ successUrl, cancelUrl: '/cart' });
    expect(session.body).toMatchObject({ successUrl, cancelUrl: '/cart' });
    expect((await shop.pay(session)).body.redirectUrl).toBe(successUrl);
    for (const url of [
      'https://elsewhere.example/',
      '//elsewhere.example',
      'javascript:alert(1)',
    ]) {
      expect(await shop.create({ successUrl: url })).toMatchObject(
        refusal(400, 'invalid_request', { param: 'successUrl' }),
      );
    }
  });

  it('Spec 2.3 deferDataAttachment: true makes a shell, false the one-shot create', async () => {
    expect((await shop.shell()).body.status).toBe('unclaimed');
    expect((await shop.open({ deferDataAttachment: false })).body.status).toBe('open');
  });
});

describe('Other errors', () => {
  it('Spec 7.3.4: 409 for a materially different claim, and the first one stands', async () => {
    const shell = await shop.shell();
    await shop.claim(shell);
    expect(await shop.claim(shell, { products: [{ code: 'mug', quantity: 2 }] })).toMatchObject(
      refusal(409, 'checkout_session_already_claimed'),
    );
    expect((await shop.get(shell)).body.totals).toMatchObject({ total: 19.9 });
  });

  it('Spec 7.3.5: 422 for a claim with invalid catalog data', async () => {
    const products = [mug, { code: 'no-such', quantity: 1 }];
    expect(await shop.claim(await shop.shell(), { products })).toMatchObject(
      catalogProblem('products[1].code', 'product_unknown'),
    );
  });

  it('Spec 7.3.6: 409 checkout_session_data_attachment_required on process, intent and decline', async () => {
    const shell = await shop.shell();
    for (const answer of [
      await shop.pay(shell),
      await shop.intent(shell),
      await shop.decline(shell),
    ]) {
      expect(answer).toMatchObject(refusal(409, unattached, { type: 'conflict_error' }));
    }
  });

  it('Spec 7.3.7: 503, retryable, for the vault charge of an unclaimed session', async () => {
    const shell = await shop.shell();
    const answer = await shop.charge(shell, await shop.card(shell));
    expect(answer).toMatchObject({ status: 503, body: { type: 'api_error', retryable: true } });
  });
});
