// Orders made before there is a payment, and the access token.

import { describe, expect, it } from 'vitest';
import { budgetMs, describeWallet } from '../../../test/wallet/wallet-bench.ts';
import { inDoubtWith, refusedWith } from '../conformance/bench.ts';
import { customerIdOf } from './vault.ts';

describeWallet(['guarded'], (at) => {
  describe('orders made ahead', () => {
    const orderWith = (key: string) => ({
      key,
      invoiceId: key,
      customId: key,
      amountMinor: 1990,
      currency: 'EUR',
      returnUrl: 'http://localhost/r',
      storeForCustomerId: null,
    });

    it('change their amount until they are captured', async () => {
      const { provider } = at.bench;
      const made = await provider.createOrder(orderWith(`ahead-one`));
      const { orderId } = (made as { value: { orderId: string } }).value;
      const change = { orderId, amountMinor: 990, currency: 'EUR' };
      expect(await provider.updateOrder(change)).toMatchObject({ value: { amountMinor: 990 } });
      await at.bench.approve(orderId);
      const { again } = await at.attempt();
      const paid = await again({ intentId: orderId, amountMinor: 990 });
      expect(paid).toMatchObject({ kind: 'confirmed', payment: { amountMinor: 990 } });
      expect(await provider.updateOrder(change)).toEqual(refusedWith('unexpected_state'));
    });

    it('approved for another amount: in doubt, nothing captured', async () => {
      const made = await at.bench.provider.createOrder(orderWith(`other-one`));
      const { orderId } = (made as { value: { orderId: string } }).value;
      await at.bench.approve(orderId);
      const { again } = await at.attempt();
      expect(await again({ intentId: orderId, amountMinor: 1 })).toEqual(
        inDoubtWith('answer_mismatch'),
      );
      expect(await at.kinds(orderId)).toEqual([]);
    });

    it('keep the wallet of their buyer where that is asked for', async () => {
      const userId = crypto.randomUUID();
      const storeForCustomerId = customerIdOf(userId);
      const made = await at.bench.provider.createOrder({
        ...orderWith('keep-one'),
        storeForCustomerId,
      });
      const { orderId } = (made as { value: { orderId: string } }).value;
      await at.bench.approve(orderId);
      const { again } = await at.attempt();
      await again({ intentId: orderId });
      expect(await at.bench.provider.readOrder(orderId)).toMatchObject({
        value: { paymentTokenId: expect.any(String) },
      });
      expect(await at.bench.provider.listPaymentTokens(userId)).toMatchObject({
        value: [{ paymentTokenId: expect.any(String) }],
      });
    });
  });

  describe('the access token', () => {
    it('is asked for once by many', async () => {
      const call = await at.aHold();
      const provider = at.bench.fresh();
      const before = await at.bench.grants();
      const readings = await Promise.all(
        Array.from({ length: 5 }, () => provider.retrieve(call.intentId)),
      );
      expect(readings.map(({ kind }) => kind)).toEqual(Array(5).fill('found'));
      expect((await at.bench.grants()) - before).toBe(1);
    });

    it('run out before its time is asked for again, and the call goes through', async () => {
      await at.aHold();
      await at.bench.advance(9 * 3600);
      const call = await at.attempt();
      expect(call.outcome).toMatchObject({ kind: 'requires_action' });
    });

    it('not to be had: nothing was sent; refused, or in doubt after an earlier send', async () => {
      const call = await at.aHold();
      await at.bench.fault('token', 'unrecorded_error', 2);
      expect(await at.bench.fresh().capture(call)).toEqual(refusedWith('unavailable'));
      const later = { ...call, isFirstSend: false };
      expect(await at.bench.fresh().capture(later)).toEqual(inDoubtWith());
      expect(await at.bench.sends(call.intentId, 'capture')).toEqual([]);
    });

    it.each(['effect_then_silence', 'reset_before_effect'] as const)(
      '%s when it is asked for: in doubt or refused, within the budget',
      async (fault) => {
        const call = await at.aHold();
        await at.bench.fault('token', fault, 3);
        const started = performance.now();
        expect(await at.bench.fresh().capture(call)).toEqual(refusedWith('unavailable'));
        expect(performance.now() - started).toBeLessThan(budgetMs);
      },
    );
  });
});
