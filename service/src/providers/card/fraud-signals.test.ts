import type Stripe from 'stripe';
import { describe, expect, it } from 'vitest';
import { translateSignal } from './fraud-signals.ts';

const warning = {
  ...{ id: 'issfr_1', object: 'radar.early_fraud_warning', charge: 'ch_1', livemode: false },
  ...{ payment_intent: 'pi_1', created: 1_772_000_000, actionable: true, fraud_type: 'misc' },
};
const review = {
  ...{ id: 'prv_1', object: 'review', charge: 'ch_1', livemode: false, open: false },
  ...{ payment_intent: { id: 'pi_1' }, created: 1_772_000_000, opened_reason: 'rule' },
  ...{ closed_reason: 'approved', billing_zip: '10115', ip_address: '203.0.113.7' },
};
const translate = (said: object) => translateSignal(said as Stripe.Review);

describe('translateSignal', () => {
  it('takes the intent, expanded or not, and nothing of the buyer', () => {
    const common = { intentId: 'pi_1', raisedAt: new Date(1_772_000_000_000) };
    expect(translate(warning)).toEqual({
      ...{ kind: 'warning', signalId: 'issfr_1', ...common },
      ...{ reason: 'misc', isOpen: true, closedReason: null },
    });
    expect(translate(review)).toEqual({
      ...{ kind: 'review', signalId: 'prv_1', ...common },
      ...{ reason: 'rule', isOpen: false, closedReason: 'approved' },
    });
  });

  it('is of no payment of ours without an intent', () => {
    expect(translate({ ...warning, payment_intent: undefined })?.intentId).toBeNull();
  });

  it.each([
    { ...warning, object: 'charge' },
    { ...warning, fraud_type: '' },
    { ...warning, fraud_type: 'x'.repeat(101) },
    { ...warning, actionable: 'yes' },
    { ...review, open: undefined },
    { ...review, created: null },
  ])('takes nothing that lacks a field: %j', (said) => {
    expect(translate(said)).toBeNull();
  });
});
