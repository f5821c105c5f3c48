// Contract §13: the wallet's orders, captures and refunds, as the wire has them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  approvedOrder,
  capturesOf,
  openWalletBench,
  orderBody,
  type WalletBench,
} from '../../test/wallet.ts';

let bench: WalletBench;
beforeAll(async () => {
  bench = await openWalletBench();
});
afterEach(async () => {
  expect(bench.complaints()).toEqual([]);
  await fetch(`${bench.sandbox.url}/_control/faults`, { method: 'DELETE' });
});
afterAll(() => bench.sandbox.close());

const orders = '/v2/checkout/orders';
const capture = (id: string, key = `k-${id}`, brief = false) =>
  bench.call('POST', `${orders}/${id}/capture`, { key, body: {}, brief });
const effects = async (id: string) =>
  (await bench.control.ledger(id)).map(({ kind, amount }) => [kind, amount]);

describe('an order', () => {
  it('is created, approved by its payer, captured once', async () => {
    const made = await bench.call('POST', orders, {
      key: 'one',
      body: orderBody(
        { custom_id: 'op_1', invoice_id: 'pay_1' },
        { payment_source: { paypal: { experience_context: { return_url: 'http://a/r' } } } },
      ),
    });
    expect(made).toMatchObject({ status: 201, body: { status: 'PAYER_ACTION_REQUIRED' } });
    const id = String(made.body.id);
    expect(await capture(id, 'early')).toMatchObject({ status: 422, issue: 'ORDER_NOT_APPROVED' });
    await bench.control.post(`/wallet/orders/${id}/approve`);
    expect(await bench.call('GET', `${orders}/${id}`)).toMatchObject({
      status: 200,
      body: { status: 'APPROVED', payer: { payer_id: expect.any(String) } },
    });
    const captured = await capture(id);
    expect(captured).toMatchObject({ status: 201, body: { id, status: 'COMPLETED' } });
    expect(capturesOf(captured.body)).toMatchObject([
      { status: 'COMPLETED', custom_id: 'op_1', invoice_id: 'pay_1' },
    ]);
    expect(await capture(id, 'again')).toMatchObject({
      status: 422,
      issue: 'ORDER_ALREADY_CAPTURED',
    });
    const [entry, ...more] = await bench.control.ledger(id);
    expect(entry).toMatchObject({
      kind: 'capture',
      amount: 1990,
      currency: 'eur',
      idempotencyKey: `k-${id}`,
      metadata: { custom_id: 'op_1', invoice_id: 'pay_1' },
    });
    expect(more).toEqual([]);
  });

  it('answers briefly unless the whole is asked for', async () => {
    const { body } = await bench.call('POST', orders, { body: orderBody(), brief: true });
    expect(Object.keys(body).sort()).toEqual(['id', 'links', 'status']);
  });

  it.each([
    ['JPY', '500', 500],
    ['HUF', '500', 500],
    ['TWD', '500', 500],
    ['USD', '5', 500],
    ['USD', '5.5', 550],
  ])('counts %s %s as %i', async (currency_code, value, minor) => {
    const unit = { amount: { currency_code, value } };
    const id = await approvedOrder(bench, 'completes', unit);
    await capture(id);
    expect(await effects(id)).toEqual([['capture', minor]]);
  });

  it.each([
    [{ amount: { currency_code: 'JPY', value: '5.0' } }, 422, 'DECIMAL_PRECISION'],
    [{ amount: { currency_code: 'EUR', value: '5.001' } }, 422, 'DECIMAL_PRECISION'],
    [{ amount: { currency_code: 'EUR', value: '0.00' } }, 422, 'CANNOT_BE_ZERO_OR_NEGATIVE'],
    [{ amount: { currency_code: 'EUR', value: '-1.00' } }, 422, 'CANNOT_BE_ZERO_OR_NEGATIVE'],
    [{ amount: { currency_code: 'KWD', value: '1.000' } }, 422, 'INVALID_CURRENCY_CODE'],
    [{ amount: { currency_code: 'EUR', value: 'ten' } }, 400, 'INVALID_PARAMETER_SYNTAX'],
    [{ amount: { currency_code: 'EUR' } }, 400, 'MISSING_REQUIRED_PARAMETER'],
    [{ custom_id: 'x'.repeat(128) }, 400, 'INVALID_STRING_LENGTH'],
  ])('%j is refused with %i %s', async (unit, status, issue) => {
    const answer = await bench.call('POST', orders, { body: orderBody(unit) });
    expect(answer).toMatchObject({ status, issue });
  });

  it('changes until it is captured, not afterwards', async () => {
    const id = await approvedOrder(bench);
    const path = "/purchase_units/@reference_id=='default'/custom_id";
    const body = [{ op: 'add', path, value: 'changed' }];
    expect(await bench.call('PATCH', `${orders}/${id}`, { body })).toMatchObject({ status: 204 });
    expect(await bench.call('GET', `${orders}/${id}`)).toMatchObject({
      body: { purchase_units: [{ custom_id: 'changed' }] },
    });
    await capture(id);
    const late = await bench.call('PATCH', `${orders}/${id}`, { body });
    expect(late).toMatchObject({ status: 422, issue: 'ORDER_ALREADY_COMPLETED' });
  });

  it('an invoice is paid once', async () => {
    const unit = { invoice_id: 'pay_twice' };
    const first = await approvedOrder(bench, 'completes', unit);
    const second = await approvedOrder(bench, 'completes', unit);
    expect(await capture(first)).toMatchObject({ status: 201 });
    expect(await capture(second)).toMatchObject({ status: 422, issue: 'DUPLICATE_INVOICE_ID' });
    expect(await effects(second)).toEqual([]);
  });

  it('is missing to another account, and after three hours unless it was captured', async () => {
    const other = await openWalletBench({}, undefined);
    const paid = await approvedOrder(other);
    await other.call('POST', `${orders}/${paid}/capture`, { key: 'k', body: {} });
    const open = await approvedOrder(other);
    expect(await bench.call('GET', `${orders}/${open}`)).toMatchObject({
      status: 404,
      issue: 'INVALID_RESOURCE_ID',
    });
    await other.control.advance(3 * 3600);
    expect(await other.call('GET', `${orders}/${open}`)).toMatchObject({ status: 404 });
    expect(await other.call('GET', `${orders}/${paid}`)).toMatchObject({ status: 200 });
    await other.sandbox.close();
  });
});

