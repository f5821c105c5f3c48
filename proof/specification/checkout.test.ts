// What pages are told of a checkout, over HTTP: how far the attempt with the provider is, what a refusal looks
// like, who sells. The tests beside the operations show the other rows. Contract §1, §3.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { cards } from '../../service/test/world.ts';
import { openShop, refusal, type Shop } from './shop.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterEach(() => shop.control('DELETE', '/_control/faults'));
afterAll(() => shop?.close());

const confirm = { path: '/v1/payment_intents/*/confirm' };
const takesItsTime = '4000000000008104';
const expired = '4000000000000069';
const wrongCode = '4000000000000127';
const attemptWith = (result: string, declineCode: string | null = null) => ({
  latestTransactionAttempt: { result, declineCode },
});

describe('the attempt of a session', () => {
  it('Contract §3 result PENDING: until the provider answers', async () => {
    const session = await shop.open();
    const token = await shop.card(session);
    await shop.fault(confirm, 'slow', { delayMs: 250 });
    const paying = shop.payWith(session, { token });
    await expect
      .poll(() => shop.stands(session), { interval: 10 })
      .toMatchObject({ status: 'processing', ...attemptWith('PENDING') });
    expect(await paying).toMatchObject({ status: 200 });
    expect(await shop.stands(session)).toMatchObject(attemptWith('SUCCEEDED'));
  });

  it('Contract §3 result REQUIRES_ACTION, chv: the challenge decides, not what the page says of it', async () => {
    const session = await shop.open();
    const token = await shop.card(session, cards.needs3ds);
    const payAgain = (chv: string) => shop.payWith(session, { token }, { chv });
    const asked = await shop.payWith(session, { token });
    expect(asked.body).toEqual({
      sessionId: session.sessionId,
      paymentId: expect.any(String),
      type: '3ds_required',
      challenge: {
        kind: 'redirect',
        url: expect.stringMatching(/^http/),
        clientSecret: expect.any(String),
        returnUrl: expect.stringContaining(`/c/${session.sessionId}`),
        expiresAt: expect.stringMatching(/Z$/),
      },
    });
    expect(await shop.stands(session)).toMatchObject(attemptWith('REQUIRES_ACTION'));
    expect(await payAgain('x'.repeat(4097))).toMatchObject(
      refusal(400, 'invalid_request', { param: 'chv' }),
    );
    expect(await payAgain('approved')).toMatchObject({ body: { type: '3ds_required' } });
    await shop.challenge(asked, 'approve');
    expect(await payAgain('é'.repeat(4096))).toMatchObject({ body: { type: 'success' } });
  });

  it('Contract §3 result PROCESSING: the bank takes its time', async () => {
    const session = await shop.open();
    expect(await shop.pay(session, takesItsTime)).toMatchObject({
      status: 202,
      body: { type: 'processing', status: 'processing' },
    });
    expect(await shop.stands(session)).toMatchObject(attemptWith('PROCESSING'));
    await shop.advance(3);
    await shop.recover();
    expect(await shop.stands(session)).toMatchObject(attemptWith('SUCCEEDED'));
  });

  it('Contract §3 result ERROR: neither card nor buyer is at fault, and the card pays next time', async () => {
    const session = await shop.open();
    await shop.fault(confirm, 'error_500');
    expect(await shop.pay(session)).toMatchObject(refusal(502, 'gateway_unavailable'));
    expect(await shop.stands(session)).toMatchObject({ status: 'open', ...attemptWith('ERROR') });
    expect(await shop.pay(session)).toMatchObject({ status: 200 });
  });

  it('Contract §3 result UNKNOWN: no answer of the provider is no failure, and is settled later', async () => {
    const session = await shop.open();
    await shop.fault(confirm, 'drop_request', { count: 2 });
    expect(await shop.pay(session)).toMatchObject({ status: 202, body: { status: 'unknown' } });
    expect(await shop.stands(session)).toMatchObject(attemptWith('UNKNOWN'));
    await shop.recover();
    expect(await shop.stands(session)).toMatchObject(attemptWith('SUCCEEDED'));
  });

  it('Contract §3 advice confirm_card_data: the card has expired, or its code is wrong', async () => {
    for (const number of [expired, wrongCode]) {
      expect(await shop.pay(await shop.open(), number)).toMatchObject(
        refusal(402, 'card_declined', { advice: 'confirm_card_data' }),
      );
    }
  });

  it('422 amount_not_supported: what the provider never takes is not charged, and a payable total is', async () => {
    const isRefused = refusal(422, 'amount_not_supported', { retryable: false });
    const aCart = async (amount: number, currency: string) => {
      const code = await shop.aProduct({ prices: [{ currency, amount }] });
      return shop.open({ products: [{ code, quantity: 1 }], currency });
    };
    for (const [amount, currency, declineCode] of [
      [0.49, 'EUR', 'amount_not_supported'],
      [500, 'KPW', 'currency_not_supported'],
    ] as const) {
      const session = await aCart(amount, currency);
      expect(await shop.pay(session)).toMatchObject(isRefused);
      expect(await shop.intent(session)).toMatchObject(isRefused);
      expect(await shop.stands(session)).toMatchObject({
        status: 'open',
        ...attemptWith('ERROR', declineCode),
      });
    }
    expect(await shop.pay(await aCart(1, 'EUR'))).toMatchObject({ status: 200 });
  });
});

