import type Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bench, createHold, openBench, refusal } from '../../test/sandbox.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.sandbox.close());

const buy = (card = 'pm_card_visa', amount = 2000): Promise<Stripe.PaymentIntent> =>
  bench.stripe.paymentIntents.create({
    amount,
    currency: 'usd',
    confirm: true,
    allowed_payment_method_types: ['card'],
    payment_method: card,
  });

const dispute = async (intent: string, more: object = {}): Promise<Stripe.Dispute> =>
  bench.control.post('/disputes', { intent, ...more });

const step = (id: string, name: string, body: object = {}): Promise<Stripe.Dispute> =>
  bench.control.post(`/disputes/${id}/${name}`, body);

const chargeOf = (intent: Stripe.PaymentIntent) =>
  bench.stripe.charges.retrieve(String(intent.latest_charge));

/** What happened to the object, oldest first. */
const eventsOf = async (id: string): Promise<Stripe.Event[]> => {
  const events = await bench.stripe.events.list({ limit: 100 });
  return events.data.filter((event) => (event.data.object as { id?: string }).id === id).reverse();
};

const typesOf = async (id: string): Promise<string[]> =>
  (await eventsOf(id)).map((event) => event.type.replace('charge.dispute.', ''));

const listMoved = async (intent: string) =>
  (await bench.control.ledger(intent))
    .filter(({ kind }) => kind.startsWith('dispute_'))
    .map(({ kind, amount, object }) => [kind, amount, object]);

describe('a chargeback', () => {
  test('takes the money with the provider sign, its fee apart', async () => {
    const intent = await buy();
    const { id } = await dispute(intent.id, { reason: 'product_not_received' });
    const shown = await bench.stripe.disputes.retrieve(id, { expand: ['charge'] });
    expect(shown).toMatchObject({
      object: 'dispute',
      amount: 2000,
      currency: 'usd',
      status: 'needs_response',
      reason: 'product_not_received',
      payment_intent: intent.id,
      charge: { id: intent.latest_charge, disputed: true },
      is_charge_refundable: false,
      payment_method_details: { card: { case_type: 'chargeback', network_reason_code: '13.1' } },
      balance_transactions: [
        {
          amount: -2000,
          fee: 1500,
          net: -3500,
          type: 'adjustment',
          reporting_category: 'dispute',
          source: id,
          fee_details: [{ amount: 1500, description: 'Dispute fee' }],
        },
      ],
    });
    const [booked] = shown.balance_transactions;
    expect(await bench.stripe.balanceTransactions.retrieve(booked?.id ?? '')).toEqual(
      expect.objectContaining({ amount: -2000, created: booked?.created }),
    );
    expect(await typesOf(id)).toEqual(['created', 'funds_withdrawn']);
    expect(await listMoved(intent.id)).toEqual([['dispute_withdrawn', 2000, id]]);
  });

  test('won: the money comes back, no fee with it, and the charge can be refunded', async () => {
    const intent = await buy();
    const { id } = await dispute(intent.id);
    const won = await step(id, 'close', { outcome: 'won' });
    expect(won.status).toBe('won');
    expect(won.balance_transactions.map(({ amount, fee, net }) => [amount, fee, net])).toEqual([
      [-2000, 1500, -3500],
      [2000, 0, 2000],
    ]);
    expect((await typesOf(id)).sort()).toEqual([
      'closed',
      'created',
      'funds_reinstated',
      'funds_withdrawn',
    ]);
    expect(await listMoved(intent.id)).toEqual([
      ['dispute_withdrawn', 2000, id],
      ['dispute_reinstated', 2000, id],
    ]);
    expect((await chargeOf(intent)).disputed).toBe(true);
    expect((await bench.stripe.refunds.create({ payment_intent: intent.id })).amount).toBe(2000);
  });

  test('lost: nothing moves, and refunds stay refused as charge_disputed', async () => {
    const intent = await buy();
    const { id } = await dispute(intent.id);
    const refund = () => bench.stripe.refunds.create({ payment_intent: intent.id });
    expect(await refusal(refund())).toMatchObject({ statusCode: 400, code: 'charge_disputed' });
    expect((await step(id, 'close', { outcome: 'lost' })).status).toBe('lost');
    expect(await typesOf(id)).toEqual(['created', 'funds_withdrawn', 'closed']);
    expect((await refusal(refund())).code).toBe('charge_disputed');
    expect(await listMoved(intent.id)).toHaveLength(1);
    await expect(step(id, 'close', { outcome: 'won' })).rejects.toThrow(/^400 .*already closed/);
  });

  test('over a part, several in sequence: never more than was captured', async () => {
    const intent = await buy('pm_card_visa', 1000);
    const first = await dispute(intent.id, { amount: 600 });
    await expect(dispute(intent.id, { amount: 401 })).rejects.toThrow(/^400 .*at most 400/);
    await step(first.id, 'close', { outcome: 'won' });
    const second = await dispute(intent.id, { amount: 700 });
    await step(second.id, 'close', { outcome: 'lost' });
    const third = await dispute(intent.id);
    expect(third.amount).toBe(300);
    await expect(dispute(intent.id)).rejects.toThrow(/^400/);
    expect(await listMoved(intent.id)).toEqual([
      ['dispute_withdrawn', 600, first.id],
      ['dispute_reinstated', 600, first.id],
      ['dispute_withdrawn', 700, second.id],
      ['dispute_withdrawn', 300, third.id],
    ]);
    const listed = await bench.stripe.disputes.list({ payment_intent: intent.id });
    expect(listed.data.map(({ id }) => id)).toEqual([third.id, second.id, first.id]);
    const charge = String(intent.latest_charge);
    expect((await bench.stripe.disputes.list({ charge, limit: 1 })).has_more).toBe(true);
  });

  test('takes what is not refunded, and a pending refund fails with it', async () => {
    const intent = await buy('pm_card_visa', 1000);
    await bench.stripe.refunds.create({ payment_intent: intent.id, amount: 300 });
    expect((await dispute(intent.id)).amount).toBe(700);
    const other = await buy('pm_card_pendingRefund', 1000);
    const refund = await bench.stripe.refunds.create({ payment_intent: other.id });
    expect(refund.status).toBe('pending');
    expect((await dispute(other.id)).amount).toBe(1000);
    expect(await bench.stripe.refunds.retrieve(refund.id)).toMatchObject({
      status: 'failed',
      failure_reason: 'charge_for_pending_refund_disputed',
    });
  });

  test('moves money and lifecycle apart, in parts and again, when asked to', async () => {
    const intent = await buy();
    const { id, balance_transactions: none } = await dispute(intent.id, { movesFunds: false });
    expect(none).toEqual([]);
    await step(id, 'withdraw', { amount: 500 });
    await step(id, 'withdraw');
    await expect(step(id, 'withdraw')).rejects.toThrow(/^400/);
    await step(id, 'close', { outcome: 'won', movesFunds: false });
    expect(await typesOf(id)).toEqual(['created', 'funds_withdrawn', 'funds_withdrawn', 'closed']);
    await step(id, 'reinstate', { amount: 1999 });
    await expect(step(id, 'reinstate', { amount: 2 })).rejects.toThrow(/^400 .*at most 1/);
    await step(id, 'withdraw', { amount: 1999 });
    const last = await step(id, 'reinstate');
    expect(last.balance_transactions.map(({ amount }) => amount)).toEqual([
      -500, -1500, 1999, -1999, 2000,
    ]);
    expect(last.status).toBe('won');
  });
});

