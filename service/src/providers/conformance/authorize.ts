// Tests of a buyer's attempt, for the conformance suite.

import { expect, it } from 'vitest';
import type { Outcome } from '../../engine/ports.ts';
import { type BenchCalls, inDoubtWith, refusedWith } from './bench.ts';

/** Contract §13: declined cards, the provider's decline code, the advice to the buyer. */
const declines = [
  ['4000000000000002', 'generic_decline', 'try_again_later'],
  ['4000000000009995', 'insufficient_funds', 'try_again_later'],
  ['4000000000009987', 'lost_card', 'do_not_try_again'],
  ['4000000000009979', 'stolen_card', 'do_not_try_again'],
  ['4000000000000069', 'expired_card', 'confirm_card_data'],
  ['4000000000000127', 'incorrect_cvc', 'confirm_card_data'],
  ['4000000000000119', 'processing_error', 'try_again_later'],
  ['4000000000000341', 'generic_decline', 'try_again_later'],
] as const;

const approvedCards = [
  '4242424242424242',
  '5555555555554444',
  '378282246310005',
  '6011111111111117',
  '3566002020360505',
] as const;

/** Every card of Contract §13, and the buyer who has to act. */
export function describeAuthorize(ask: () => BenchCalls): void {
  it.each(approvedCards)('a hold on %s, not captured, with its deadline', async (number) => {
    const { bench, attempt } = ask();
    const { outcome, intentId, intents, call } = await attempt(number);
    expect(outcome).toMatchObject({
      kind: 'confirmed',
      payment: { intentId, state: 'authorized', amountMinor: 1990, currency: 'EUR' },
    });
    const { payment } = outcome as Outcome & { kind: 'confirmed' };
    expect(payment.captureBefore?.getTime()).toBeGreaterThan(Date.now());
    expect(payment.chargeId).toEqual(expect.any(String));
    expect(await bench.effects(intentId)).toEqual([
      { kind: 'authorize', amount: 1990, key: call.key },
    ]);
    expect(intents).toHaveLength(1);
  });

  it('automatic: captured at once, with the time of the money movement', async () => {
    const { attempt, kinds } = ask();
    const { outcome, intentId } = await attempt('4242424242424242', { captureMethod: 'automatic' });
    expect(outcome).toMatchObject({ kind: 'confirmed', payment: { state: 'captured' } });
    const { payment } = outcome as Outcome & { kind: 'confirmed' };
    expect(payment.effectiveAt).toBeInstanceOf(Date);
    expect(await kinds(intentId)).toEqual(['capture']);
  });

  it('an intent that is not ours to pay: nothing is confirmed, and it stays in doubt', async () => {
    const { bench, attempt } = ask();
    const { outcome, intentId } = await attempt('4242424242424242', {
      onIntent: async () => false,
    });
    expect(outcome).toMatchObject({ kind: 'in_doubt', cause: 'taken_over' });
    expect(await bench.effects(intentId)).toEqual([]);
  });

  it.each(declines)(
    '%s is declined: %s, %s; its intent is closed',
    async (number, code, advice) => {
      const { attempt, provider } = ask();
      const { outcome, intentId } = await attempt(number);
      expect(outcome).toMatchObject({
        kind: 'refused',
        code: 'declined',
        declineCode: code,
        advice,
      });
      const reading = await provider.retrieve(intentId);
      expect(reading).toMatchObject({ kind: 'found', payment: { state: 'released' } });
    },
  );

  it.each([
    ['4000002500003155', 'approve', 'authorized'],
    ['4000002760003184', 'approve', 'authorized'],
    ['4000002760003184', 'fail', 'new'],
    ['4000008400001629', 'approve', 'new'],
  ] as const)('%s asks the buyer; after %s the intent is %s', async (number, answer, state) => {
    const { bench, attempt, provider } = ask();
    const { outcome, intentId } = await attempt(number);
    expect(outcome).toMatchObject({ kind: 'requires_action', payment: { intentId } });
    const { challenge } = outcome as Outcome & { kind: 'requires_action' };
    expect(challenge.clientSecret).toEqual(expect.any(String));
    expect(await provider.retrieve(intentId)).toMatchObject({
      payment: { state: 'requires_action' },
    });
    await bench.answerChallenge(challenge.url ?? '', answer);
    expect(await provider.retrieve(intentId)).toMatchObject({ payment: { state } });
  });

  it('the same call again has the same answer and no second effect', async () => {
    const { attempt, kinds } = ask();
    const { again, outcome, intentId, intents } = await attempt('4242424242424242', {
      captureMethod: 'automatic',
    });
    const repeated = await again();
    expect(repeated).toMatchObject({
      kind: 'confirmed',
      payment: (outcome as Outcome & { kind: 'confirmed' }).payment,
    });
    expect(await kinds(intentId)).toEqual(['capture']);
    expect(intents).toHaveLength(1);
  });
}

