// Every move of contract §2 among the statuses of purchases, refunds and chargebacks, over HTTP; and the
// limits of the specification. A title begins with the place that it shows.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { findPayment } from '../../service/src/storage/payments/payments.ts';
import { cards } from '../../service/test/world.ts';
import { type Merchant, openMerchant } from './merchant.ts';

let shop: Merchant;
beforeAll(async () => {
  shop = await openMerchant();
});
afterEach(() => shop.control('DELETE', '/_control/faults'));
afterAll(() => shop?.close());

const slow = { approved: '4000000000008104', declined: '4000000000008112' };
const refundFails = '4000000000005126';
const refundPends = '4000000000007726';
const confirm = { path: '/v1/payment_intents/*/confirm' };
const refund = { path: '/v1/refunds', method: 'POST' };
const refusal = (status: number, code: string) => ({ status, body: { code, status } });

describe('Contract §2, moves of a purchase', () => {
  it('Contract §2 pending to authorized: a hold', async () => {
    expect(await shop.path(await shop.aHold())).toEqual(['pending', 'authorized']);
  });

  it('Contract §2 pending to succeeded: an immediate capture', async () => {
    expect(await shop.path(await shop.aPurchase())).toEqual(['pending', 'succeeded']);
  });

  it('Contract §2 pending to failed: a decline ends its payment, the session reopens for a new one', async () => {
    const { session, answer, paymentId } = await shop.checkout('manual', cards.declined);
    expect(answer).toMatchObject(refusal(402, 'card_declined'));
    const [failed] = await paymentsOf(session.sessionId);
    expect(await shop.path(String(failed?.id))).toEqual(['pending', 'failed']);
    const again = await shop.process(session, cards.approved);
    expect(again).toMatchObject({ status: 200, body: { type: 'success' } });
    expect(again.body.paymentId).not.toBe(failed?.id);
    expect(paymentId).toBe('undefined');
  });

  it('Contract §2 pending to processing, processing to succeeded: a bank that takes its time', async () => {
    const { answer, paymentId } = await shop.checkout('automatic', slow.approved);
    expect(answer).toMatchObject({ status: 202, body: { type: 'processing' } });
    await shop.advance(3);
    await shop.recover();
    expect(await shop.path(paymentId)).toEqual(['pending', 'processing', 'succeeded']);
    expect(await shop.types(paymentId)).toEqual(['item.purchased']);
  });

  it('Contract §2 processing to authorized: the same for a hold', async () => {
    const { paymentId } = await shop.checkout('manual', slow.approved);
    await shop.advance(3);
    await shop.recover();
    expect(await shop.path(paymentId)).toEqual(['pending', 'processing', 'authorized']);
  });

  it('Contract §2 processing to failed: the bank declines after all', async () => {
    const { paymentId } = await shop.checkout('automatic', slow.declined);
    await shop.advance(3);
    await shop.recover();
    expect(await shop.path(paymentId)).toEqual(['pending', 'processing', 'failed']);
    expect(await shop.types(paymentId)).toEqual(['payment.failed']);
    expect(await shop.read(paymentId)).toMatchObject({
      failureCode: 'declined',
      declineCode: 'generic_decline',
    });
  });

  it('Contract §2 processing to unknown: the answer was lost after that, and found later', async () => {
    const { paymentId } = await shop.checkout('automatic', slow.approved);
    await shop.fault(confirm, 'error_503_unrecorded', { count: 2 });
    await shop.fault({ path: '/v1/payment_intents/*', method: 'GET' }, 'error_503_unrecorded', {
      count: 2,
    });
    await shop.recover();
    await shop.control('DELETE', '/_control/faults');
    expect(await shop.path(paymentId)).toEqual(['pending', 'processing', 'unknown']);
    await shop.advance(3);
    await shop.recover();
    expect(await shop.path(paymentId)).toEqual(['pending', 'processing', 'unknown', 'succeeded']);
  });

  it('Contract §2 pending to unknown, unknown to succeeded: an attempt whose answer was lost', async () => {
    const paymentId = await aLostAttempt('automatic');
    expect(await shop.path(paymentId)).toEqual(['pending', 'unknown', 'succeeded']);
    expect(await shop.movements(paymentId)).toEqual(['authorize', 'capture']);
  });

  it('Contract §2 unknown to authorized: the same for a hold', async () => {
    const paymentId = await aLostAttempt('manual');
    expect(await shop.path(paymentId)).toEqual(['pending', 'unknown', 'authorized']);
    expect(await shop.types(paymentId)).toEqual(['payment.authorized']);
  });

  it('Contract §2 unknown to failed: an attempt in doubt that was declined', async () => {
    await shop.fault(confirm, 'drop_request', { count: 2 });
    const { paymentId } = await shop.checkout('automatic', cards.declined);
    await shop.recover();
    expect(await shop.path(paymentId)).toEqual(['pending', 'unknown', 'failed']);
    expect(await shop.movements(paymentId)).toEqual([]);
  });

  it('Contract §2 authorized to succeeded: a capture', async () => {
    const id = await shop.aHold();
    await shop.move('capture', id);
    expect(await shop.path(id)).toEqual(['pending', 'authorized', 'succeeded']);
  });

  it('Contract §2 authorized to voided: a cancel, and a cancellation at the provider as provider_canceled', async () => {
    const [ours, theirs] = [await shop.aHold(), await shop.aHold()];
    await shop.move('cancel', ours);
    await shop.byHand(theirs, 'cancel');
    await shop.hear(theirs);
    for (const id of [ours, theirs]) {
      expect(await shop.path(id)).toEqual(['pending', 'authorized', 'voided']);
    }
    expect((await shop.told(theirs)).at(-1)).toMatchObject({
      type: 'payment.authorization_voided',
      data: { object: { authorizationVoidReason: 'provider_canceled' } },
    });
  });

  it('Contract §2 authorized to unknown, unknown to voided: a cancel whose answer was lost', async () => {
    const id = await shop.aHold();
    await shop.fault({ path: '/v1/payment_intents/*/cancel' }, 'drop_request', { count: 2 });
    await shop.move('cancel', id);
    await shop.recover();
    expect(await shop.path(id)).toEqual(['pending', 'authorized', 'unknown', 'voided']);
    expect(await shop.types(id)).toEqual(['payment.authorized', 'payment.authorization_voided']);
  });

  it('Contract §2 succeeded to partially_refunded, partially_refunded to refunded: refunds in parts', async () => {
    const id = await shop.aPurchase();
    await shop.move('refunds', id, { body: { amount: 5 } });
    await shop.move('refunds', id, { body: {} });
    expect(await shop.path(id)).toEqual(['pending', 'succeeded', 'partially_refunded', 'refunded']);
    expect(await shop.read(id)).toMatchObject({ amountRefunded: 19.9, amountRefundable: 0 });
  });

  it('Contract §2 succeeded to refunded, refunded to succeeded: a full refund that fails later', async () => {
    const { paymentId: id } = await shop.checkout('automatic', refundFails);
    const { body } = await shop.move('refunds', id, { body: {} });
    await failLater(id, String(body.id));
    expect(await shop.path(id)).toEqual(['pending', 'succeeded', 'refunded', 'succeeded']);
    expect(await shop.path(String(body.id))).toEqual(['pending', 'succeeded', 'refund_failed']);
    expect(await shop.read(id)).toMatchObject({ amountRefunded: 0, amountRefundable: 19.9 });
  });

  it('Contract §2 refunded to partially_refunded, partially_refunded to succeeded: parts that fail later', async () => {
    const { paymentId: id } = await shop.checkout('automatic', refundFails);
    await shop.move('refunds', id, { body: { amount: 5 } });
    await shop.move('refunds', id, { body: {} });
    await shop.advance(10);
    await shop.hear(id);
    await shop.recover();
    const path = await shop.path(id);
    expect(path.slice(0, 4)).toEqual(['pending', 'succeeded', 'partially_refunded', 'refunded']);
    expect(path.slice(4)).toEqual(['partially_refunded', 'succeeded']);
  });

  it('Contract §2 succeeded to unknown, unknown to failed: a capture taken back later, told by payment.capture_failed', async () => {
    const id = await shop.aPurchase();
    await shop.byHand(id, 'take_back');
    await shop.hear(id);
    await shop.recover();
    expect(await shop.path(id)).toEqual(['pending', 'succeeded', 'unknown', 'failed']);
    expect(await shop.types(id)).toEqual(['item.purchased', 'payment.capture_failed']);
  });

  it('Contract §2 failed and voided end: no operation starts on them', async () => {
    const id = await shop.aHold();
    await shop.move('cancel', id);
    for (const move of ['capture', 'cancel'] as const) {
      expect(await shop.move(move, id)).toMatchObject(refusal(409, 'payment_not_authorized'));
    }
    expect(await shop.move('refunds', id, { body: {} })).toMatchObject({ status: 422 });
  });

  async function aLostAttempt(captureMethod: 'automatic' | 'manual'): Promise<string> {
    await shop.fault(confirm, 'drop_reply', { count: 2 });
    await shop.fault({ path: '/v1/payment_intents/*', method: 'GET' }, 'error_503_unrecorded', {
      count: 2,
    });
    const { answer, paymentId } = await shop.checkout(captureMethod);
    expect(answer).toMatchObject({ status: 202, body: { type: 'processing', status: 'unknown' } });
    await shop.control('DELETE', '/_control/faults');
    await shop.recover();
    return paymentId;
  }
});

