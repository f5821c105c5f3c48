import type Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bench, openBench, refusal } from '../../test/sandbox.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.sandbox.close());

const buy = (card = 'pm_card_visa'): Promise<Stripe.PaymentIntent> =>
  bench.stripe.paymentIntents.create({
    amount: 2000,
    currency: 'usd',
    confirm: true,
    allowed_payment_method_types: ['card'],
    payment_method: card,
  });

const typesAbout = async (id: string): Promise<string[]> => {
  const { data } = await bench.stripe.events.list({ limit: 100 });
  return data
    .filter((event) => (event.data.object as { id?: string }).id === id)
    .map(({ type }) => type)
    .reverse();
};

const warn = (intent: string, more: object = {}): Promise<Stripe.Radar.EarlyFraudWarning> =>
  bench.control.post('/fraud-warnings', { intent, ...more });

describe('an early fraud warning', () => {
  test('names charge and intent; a full refund ends what can be done', async () => {
    const intent = await buy();
    const { id } = await warn(intent.id, { fraudType: 'misc' });
    expect(await bench.stripe.radar.earlyFraudWarnings.retrieve(id)).toMatchObject({
      object: 'radar.early_fraud_warning',
      actionable: true,
      charge: intent.latest_charge,
      payment_intent: intent.id,
      fraud_type: 'misc',
      livemode: false,
    });
    await bench.stripe.refunds.create({ payment_intent: intent.id, amount: 500 });
    expect(await typesAbout(id)).toEqual(['radar.early_fraud_warning.created']);
    await bench.stripe.refunds.create({ payment_intent: intent.id });
    expect((await bench.stripe.radar.earlyFraudWarnings.retrieve(id)).actionable).toBe(false);
    expect(await typesAbout(id)).toEqual([
      'radar.early_fraud_warning.created',
      'radar.early_fraud_warning.updated',
    ]);
  });

  test('a dispute ends it too; the list is of one intent', async () => {
    const intent = await buy();
    const { id } = await warn(intent.id);
    await bench.control.post('/disputes', { intent: intent.id });
    const { data } = await bench.stripe.radar.earlyFraudWarnings.list({
      payment_intent: intent.id,
    });
    expect(data.map((one) => [one.id, one.actionable])).toEqual([[id, false]]);
  });

  test('pm_card_createIssuerFraudRecord: charged, then warned of', async () => {
    const intent = await buy('pm_card_createIssuerFraudRecord');
    await bench.control.advance(1);
    const { data } = await bench.stripe.radar.earlyFraudWarnings.list({
      charge: String(intent.latest_charge),
    });
    expect(data).toMatchObject([{ fraud_type: 'made_with_stolen_card', actionable: true }]);
  });
});

describe('a review', () => {
  test('is opened once, named by its charge, and approved', async () => {
    const intent = await buy();
    const { id } = await bench.control.post<Stripe.Review>('/reviews', { intent: intent.id });
    const charge = await bench.stripe.charges.retrieve(String(intent.latest_charge), {
      expand: ['review'],
    });
    expect(charge.review).toMatchObject({ id, open: true, opened_reason: 'rule' });
    await expect(bench.control.post('/reviews', { intent: intent.id })).rejects.toThrow(/^400/);
    expect((await bench.stripe.reviews.list()).data.map((one) => one.id)).toContain(id);
    expect(await bench.stripe.reviews.approve(id)).toMatchObject({
      open: false,
      reason: 'approved',
      closed_reason: 'approved',
    });
    expect((await refusal(bench.stripe.reviews.approve(id))).statusCode).toBe(400);
    expect(await typesAbout(id)).toEqual(['review.opened', 'review.closed']);
  });

  test.each([
    ['refunded', {}],
    ['refunded_as_fraud', { reason: 'fraudulent' as const }],
  ])('a full refund ends it: %s', async (why, more) => {
    const intent = await buy('pm_card_riskLevelElevated');
    await bench.control.advance(1);
    const { review } = await bench.stripe.charges.retrieve(String(intent.latest_charge));
    await bench.stripe.refunds.create({ payment_intent: intent.id, ...more });
    expect((await bench.stripe.reviews.retrieve(String(review))).closed_reason).toBe(why);
  });
});

