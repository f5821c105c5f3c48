// The moves of contract §2 that a slow bank, a lost answer or a late failure brings about, over HTTP: which
// statuses a payment or refund went through. The tests beside the operations show the other moves.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { findPayment } from '../../service/src/storage/payments/payments.ts';
import { cards } from '../../service/test/world.ts';
import { openShop, type Shop } from './shop.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterEach(() => shop.control('DELETE', '/_control/faults'));
afterAll(() => shop?.close());

const slow = { approved: '4000000000008104', declined: '4000000000008112' };
const refundFails = '4000000000005126';
const refundPends = '4000000000007726';
const confirm = { path: '/v1/payment_intents/*/confirm' };
const refund = { path: '/v1/refunds', method: 'POST' };

describe('Contract §2, moves of a purchase', () => {
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

  it('Contract §2 unknown to authorized: a hold whose answer was lost', async () => {
    await shop.fault(confirm, 'drop_reply', { count: 2 });
    await shop.fault({ path: '/v1/payment_intents/*', method: 'GET' }, 'error_503_unrecorded', {
      count: 2,
    });
    const { answer, paymentId } = await shop.checkout('manual');
    expect(answer).toMatchObject({ status: 202, body: { type: 'processing', status: 'unknown' } });
    await shop.control('DELETE', '/_control/faults');
    await shop.recover();
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

  it('Contract §2 authorized to unknown, unknown to voided: a cancel whose answer was lost', async () => {
    const id = await shop.aHold();
    await shop.fault({ path: '/v1/payment_intents/*/cancel' }, 'drop_request', { count: 2 });
    await shop.move('cancel', id);
    await shop.recover();
    expect(await shop.path(id)).toEqual(['pending', 'authorized', 'unknown', 'voided']);
    expect(await shop.types(id)).toEqual(['payment.authorized', 'payment.authorization_voided']);
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
});

describe('Contract §2, moves of a refund', () => {
  it('Contract §2 refund pending to processing, refund processing to succeeded: a refund that pends', async () => {
    const { paymentId } = await shop.checkout('automatic', refundPends);
    const { body } = await shop.move('refunds', paymentId, { body: {} });
    await shop.advance(10);
    await shop.hear(paymentId);
    await shop.recover();
    expect(await shop.path(String(body.id))).toEqual(['pending', 'processing', 'succeeded']);
  });

  it('Contract §2 refund pending to unknown, refund unknown to succeeded: in doubt, and never the purchase', async () => {
    const id = await shop.aPurchase();
    await shop.fault(refund, 'drop_request', { count: 2 });
    expect(await shop.move('refunds', id, { body: {} })).toMatchObject({
      status: 502,
      body: { code: 'gateway_outcome_unknown' },
    });
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
});

async function refundsOf(id: string) {
  const { body } = await shop.ask(`GET /v1/payments?parentPaymentId[eq]=${id}&type[eq]=refund`);
  return body.data as Record<string, unknown>[];
}

async function providerRefund(refundId: string): Promise<string> {
  const row = await findPayment(shop.database, shop.client.id, refundId);
  return row?.providerRefundId ?? '';
}
