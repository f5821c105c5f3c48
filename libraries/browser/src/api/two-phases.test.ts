// A session in two phases: which fields of a draft belong to which call, and which drafts are sent
// in one call.

import { describe, expect, it } from 'vitest';
import {
  answer,
  attached,
  claimedSession,
  failure,
  id,
  jsonOf,
  nonce,
  openedAnswer,
  payload,
  refusedAnswer,
  startStubWire,
  testBuyer,
  testDraft,
  testShell,
} from '../../test-wire.ts';

describe('createAndFetchSession', () => {
  it('two phases: currency and country on the shell, all else on the claim', async () => {
    const { api, asked } = startStubWire([openedAnswer(), attached()]);
    const more = { couponCodes: ['TEN'], captureMethod: 'manual', successUrl: '/thanks' } as const;
    const session = await api.createAndFetchSession({
      ...testDraft,
      ...more,
      account: { country: 'DE' },
      deferDataAttachment: true,
      timeoutMs: 5_000,
    });
    expect(asked.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /v1/checkouts/sessions',
      `PATCH /v1/checkouts/sessions/${id}/claim`,
    ]);
    expect(jsonOf(asked[0])).toEqual({
      clientId: testDraft.clientId,
      currency: 'EUR',
      account: { country: 'DE' },
      deferDataAttachment: true,
    });
    expect(asked[0]?.headers).not.toHaveProperty('x-checkout-session-token');
    expect(jsonOf(asked[1])).toEqual({ ...payload, ...more });
    expect(asked[1]?.headers['x-checkout-session-token']).toBe(nonce);
    expect(session).toMatchObject({ id, status: 'open', nonce, url: testShell.url });
    expect(session.data.cardprovider).toEqual(claimedSession.gateways.cardprovider);
  });

  it("the buyer by the server library's name, the currency of a line", async () => {
    const { api, asked } = startStubWire([openedAnswer(), attached()]);
    const { currency: _, accountData: __, ...rest } = testDraft;
    const products = [{ code: 'mug', quantity: 1, currency: 'JPY' }];
    await api.createAndFetchSession({
      ...rest,
      products,
      account: { ...testBuyer, country: 'JP' },
    });
    expect(jsonOf(asked[0])).toMatchObject({ currency: 'JPY', account: { country: 'JP' } });
    expect(jsonOf(asked[1])).toEqual({ currency: 'JPY', products, accountData: testBuyer });
  });

  it('a misspelt field reaches the service, which names it', async () => {
    const { api, asked } = startStubWire([openedAnswer(), refusedAnswer(400, 'invalid_request')]);
    const misspelt = { ...testDraft, captureMethods: 'manual' };
    expect(await failure(api.createAndFetchSession(misspelt))).toMatchObject({ status: 400 });
    expect(jsonOf(asked[1])).toHaveProperty('captureMethods', 'manual');
  });

  it.each([
    ['deferDataAttachment is false', { deferDataAttachment: false }],
    ['no client', { clientId: '' }],
    ['no products', { products: [] }],
    ['no buyer', { accountData: undefined }],
    ['half a buyer', { accountData: { userId: testBuyer.userId, email: '' } }],
    ['metadata, which a claim does not take', { metadata: { order: '7' } }],
    ['a buyer named twice', { account: { ...testBuyer, email: 'eve@example.com' } }],
  ])('one shot, once: %s', async (_, more) => {
    const { api, asked } = startStubWire([answer(201, { ...claimedSession, nonce })]);
    const given = { ...testDraft, timeoutMs: 5_000, ...more } as typeof testDraft;
    expect(await api.createAndFetchSession(given)).toMatchObject({ nonce, status: 'open' });
    const { timeoutMs: __, ...body } = given as typeof testDraft & { timeoutMs: number };
    expect(asked.map(jsonOf)).toEqual([
      JSON.parse(JSON.stringify({ ...body, deferDataAttachment: false })),
    ]);
  });

  it('a claim that is refused is thrown, and no second session is made', async () => {
    const { api, asked } = startStubWire([
      openedAnswer(),
      refusedAnswer(422, 'invalid_catalog_data'),
    ]);
    const error = await failure(api.createAndFetchSession(testDraft));
    expect(error).toMatchObject({ type: 'validation_error', code: 'invalid_catalog_data' });
    expect(asked).toHaveLength(2);
  });

  it('Contract §9 fill: the display cache fills the claimed session', async () => {
    const { api } = startStubWire([openedAnswer(), attached()]);
    const shown = { code: 'mug', name: 'Mug', totalAmount: 9, overrideAmount: 4, currency: 'EUR' };
    api.cacheSessionDisplayData(id, { currency: 'EUR', products: [shown] });
    const { products } = await api.createAndFetchSession(testDraft);
    expect(products[0]).toMatchObject({ name: 'Mug', totalAmount: 5, overrideAmount: 4 });
    api.clearSessionDisplayData(id);
  });
});

