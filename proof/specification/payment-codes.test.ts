// What the contract decides about payments, over HTTP: every code of §1 that these endpoints give; and
// the limits of the specification. A title begins with the place that it shows; docs/spec/shown.md
// lists them.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { aClient, aToken, newId } from '../../service/test/harness.ts';
import { type Merchant, openMerchant } from './merchant.ts';

let shop: Merchant;
beforeAll(async () => {
  shop = await openMerchant();
}, 60_000);
afterEach(() => shop.control('DELETE', '/_control/faults'));
afterAll(() => shop?.close());

const refundPends = '4000000000007726';
const capture = { path: '/v1/payment_intents/*/capture' };
const refusal = (status: number, code: string) => ({ status, body: { code, status } });

describe('Contract §1, codes', () => {
  it('Contract §1 invalid_payment_id: 400', async () => {
    expect(await shop.move('capture', 'pi_123')).toMatchObject(refusal(400, 'invalid_payment_id'));
  });

  it('Contract §1 idempotency_key_required: 400 without one or with a blank one', async () => {
    const id = await shop.aHold();
    for (const key of [null, '  ']) {
      const answer = await shop.move('refunds', id, { key, body: {} });
      expect(answer).toMatchObject(refusal(400, 'idempotency_key_required'));
    }
  });

  it('Contract §1 idempotency_key_invalid: 400 over 255 characters or not printable ASCII', async () => {
    const id = await shop.aHold();
    for (const key of ['k'.repeat(256), 'caf\u00e9']) {
      expect(await shop.move('capture', id, { key })).toMatchObject(
        refusal(400, 'idempotency_key_invalid'),
      );
    }
    expect(await shop.move('capture', id, { key: 'k'.repeat(255) })).toMatchObject({ status: 200 });
  });

  it('Contract §1 invalid_body: 400 for what is no JSON object', async () => {
    const id = await shop.aHold();
    for (const body of ['[]', '"x"', '1', 'null', '{"a":1', '{"a":1,"a":2}']) {
      expect(await shop.move('cancel', id, { body })).toMatchObject(refusal(400, 'invalid_body'));
    }
  });

  it('Contract §1 partial_capture_not_supported: 400 for amount and amountToCapture', async () => {
    const id = await shop.aHold();
    for (const body of [{ amount: 5 }, { amountToCapture: 19.9 }]) {
      expect(await shop.move('capture', id, { body })).toMatchObject(
        refusal(400, 'partial_capture_not_supported'),
      );
    }
  });

  it('Contract §1 merchant_role_required: 403 for a member', async () => {
    const member = await aToken(shop.database, shop.client, { role: 'member' });
    expect(await shop.move('capture', await shop.aHold(), { token: member })).toMatchObject(
      refusal(403, 'merchant_role_required'),
    );
  });

  it('Contract §1 insufficient_scope: 403 for a token without the scope', async () => {
    const token = await aToken(shop.database, shop.client, { scopes: ['events:read'] });
    expect(await shop.ask('GET /v1/payments', { token })).toMatchObject(
      refusal(403, 'insufficient_scope'),
    );
    expect(await shop.move('refunds', newId(), { token, body: {} })).toMatchObject(
      refusal(403, 'insufficient_scope'),
    );
  });

  it('Contract §1 payment_not_found: 404 for read, capture, cancel and refund alike', async () => {
    const token = await aToken(shop.database, await aClient(shop.database));
    const id = await shop.aHold();
    const answers = [
      await shop.ask(`GET /v1/payments/${id}`, { token }),
      await shop.move('capture', id, { token }),
      await shop.move('cancel', id, { token }),
      await shop.move('refunds', id, { token, body: {} }),
    ];
    for (const answer of answers) expect(answer).toMatchObject(refusal(404, 'payment_not_found'));
  });

  it('Contract §1 payment_not_authorized: 409', async () => {
    expect(await shop.move('cancel', await shop.aPurchase())).toMatchObject(
      refusal(409, 'payment_not_authorized'),
    );
  });

  it('Contract §1 authorization_expired: 409 from 60 s before the deadline of the provider', async () => {
    const id = await shop.aHold();
    await shop.advance(7 * 86_400 - 60);
    expect(await shop.move('capture', id)).toMatchObject(refusal(409, 'authorization_expired'));
    expect(await shop.movements(id)).toEqual(['authorize']);
  });

  it('Contract §1 payment_operation_in_progress: 409 with Retry-After', async () => {
    const id = await shop.aHold();
    await shop.fault(capture, 'drop_request', { count: 2 });
    await shop.move('capture', id);
    const answer = await shop.move('capture', id);
    expect(answer).toMatchObject(refusal(409, 'payment_operation_in_progress'));
    expect(answer.headers['retry-after']).toBe('1');
    await shop.recover();
  });

  it('Contract §1 idempotency_key_reused: 409 for another body and for another payment', async () => {
    const [id, other] = [await shop.aHold(), await shop.aHold()];
    const key = newId();
    await shop.move('capture', id, { key });
    for (const again of [
      await shop.move('capture', id, { key, body: { note: 1 } }),
      await shop.move('capture', other, { key }),
    ]) {
      expect(again).toMatchObject(refusal(409, 'idempotency_key_reused'));
    }
  });

  it('Contract §1 gateway_capture_failed: 502, retryable', async () => {
    const id = await shop.aHold();
    await shop.fault(capture, 'decline');
    expect(await shop.move('capture', id)).toMatchObject({
      status: 502,
      body: { code: 'gateway_capture_failed', type: 'gateway_error', retryable: true },
    });
  });

  it('Contract §1 gateway_cancel_failed: 502, retryable', async () => {
    const id = await shop.aHold();
    await shop.fault({ path: '/v1/payment_intents/*/cancel' }, 'error_500');
    expect(await shop.move('cancel', id)).toMatchObject({
      status: 502,
      body: { code: 'gateway_cancel_failed', type: 'gateway_error', retryable: true },
    });
  });

  it('Contract §1 gateway_outcome_unknown: 502 with Retry-After, the payment is unknown', async () => {
    const id = await shop.aHold();
    await shop.fault(capture, 'drop_request', { count: 2 });
    const answer = await shop.move('capture', id);
    expect(answer).toMatchObject(refusal(502, 'gateway_outcome_unknown'));
    expect(answer.headers['retry-after']).toBe('2');
    expect(await shop.read(id)).toMatchObject({ status: 'unknown' });
    await shop.recover();
  });

  it('Contract §1 raw_card_data_forbidden: 400, and the number is not repeated', async () => {
    const number = '4242424242424242';
    const answer = await shop.move('capture', await shop.aHold(), { body: { note: number } });
    expect(answer).toMatchObject(refusal(400, 'raw_card_data_forbidden'));
    expect(answer.text).not.toContain(number);
  });

  it('Contract §1 invalid_query: 400 for unknown fields, operators and sort fields', async () => {
    for (const query of ['color=red', 'status[like]=x', 'sortField=email', 'limit=101', 'page=0']) {
      expect(await shop.ask(`GET /v1/payments?${query}`)).toMatchObject(
        refusal(400, 'invalid_query'),
      );
    }
  });

  it('Contract §1 body_too_large: 413 over 64 kB', async () => {
    const body = { note: 'x'.repeat(65_536) };
    expect(await shop.move('capture', await shop.aHold(), { body })).toMatchObject(
      refusal(413, 'body_too_large'),
    );
  });

  it('Contract §1 authentication_required: 401 with WWW-Authenticate', async () => {
    const answer = await shop.move('capture', newId(), { token: null });
    expect(answer).toMatchObject(refusal(401, 'authentication_required'));
    expect(answer.headers['www-authenticate']).toContain('Basic realm="svc"');
  });

  it('Contract §1 invalid_request: 400 names the field that a refund does not have', async () => {
    const answer = await shop.move('refunds', await shop.aPurchase(), { body: { sum: 5 } });
    expect(answer).toMatchObject(refusal(400, 'invalid_request'));
    expect(JSON.stringify(answer.body.errors)).toContain('sum');
  });

  it('Contract §1 route_not_found, method_not_allowed, unsupported_media_type: 404, 405, 415', async () => {
    expect(await shop.ask('GET /v1/nothing')).toMatchObject(refusal(404, 'route_not_found'));
    const wrong = await shop.ask(`DELETE /v1/payments/${newId()}`);
    expect(wrong).toMatchObject(refusal(405, 'method_not_allowed'));
    expect(wrong.headers.allow).toContain('GET');
    const text = await shop.app.inject({
      method: 'PUT',
      url: `/v1/payments/${newId()}/capture`,
      headers: {
        authorization: shop.token.authorization,
        'content-type': 'text/plain',
        'idempotency-key': newId(),
      },
      payload: '{}',
    });
    expect(text.json()).toMatchObject({ status: 415, code: 'unsupported_media_type' });
  });

  it('Contract §1 amount_precision: 422 for more decimals than the currency has', async () => {
    const id = await shop.aPurchase();
    expect(await shop.move('refunds', id, { body: { amount: 5.001 } })).toMatchObject(
      refusal(422, 'amount_precision'),
    );
  });

  it('Contract §1 refund_amount_exceeds_available: 422, pending refunds count', async () => {
    const { paymentId: id } = await shop.checkout('automatic', refundPends);
    expect(await shop.move('refunds', id, { body: { amount: 15 } })).toMatchObject({ status: 201 });
    expect(await shop.move('refunds', id, { body: { amount: 4.91 } })).toMatchObject(
      refusal(422, 'refund_amount_exceeds_available'),
    );
  });

  it('Contract §1 payment_disputed: 409 while a dispute is open', async () => {
    const id = await shop.aPurchase();
    await shop.control('POST', '/_control/disputes', { intent: await shop.intentOf(id) });
    await shop.hear(id);
    expect(await shop.move('refunds', id, { body: {} })).toMatchObject(
      refusal(409, 'payment_disputed'),
    );
  });
});

