// The browser library's calls that pay, what it remembers, and its conventions, against the whole
// service. Spec: Client libraries. Contract §1, §9.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PaymentAPI } from '../../libraries/browser/src/api/payment-api.ts';
import { newId } from '../../service/test/harness.ts';
import { cards } from '../../service/test/world.ts';
import {
  aPayload,
  checkoutOf,
  failure,
  type LibraryShop,
  openLibraryShop,
} from './library-shop.ts';
import { email, sessions } from './shop.ts';

let shop: LibraryShop;
beforeAll(async () => {
  shop = await openLibraryShop();
});
afterAll(() => shop?.close());

describe('Client libraries: paying', () => {
  it('Spec 4.5.8: processPayment pays with token and buyer, and throws a decline', async () => {
    const { api, calls } = shop.library();
    const session = await api.createAndFetchSession(shop.aDraft());
    const buyer = session.accountData?.userId ?? '';
    const declined = await failure(
      api.processPayment(buyer, await shop.cardOf(session, cards.declined)),
    );
    expect(declined).toMatchObject({
      type: 'api_error',
      status: 402,
      code: 'card_declined',
      declineCode: 'generic_decline',
    });
    const paid = await api.processPayment(buyer, await shop.cardOf(session));
    expect(paid).toMatchObject({ type: 'success', status: 'succeeded', sessionId: session.id });
    expect(calls().slice(2)).toEqual(Array(2).fill(`POST ${sessions}/{id}/process`));
    const another = await api.createAndFetchSession(shop.aDraft());
    const asked = await api.processPayment(
      another.accountData?.userId ?? '',
      await shop.cardOf(another, cards.needs3ds),
    );
    expect(asked.type).toBe('3ds_required');
  });

  it('Spec 4.5.8: createPaymentIntent answers the raw response and throws for no status', async () => {
    const { api } = shop.library();
    const { id } = await api.createAndFetchSession(shop.aDraft());
    const response = await api.createPaymentIntent(id, email, 'card');
    expect(response).toBeInstanceOf(Response);
    expect([response.status, await response.json()]).toMatchObject([
      200,
      { data: { intentId: expect.stringMatching(/^pi_/), amount: 19.9, currency: 'EUR' } },
    ]);
    const again = await api.createPaymentIntent(id, email, 'apple_pay', 'true');
    expect(again.status).toBe(200);
    const refused = await api.createPaymentIntent(id, 'eve@example.test', 'card');
    expect([refused.status, await refused.json()]).toMatchObject([422, { code: 'email_mismatch' }]);
    const { sessionId } = await shop.shell();
    expect(await failure(api.createPaymentIntent(sessionId, email, 'card'))).toMatchObject({
      type: 'authentication_error',
      status: 0,
    });
  });

  it('Spec 4.5.8: createSetupIntent answers the raw response and throws for no status', async () => {
    const { api } = shop.library();
    const { sessionId, nonce, body } = await shop.aSetup(await shop.aBuyer());
    api.rememberSession(sessionId, nonce);
    const buyer = (body.accountData as { email: string }).email;
    const response = await api.createSetupIntent(sessionId, buyer, 'wallet_express_checkout');
    expect([response.status, await response.json()]).toMatchObject([
      200,
      {
        data: { setupIntentId: expect.stringMatching(/^seti_/), status: 'requires_payment_method' },
      },
    ]);
    const refused = await api.createSetupIntent(sessionId, 'eve@example.test', 'card');
    expect([refused.status, await refused.json()]).toMatchObject([422, { code: 'email_mismatch' }]);
  });

  it('Spec 4.5.8 · Spec 8.6: getPaymentsByEmail lists the payments of the session by their ids, and fails as api_error', async () => {
    const { api } = shop.library();
    const session = await api.createAndFetchSession(shop.aDraft());
    const paid = await api.processPayment(
      session.accountData?.userId ?? '',
      await shop.cardOf(session),
    );
    expect(await api.getPaymentsByEmail(email)).toMatchObject({
      data: [{ id: paid.paymentId }],
      page: 1,
      limit: 1,
      total: 1,
    });
    expect(await api.getPaymentsByEmail(email, { page: 2, limit: 5 })).toMatchObject({
      data: [],
      page: 2,
      limit: 5,
    });
    expect((await api.getPaymentsByEmail('eve@example.test')).data).toEqual([]);
    expect(await failure(api.getPaymentsByEmail(email, { limit: 101 }))).toMatchObject({
      type: 'api_error',
      status: 400,
      code: 'invalid_query',
    });
  });
});

