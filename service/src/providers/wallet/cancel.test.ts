// Orders given up, and what the provider refuses by state.

import { describe, expect, it } from 'vitest';
import { capturedAnswer, describeWallet } from '../../../test/wallet/wallet-bench.ts';
import { inDoubtWith } from '../conformance/bench.ts';

describeWallet(['guarded'], (at) => {
  describe('cancel', () => {
    it.each(['open', 'approved'])('an %s order is given up, and stays so', async (state) => {
      const { call, orderId, again } = await at.attempt();
      if (state === 'approved') await at.bench.approve(orderId);
      const hold = { ...call, intentId: orderId };
      const released = { kind: 'confirmed', payment: { state: 'released' } };
      expect(await at.bench.provider.cancel(hold)).toMatchObject(released);
      expect(await at.bench.provider.cancel(hold)).toMatchObject(released);
      expect(await again()).toMatchObject(released);
      expect(await at.kinds(orderId)).toEqual([]);
    });

    it('captured: refused for good, with what it is', async () => {
      const call = await at.aCaptured();
      expect(await at.bench.provider.cancel(call)).toMatchObject({
        kind: 'refused',
        code: 'unexpected_state',
        payment: { state: 'captured' },
      });
    });

    it('voided at the provider: confirmed', async () => {
      const call = await at.aHold();
      await at.bench.post(`/wallet/orders/${call.intentId}/void`);
      expect(await at.bench.provider.cancel(call)).toMatchObject({
        payment: { state: 'released' },
      });
    });

    it.each([
      ['mark', 'reset_before_effect', 2],
      ['mark', 'unrecorded_error', 2],
      ['retrieve', 'unrecorded_error', 1],
    ] as const)('%s met %s: in doubt, and then through', async (step, fault, count) => {
      const call = await at.aHold();
      await at.bench.fault(step, fault, count);
      expect(await at.bench.provider.cancel(call)).toEqual(inDoubtWith());
      expect(await at.bench.provider.cancel({ ...call, isFirstSend: false })).toMatchObject({
        payment: { state: 'released' },
      });
    });

    it('cannot be marked while it waits for its buyer: released all the same', async () => {
      const { call, orderId } = await at.attempt();
      const hold = { ...call, intentId: orderId };
      await at.bench.fault('mark', 'refused');
      expect(await at.bench.provider.cancel(hold)).toMatchObject({
        kind: 'confirmed',
        payment: { state: 'released', releasedBecause: 'canceled' },
      });
      await at.bench.approve(orderId);
      await at.bench.fault('mark', 'refused');
      expect(await at.bench.provider.cancel(hold)).toEqual(inDoubtWith('not_released'));
    });

    it('another amount than ours: in doubt', async () => {
      const call = await at.aHold();
      const other = { ...call, amountMinor: 1989 };
      expect(await at.bench.provider.cancel(other)).toEqual(inDoubtWith('answer_mismatch'));
    });
  });

  describe('capture, refused by state', () => {
    it('already captured by hand: found done, confirmed', async () => {
      const call = await at.aHold();
      await at.bench.post(`/wallet/orders/${call.intentId}/capture`);
      expect(await at.bench.provider.capture(call)).toMatchObject(capturedAnswer(call.intentId));
      expect(await at.kinds(call.intentId)).toEqual(['capture']);
    });

    it('the invoice paid by another order: never refused while that is open', async () => {
      const first = await at.anApproved();
      const other = await at.bench.provider.createOrder({
        key: `second-${first.call.paymentId}`,
        invoiceId: first.call.paymentId,
        customId: 'second',
        amountMinor: 1990,
        currency: 'EUR',
        returnUrl: 'http://localhost/r',
        storeForCustomerId: null,
      });
      const { orderId } = (other as { value: { orderId: string } }).value;
      await at.bench.approve(orderId);
      expect(await first.again()).toMatchObject(capturedAnswer(first.orderId));
      const second = { ...first.call, intentId: orderId, key: `second-${first.call.key}` };
      expect(await at.bench.provider.capture(second)).toEqual(inDoubtWith('unexpected_state'));
      expect(await at.kinds(orderId)).toEqual([]);
    });
  });
});