describe('the request id', () => {
  it('gives the same answer as 200, once it was answered 201, and no second effect', async () => {
    const id = await approvedOrder(bench);
    const first = await capture(id, 'same');
    const second = await capture(id, 'same');
    expect(second).toEqual({ ...first, status: 200 });
    expect(await effects(id)).toHaveLength(1);
  });

  it('does not remember a refusal', async () => {
    const { body } = await bench.call('POST', orders, { body: orderBody() });
    const id = String(body.id);
    expect(await capture(id, 'later')).toMatchObject({ status: 422 });
    await bench.control.post(`/wallet/orders/${id}/approve`);
    expect(await capture(id, 'later')).toMatchObject({ status: 201 });
  });

  it('on another call is another one', async () => {
    const [one, two] = [await approvedOrder(bench), await approvedOrder(bench)];
    for (const id of [one, two]) expect(await capture(id, 'shared')).toMatchObject({ status: 201 });
    expect([...(await effects(one)), ...(await effects(two))]).toHaveLength(2);
  });

  it('is asked for where a payment source is named', async () => {
    const body = orderBody({}, { payment_source: { paypal: {} } });
    const answer = await bench.call('POST', orders, { body });
    expect(answer).toMatchObject({ status: 400, issue: 'PAYPAL_REQUEST_ID_REQUIRED' });
  });

  it('is forgotten after six hours for an order, kept 45 days for a refund', async () => {
    const other = await openWalletBench({ mode: 'unguarded' }, undefined);
    const id = await approvedOrder(other);
    const sendOther = (path: string, key: string) => other.call('POST', path, { key, body: {} });
    const order = await sendOther(`${orders}/${id}/capture`, 'c');
    const [{ id: captureId } = { id: '' }] = capturesOf(order.body);
    const refund = `/v2/payments/captures/${captureId}/refund`;
    await sendOther(refund, 'r');
    await other.control.advance(6 * 3600 + 1);
    await sendOther(`${orders}/${id}/capture`, 'c');
    await sendOther(refund, 'r');
    const kinds = (await other.control.ledger(id)).map(({ kind }) => kind);
    expect(kinds).toEqual(['capture', 'refund', 'capture']);
    await other.sandbox.close();
  });
});

