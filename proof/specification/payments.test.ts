// The payment half of the specification, row by row, over HTTP: database, vault and provider are
// real. A title begins with the row that it shows.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { aClient, aToken, newId } from '../../service/test/harness.ts';
import { aSession, cards } from '../../service/test/world.ts';
import { type Merchant, openMerchant } from './merchant.ts';

let shop: Merchant;
beforeAll(async () => {
  shop = await openMerchant();
});
afterEach(() => shop.control('DELETE', '/_control/faults'));
afterAll(() => shop?.close());

const day = 86_400;
const capture = { path: '/v1/payment_intents/*/capture' };
const cancel = { path: '/v1/payment_intents/*/cancel' };
const refusal = (status: number, code: string, more: object = {}) => ({
  status,
  body: { code, status, requestId: expect.stringMatching(/^req_/), ...more },
});

describe('States and transitions', () => {
  it('Spec 3.1.1: authorized becomes succeeded by PUT capture, told by item.purchased', async () => {
    const id = await shop.aHold();
    expect(await shop.move('capture', id)).toMatchObject({
      status: 200,
      body: { id, status: 'succeeded', amountCaptured: 19.9, authorizationVoidReason: null },
    });
    expect(await shop.types(id)).toEqual(['payment.authorized', 'item.purchased']);
    expect(await shop.movements(id)).toEqual(['authorize', 'capture']);
  });

  it('Spec 3.1.2: a gateway that cannot capture (502) leaves the hold inspectable, told by payment.capture_failed', async () => {
    const id = await shop.aHold();
    await shop.fault(capture, 'decline');
    expect(await shop.move('capture', id)).toMatchObject(
      refusal(502, 'gateway_capture_failed', { retryable: true }),
    );
    expect(await shop.read(id)).toMatchObject({ status: 'authorized', amountCaptured: 0 });
    expect(await shop.types(id)).toEqual(['payment.authorized', 'payment.capture_failed']);
  });

  it('Spec 3.1.3: authorized becomes voided by PUT cancel: hold released, nothing collected, told by payment.authorization_voided', async () => {
    const id = await shop.aHold();
    expect(await shop.move('cancel', id)).toMatchObject({
      status: 200,
      body: { status: 'voided', authorizationVoidReason: 'merchant_requested', amountCaptured: 0 },
    });
    expect(await shop.types(id)).toEqual(['payment.authorized', 'payment.authorization_voided']);
    expect(await shop.movements(id)).toEqual(['authorize', 'void']);
  });

  it('Spec 3.1.4: a hold uncaptured at expiry becomes voided as expired, told by payment.authorization_expired', async () => {
    const id = await shop.aHold();
    await shop.control('POST', `/_control/holds/${await shop.intentOf(id)}/expire`, {});
    await shop.hear(id);
    expect(await shop.read(id)).toMatchObject({
      status: 'voided',
      authorizationVoidReason: 'expired',
      amountCaptured: 0,
    });
    expect(await shop.types(id)).toEqual(['payment.authorized', 'payment.authorization_expired']);
  });

  it('Spec 3.1.5: after cardholder authentication the hold becomes active, told by payment.authorized', async () => {
    const { answer, paymentId } = await shop.checkout('manual', cards.needs3ds);
    expect(answer.body.type).toBe('3ds_required');
    expect(await shop.types(paymentId)).toEqual([]);
    await shop.challenge(answer, 'approve');
    await shop.hear(paymentId);
    await shop.recover();
    expect(await shop.read(paymentId)).toMatchObject({
      status: 'authorized',
      authorizationExpiresAt: expect.stringMatching(/Z$/),
    });
    expect(await shop.types(paymentId)).toEqual(['payment.authorized']);
  });
});

