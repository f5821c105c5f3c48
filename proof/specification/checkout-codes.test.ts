// Every code of contract §1 that belongs to a checkout, over HTTP. A title begins with the place that
// it shows; docs/spec/shown.md lists them.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../service/test/harness.ts';
import { cards } from '../../service/test/world.ts';
import { catalogProblem, email, mug, openShop, refusal, type Shop, sessions } from './buyer.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
}, 60_000);
afterEach(() => shop.control('DELETE', '/_control/faults'));
afterAll(() => shop?.close());

const club = { code: 'club', quantity: 1 };
const anHour = 3600;

describe('Contract §1, codes of a session', () => {
  it('Contract §1 checkout_session_not_found: 404, the same for an unknown session and a wrong nonce, on every call', async () => {
    const session = await shop.open();
    const token = await shop.card(session);
    for (const stranger of [
      { ...session, nonce: 'wrong' },
      { ...session, sessionId: newId() },
    ]) {
      for (const answer of [
        await shop.get(stranger),
        await shop.status(stranger),
        await shop.claim(stranger),
        await shop.payWith(stranger, { token }),
        await shop.charge(stranger, token),
        await shop.intent(stranger),
        await shop.decline(stranger),
        await shop.setCoupons(stranger, []),
      ]) {
        expect(answer).toMatchObject(
          refusal(404, 'checkout_session_not_found', { type: 'not_found_error' }),
        );
      }
    }
    expect(await shop.stands(session)).toMatchObject({ status: 'open', paymentId: null });
  });

  it('Contract §1 checkout_session_token_required: 401 without the header, also with the credential of the merchant', async () => {
    const { sessionId } = await shop.open();
    for (const credential of [null, shop.token]) {
      expect(await shop.call(credential, `GET ${sessions}/${sessionId}`)).toMatchObject(
        refusal(401, 'checkout_session_token_required', { type: 'authentication_error' }),
      );
    }
  });

  it('Contract §1 checkout_session_expired: 409 on every write once the time is over', async () => {
    const [session, shell] = [await shop.open(), await shop.shell()];
    const token = await shop.card(session);
    await shop.advance(24 * anHour);
    for (const answer of [
      await shop.claim(shell),
      await shop.payWith(session, { token }),
      await shop.charge(session, token),
      await shop.intent(session),
      await shop.decline(session),
      await shop.setCoupons(session, []),
    ]) {
      expect(answer).toMatchObject(refusal(409, 'checkout_session_expired'));
    }
  });

  it('Contract §1 checkout_session_completed: 409 on intents, decline and coupons of a paid session', async () => {
    const session = await shop.open();
    await shop.pay(session);
    for (const answer of [
      await shop.intent(session),
      await shop.decline(session),
      await shop.setCoupons(session, [await shop.aCoupon()]),
    ]) {
      expect(answer).toMatchObject(refusal(409, 'checkout_session_completed'));
    }
  });

  it('Contract §1 checkout_session_total_changed: 409, and no provider is asked, where the buyer was shown another total', async () => {
    const session = await shop.open({ couponCodes: [await shop.aCoupon({ percentOff: 10 })] });
    const token = await shop.card(session);
    await shop.setCoupons(session, []);
    const asked = await shop.chargesAsked();
    expect(await shop.payWith(session, { token }, { expectedTotal: 17.91 })).toMatchObject(
      refusal(409, 'checkout_session_total_changed'),
    );
    expect(await shop.payWith(session, { token }, { expectedTotal: '17.91' })).toMatchObject(
      refusal(400, 'invalid_request', { param: 'expectedTotal' }),
    );
    expect(await shop.chargesAsked()).toBe(asked);
    const paid = await shop.payWith(session, { token }, { expectedTotal: 19.9 });
    expect(paid).toMatchObject({ status: 200, body: { type: 'success' } });
  });

  it('Contract §1 checkout_session_is_setup: 409 for process, intents and vault charge of a set-up', async () => {
    const setup = await shop.aSetup();
    for (const answer of [
      await shop.payWith(setup, { token: 'any' }),
      await shop.intent(setup),
      await shop.charge(setup, 'any'),
    ]) {
      expect(answer).toMatchObject(refusal(409, 'checkout_session_is_setup'));
    }
  });

  it('Contract §1 checkout_session_already_claimed: 409 for another claim, and for a session created whole', async () => {
    const shell = await shop.shell();
    await shop.claim(shell);
    const other = { accountData: { userId: newId(), email } };
    expect(await shop.claim(shell, other)).toMatchObject(
      refusal(409, 'checkout_session_already_claimed'),
    );
    expect(await shop.claim(await shop.open())).toMatchObject(
      refusal(409, 'checkout_session_already_claimed'),
    );
  });

  it('Contract §1 checkout_session_data_attachment_required: 409 for process, intents and decline before the claim', async () => {
    const shell = await shop.shell();
    for (const answer of [
      await shop.pay(shell),
      await shop.intent(shell),
      await shop.decline(shell),
    ]) {
      expect(answer).toMatchObject(refusal(409, 'checkout_session_data_attachment_required'));
    }
  });

  it('Contract §1 checkout_session_claim_pending: 503 with Retry-After 1', async () => {
    const shell = await shop.shell();
    const answer = await shop.charge(shell, await shop.card(shell));
    expect(answer).toMatchObject(
      refusal(503, 'checkout_session_claim_pending', { type: 'api_error', retryable: true }),
    );
    expect(answer.headers['retry-after']).toBe('1');
  });
});

