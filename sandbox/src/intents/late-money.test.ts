import type Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bench, createHold, openBench, refusal } from '../../test/sandbox.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.sandbox.close());

const buy = (card: string): Promise<Stripe.PaymentIntent> =>
  bench.stripe.paymentIntents.create({
    amount: 2000,
    currency: 'usd',
    confirm: true,
    allowed_payment_method_types: ['card'],
    payment_method: card,
  });

const typesOf = async (id: string): Promise<string[]> => {
  const events = await bench.stripe.events.list({ limit: 100 });
  return events.data
    .filter((event) => (event.data.object as { id?: string }).id === id)
    .map((event) => event.type as string)
    .reverse();
};

const kindsOf = async (intent: string) =>
  (await bench.control.ledger(intent)).map(({ kind }) => kind);

const reverseCapture = (id: string) =>
  bench.control.post<Stripe.PaymentIntent>(`/intents/${id}/take_back`);

describe('a capture taken back', () => {
  test('the charge fails, the money leaves, the intent asks for another method', async () => {
    const { id, latest_charge: charge } = await createHold(bench);
    await bench.stripe.paymentIntents.capture(id, { amount_to_capture: 700 });
    expect((await reverseCapture(id)).status).toBe('requires_payment_method');
    const shown = await bench.stripe.paymentIntents.retrieve(id, {
      expand: ['latest_charge.failure_balance_transaction'],
    });
    expect(shown).toMatchObject({
      status: 'requires_payment_method',
      amount_received: 0,
      payment_method: null,
      last_payment_error: { type: 'card_error', code: 'card_declined', charge },
      latest_charge: {
        status: 'failed',
        paid: false,
        failure_code: 'card_declined',
        failure_balance_transaction: {
          amount: -700,
          type: 'payment_failure_refund',
          source: charge,
        },
      },
    });
    expect((await bench.control.ledger(id)).at(-1)).toMatchObject({
      kind: 'take_back',
      amount: 700,
      origin: 'automatic',
      idempotencyKey: null,
    });
    expect((await typesOf(String(charge))).at(-1)).toBe('charge.failed');
    expect((await typesOf(id)).at(-1)).toBe('payment_intent.payment_failed');
  });

  test('400 for a hold, a refunded one, a second time; refunds and disputes are refused', async () => {
    const { id } = await createHold(bench);
    await expect(reverseCapture(id)).rejects.toThrow(/^400/);
    await bench.stripe.paymentIntents.capture(id);
    await reverseCapture(id);
    await expect(reverseCapture(id)).rejects.toThrow(/^400/);
    expect((await refusal(bench.stripe.refunds.create({ payment_intent: id }))).code).toBe(
      'charge_not_refundable',
    );
    await expect(bench.control.post('/disputes', { intent: id })).rejects.toThrow(/^400/);
    const refunded = await buy('pm_card_visa');
    await bench.stripe.refunds.create({ payment_intent: refunded.id, amount: 1 });
    await expect(reverseCapture(refunded.id)).rejects.toThrow(/^400/);
    expect(await kindsOf(id)).toEqual(['authorize', 'capture', 'take_back']);
  });
});

describe('a pending refund', () => {
  test('4000 0000 0000 7726: pending, then succeeded by time, announced', async () => {
    const { id } = await buy('pm_card_pendingRefund');
    const refund = await bench.stripe.refunds.create({ payment_intent: id });
    expect(refund).toMatchObject({ status: 'pending', pending_reason: 'processing' });
    expect((await bench.stripe.paymentIntents.retrieve(id)).status).toBe('succeeded');
    await bench.control.advance(5);
    const arrived = await bench.stripe.refunds.retrieve(refund.id, {
      expand: ['balance_transaction'],
    });
    expect(arrived).toMatchObject({
      status: 'succeeded',
      balance_transaction: { amount: -2000, type: 'refund' },
    });
    expect(arrived.pending_reason).toBeUndefined();
    expect(await typesOf(refund.id)).toEqual([
      'refund.created',
      'refund.updated',
      'charge.refund.updated',
    ]);
    expect(await kindsOf(id)).toEqual(['authorize', 'capture', 'refund']);
  });

  test('that fails never succeeds', async () => {
    const { id } = await buy('pm_card_pendingRefund');
    const refund = await bench.stripe.refunds.create({ payment_intent: id, amount: 500 });
    await bench.control.post(`/refunds/${refund.id}/fail`, { reason: 'declined' });
    await bench.control.advance(5);
    expect(await bench.stripe.refunds.retrieve(refund.id)).toMatchObject({
      status: 'failed',
      failure_reason: 'declined',
    });
    await expect(bench.control.post(`/refunds/${refund.id}/succeed`)).rejects.toThrow(/^400/);
  });
});

describe('a refund made by hand', () => {
  test('gives back what it is told or all that is left, and names nobody', async () => {
    const { id } = await buy('pm_card_visa');
    const part = await bench.control.post<Stripe.Refund>(`/intents/${id}/refund`, { amount: 700 });
    expect(part).toMatchObject({ amount: 700, status: 'succeeded', metadata: {} });
    const rest = await bench.control.post<Stripe.Refund>(`/intents/${id}/refund`, {});
    expect(rest.amount).toBe(1300);
    expect(await kindsOf(id)).toEqual(['authorize', 'capture', 'refund', 'refund']);
    expect(await typesOf(rest.id)).toEqual(['refund.created']);
    await expect(bench.control.post(`/intents/${id}/refund`, {})).rejects.toThrow(/^400/);
  });
});

describe('a refund that is failed by hand', () => {
  test('the money is back: balance, charge, ledger, events; once only', async () => {
    const { id, latest_charge: charge } = await buy('pm_card_visa');
    const refund = await bench.stripe.refunds.create({ payment_intent: id });
    expect((await bench.stripe.charges.retrieve(String(charge))).refunded).toBe(true);
    await bench.control.post(`/refunds/${refund.id}/fail`);
    const failed = await bench.stripe.refunds.retrieve(refund.id, {
      expand: ['balance_transaction', 'failure_balance_transaction'],
    });
    expect(failed).toMatchObject({
      status: 'failed',
      failure_reason: 'expired_or_canceled_card',
      balance_transaction: { amount: -2000, type: 'refund' },
      failure_balance_transaction: { amount: 2000, type: 'refund_failure' },
    });
    expect(await bench.stripe.charges.retrieve(String(charge))).toMatchObject({
      refunded: false,
      amount_refunded: 0,
    });
    expect(await kindsOf(id)).toEqual(['authorize', 'capture', 'refund', 'refund_failed']);
    expect(await typesOf(refund.id)).toEqual([
      'refund.created',
      'refund.updated',
      'charge.refund.updated',
      'refund.failed',
    ]);
    await expect(bench.control.post(`/refunds/${refund.id}/fail`)).rejects.toThrow(/^400/);
    await expect(bench.control.post('/refunds/re_none/fail')).rejects.toThrow(/^404/);
    expect((await bench.stripe.refunds.create({ payment_intent: id })).amount).toBe(2000);
  });
});