describe('a saved card', () => {
  const save = async () => {
    const { id: customer } = await bench.stripe.customers.create();
    const { id } = await bench.stripe.paymentMethods.attach('pm_card_visa', { customer });
    return { id, customer };
  };

  test('is renewed by its network, and charges show it', async () => {
    const { id, customer } = await save();
    await bench.control.post(`/payment-methods/${id}/renew`, {
      ...{ expMonth: 3, expYear: 2039, last4: '0077' },
    });
    const { card } = await bench.stripe.paymentMethods.retrieve(id);
    expect(card).toMatchObject({ exp_month: 3, exp_year: 2039, last4: '0077' });
    expect(await typesAbout(id)).toContain('payment_method.automatically_updated');
    const paid = await bench.stripe.paymentIntents.create({
      ...{ amount: 500, currency: 'usd', customer, payment_method: id, confirm: true },
      ...{ allowed_payment_method_types: ['card'], expand: ['latest_charge'] },
    });
    const charge = paid.latest_charge as Stripe.Charge;
    expect(charge.payment_method_details?.card).toMatchObject({ exp_year: 2039, last4: '0077' });
    const typed = { card: { exp_month: 4, exp_year: 2041 } };
    expect((await bench.stripe.paymentMethods.update(id, typed)).card?.exp_year).toBe(2041);
  });

  test('is detached by a person at the provider', async () => {
    const { id } = await save();
    await bench.control.post(`/payment-methods/${id}/detach`);
    expect((await bench.stripe.paymentMethods.retrieve(id)).customer).toBeNull();
    expect(await typesAbout(id)).toContain('payment_method.detached');
  });
});

describe('an answer by the provider', () => {
  test('comes at the end of the time, or when the control says so', async () => {
    const intent = await buy('pm_card_createAutoRepresentmentEligibleDispute');
    await bench.control.advance(1);
    const [opened] = (await bench.stripe.disputes.list({ payment_intent: intent.id })).data;
    expect(opened).toMatchObject({
      status: 'needs_response',
      intended_submission_method: 'smart_disputes',
      evidence_details: { submission_method: 'not_submitted' },
    });
    await bench.control.advance(10 * 86_400);
    expect(await bench.stripe.disputes.retrieve(opened?.id ?? '')).toMatchObject({
      status: 'under_review',
      evidence_details: { submission_method: 'smart_disputes', submission_count: 1 },
    });
    const other = await buy();
    const { id } = await bench.control.post('/disputes', {
      ...{ intent: other.id, intendedSubmission: 'prefer_smart_disputes' },
    });
    await bench.control.post(`/disputes/${id}/answer`);
    expect((await bench.stripe.disputes.retrieve(String(id))).status).toBe('under_review');
    await expect(bench.control.post(`/disputes/${id}/answer`)).rejects.toThrow(/^400/);
  });

  test('never comes for a dispute that the merchant answers alone', async () => {
    const intent = await buy('pm_card_createCe3EligibleDispute');
    await bench.control.advance(1);
    const [opened] = (await bench.stripe.disputes.list({ payment_intent: intent.id })).data;
    expect(opened).toMatchObject({
      enhanced_eligibility_types: ['visa_compelling_evidence_3'],
      evidence_details: {
        enhanced_eligibility: { visa_compelling_evidence_3: { status: 'requires_action' } },
      },
    });
    const manual = { intended_submission_method: 'manual' as const };
    await bench.stripe.disputes.update(opened?.id ?? '', manual);
    await bench.control.advance(10 * 86_400);
    expect((await bench.stripe.disputes.retrieve(opened?.id ?? '')).status).toBe('needs_response');
  });
});