describe('Contract §2, moves of refunds and chargebacks', () => {
  it('Contract §2 refund pending to succeeded, told by refund.created and refund.succeeded', async () => {
    const { body } = await shop.move('refunds', await shop.aPurchase(), { body: {} });
    expect(body).toMatchObject({ type: 'refund', status: 'succeeded', amount: 19.9 });
    expect(await shop.path(String(body.id))).toEqual(['pending', 'succeeded']);
    expect(await shop.types(String(body.id))).toEqual(['refund.created', 'refund.succeeded']);
  });

  it('Contract §2 refund pending to processing, refund processing to succeeded: a refund that pends', async () => {
    const { paymentId } = await shop.checkout('automatic', refundPends);
    const { body } = await shop.move('refunds', paymentId, { body: {} });
    await shop.advance(10);
    await shop.hear(paymentId);
    await shop.recover();
    expect(await shop.path(String(body.id))).toEqual(['pending', 'processing', 'succeeded']);
  });

  it('Contract §2 refund pending to refund_failed: refused by the provider, the purchase unchanged', async () => {
    const id = await shop.aPurchase();
    await shop.fault(refund, 'decline');
    const { status, body } = await shop.move('refunds', id, { body: {} });
    expect({ status, body }).toMatchObject({ status: 201, body: { status: 'refund_failed' } });
    expect(await shop.path(String(body.id))).toEqual(['pending', 'refund_failed']);
    expect(await shop.path(id)).toEqual(['pending', 'succeeded']);
  });

  it('Contract §2 refund pending to unknown, refund unknown to succeeded: in doubt, and never the purchase', async () => {
    const id = await shop.aPurchase();
    await shop.fault(refund, 'drop_request', { count: 2 });
    expect(await shop.move('refunds', id, { body: {} })).toMatchObject(
      refusal(502, 'gateway_outcome_unknown'),
    );
    await shop.recover();
    const [row] = await refundsOf(id);
    expect(await shop.path(String(row?.id))).toEqual(['pending', 'unknown', 'succeeded']);
    expect(await shop.path(id)).not.toContain('unknown');
  });

  it('Contract §2 refund processing to refund_failed: a refund that pends and then fails', async () => {
    const { paymentId } = await shop.checkout('automatic', refundPends);
    const { body } = await shop.move('refunds', paymentId, { body: {} });
    await shop.control(
      'POST',
      `/_control/refunds/${await providerRefund(String(body.id))}/fail`,
      {},
    );
    await shop.hear(paymentId);
    await shop.recover();
    expect(await shop.path(String(body.id))).toEqual(['pending', 'processing', 'refund_failed']);
    expect(await shop.path(paymentId)).toEqual(['pending', 'succeeded']);
  });

  it('Contract §2 refund unknown to refund_failed: in doubt, and refused in the end', async () => {
    const id = await shop.aPurchase();
    await shop.fault(refund, 'drop_request', { count: 2 });
    await shop.move('refunds', id, { body: {} });
    await shop.fault(refund, 'decline');
    await shop.recover();
    const [row] = await refundsOf(id);
    expect(await shop.path(String(row?.id))).toEqual(['pending', 'unknown', 'refund_failed']);
    expect(await shop.read(id)).toMatchObject({ status: 'succeeded', amountRefundable: 19.9 });
  });

  it('Contract §2 refund succeeded to refund_failed: told by refund.failed', async () => {
    const { paymentId } = await shop.checkout('automatic', refundFails);
    const { body } = await shop.move('refunds', paymentId, { body: {} });
    await failLater(paymentId, String(body.id));
    expect((await shop.types(String(body.id))).at(-1)).toBe('refund.failed');
  });

  it('Contract §2 chargeback rows are inserted succeeded and never move, nor the purchase with them', async () => {
    const id = await shop.aPurchase();
    await shop.control('POST', '/_control/disputes', { intent: await shop.intentOf(id) });
    await shop.hear(id);
    const { body } = await shop.ask(
      `GET /v1/payments?parentPaymentId[eq]=${id}&type[eq]=chargeback`,
    );
    const [row] = body.data as { id: string }[];
    expect(await shop.path(String(row?.id))).toEqual(['succeeded']);
    expect(await shop.read(id)).toMatchObject({ status: 'succeeded', amountRefunded: 0 });
  });
});

async function paymentsOf(sessionId: string) {
  const { body } = await shop.ask(`GET /v1/payments?sessionId[eq]=${sessionId}`);
  return body.data as Record<string, unknown>[];
}

async function refundsOf(id: string) {
  const { body } = await shop.ask(`GET /v1/payments?parentPaymentId[eq]=${id}&type[eq]=refund`);
  return body.data as Record<string, unknown>[];
}

async function providerRefund(refundId: string): Promise<string> {
  const row = await findPayment(shop.database, shop.client.id, refundId);
  return row?.providerRefundId ?? '';
}

async function failLater(paymentId: string, refundId: string): Promise<void> {
  expect(await shop.path(refundId)).toEqual(['pending', 'succeeded']);
  await shop.advance(10);
  await shop.hear(paymentId);
  await shop.recover();
}

describe('Contract §1, codes', () => {
  it('Contract §1 partial_capture_not_supported: 400 for amount and amountToCapture', async () => {
    const id = await shop.aHold();
    for (const body of [{ amount: 5 }, { amountToCapture: 19.9 }]) {
      expect(await shop.move('capture', id, { body })).toMatchObject(
        refusal(400, 'partial_capture_not_supported'),
      );
    }
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