describe('Payments', () => {
  it('Spec 4.2.1: PUT capture takes the full authorisation; its body is optional', async () => {
    const [bare, full] = [await shop.aHold(), await shop.aHold()];
    expect(await shop.move('capture', bare)).toMatchObject({ status: 200 });
    expect(await shop.move('capture', full, { body: { note: 'order 7' } })).toMatchObject({
      status: 200,
      body: { object: 'payment', status: 'succeeded', amount: 19.9, amountCaptured: 19.9 },
    });
  });

  it('Spec 4.2.2: PUT cancel answers 200 with voided, merchant_requested', async () => {
    const id = await shop.aHold();
    expect(await shop.move('cancel', id, { body: {} })).toMatchObject({
      status: 200,
      body: { status: 'voided', authorizationVoidReason: 'merchant_requested' },
    });
  });

  it('Spec 4.2.3: GET /v1/payments pages by email, newest first, with the total', async () => {
    const email = encodeURIComponent('buyer@example.test');
    const [older, newer] = [await shop.aPurchase(), await shop.aPurchase()];
    const list = `GET /v1/payments?email=${email}&sortField=createdAt&sortDirection=DESC` as const;
    const first = await shop.ask(`${list}&page=1&limit=1`);
    expect(first.body).toMatchObject({ data: [{ id: newer }], page: 1, limit: 1 });
    expect(first.body.total).toBeGreaterThanOrEqual(2);
    expect((await shop.ask(`${list}&page=2&limit=1`)).body).toMatchObject({
      data: [{ id: older }],
    });
  });

  it('Spec 4.2 rule 1: the same key and body after a lost answer end in the one outcome', async () => {
    const id = await shop.aHold();
    const key = newId();
    await shop.fault(capture, 'drop_request', { count: 2 });
    expect(await shop.move('capture', id, { key })).toMatchObject(
      refusal(502, 'gateway_outcome_unknown', { retryable: true }),
    );
    expect(await shop.move('capture', id, { key })).toMatchObject({
      status: 200,
      body: { status: 'succeeded' },
    });
    expect(await shop.movements(id)).toEqual(['authorize', 'capture']);
  });

  it('Spec 4.2 rule 2: the same key with another body is 409, and the original operation stays', async () => {
    const id = await shop.aHold();
    const key = newId();
    const first = await shop.move('capture', id, { key, body: { order: 7 } });
    expect(await shop.move('capture', id, { key, body: { order: 8 } })).toMatchObject(
      refusal(409, 'idempotency_key_reused'),
    );
    expect((await shop.move('capture', id, { key, body: { order: 7 } })).text).toBe(first.text);
  });

  it('Spec 4.2 rule 3: a replay is the original outcome byte for byte, and no second capture, also after a refund', async () => {
    const id = await shop.aHold();
    const key = newId();
    const first = await shop.move('capture', id, { key });
    expect(await shop.move('refunds', id, { body: { amount: 5 } })).toMatchObject({ status: 201 });
    const again = await shop.move('capture', id, { key });
    expect(again.text).toBe(first.text);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(await shop.movements(id)).toEqual(['authorize', 'capture', 'refund']);
  });

  it('Spec 4.2 rule 4: a payment is found within the authenticated merchant alone, before the provider is asked', async () => {
    const id = await shop.aHold();
    const stranger = await aToken(shop.database, await aClient(shop.database));
    expect(await shop.move('capture', id, { token: stranger })).toMatchObject(
      refusal(404, 'payment_not_found'),
    );
    expect(await shop.movements(id)).toEqual(['authorize']);
  });
});

