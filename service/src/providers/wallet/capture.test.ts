// What an adapter must do, for the capture of an approved order: Reliability §4.3, row by row.

import { scaled } from '@svc/tools/machine';
import { describe, expect, it } from 'vitest';
import { budgetMs, capturedAnswer, describeWallet } from '../../../test/wallet/wallet-bench.ts';
import { inDoubtWith, refusedWith } from '../conformance/bench.ts';

describeWallet(['guarded', 'unguarded'], (at) => {
  describe('capture of an approved order', () => {
    it('2xx, right order, state and amount: confirmed, with the key as given', async () => {
      const call = await at.aHold();
      expect(await at.bench.provider.capture(call)).toMatchObject(capturedAnswer(call.intentId));
      expect(await at.bench.effects(call.intentId)).toMatchObject([
        { amount: 1990, key: call.key },
      ]);
    });

    it.each(['wrong_amount', 'wrong_currency', 'wrong_id'])(
      '2xx but %s: in doubt',
      async (action) => {
        const call = await at.aHold();
        await at.bench.plant('capture', { action });
        expect(await at.bench.provider.capture(call)).toEqual(inDoubtWith('answer_mismatch'));
      },
    );

    it.each([
      ['effect_then_reset', 1],
      ['reset_before_effect', 1],
      ['unrecorded_error', 1],
      ['broken_body', 1],
      ['key_in_use', 1],
      ['rate_limited', 1],
      ['effect_then_reset', 2],
      ['effect_then_silence', 2],
      ['recorded_error_after_effect', 2],
    ] as const)('%s ×%i: found done, confirmed, one effect', async (fault, count) => {
      const call = await at.aHold();
      await at.bench.fault('capture', fault, count);
      expect(await at.bench.provider.capture(call)).toMatchObject(capturedAnswer(call.intentId));
      expect(await at.kinds(call.intentId)).toEqual(['capture']);
      expect(await at.bench.sends(call.intentId, 'capture')).toEqual([call.key, call.key]);
    });

    it.each([
      'reset_before_effect',
      'unrecorded_error',
      'recorded_error',
      'key_in_use',
      'rate_limited',
    ] as const)('%s, and not done: in doubt, at most one resend', async (fault) => {
      const call = await at.aHold();
      await at.bench.fault('capture', fault, 5);
      expect(await at.bench.provider.capture(call)).toEqual(inDoubtWith());
      expect(await at.bench.sends(call.intentId, 'capture')).toHaveLength(2);
      expect(await at.kinds(call.intentId)).toEqual([]);
      await at.bench.clearFaults();
      if (fault === 'recorded_error') return;
      const again = await at.bench.provider.capture({ ...call, isFirstSend: false });
      expect(again).toMatchObject(capturedAnswer(call.intentId));
      expect(await at.kinds(call.intentId)).toEqual(['capture']);
    });

    it('executed late, after we gave up: in doubt, then found by the same key, once', async () => {
      const call = await at.aHold();
      await at.bench.fault('capture', 'reset_then_late_effect', 2);
      expect(await at.bench.provider.capture(call)).toEqual(inDoubtWith());
      expect(await at.kinds(call.intentId)).toEqual([]);
      await expect.poll(() => at.kinds(call.intentId)).toEqual(['capture']);
      const again = await at.bench.provider.capture({ ...call, isFirstSend: false });
      expect(again).toMatchObject(capturedAnswer(call.intentId));
      expect(await at.kinds(call.intentId)).toEqual(['capture']);
    });

    it('a stale reading after a lost answer is no proof: in doubt', async () => {
      const call = await at.aHold();
      await at.bench.fault('capture', 'effect_then_reset', 2);
      await at.bench.plant('retrieve', { action: 'stale_read' });
      expect(await at.bench.provider.capture(call)).toEqual(inDoubtWith('no_answer'));
      expect(await at.kinds(call.intentId)).toEqual(['capture']);
    });

    it('the answer and the reading lost: in doubt', async () => {
      const call = await at.aHold();
      await at.bench.fault('capture', 'effect_then_reset', 2);
      await at.bench.fault('retrieve', 'unrecorded_error', 3);
      expect(await at.bench.provider.capture(call)).toEqual(inDoubtWith('no_answer'));
    });

    it('too late, readings too: in doubt, within the budget', async () => {
      const call = await at.aHold();
      for (const step of ['capture', 'retrieve'] as const) await at.bench.fault(step, 'slow', 5);
      const started = performance.now();
      expect(await at.bench.provider.capture(call)).toEqual(inDoubtWith());
      expect(performance.now() - started).toBeLessThan(budgetMs + scaled(150));
    });

    it('another 4xx refusal (declined): refused', async () => {
      const call = await at.aHold();
      await at.bench.fault('capture', 'refused');
      expect(await at.bench.provider.capture(call)).toEqual(refusedWith('declined'));
    });

    it('a lost answer, then a refusal: in doubt, never refused', async () => {
      const call = await at.aHold('declined');
      await at.bench.fault('capture', 'reset_before_effect');
      expect(await at.bench.provider.capture(call)).toEqual(inDoubtWith());
    });

    it('not approved: refused', async () => {
      const { call, orderId } = await at.attempt();
      const hold = { ...call, intentId: orderId };
      expect(await at.bench.provider.capture(hold)).toEqual(refusedWith('order_not_approved'));
    });

    it('run out after three hours: released, as the answer to our key says', async () => {
      const call = await at.aHold();
      await at.bench.advance(3 * 3600);
      expect(await at.bench.provider.retrieve(call.intentId)).toMatchObject({ kind: 'missing' });
      expect(await at.bench.provider.capture(call)).toMatchObject({
        kind: 'confirmed',
        payment: { state: 'released', releasedBecause: 'expired' },
      });
    });

    it('401, first send of the key: refused; after an earlier send: in doubt', async () => {
      const call = await at.aHold();
      const { unauthorised } = at.bench;
      expect(await unauthorised.capture(call)).toEqual(refusedWith('key_refused'));
      expect(await unauthorised.capture({ ...call, isFirstSend: false })).toEqual(inDoubtWith());
      expect(await at.kinds(call.intentId)).toEqual([]);
    });

    it('not reachable, first send: refused; after an earlier send: in doubt', async () => {
      const call = await at.aHold();
      const { unreachable } = at.bench;
      expect(await unreachable.capture(call)).toEqual(refusedWith('unavailable'));
      expect(await unreachable.capture({ ...call, isFirstSend: false })).toEqual(inDoubtWith());
    });
  });
});