/** The rows of the classification for a confirmation, which no state guards as it guards a capture. */
export function describeTroubledAuthorize(ask: () => BenchCalls): void {
  it('not even created: refused as unavailable, nothing can have moved', async () => {
    const { bench, attempt } = ask();
    await bench.fault('create', 'unrecorded_error', 2);
    const { outcome, intents } = await attempt('4242424242424242');
    expect(outcome).toEqual(refusedWith('unavailable'));
    expect(intents).toEqual([]);
  });

  it.each(['effect_then_reset', 'broken_body', 'key_in_use', 'rate_limited'] as const)(
    'confirmation met %s once: settled by the resend, one effect',
    async (fault) => {
      const { bench, attempt, kinds } = ask();
      await bench.fault('confirm', fault);
      const { outcome, intentId } = await attempt('4242424242424242', {
        captureMethod: 'automatic',
      });
      expect(outcome).toMatchObject({ kind: 'confirmed', payment: { state: 'captured' } });
      expect(await kinds(intentId)).toEqual(['capture']);
      expect(await bench.sends(intentId, 'confirm')).toHaveLength(2);
    },
  );

  it.each(['reset_before_effect', 'unrecorded_error', 'rate_limited'] as const)(
    'confirmation met %s: in doubt, never refused, and the same key goes on',
    async (fault) => {
      const { bench, attempt } = ask();
      await bench.fault('confirm', fault, 2);
      const { outcome, again, intentId, call } = await attempt('4242424242424242');
      expect(outcome).toEqual(inDoubtWith());
      await bench.clearFaults();
      const next = await again(bench.provider, { isFirstSend: false });
      expect(next.kind).toBe('confirmed');
      const keys = (await bench.sends(intentId, 'confirm')).map((send) => send.key);
      expect(new Set(keys)).toEqual(new Set([call.key]));
    },
  );

  it('confirmation met recorded_error: its key can never succeed, so the intent is closed and it is refused', async () => {
    const { bench, attempt, kinds } = ask();
    await bench.fault('confirm', 'recorded_error', 2);
    const { outcome, again, intentId } = await attempt('4242424242424242');
    expect(outcome).toEqual(refusedWith('unavailable'));
    await bench.clearFaults();
    const next = await again(bench.provider, { isFirstSend: false });
    expect(next).toMatchObject({ kind: 'confirmed', payment: { state: 'released' } });
    expect(await kinds(intentId)).toEqual([]);
  });

  it('2xx but wrong amount: in doubt', async () => {
    const { bench, attempt } = ask();
    await bench.fault('confirm', 'wrong_amount');
    expect((await attempt('4242424242424242')).outcome).toEqual(inDoubtWith('answer_mismatch'));
  });

  it('a decline whose intent could not be closed stays in doubt, then is told', async () => {
    const { bench, attempt } = ask();
    await bench.fault('cancel', 'reset_before_effect', 2);
    const { outcome, again } = await attempt('4000000000000002');
    expect(outcome).toEqual(inDoubtWith('not_closed'));
    expect(await again()).toMatchObject({ kind: 'refused', declineCode: 'generic_decline' });
  });

  it('a decline is told although closing left an error on record', async () => {
    const { bench, attempt } = ask();
    await bench.fault('cancel', 'recorded_error');
    expect((await attempt('4000000000000002')).outcome).toEqual(refusedWith('declined'));
  });
}

/** Tests for providers that refuse by state. */
export function describeGuardedAuthorize(ask: () => BenchCalls): void {
  it('closed at the provider before the confirmation ran: released, not in doubt', async () => {
    const { bench, attempt, kinds } = ask();
    await bench.fault('confirm', 'reset_before_effect', 2);
    const { outcome, again, intentId } = await attempt('4242424242424242');
    expect(outcome).toEqual(inDoubtWith());
    await bench.actAtProvider(intentId, 'cancel');
    const next = await again(bench.provider, { isFirstSend: false });
    expect(next).toMatchObject({ kind: 'confirmed', payment: { state: 'released' } });
    expect(await kinds(intentId)).toEqual([]);
  });

  it('an error on record for its effect, of which a part is captured by hand: never confirmed', async () => {
    const { bench, attempt } = ask();
    await bench.fault('confirm', 'recorded_error_after_effect');
    await bench.fault('retrieve', 'reset_before_effect');
    await bench.fault('cancel', 'reset_before_effect', 2);
    const { outcome, again, intentId } = await attempt('4242424242424242');
    expect(outcome).toEqual(inDoubtWith('not_closed'));
    await bench.clearFaults();
    await bench.actAtProvider(intentId, 'capture part');
    expect(await again(bench.provider, { isFirstSend: false })).toEqual(inDoubtWith('not_closed'));
  });
}