describe('an inquiry', () => {
  const openInquiry = (intent: string) => dispute(intent, { status: 'warning_needs_response' });

  test('moves no money, leaves refunds possible, and closes as warning_closed', async () => {
    const intent = await buy();
    const opened = await openInquiry(intent.id);
    expect(opened).toMatchObject({
      status: 'warning_needs_response',
      balance_transactions: [],
      is_charge_refundable: true,
      payment_method_details: { card: { case_type: 'inquiry' } },
    });
    await expect(step(opened.id, 'close', { outcome: 'lost' })).rejects.toThrow(/^400/);
    await bench.stripe.refunds.create({ payment_intent: intent.id, amount: 1 });
    await step(opened.id, 'close', { outcome: 'warning_closed' });
    expect(await typesOf(opened.id)).toEqual(['created', 'closed']);
    expect(await listMoved(intent.id)).toEqual([]);
  });

  test('a full refund closes it, in parts too, and a part of one leaves it open', async () => {
    const intent = await buy();
    const opened = await openInquiry(intent.id);
    const shown = async () => (await bench.stripe.disputes.retrieve(opened.id)).status;
    await bench.stripe.refunds.create({ payment_intent: intent.id, amount: 1 });
    expect(await shown()).toBe('warning_needs_response');
    await bench.stripe.refunds.create({ payment_intent: intent.id });
    expect(await shown()).toBe('warning_closed');
    expect(await typesOf(opened.id)).toEqual(['created', 'closed']);
    expect(await listMoved(intent.id)).toEqual([]);
  });

  test('becomes a chargeback when the money is withdrawn', async () => {
    const intent = await buy();
    const { id } = await openInquiry(intent.id);
    const after = await step(id, 'withdraw');
    expect(after).toMatchObject({
      status: 'needs_response',
      is_charge_refundable: false,
      payment_method_details: { card: { case_type: 'chargeback' } },
    });
    expect(await typesOf(id)).toEqual(['created', 'updated', 'funds_withdrawn']);
    expect(await listMoved(intent.id)).toEqual([['dispute_withdrawn', 2000, id]]);
    expect((await refusal(bench.stripe.refunds.create({ payment_intent: intent.id }))).code).toBe(
      'charge_disputed',
    );
  });
});