describe('What the library remembers', () => {
  it('Contract §9 nonce and rememberSession: of create, detach and claim; rememberSession adds one after a reload', async () => {
    const { api } = shop.library();
    const created = await api.createAndFetchSession(shop.aDraft({ deferDataAttachment: false }));
    const detached = await api.createDetachedSession(shop.aDraft());
    await detached.claimed;
    const { sessionId, nonce } = await shop.shell();
    await api.claimCheckoutSession(sessionId, nonce, aPayload());
    for (const id of [created.id, detached.sessionId, sessionId]) {
      expect((await api.getCheckoutSessionStatus(id)).data).toMatchObject({ status: 'open' });
    }
    const reloaded = shop.library();
    reloaded.api.rememberSession(created.id, created.nonce);
    expect(await reloaded.api.getUnifiedCheckoutSession(created.id)).toMatchObject({
      id: created.id,
    });
  });

  it('Contract §9 unknown nonce: authentication_error before the network, api_error from two', async () => {
    const { api, asked } = shop.library();
    const typeOf = async (call: Promise<unknown>) => (await failure(call)).type;
    expect(await typeOf(api.getUnifiedCheckoutSession(newId()))).toBe('authentication_error');
    const intent = api.createSetupIntent(newId(), email, 'card');
    expect(await typeOf(intent)).toBe('authentication_error');
    expect(await typeOf(api.getCheckoutSession(newId()))).toBe('api_error');
    expect(await typeOf(api.getPaymentsByEmail(email))).toBe('api_error');
    expect(asked).toEqual([]);
  });

  it('Contract §9 shell nonce: in what createAndFetchSession resolves with, and it opens the session', async () => {
    const session = await shop.library().api.createAndFetchSession(shop.aDraft());
    expect(await shop.get(checkoutOf(session))).toMatchObject({ status: 200 });
  });
});

describe('Conventions of the library', () => {
  it('Spec 4.5 base URL: trailing slashes are stripped', async () => {
    const urls: string[] = [];
    const fetch = async (url: string) => {
      urls.push(url);
      return new Response('{}', { status: 404 });
    };
    for (const base of [
      'https://pay.example',
      'https://pay.example/',
      'https://pay.example/a///',
    ]) {
      const api = new PaymentAPI(base, { fetch });
      api.rememberSession('s', 'n');
      await failure(api.getCheckoutSession('s'));
    }
    expect(urls).toEqual(['', '', '/a'].map((path) => `https://pay.example${path}${sessions}/s`));
  });

  it("Contract §1 browser library types and always api_error: 400 and 422 validation_error, 401 and 403 authentication_error, else api_error; the wire's own beside it", async () => {
    const types: Record<number, string> = {};
    for (const status of [400, 401, 402, 403, 404, 409, 422, 429, 500, 502, 503]) {
      const wire = { type: 'wire_error', code: 'some_code', status, requestId: 'req_1' };
      const fetch = async () => Response.json(wire, { status });
      const api = new PaymentAPI(shop.baseUrl, { fetch });
      api.rememberSession('s', 'n');
      const error = await failure(api.getUnifiedCheckoutSession('s'));
      expect(error).toMatchObject({
        wireType: 'wire_error',
        code: 'some_code',
        requestId: 'req_1',
      });
      types[status] = error.type;
      expect((await failure(api.getCheckoutSession('s'))).type).toBe('api_error');
      expect((await failure(api.getPaymentsByEmail(email))).type).toBe('api_error');
    }
    expect(types).toEqual({
      ...Object.fromEntries([402, 404, 409, 429, 500, 502, 503].map((one) => [one, 'api_error'])),
      400: 'validation_error',
      422: 'validation_error',
      401: 'authentication_error',
      403: 'authentication_error',
    });
  });
});