describe('a refusal', () => {
  it('Contract §1 object: one flat object, with declineCode and advice of a declined card', async () => {
    const { body, headers } = await shop.pay(await shop.open(), cards.declined);
    expect(body).toEqual({
      type: 'card_error',
      code: 'card_declined',
      message: expect.any(String),
      status: 402,
      requestId: headers['request-id'],
      retryable: false,
      docUrl: expect.stringContaining('card_declined'),
      declineCode: 'generic_decline',
      advice: 'try_again_later',
    });
    const { body: wrong } = await shop.create({ products: [] });
    expect(wrong).toMatchObject({
      code: 'invalid_request',
      param: 'products',
      errors: [{ path: 'products', code: expect.any(String), message: expect.any(String) }],
    });
  });

  it('Contract §1 user_id_required: 400 without x-user-id, and where it is empty', async () => {
    const session = await shop.open();
    for (const headers of [{}, { 'x-user-id': '' }]) {
      expect(await shop.payWith(session, { token: 'svct_x' }, { headers })).toMatchObject(
        refusal(400, 'user_id_required'),
      );
    }
  });
});

describe('the merchant', () => {
  it('Contract §3 merchant: the session tells its page who sells, by name where nothing is set', async () => {
    const { name } = (await shop.ask('GET /v1/client')).body;
    const profile = {
      logoUrl: 'https://cdn.shop.example/logo.svg',
      supportEmail: 'help@shop.example',
      termsUrl: 'https://shop.example/terms',
      brandColor: '#0a7d4f',
    };
    const merchantOf = async () => (await shop.get(await shop.open())).body.merchant;
    const nothing = Object.fromEntries(Object.keys(profile).map((field) => [field, null]));
    expect(await merchantOf()).toEqual({ name, ...nothing });
    const body = { businessName: 'Bean Shop', ...profile };
    expect(await shop.ask('PATCH /v1/client', { body })).toMatchObject({ status: 200, body });
    expect(await merchantOf()).toEqual({ name: 'Bean Shop', ...profile });
    expect((await shop.open()).body).toMatchObject({ merchant: null, cancelOnPage: null });
    expect((await shop.get(await shop.open())).body.cancelOnPage).toBe(true);
    expect((await shop.get(await shop.aSetup(await shop.aBuyer()))).body.merchant).toEqual({
      name: 'Bean Shop',
      ...profile,
    });
  });
});