describe('createDetachedSession', () => {
  it('resolves with the shell while the claim is in flight, and remembers the nonce', async () => {
    let resolveLate: (response: Response) => void = () => {};
    const late = new Promise<Response>((resolve) => {
      resolveLate = resolve;
    });
    const { api, asked } = startStubWire([openedAnswer(), late, attached()]);
    const session = await api.createDetachedSession(testDraft);
    expect(session).toMatchObject({ sessionId: id, nonce, shell: { status: 'unclaimed', nonce } });
    expect(asked).toHaveLength(2);
    await api.getCheckoutSession(id);
    resolveLate(attached());
    expect(await session.claimed).toEqual(claimedSession);
    expect(asked[2]?.headers['x-checkout-session-token']).toBe(nonce);
  });

  it('what the draft said at the call is claimed, whatever becomes of the object', async () => {
    const { api, asked } = startStubWire([openedAnswer(), attached()]);
    const mine = { ...testDraft, products: [{ code: 'mug', quantity: 1 }] };
    const call = api.createDetachedSession(mine);
    mine.products[0] = { code: 'mug', quantity: 99 };
    await (await call).claimed;
    expect(jsonOf(asked[1])).toEqual(payload);
  });

  it('a claim that fails unheeded is no unhandled rejection', async () => {
    const seen: unknown[] = [];
    const recordRejection = (cause: unknown) => void seen.push(cause);
    process.on('unhandledRejection', recordRejection);
    try {
      const { api, asked } = startStubWire([
        openedAnswer(),
        refusedAnswer(422, 'invalid_catalog_data'),
      ]);
      const { claimed: unheeded } = await api.createDetachedSession(testDraft);
      await expect.poll(() => asked.length).toBe(2);
      // Node reports an unhandled rejection at the end of the turn in which it happened.
      for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
      expect(seen).toEqual([]);
      expect(await failure(unheeded)).toMatchObject({ code: 'invalid_catalog_data' });
    } finally {
      process.off('unhandledRejection', recordRejection);
    }
  });

  it.each([
    ['null', () => answer(201, null)],
    ['no id', () => answer(201, { nonce })],
    ['no nonce', () => answer(201, testShell)],
    ['no content', () => new Response(null, { status: 204 })],
    ['no JSON', () => new Response('<html>', { status: 200 })],
  ])('InvalidCheckoutSessionResponse, no claim and no one-shot create: %s', async (_, given) => {
    const { api, asked } = startStubWire([given()]);
    const error = await failure(api.createDetachedSession(testDraft));
    expect(error).toMatchObject({ type: 'api_error', code: 'InvalidCheckoutSessionResponse' });
    expect(asked).toHaveLength(1);
  });

  it('a shell that is refused keeps the code of the service', async () => {
    const { api } = startStubWire([refusedAnswer(422, 'currency_required')]);
    const error = await failure(api.createDetachedSession(testDraft));
    expect(error).toMatchObject({ type: 'validation_error', code: 'currency_required' });
  });

  it('CurrencyRequired before the network', async () => {
    const { api, asked } = startStubWire([]);
    const error = await failure(api.createDetachedSession({ ...testDraft, currency: '' }));
    expect(error).toMatchObject({ type: 'validation_error', code: 'CurrencyRequired', status: 0 });
    expect(asked).toEqual([]);
  });
});

describe('openShell', () => {
  it('opens a shell alone, which a later claim fills', async () => {
    const { api, asked } = startStubWire([openedAnswer(), attached()]);
    const { clientId } = testDraft;
    const open = await api.openShell({ clientId, currency: 'EUR', country: 'DE' });
    expect(open).toMatchObject({ sessionId: id, nonce, shell: { id } });
    expect(asked.map(({ method }) => method)).toEqual(['POST']);
    expect(jsonOf(asked[0])).toEqual({
      clientId,
      currency: 'EUR',
      account: { country: 'DE' },
      deferDataAttachment: true,
    });
    expect(await api.claimCheckoutSession(id, nonce, payload)).toMatchObject({ status: 'open' });
  });

  it('a currency is asked for before any request, and an answer without a session is none', async () => {
    const { api, asked } = startStubWire([refusedAnswer(400, 'invalid_request')]);
    const untold = api.openShell({ clientId: testDraft.clientId } as never);
    expect((await failure(untold)).code).toBe('CurrencyRequired');
    expect(asked).toEqual([]);
    const refusal = api.openShell({ clientId: testDraft.clientId, currency: 'EUR' });
    expect((await failure(refusal)).code).toBe('invalid_request');
  });
});