describe('Contract §1, codes of a cart', () => {
  it('Contract §1 invalid_catalog_data: 422 on create and claim, with every problem by its path', async () => {
    const products = [mug, { code: 'no-such', quantity: 1 }];
    const couponCodes = ['NOSUCH'];
    for (const answer of [
      await shop.create({ products, couponCodes }),
      await shop.claim(await shop.shell(), { products, couponCodes }),
    ]) {
      expect(answer).toMatchObject(catalogProblem('products[1].code', 'product_unknown'));
      expect(answer).toMatchObject(catalogProblem('couponCodes[0]', 'coupon_unknown'));
    }
  });

  it('Contract §1 currency_required: 422 where neither session nor line names one', async () => {
    expect(await shop.create({ currency: undefined })).toMatchObject(
      refusal(422, 'currency_required', { type: 'validation_error' }),
    );
    const shell = { clientId: shop.client.id, deferDataAttachment: true };
    expect(await shop.call(null, `POST ${sessions}`, { body: shell })).toMatchObject(
      refusal(422, 'currency_required'),
    );
  });

  it('Contract §1 currency_mismatch: 422 for a claim in another currency than the shell', async () => {
    expect(await shop.claim(await shop.shell(), { currency: 'JPY' })).toMatchObject(
      refusal(422, 'currency_mismatch', { param: 'currency' }),
    );
  });

  it('Contract §1 amount_precision: 422 for a line of more decimals than the currency has', async () => {
    const products = [{ ...mug, totalAmount: 19.901 }];
    expect(await shop.create({ products })).toMatchObject(refusal(422, 'amount_precision'));
  });

  it('Contract §1 capture_method_not_supported: 422 for a hold with a subscription or a wallet, before the provider is asked', async () => {
    const before = await shop.chargesAsked();
    const manual = { captureMethod: 'manual' };
    const code = 'capture_method_not_supported';
    const products = [mug, club];
    expect(await shop.create({ ...manual, products })).toMatchObject(refusal(422, code));
    const shell = await shop.shell();
    expect(await shop.claim(shell, { ...manual, products })).toMatchObject(refusal(422, code));
    const session = await shop.open(manual);
    const token = await shop.card(session);
    for (const answer of [
      await shop.intent(session, { paymentMethod: 'google_pay' }),
      await shop.intent(session, { isWallet: 'true' }),
      await shop.payWith(session, { token, type: 'apple_pay' }),
      await shop.payWith(session, { provider: 'wallet', type: 'wallet' }),
    ]) {
      expect(answer).toMatchObject(refusal(422, code));
    }
    expect(await shop.chargesAsked()).toBe(before);
  });
});

describe('Contract §1, codes of paying', () => {
  it('Contract §1 card_declined: 402 with declineCode and advice, and the session is open again', async () => {
    const session = await shop.open();
    expect(await shop.pay(session, cards.poor)).toMatchObject(
      refusal(402, 'card_declined', {
        type: 'card_error',
        declineCode: 'insufficient_funds',
        advice: 'try_again_later',
        message: 'The card has insufficient funds.',
      }),
    );
    expect(await shop.stands(session)).toMatchObject({ status: 'open' });
  });

  it('Contract §1 user_id_required: 400 without x-user-id, and where it is no UUID', async () => {
    const session = await shop.open();
    const token = await shop.card(session);
    for (const headers of [{}, { 'x-user-id': 'me' }]) {
      expect(await shop.payWith(session, { token }, { headers })).toMatchObject(
        refusal(400, 'user_id_required'),
      );
    }
  });

  it('Contract §1 buyer_mismatch: 403 where x-user-id or the buyer of the body is not the claimed one', async () => {
    const session = await shop.open();
    const token = await shop.card(session);
    const stranger = newId();
    for (const given of [
      { headers: { 'x-user-id': stranger } },
      {
        headers: { 'x-user-id': stranger },
        accountData: { userId: stranger, email },
      },
      { accountData: { userId: session.userId, email: 'thief@example.test' } },
    ]) {
      expect(await shop.payWith(session, { token }, given)).toMatchObject(
        refusal(403, 'buyer_mismatch', { type: 'permission_error' }),
      );
    }
    expect(await shop.payWith(session, { token })).toMatchObject({ status: 200 });
  });

  it('Contract §1 buyer_not_verified: 403 for a saved card where no merchant vouched for the buyer', async () => {
    const [session, known] = [await shop.open(), await shop.open({}, true)];
    const saved = { paymentMethodId: newId() };
    expect(await shop.payWith(session, saved)).toMatchObject(refusal(403, 'buyer_not_verified'));
    expect(await shop.intent(session, { paymentMethod: newId() })).toMatchObject(
      refusal(403, 'buyer_not_verified'),
    );
    expect(await shop.payWith(known, saved)).toMatchObject(
      refusal(404, 'payment_method_not_found'),
    );
  });

  it('Contract §1 checkout_attempt_in_progress: 409, retryable, while another attempt runs', async () => {
    const session = await shop.open();
    await shop.pay(session, cards.needs3ds);
    const intent = await shop.intent(session);
    expect(intent).toMatchObject(refusal(409, 'checkout_attempt_in_progress', { retryable: true }));
    expect(intent.headers['retry-after']).toBe('1');
  });

  it('Contract §1 email_mismatch: 422 for an intent of another email', async () => {
    expect(await shop.intent(await shop.open(), { email: 'thief@example.test' })).toMatchObject(
      refusal(422, 'email_mismatch'),
    );
  });

  it('Contract §1 raw_card_data_forbidden: 400 on every call of a browser, and the number is not repeated', async () => {
    const number = '4242 4242 4242 4242';
    const session = await shop.open();
    for (const answer of [
      await shop.create({ metadata: { note: number } }),
      await shop.payWith(session, { token: number }),
      await shop.charge(session, number),
      await shop.setCoupons(session, [number]),
    ]) {
      expect(answer).toMatchObject(refusal(400, 'raw_card_data_forbidden'));
      expect(answer.text).not.toContain('4242');
    }
  });
});

