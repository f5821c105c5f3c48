// What an adapter must do, for refunds: Reliability §4.3, row by row; only the key guards them.

import { describe, expect, it } from 'vitest';
import { describeWallet } from '../../../test/wallet/wallet-bench.ts';
import { inDoubtWith, refusedWith } from '../conformance/bench.ts';

describeWallet(['guarded', 'unguarded'], (at) => {
  describe('refund', () => {
    const refundDone = (amountMinor: number) => ({
      kind: 'confirmed',
      refund: { state: 'succeeded', amountMinor, currency: 'EUR' },
    });

    it('of a part: confirmed, with the key as given and our operation in it', async () => {
      const call = { ...(await at.aCaptured()), amountMinor: 500 };
      const outcome = await at.bench.provider.refund(call);
      expect(outcome).toMatchObject(refundDone(500));
      expect(outcome).toMatchObject({
        refund: { intentId: call.intentId, operationId: call.operationId },
      });
      expect(await at.bench.effects(call.intentId)).toMatchObject([
        { kind: 'capture' },
        { kind: 'refund', amount: 500, key: call.key },
      ]);
      const { refund } = outcome as { refund: { refundId: string } };
      expect(await at.bench.provider.retrieveRefund(refund.refundId)).toEqual(
        expect.objectContaining({ kind: 'confirmed', refund }),
      );
      expect(await at.bench.provider.listRefunds(call.intentId)).toMatchObject({
        refunds: [refund],
      });
    });

    it('made in the dashboard: it names no operation, and its order through the capture', async () => {
      const { intentId } = await at.aCaptured();
      const order = await at.bench.provider.retrieve(intentId);
      const charge = order.kind === 'found' ? order.payment.chargeId : null;
      const { id } = (await at.bench.post(`/wallet/captures/${charge}/refund`, {
        amount: 300,
      })) as { id: string };
      const facts = { refundId: id, intentId, operationId: null, amountMinor: 300 };
      expect(await at.bench.provider.retrieveRefund(id)).toMatchObject({
        kind: 'confirmed',
        refund: facts,
      });
      expect(await at.bench.provider.listRefunds(intentId)).toMatchObject({ refunds: [facts] });
    });

    it('leaves the day of the capture as it was', async () => {
      const call = { ...(await at.aCaptured()), amountMinor: 500 };
      const dayOf = async () => {
        const order = await at.bench.provider.retrieve(call.intentId);
        return order.kind === 'found' ? order.payment.effectiveAt : null;
      };
      const day = await dayOf();
      expect(day).toBeInstanceOf(Date);
      await at.bench.advance(86_400);
      await at.bench.provider.refund(call);
      expect(await dayOf()).toEqual(day);
    });

    it('of an order that reads as not captured yet: in doubt, nothing sent, and given later', async () => {
      const call = await at.aCaptured();
      await at.bench.plant('retrieve', { action: 'stale_read' });
      expect(await at.bench.provider.refund(call)).toEqual(inDoubtWith('not_captured'));
      expect(await at.kinds(call.intentId)).toEqual(['capture']);
      expect(await at.bench.provider.refund({ ...call, isFirstSend: false })).toMatchObject(
        refundDone(call.amountMinor),
      );
    });

    it('the same operation again: the same refund, whatever the key', async () => {
      const call = { ...(await at.aCaptured()), amountMinor: 500 };
      await at.bench.provider.refund(call);
      expect(await at.bench.provider.refund({ ...call, key: 'other' })).toMatchObject(
        refundDone(500),
      );
      expect(await at.kinds(call.intentId)).toEqual(['capture', 'refund']);
    });

    it.each([
      ['effect_then_reset', 1],
      ['effect_then_reset', 2],
      ['effect_then_silence', 2],
      ['reset_before_effect', 1],
      ['recorded_error_after_effect', 2],
      ['rate_limited', 1],
    ] as const)('%s ×%i: found done, one effect', async (fault, count) => {
      const call = await at.aCaptured();
      await at.bench.fault('refund', fault, count);
      expect(await at.bench.provider.refund(call)).toMatchObject(refundDone(1990));
      expect(await at.kinds(call.intentId)).toEqual(['capture', 'refund']);
    });

    it.each(['reset_before_effect', 'unrecorded_error', 'recorded_error', 'key_in_use'] as const)(
      '%s twice, and not done: in doubt',
      async (fault) => {
        const call = await at.aCaptured();
        await at.bench.fault('refund', fault, 2);
        expect(await at.bench.provider.refund(call)).toEqual(inDoubtWith());
        expect(await at.kinds(call.intentId)).toEqual(['capture']);
      },
    );

    it('executed late: in doubt, then found, once', async () => {
      const call = await at.aCaptured();
      await at.bench.fault('refund', 'reset_then_late_effect', 2);
      expect(await at.bench.provider.refund(call)).toEqual(inDoubtWith());
      await expect.poll(() => at.kinds(call.intentId)).toEqual(['capture', 'refund']);
      const unsent = { ...call, sendUntil: null, isFirstSend: false };
      expect(await at.bench.provider.refund(unsent)).toMatchObject(refundDone(1990));
      expect(await at.kinds(call.intentId)).toEqual(['capture', 'refund']);
    });

    it('not to be sent any more and not there: in doubt, nothing sent', async () => {
      const call = await at.aCaptured();
      expect(await at.bench.provider.refund({ ...call, sendUntil: null })).toEqual(
        inDoubtWith('no_answer'),
      );
      expect(await at.bench.sends(call.intentId, 'refund')).toEqual([]);
    });

    it('refused: said with its own word', async () => {
      const call = await at.aCaptured();
      await at.bench.fault('refund', 'refused');
      expect(await at.bench.provider.refund(call)).toEqual(
        refusedWith('refund_failed_insufficient_funds'),
      );
    });

    it('wrong amount in the answer: in doubt', async () => {
      const call = await at.aCaptured();
      await at.bench.fault('refund', 'wrong_amount');
      expect(await at.bench.provider.refund(call)).toEqual(inDoubtWith('answer_mismatch'));
    });

    it.each([
      ['refund_pends', 'pending', 'succeeded'],
      ['refund_fails', 'succeeded', 'failed'],
    ])('%s: %s, then %s', async (behaviour, before, after) => {
      const call = await at.aCaptured(behaviour);
      const outcome = await at.bench.provider.refund(call);
      expect(outcome).toMatchObject({ kind: 'confirmed', refund: { state: before } });
      await at.bench.advance(4);
      const { refundId } = (outcome as { refund: { refundId: string } }).refund;
      expect(await at.bench.provider.retrieveRefund(refundId)).toMatchObject({
        refund: { state: after },
      });
    });
  });
});