describe('evidence', () => {
  test('is staged, then submitted: lifecycle only, with what changed', async () => {
    const intent = await buy();
    const { id } = await dispute(intent.id);
    const staged = await bench.stripe.disputes.update(id, {
      evidence: { customer_name: 'Ada', uncategorized_text: 'delivered' },
      submit: false,
      metadata: { case: '7' },
    });
    expect(staged).toMatchObject({
      status: 'needs_response',
      metadata: { case: '7' },
      evidence: { customer_name: 'Ada' },
      evidence_details: { has_evidence: true, submission_count: 0 },
    });
    const sent = await bench.stripe.disputes.update(id, { submit: true });
    expect(sent).toMatchObject({
      status: 'under_review',
      evidence_details: { submission_count: 1, submission_method: 'manual', past_due: false },
    });
    const again = bench.stripe.disputes.update(id, { evidence: { receipt: 'file_1' } });
    expect((await refusal(again)).message).toContain('already been submitted');
    expect(await typesOf(id)).toEqual(['created', 'funds_withdrawn', 'updated', 'updated']);
    const last = (await eventsOf(id)).at(-1);
    expect(last?.data.previous_attributes).toMatchObject({ status: 'needs_response' });
    expect(await listMoved(intent.id)).toHaveLength(1);
    const unknown = { evidence: { custmer_name: 'x' } as object };
    expect((await refusal(bench.stripe.disputes.update(id, unknown))).code).toBe(
      'parameter_unknown',
    );
  });

  test('past due when it is handed in too late', async () => {
    const intent = await buy();
    const { id } = await dispute(intent.id);
    await bench.control.advance(10 * 86_400);
    expect((await step(id, 'evidence')).evidence_details.past_due).toBe(true);
  });

  test.each([
    ['winning_evidence', 'won', ['dispute_withdrawn', 'dispute_reinstated']],
    ['losing_evidence', 'lost', ['dispute_withdrawn']],
  ])('%s decides: %s', async (words, status, kinds) => {
    const intent = await buy();
    const { id } = await dispute(intent.id);
    await bench.stripe.disputes.update(id, { evidence: { uncategorized_text: words } });
    await bench.control.advance(5);
    expect((await bench.stripe.disputes.retrieve(id)).status).toBe(status);
    expect((await listMoved(intent.id)).map(([kind]) => kind)).toEqual(kinds);
  });

  test('escalate_inquiry_evidence: the question becomes a chargeback', async () => {
    const intent = await buy('pm_card_createDisputeInquiry');
    await bench.control.advance(5);
    const [opened] = (await bench.stripe.disputes.list({ payment_intent: intent.id })).data;
    expect(opened).toMatchObject({ status: 'warning_needs_response', balance_transactions: [] });
    await step(opened?.id ?? '', 'evidence', { text: 'escalate_inquiry_evidence' });
    await bench.control.advance(5);
    expect(await listMoved(intent.id)).toEqual([['dispute_withdrawn', 2000, opened?.id]]);
  });
});

describe('test cards', () => {
  test.each([
    ['createDispute', 'fraudulent', 'needs_response', -2000],
    ['createDisputeProductNotReceived', 'product_not_received', 'needs_response', -2000],
    ['createDisputeInquiry', 'fraudulent', 'warning_needs_response', undefined],
  ])('pm_card_%s: %s, %s, moved %s', async (card, reason, status, amount) => {
    const intent = await buy(`pm_card_${card}`);
    await bench.control.advance(5);
    const [opened] = (await bench.stripe.disputes.list({ payment_intent: intent.id })).data;
    expect(opened).toMatchObject({ reason, status, amount: 2000 });
    expect(opened?.balance_transactions[0]?.amount).toBe(amount);
    expect((await chargeOf(intent)).disputed).toBe(true);
  });
});

describe('the API', () => {
  test('close accepts it as lost; the money stays away; 400 the second time', async () => {
    const intent = await buy();
    const { id } = await dispute(intent.id);
    expect((await bench.stripe.disputes.close(id)).status).toBe('lost');
    const error = await refusal(bench.stripe.disputes.close(id));
    expect([error.statusCode, error.message]).toEqual([400, 'This dispute is already closed']);
    expect(await listMoved(intent.id)).toHaveLength(1);
  });

  test('404 resource_missing for another account', async () => {
    const intent = await buy();
    const { id } = await dispute(intent.id);
    const other = await bench.control.post<{ secretKey: string }>('/accounts', { name: 'other' });
    const asked = await fetch(`${bench.sandbox.url}/v1/disputes/${id}`, {
      headers: { authorization: `Bearer ${other.secretKey}` },
    });
    expect(asked.status).toBe(404);
  });

  test('400 for a hold: there is nothing to dispute', async () => {
    const { id } = await createHold(bench);
    await expect(dispute(id)).rejects.toThrow(/^400 .*not been paid/);
  });

  test.each([
    {},
    { intent: 'pi_1', charge: 'ch_1' },
    { charge: 'ch_none' },
    { charge: 'ch_none', reason: 'rudeness' },
    { charge: 'ch_none', status: 'won' },
  ])('control refuses %j', async (body) => {
    await expect(bench.control.post('/disputes', body)).rejects.toThrow(/^4\d\d/);
  });
});