describe('Contract §1, what a refusal looks like', () => {
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

  it('Contract §1 validation_error, authentication_error, permission_error, not_found_error, conflict_error, card_error, gateway_error and api_error: by the status', async () => {
    const [session, shell] = [await shop.open(), await shop.shell()];
    const types: Record<number, unknown> = {};
    const note = ({ status, body }: { status: number; body: Record<string, unknown> }) => {
      types[status] = body.type;
    };
    note(await shop.create({ products: [] }));
    note(await shop.call(null, `GET ${sessions}/${session.sessionId}`));
    note(await shop.pay(session, cards.declined));
    note(await shop.pay({ ...session, userId: newId() }));
    note(await shop.get(session, 'wrong'));
    note(await shop.call(session, `DELETE ${sessions}/${session.sessionId}`));
    note(await shop.decline(shell));
    note(await shop.create({ metadata: { note: 'x'.repeat(65_536) } }));
    note(await shop.create({ currency: undefined }));
    note(await shop.charge(shell, await shop.card(shell)));
    await shop.fault({ path: '/v1/payment_intents/*/confirm' }, 'error_500');
    note(await shop.pay(session));
    expect(types).toEqual({
      400: 'validation_error',
      401: 'authentication_error',
      402: 'card_error',
      403: 'permission_error',
      404: 'not_found_error',
      405: 'validation_error',
      409: 'conflict_error',
      413: 'validation_error',
      422: 'validation_error',
      502: 'gateway_error',
      503: 'api_error',
    });
  });
});

describe('Contract §1, codes of the wire', () => {
  it('Contract §1 invalid_request: 400 names the field that a checkout does not have: a misspelt captureMethod charges nothing', async () => {
    for (const answer of [
      await shop.create({ captureMethd: 'manual' }),
      await shop.claim(await shop.shell(), { captureMethd: 'manual' }),
    ]) {
      expect(answer).toMatchObject(refusal(400, 'invalid_request', { param: 'captureMethd' }));
    }
    const session = await shop.open();
    expect(await shop.intent(session, { wallet: 'true' })).toMatchObject(
      refusal(400, 'invalid_request', { param: 'wallet' }),
    );
  });

  it('Contract §1 invalid_body: 400 for a claim that is no JSON object, or names a field twice', async () => {
    const shell = await shop.shell();
    for (const body of ['[]', '{"currency":"EUR"', '{"currency":"EUR","currency":"JPY"}']) {
      expect(await shop.claim(shell, body)).toMatchObject(refusal(400, 'invalid_body'));
    }
  });

  it('Contract §1 invalid_query: 400 for a wait of over 25 seconds, and for a field that is none', async () => {
    const session = await shop.open();
    for (const query of ['?wait=26', '?wait=-1', '?wait=soon', '?until=open']) {
      expect(await shop.status(session, query)).toMatchObject(refusal(400, 'invalid_query'));
    }
  });

  it('Contract §1 body_too_large: 413 over 64 kB', async () => {
    const metadata = { note: 'x'.repeat(65_536) };
    expect(await shop.create({ metadata })).toMatchObject(
      refusal(413, 'body_too_large', { type: 'validation_error' }),
    );
  });

  it('Contract §1 authentication_required: 401 for a create with a wrong credential, not a session without one', async () => {
    const wrong = { ...shop.token, authorization: `${shop.token.authorization.slice(0, -4)}AAAA` };
    const body = { clientId: shop.client.id, currency: 'EUR', products: [mug] };
    expect(await shop.call(wrong, `POST ${sessions}`, { body })).toMatchObject(
      refusal(401, 'authentication_required'),
    );
  });
});