describe('what a payment may meet', () => {
  it('declined: back to its payer, nothing moved', async () => {
    const id = await approvedOrder(bench, 'declined');
    const answer = await capture(id);
    expect(answer).toMatchObject({ status: 422, issue: 'INSTRUMENT_DECLINED' });
    expect(await bench.call('GET', `${orders}/${id}`)).toMatchObject({
      body: { status: 'CREATED' },
    });
    expect(await effects(id)).toEqual([]);
  });

  it.each([
    ['pends', 'COMPLETED', [['capture', 1990]]],
    ['denied', 'DECLINED', []],
  ])('%s: pending, then %s', async (behaviour, status, moved) => {
    const id = await approvedOrder(bench, behaviour);
    const [pending] = capturesOf((await capture(id)).body);
    expect(pending).toMatchObject({ status: 'PENDING' });
    expect(await effects(id)).toEqual([]);
    await bench.control.advance(4);
    const read = await bench.call('GET', `/v2/payments/captures/${String(pending?.id)}`);
    expect(read.body).toMatchObject({
      status,
      supplementary_data: { related_ids: { order_id: id } },
    });
    expect(await effects(id)).toEqual(moved);
  });
});

describe('a refund', () => {
  const refund = (id: string, key: string, body: object = {}) =>
    bench.call('POST', `/v2/payments/captures/${id}/refund`, { key, body });
  const captureOrder = async (behaviour = 'completes') => {
    const order = await approvedOrder(bench, behaviour);
    const [{ id } = { id: '' }] = capturesOf((await capture(order)).body);
    return { order, id };
  };
  const partAmount = (value: string) => ({ amount: { currency_code: 'EUR', value } });

  it('of a part, then of the rest, then of nothing', async () => {
    const { id, order } = await captureOrder();
    const first = await refund(id, 'p1', { ...partAmount('5.00'), custom_id: 'op_2' });
    expect(first).toMatchObject({ status: 201, body: { status: 'COMPLETED', custom_id: 'op_2' } });
    expect(await refund(id, 'p2', partAmount('15.00'))).toMatchObject({
      issue: 'REFUND_AMOUNT_EXCEEDED',
    });
    expect(await refund(id, 'p3')).toMatchObject({ body: { amount: { value: '14.90' } } });
    expect(await refund(id, 'p4')).toMatchObject({ issue: 'CAPTURE_FULLY_REFUNDED' });
    expect(await bench.call('GET', `${orders}/${order}`)).toMatchObject({
      body: { purchase_units: [{ payments: { captures: [{ status: 'REFUNDED' }] } }] },
    });
    expect(await effects(order)).toEqual([
      ['capture', 1990],
      ['refund', 500],
      ['refund', 1490],
    ]);
  });

  it('with the same id is the same refund', async () => {
    const { id, order } = await captureOrder();
    const first = await refund(id, 'twice', partAmount('1.00'));
    expect(await refund(id, 'twice', partAmount('1.00'))).toEqual(first);
    expect(await effects(order)).toHaveLength(2);
  });

  it.each([
    ['refund_pends', 'PENDING', 'COMPLETED', ['capture', 'refund']],
    ['refund_fails', 'COMPLETED', 'FAILED', ['capture', 'refund', 'refund_failed']],
  ])('%s: %s, then %s', async (behaviour, before, after, kinds) => {
    const { id, order } = await captureOrder(behaviour);
    const made = await refund(id, `later-${behaviour}`);
    expect(made.body).toMatchObject({ status: before });
    await bench.control.advance(4);
    const read = await bench.call('GET', `/v2/payments/refunds/${String(made.body.id)}`);
    expect(read.body).toMatchObject({ status: after });
    expect((await effects(order)).map(([kind]) => kind)).toEqual(kinds);
  });

  it('of a pending capture is refused', async () => {
    const { id } = await captureOrder('pends');
    expect(await refund(id, 'too-early')).toMatchObject({ issue: 'PENDING_CAPTURE' });
  });

  it('taken back by the provider shows as a refund, in the ledger as what it is', async () => {
    const { id, order } = await captureOrder();
    await bench.control.post(`/wallet/captures/${id}/reverse`);
    expect((await effects(order)).map(([kind]) => kind)).toEqual(['capture', 'take_back']);
  });
});