describe('Errors of capture and cancel', () => {
  it('Spec 7.1.1: 400 invalid_payment_id, and 400 idempotency_key_required for none or a blank one', async () => {
    expect(await shop.move('capture', 'not-a-uuid')).toMatchObject(
      refusal(400, 'invalid_payment_id'),
    );
    const id = await shop.aHold();
    for (const key of [null, ' ', '\t']) {
      expect(await shop.move('cancel', id, { key })).toMatchObject(
        refusal(400, 'idempotency_key_required'),
      );
    }
    expect(await shop.read(id)).toMatchObject({ status: 'authorized' });
  });

  it('Spec 7.1.2: 403 for a caller who is no owner or admin now', async () => {
    const id = await shop.aHold();
    const member = await aToken(shop.database, shop.client, { role: 'member' });
    for (const move of ['capture', 'cancel', 'refunds'] as const) {
      expect(await shop.move(move, id, { token: member, body: {} })).toMatchObject(
        refusal(403, 'merchant_role_required'),
      );
    }
  });

  it('Spec 7.1.3: 404, the same bytes for a missing and a foreign payment', async () => {
    const id = await shop.aHold();
    const stranger = await aToken(shop.database, await aClient(shop.database));
    const withoutId = ({ text, body, headers }: Awaited<ReturnType<Merchant['move']>>) => ({
      text: text.replace(String(body.requestId), ''),
      names: Object.keys(headers).sort(),
    });
    for (const move of ['capture', 'cancel'] as const) {
      const foreign = await shop.move(move, id, { token: stranger });
      const missing = await shop.move(move, newId(), { token: stranger });
      expect(foreign).toMatchObject(refusal(404, 'payment_not_found'));
      expect(withoutId(foreign)).toEqual(withoutId(missing));
    }
  });

  it('Spec 7.1.4: 409 payment_not_authorized for what is no active hold', async () => {
    const voided = await shop.aHold();
    await shop.move('cancel', voided);
    for (const id of [await shop.aPurchase(), voided]) {
      for (const move of ['capture', 'cancel'] as const) {
        expect(await shop.move(move, id)).toMatchObject(refusal(409, 'payment_not_authorized'));
      }
    }
  });

  it('Spec 7.1.4: 409 payment_operation_in_progress while another operation is active', async () => {
    const id = await shop.aHold();
    const key = newId();
    await shop.fault(capture, 'drop_request', { count: 2 });
    await shop.move('capture', id, { key });
    const other = await shop.move('cancel', id);
    expect(other).toMatchObject(refusal(409, 'payment_operation_in_progress'));
    expect(other.headers['retry-after']).toBe('1');
    expect(await shop.move('capture', id, { key })).toMatchObject({ status: 200 });
  });

  it('Spec 7.1.4: 409 authorization_expired once the hold is over, and no capture is sent', async () => {
    const id = await shop.aHold();
    await shop.advance(7 * day);
    expect(await shop.move('capture', id)).toMatchObject(refusal(409, 'authorization_expired'));
    await shop.advance(60);
    await shop.expire();
    expect(await shop.movements(id)).not.toContain('capture');
    expect(await shop.read(id)).toMatchObject({ authorizationVoidReason: 'expired' });
  });

  it('Spec 7.1.5: 502 on capture emits payment.capture_failed, the same key goes on', async () => {
    const id = await shop.aHold();
    const key = newId();
    await shop.fault(capture, 'decline');
    await shop.move('capture', id, { key });
    const [, failed] = await shop.told(id);
    expect(failed).toMatchObject({
      type: 'payment.capture_failed',
      data: { failure: { code: expect.any(String), attempt: 1 } },
    });
    expect(await shop.move('capture', id, { key })).toMatchObject({ status: 200 });
  });

  it('Spec 7.1.5: 502 on cancel emits nothing, the same key goes on', async () => {
    const id = await shop.aHold();
    const key = newId();
    await shop.fault(cancel, 'error_500');
    expect(await shop.move('cancel', id, { key })).toMatchObject(
      refusal(502, 'gateway_cancel_failed', { retryable: true }),
    );
    expect(await shop.types(id)).toEqual(['payment.authorized']);
    expect(await shop.move('cancel', id, { key })).toMatchObject({
      status: 200,
      body: { status: 'voided' },
    });
  });
});

describe('Events', () => {
  it('Spec 6.1: payment.authorized carries the payment, held and not paid', async () => {
    const [event] = await shop.told(await shop.aHold());
    expect(event).toMatchObject({
      type: 'payment.authorized',
      data: { object: { status: 'authorized', amountCaptured: 0 } },
    });
  });

  it('Spec 6.2: payment.capture_failed: once per definitive answer, never on a replay, never while in doubt', async () => {
    const id = await shop.aHold();
    const key = newId();
    await shop.fault(capture, 'drop_request', { count: 2 });
    await shop.move('capture', id, { key });
    expect(await shop.types(id)).toEqual(['payment.authorized']);
    await shop.fault(capture, 'decline');
    await shop.move('capture', id, { key });
    expect(await shop.types(id)).toEqual(['payment.authorized', 'payment.capture_failed']);
    const paid = await shop.move('capture', id, { key });
    expect((await shop.move('capture', id, { key })).text).toBe(paid.text);
    expect(await shop.types(id)).toEqual([
      'payment.authorized',
      'payment.capture_failed',
      'item.purchased',
    ]);
  });

  it('Spec 6.3: payment.authorization_voided carries the reason', async () => {
    const id = await shop.aHold();
    await shop.move('cancel', id);
    expect((await shop.told(id)).at(-1)).toMatchObject({
      type: 'payment.authorization_voided',
      data: { object: { authorizationVoidReason: 'merchant_requested' } },
    });
  });

  it('Spec 6.4: payment.authorization_expired carries the reason', async () => {
    const id = await shop.aHold();
    await shop.control('POST', `/_control/holds/${await shop.intentOf(id)}/expire`, {});
    await shop.hear(id);
    expect((await shop.told(id)).at(-1)).toMatchObject({
      type: 'payment.authorization_expired',
      data: { object: { authorizationVoidReason: 'expired' } },
    });
  });

  it('Spec 6.5: item.purchased once per payment, by capture and by immediate capture alike', async () => {
    const held = await shop.aHold();
    await shop.move('capture', held);
    for (const id of [held, await shop.aPurchase()]) {
      await shop.hear(id);
      const purchases = (await shop.told(id)).filter(({ type }) => type === 'item.purchased');
      expect(purchases).toMatchObject([{ data: { object: { paymentId: id, amount: 19.9 } } }]);
    }
  });
});

