import type Stripe from 'stripe';
import { describe, expect, it } from 'vitest';
import { listDisputes, translateDispute } from './disputes.ts';
import { startCall } from './wire.ts';

const bookedEntry = (amount: number, given: object = {}) => ({
  id: `txn_${amount}`,
  object: 'balance_transaction',
  amount,
  fee: 1500,
  net: amount - 1500,
  currency: 'usd',
  created: 1_772_000_000,
  ...given,
});

const dispute = (given: object = {}): Stripe.Dispute =>
  ({
    id: 'dp_1',
    object: 'dispute',
    amount: 2000,
    currency: 'usd',
    charge: 'ch_1',
    payment_intent: { id: 'pi_1' },
    created: 1_771_999_999,
    status: 'needs_response',
    reason: 'fraudulent',
    evidence_details: { due_by: 1_773_000_000 },
    balance_transactions: [bookedEntry(-2000), bookedEntry(500)],
    ...given,
  }) as unknown as Stripe.Dispute;

const movement = (id: string, amountMinor: number, netMinor: number) => ({
  ...{ id, amountMinor, currency: 'USD', at: new Date(1_772_000_000_000) },
  balance: {
    ...{ transactionId: id, feeMinor: 1500, netMinor, currency: 'USD' },
    ...{ exchangeRate: null, availableAt: null },
  },
});

describe('translateDispute', () => {
  it('turns the sign: withdrawn is positive, reinstated negative, the fee apart', () => {
    expect(translateDispute(dispute())?.movements).toEqual([
      movement('txn_-2000', 2000, -3500),
      movement('txn_500', -500, -1000),
    ]);
  });

  it('names intent and charge, expanded or not', () => {
    const named = { intentId: 'pi_1', chargeId: 'ch_1' };
    expect(translateDispute(dispute())).toMatchObject(named);
    const other = dispute({ payment_intent: 'pi_1', charge: { id: 'ch_1' } });
    expect(translateDispute(other)).toMatchObject(named);
    expect(translateDispute(dispute({ payment_intent: null }))?.intentId).toBeNull();
  });

  it('counts in our minor units where the provider counts in others', () => {
    const isk = dispute({
      currency: 'isk',
      amount: 200_000,
      balance_transactions: [bookedEntry(-200_000, { currency: 'isk' })],
    });
    const said = translateDispute(isk);
    expect([said?.amountMinor, said?.movements[0]?.amountMinor]).toEqual([2000, 2000]);
  });

  it('nothing moved is plain zero', () => {
    const said = translateDispute(dispute({ balance_transactions: [bookedEntry(0)] }));
    expect(Object.is(said?.movements[0]?.amountMinor, 0)).toBe(true);
  });

  it('tells who answers, and nothing where the provider writes no or another word', () => {
    const unknown = {
      ...{ intendedSubmission: null, answeredBy: null, hasEvidence: false },
      ...{ submissionCount: 0, isPastDue: false, enhancedEligibility: [] },
    };
    expect(translateDispute(dispute())?.answer).toEqual(unknown);
    const odd = { intended_submission_method: 'by_post', evidence_details: undefined };
    expect(translateDispute(dispute(odd))?.answer).toEqual(unknown);
    const details = {
      ...{ due_by: 0, has_evidence: true, past_due: true, submission_count: 2 },
      submission_method: 'smart_disputes',
      enhanced_eligibility: { visa_compliance: { status: 'fee_acknowledged' } },
    };
    const said = translateDispute(
      dispute({ intended_submission_method: 'prefer_manual', evidence_details: details }),
    );
    // The provider writes 0 where the bank takes no answer.
    expect(said?.evidenceDueBy).toBeNull();
    expect(said?.answer).toEqual({
      ...{ intendedSubmission: 'prefer_manual', answeredBy: 'provider', hasEvidence: true },
      ...{ submissionCount: 2, isPastDue: true },
      enhancedEligibility: [
        { type: 'visa_compliance', status: 'fee_acknowledged', requiredActions: [] },
      ],
    });
  });

  it.each([
    ['a foreign object', { object: 'charge' }],
    ['an unknown status', { status: 'haggling' }],
    ['no amount', { amount: undefined }],
    ['an amount that our units cannot hold', { currency: 'isk', amount: 150 }],
    ['no balance transactions', { balance_transactions: undefined }],
    ['balance transactions as ids', { balance_transactions: ['txn_1'] }],
    [
      'a movement without a time',
      { balance_transactions: [bookedEntry(-1, { created: undefined })] },
    ],
  ])('judges nothing by %s', (_, given) => {
    expect(translateDispute(dispute(given))).toBeNull();
  });
});

describe('listDisputes', () => {
  const list = (answer: object) => {
    const sdk = { disputes: { list: async () => answer } } as unknown as Stripe;
    const settings = { budgetMs: 1000, answerMs: 500, resendMs: 300, pauseMs: 1 };
    return listDisputes(startCall(sdk, settings), 'pi_1');
  };
  const page = (...data: unknown[]) => ({ data, has_more: false });

  it('tells all of them, or that there is none', async () => {
    const two = await list(page(dispute(), dispute({ id: 'dp_2' })));
    const named = [{ disputeId: 'dp_1' }, { disputeId: 'dp_2' }];
    expect(two).toMatchObject({ kind: 'found', disputes: named });
    expect(await list(page())).toMatchObject({ kind: 'found', disputes: [] });
  });

  it.each([
    ['a page that is not the last', { ...page(dispute()), has_more: true }],
    ['one that cannot be judged', page(dispute(), dispute({ status: 'haggling' }))],
    ['one of another intent', page(dispute(), dispute({ payment_intent: 'pi_2' }))],
    ['no list', {}],
  ])('in doubt with %s', async (_, answer) => {
    expect(await list(answer)).toMatchObject({ kind: 'in_doubt', cause: 'answer_malformed' });
  });
});