describe('a restart', () => {
  it('keeps app, orders, access tokens and what is still to come', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-wallet-'));
    const file = join(folder, 'sandbox.db');
    const first = await openWalletBench({ file });
    const id = await approvedOrder(first, 'pends');
    await first.call('POST', `${orders}/${id}/capture`, { key: 'k', body: {} });
    await first.sandbox.close();
    const second = await openWalletBench({ file });
    expect(second.wallet).toEqual(first.wallet);
    await second.control.advance(4);
    const read = await second.call('GET', `${orders}/${id}`);
    expect(capturesOf(read.body)).toMatchObject([{ status: 'COMPLETED' }]);
    const again = await second.call('POST', `${orders}/${id}/capture`, { key: 'k', body: {} });
    expect(again.status).toBe(200);
    expect(await second.control.ledger(id)).toHaveLength(1);
    await second.sandbox.close();
    rmSync(folder, { recursive: true });
  });
});

describe('faults', () => {
  it.each([
    ['drop_reply', 1],
    ['drop_request', 0],
  ])('%s: the effect is there %i times, and the same id settles it', async (action, count) => {
    const id = await approvedOrder(bench);
    await bench.control.fault({ match: { path: `${orders}/*/capture` }, action });
    await expect(capture(id)).rejects.toThrow();
    expect(await effects(id)).toHaveLength(count);
    expect((await capture(id)).status).toBeLessThan(300);
    expect(await effects(id)).toHaveLength(1);
  });

  it('error_500 is replayed for its id', async () => {
    const id = await approvedOrder(bench);
    await bench.control.fault({ match: { path: `${orders}/*/capture` }, action: 'error_500' });
    expect(await capture(id)).toMatchObject({ status: 500 });
    expect(await capture(id)).toMatchObject({ status: 500 });
    expect(await effects(id)).toEqual([]);
  });

  it('stale_read shows the order before it was captured', async () => {
    const id = await approvedOrder(bench);
    await capture(id);
    await bench.control.fault({ match: { method: 'GET' }, action: 'stale_read' });
    const stale = await bench.call('GET', `${orders}/${id}`);
    expect(stale.body).toMatchObject({ status: 'APPROVED' });
    expect(capturesOf(stale.body)).toEqual([]);
  });

  it('unguarded, every new id captures again', async () => {
    const other = await openWalletBench({ mode: 'unguarded' });
    const id = await approvedOrder(other, 'completes', { invoice_id: 'i' });
    for (const key of ['a', 'b', 'b']) {
      await other.call('POST', `${orders}/${id}/capture`, { key, body: {} });
    }
    expect(await other.control.ledger(id)).toHaveLength(2);
    expect(other.complaints()).toEqual([]);
    await other.sandbox.close();
  });
});
