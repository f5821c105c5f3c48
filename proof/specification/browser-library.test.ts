// The browser library's table, row by row, against the whole service over HTTP: database, vault and
// provider are real. How it bears a bad network in a real browser: browser-library-network.test.ts.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PaymentAPI } from '../../libraries/browser/src/api/payment-api.ts';
import { newId } from '../../service/test/harness.ts';
import {
  aPayload,
  checkoutOf,
  failure,
  type LibraryShop,
  openLibraryShop,
  type Session,
  shownMug,
  twoPhaseCalls,
} from './library-shop.ts';
import { email, mug, sessions } from './shop.ts';

let shop: LibraryShop;
beforeAll(async () => {
  shop = await openLibraryShop();
});
afterAll(() => shop?.close());

describe('Client libraries: PaymentAPI', () => {
  it('Spec 4.5.1: createAndFetchSession in two phases resolves with the one claimed session, one-shot with deferDataAttachment false', async () => {
    const { api, calls, asked } = shop.library();
    const couponCodes = [await shop.aCoupon()];
    const account = { country: 'DE' };
    const session = await api.createAndFetchSession(shop.aDraft({ couponCodes, account }));
    expect(calls()).toEqual(twoPhaseCalls);
    expect(Object.keys(JSON.parse(asked[0]?.text ?? '')).sort()).toEqual([
      'account',
      'clientId',
      'currency',
      'deferDataAttachment',
    ]);
    expect(session).toMatchObject({
      status: 'open',
      account,
      couponCodes,
      accountData: { email },
      totals: { subtotal: 19.9, discount: 1.99, total: 17.91 },
    });
    expect(await shop.stands(checkoutOf(session))).toMatchObject({ status: 'open' });
    const oneShot = shop.library();
    const whole = await oneShot.api.createAndFetchSession(
      shop.aDraft({ deferDataAttachment: false }),
    );
    expect(oneShot.calls()).toEqual([`POST ${sessions}`]);
    // The sessions of both ways have the same fields.
    const fields = (one: Session) => Object.keys(one).sort();
    expect(fields(session)).toEqual(fields(whole));
    expect([typeof session.url, typeof whole.url]).toEqual(['string', 'string']);
  });

  it('Spec 4.5 before any network call: CurrencyRequired, a validation_error; a line may name it', async () => {
    const { api, asked, calls } = shop.library();
    const { currency: _, ...none } = shop.aDraft();
    for (const call of [api.createAndFetchSession(none), api.createDetachedSession(none)]) {
      const error = await failure(call);
      expect([error.type, error.code]).toEqual(['validation_error', 'CurrencyRequired']);
    }
    expect(asked).toEqual([]);
    const products = [{ ...mug, currency: 'JPY' }];
    expect(await api.createAndFetchSession({ ...none, products })).toMatchObject({
      currency: 'JPY',
      totals: { total: 2500 },
    });
    expect(calls()).toEqual(twoPhaseCalls);
  });

  it('Contract §3 two-phase: without a buyer, or with metadata, the draft goes in one call, and the service judges it', async () => {
    const { api, calls } = shop.library();
    const { accountData: _, ...nobody } = shop.aDraft();
    expect(await failure(api.createAndFetchSession(nobody))).toMatchObject({
      type: 'validation_error',
      code: 'invalid_request',
    });
    const metadata = { order: '7' };
    expect(await failure(api.createAndFetchSession(shop.aDraft({ metadata })))).toMatchObject({
      type: 'authentication_error',
      code: 'merchant_credential_required',
      param: 'metadata',
    });
    expect(calls()).toEqual([`POST ${sessions}`, `POST ${sessions}`]);
  });

  it('Spec 4.5.2: createDetachedSession answers shell, sessionId, nonce and claimed, already in flight; no fallback', async () => {
    const { api, calls } = shop.library();
    const { shell, sessionId, nonce, claimed } = await api.createDetachedSession(shop.aDraft());
    expect(shell).toMatchObject({ id: sessionId, nonce, status: 'unclaimed', totals: null });
    expect(shell.vault?.formUrl).toMatch(/^http/);
    expect(await claimed).toMatchObject({ id: sessionId, status: 'open', totals: { total: 19.9 } });
    expect(calls()).toEqual(twoPhaseCalls);
    const none = shop.library({ fetch: async () => new Response('{}', { status: 201 }) });
    const error = await failure(none.api.createDetachedSession(shop.aDraft()));
    expect([error.type, error.code]).toEqual(['api_error', 'InvalidCheckoutSessionResponse']);
    // A cart that the catalog does not know: the claim is refused, and the library does not create
    // another session.
    const refused = shop.library();
    const products = [{ code: 'no-such', quantity: 1 }];
    const detached = await refused.api.createDetachedSession(shop.aDraft({ products }));
    expect(await failure(detached.claimed)).toMatchObject({
      type: 'validation_error',
      code: 'invalid_catalog_data',
      status: 422,
    });
    expect(refused.calls()).toEqual(twoPhaseCalls);
  });

  it('Spec 4.5.3: claimCheckoutSession sends the same bytes up to 3 times, and a 409 once', async () => {
    const { api, asked } = shop.library({ losing: 2, sleep: async () => {} });
    const { sessionId, nonce } = await shop.shell();
    const payload = aPayload();
    expect(await api.claimCheckoutSession(sessionId, nonce, payload)).toMatchObject({
      id: sessionId,
      status: 'open',
      accountData: payload.accountData,
    });
    expect(asked.map(({ status, text }) => [status, text])).toEqual(
      Array.from({ length: 3 }, () => [200, JSON.stringify(payload)]),
    );
    const other = { ...payload, products: [{ code: 'mug', quantity: 2 }] };
    const error = await failure(api.claimCheckoutSession(sessionId, nonce, other));
    expect(error).toMatchObject({ status: 409, code: 'checkout_session_already_claimed' });
    expect(asked).toHaveLength(4);
    const session = await api.getCheckoutSession(sessionId);
    expect(session.totals).toMatchObject({ total: 19.9 });
  });

  it('Spec 8.5: three lost answers are thrown, and the session is claimed all the same; 12 s bound them, timeoutMs overrides', async () => {
    const { api, asked } = shop.library({ losing: 3, sleep: async () => {} });
    const { sessionId, nonce, claimed } = await api.createDetachedSession(shop.aDraft());
    expect(await failure(claimed)).toMatchObject({ code: 'network_error', retryable: true });
    expect(asked).toHaveLength(4);
    expect(await shop.status({ sessionId, nonce, mountToken: '', userId: '' })).toMatchObject({
      body: { data: { status: 'open' } },
    });
    for (const [timeoutMs, firstTakesMs, attempts] of [
      [undefined, 11_000, 2],
      [undefined, 12_000, 1],
      [500, 400, 1],
    ] as const) {
      let [now, sent] = [0, 0];
      const bounded = new PaymentAPI(shop.baseUrl, {
        now: () => now,
        random: () => 1,
        sleep: async (ms) => {
          now += ms;
        },
        fetch: async () => {
          sent += 1;
          now += sent === 1 ? firstTakesMs : 1_000;
          throw new TypeError('Failed to fetch');
        },
      });
      const call = bounded.claimCheckoutSession(newId(), 'n', {
        ...aPayload(),
        ...(timeoutMs ? { timeoutMs } : {}),
      });
      expect(await failure(call)).toMatchObject({ code: 'network_error' });
      expect(sent).toBe(attempts);
    }
  });

  it('Spec 4.5.4: getCheckoutSession reads the session as it is, and fails as api_error', async () => {
    const { api } = shop.library();
    const { id, nonce } = await api.createAndFetchSession(shop.aDraft());
    api.cacheSessionDisplayData(id, { currency: 'EUR', products: [shownMug] });
    const session = await api.getCheckoutSession(id);
    expect(session).not.toHaveProperty('data');
    expect(session.products[0]).toMatchObject({ name: 'Mug', overrideAmount: null });
    const stranger = shop.library();
    stranger.api.rememberSession(id, `${nonce}x`);
    expect(await failure(stranger.api.getCheckoutSession(id))).toMatchObject({
      type: 'api_error',
      code: 'checkout_session_not_found',
      wireType: 'not_found_error',
    });
  });

  it('Spec 4.5.5: getUnifiedCheckoutSession normalises through the gateways map', async () => {
    const { api } = shop.library();
    const { id } = await api.createAndFetchSession(shop.aDraft());
    const { publishableKey, accountId } = shop.account;
    const session = await api.getUnifiedCheckoutSession(id);
    expect(session.gateways).toEqual({ cardprovider: { publishableKey, accountId } });
    expect(session.data).toEqual({ cardprovider: { publishableKey, accountId }, wallet: null });
  });

  it('Spec 4.5.6: cacheSessionDisplayData fills by code what the service left open, and its values win', async () => {
    const { api } = shop.library();
    const { id } = await api.createAndFetchSession(shop.aDraft());
    const other = { ...shownMug, code: 'other', name: 'Other' };
    api.cacheSessionDisplayData(
      id,
      { currency: 'USD', products: [other, shownMug] },
      { ttlMs: 60_000 },
    );
    const { currency, products } = await api.getUnifiedCheckoutSession(id);
    expect(currency).toBe('EUR');
    expect(products).toEqual([
      expect.objectContaining({ code: 'mug', name: 'Mug', totalAmount: 19.9, overrideAmount: 7 }),
    ]);
  });

  it('Spec 4.5.7: getSessionDisplayData reads an entry until it expires, clearSessionDisplayData drops it', async () => {
    let now = Date.now();
    const { api } = shop.library({ now: () => now });
    const { id } = await api.createAndFetchSession(shop.aDraft());
    expect(api.getSessionDisplayData(id)).toBeNull();
    const data = { currency: 'EUR', products: [shownMug] };
    api.cacheSessionDisplayData(
      id,
      { ...data, products: [{ ...shownMug, type: 'x' }] },
      { ttlMs: 5_000 },
    );
    expect(api.getSessionDisplayData(id)).toEqual(data);
    now += 6_000;
    expect(api.getSessionDisplayData(id)).toBeNull();
    api.cacheSessionDisplayData(id, data);
    api.clearSessionDisplayData(id);
    expect(api.getSessionDisplayData(id)).toBeNull();
  });
});