describe('Financial classification', () => {
  it('Spec 2.1 rule 1: a chargeback is positive when withdrawn and negative when reinstated', async () => {
    const { id, rows } = await winDispute();
    expect(rows.map(({ amount }) => amount)).toEqual([19.9, -19.9]);
    expect(await shop.read(id)).toMatchObject({ status: 'succeeded', type: 'purchase' });
  });

  it('Spec 2.1 rule 2: movements are grouped by the provider dispute in metadata, lifecycle notices add none', async () => {
    const { rows } = await winDispute();
    const disputes = new Set(
      rows.map(({ metadata }) => (metadata as Record<string, string>).providerDisputeId),
    );
    expect(disputes.size).toBe(1);
    expect(rows).toHaveLength(2);
    expect(rows.reduce((sum, { amountMinor }) => sum + Number(amountMinor), 0)).toBe(0);
  });

  it('Spec 2.1 rule 3: chargebacks take no part in refund sums', async () => {
    const { id } = await winDispute();
    expect(await shop.read(id)).toMatchObject({ amountRefunded: 0, amountRefundable: 19.9 });
  });

  it('Spec 2.1: financialEffectiveAt is the time of the provider, gatewayChargeId links the rows', async () => {
    const { id, rows } = await winDispute();
    const refund = (await shop.move('refunds', id, { body: { amount: 5 } })).body;
    const purchase = await shop.read(id);
    for (const row of [...rows, refund]) {
      expect(row).toMatchObject({
        parentPaymentId: id,
        gatewayChargeId: purchase.gatewayChargeId,
        financialEffectiveAt: expect.stringMatching(/\.000Z$/),
      });
    }
  });

  async function winDispute() {
    const id = await shop.aPurchase();
    const { intentOf, control } = shop;
    const opened = (await control('POST', '/_control/disputes', {
      intent: await intentOf(id),
    })) as { id: string };
    await shop.hear(id);
    await control('POST', `/_control/disputes/${opened.id}/close`, { outcome: 'won' });
    await shop.hear(id);
    const filter = `parentPaymentId[eq]=${id}&type[eq]=chargeback&sortDirection=ASC`;
    const { body } = await shop.ask(`GET /v1/payments?${filter}`);
    return { id, rows: body.data as Record<string, unknown>[] };
  }
});

describe('Authentication', () => {
  it('Spec 5 rule 1: Client Basic with an active token; anything else is 401', async () => {
    const id = await shop.aHold();
    const revoked = await aToken(shop.database, shop.client, { revokedAt: new Date(0) });
    for (const token of [null, revoked]) {
      expect(await shop.move('capture', id, { token })).toMatchObject(
        refusal(401, 'authentication_required'),
      );
    }
    expect(await shop.move('capture', id)).toMatchObject({ status: 200 });
  });

  it('Spec 5 rule 6: a browser reads with x-checkout-session-token what belongs to its session', async () => {
    const session = await aSession(shop);
    const status = `GET /v1/checkouts/sessions/${session.sessionId}/status` as const;
    const { callAs } = await import('../../service/test/harness.ts');
    const own = await callAs(shop.app, { nonce: session.nonce }, status);
    expect(own.json()).toMatchObject({ data: { uuid: session.sessionId } });
    const other = await callAs(shop.app, { nonce: (await aSession(shop)).nonce }, status);
    expect(other.statusCode).toBe(404);
  });
});