describe('Limits', () => {
  it('Spec 8.7: Idempotency-Key required and nonblank, for capture and for cancel', async () => {
    const id = await shop.aHold();
    for (const move of ['capture', 'cancel'] as const) {
      for (const key of [null, '', '   ']) {
        expect(await shop.move(move, id, { key })).toMatchObject(
          refusal(400, 'idempotency_key_required'),
        );
      }
    }
    expect(await shop.movements(id)).toEqual(['authorize']);
  });

  it('Spec 8.8: one capture, of the full amount only', async () => {
    const id = await shop.aHold();
    expect(await shop.move('capture', id, { body: { amount: 19.9 } })).toMatchObject(
      refusal(400, 'partial_capture_not_supported'),
    );
    expect(await shop.move('capture', id)).toMatchObject({
      status: 200,
      body: { amount: 19.9, amountCaptured: 19.9 },
    });
    expect(await shop.move('capture', id)).toMatchObject(refusal(409, 'payment_not_authorized'));
    expect(await shop.movements(id)).toEqual(['authorize', 'capture']);
  });

  it('Spec 8.9: lists report page, limit and total', async () => {
    await shop.aHold();
    for (const list of ['payments', 'products', 'coupons', 'events', 'disputes']) {
      const { status, body } = await shop.ask(`GET /v1/${list}?page=1&limit=2`);
      expect([list, status]).toEqual([list, 200]);
      expect(body).toMatchObject({ page: 1, limit: 2, total: expect.any(Number) });
    }
    expect((await shop.ask('GET /v1/payments')).body).toMatchObject({ page: 1, limit: 20 });
  });
});
