// What an adapter must do, for a buyer's attempt with the wallet: Reliability §4.3, row by row.

import { describe, expect, it } from 'vitest';
import { capturedAnswer, describeWallet } from '../../../test/wallet/wallet-bench.ts';
import { inDoubtWith, refusedWith } from '../conformance/bench.ts';

describeWallet(['guarded', 'unguarded'], (at) => {
  describe('authorize', () => {
    it('without an order: makes one and asks for the approval of its buyer', async () => {
      const { outcome, orderId, call } = await at.attempt();
      expect(outcome).toMatchObject({
        kind: 'requires_action',
        payment: { intentId: orderId, state: 'requires_action', amountMinor: 1990 },
        challenge: { url: expect.stringContaining(`/checkoutnow?token=${orderId}`) },
      });
      expect(await at.bench.provider.readOrder(orderId)).toMatchObject({
        kind: 'found',
        value: { state: 'requires_action', approveUrl: expect.any(String) },
      });
      expect(await at.bench.sends('', 'create')).toEqual([]);
      expect(await at.bench.sends(orderId, 'create')).toEqual([`intent-${call.paymentId}`]);
    });

    it('before the approval: asks again, and sends no capture', async () => {
      const { again, orderId } = await at.attempt();
      expect(await again()).toMatchObject({ kind: 'requires_action' });
      expect(await at.bench.sends(orderId, 'capture')).toEqual([]);
    });

    it('missing on a copy that lags: in doubt, and not given up; its buyer may still approve', async () => {
      const { again, orderId } = await at.attempt();
      await at.bench.plant('retrieve', { action: 'stale_read', count: 9 });
      expect(await again()).toEqual(inDoubtWith('order_not_approved'));
      await at.bench.clearFaults();
      await at.bench.approve(orderId);
      expect(await again({ isFirstSend: false })).toMatchObject(capturedAnswer(orderId));
    });

    it('approved: captured at once, with the key as given and our ids in it', async () => {
      const { again, orderId, call } = await at.anApproved();
      const outcome = await again();
      expect(outcome).toMatchObject(capturedAnswer(orderId));
      expect(outcome).toMatchObject({
        payment: { chargeId: expect.any(String), effectiveAt: expect.any(Date) },
      });
      expect(await at.bench.effects(orderId)).toEqual([
        {
          kind: 'capture',
          amount: 1990,
          key: call.key,
          metadata: { custom_id: call.operationId, invoice_id: call.paymentId },
        },
      ]);
      expect(await again({ isFirstSend: false })).toMatchObject(capturedAnswer(orderId));
      expect(await at.bench.sends(orderId, 'capture')).toEqual([call.key]);
    });

    it.each([
      ['HUF', 199_000, 1990],
      ['JPY', 1990, 1990],
      ['USD', 1990, 1990],
    ])('%s %i is %i at the provider', async (currency, amountMinor, amount) => {
      const { again, orderId } = await at.anApproved('completes', { currency, amountMinor });
      expect(await again()).toMatchObject({ payment: { currency, amountMinor } });
      expect(await at.bench.effects(orderId)).toMatchObject([{ amount }]);
    });

    it.each([
      ['HUF', 199_050],
      ['KWD', 1990],
      ['EUR', 0],
    ])('%s %i cannot be said to the provider: refused, nothing sent', async (...row) => {
      const [currency, amountMinor] = row;
      const { outcome, orderId } = await at.attempt({ currency, amountMinor });
      expect(outcome).toEqual(refusedWith('amount_not_supported'));
      expect(orderId).toBe('');
    });

    it('manual capture is refused before anything is sent', async () => {
      const { outcome, orderId } = await at.attempt({ captureMethod: 'manual' });
      expect(outcome).toEqual(refusedWith('capture_method_not_supported'));
      expect(orderId).toBe('');
    });

    it('declined: refused, and its order is given up for good', async () => {
      const { again, orderId, call } = await at.anApproved('declined');
      expect(await again()).toMatchObject({
        kind: 'refused',
        code: 'declined',
        declineCode: 'wallet_declined',
        advice: 'try_again_later',
      });
      expect(await at.bench.provider.retrieve(orderId)).toMatchObject({
        payment: { state: 'released', releasedBecause: 'canceled' },
      });
      await at.bench.approve(orderId);
      const next = { isFirstSend: false, key: `${call.key}-next` };
      expect(await again(next)).toMatchObject({ payment: { state: 'released' } });
      expect(await at.kinds(orderId)).toEqual([]);
    });

    it('a decline whose order could not be given up stays in doubt, then asks its buyer again', async () => {
      const { again } = await at.anApproved('declined');
      await at.bench.fault('mark', 'reset_before_effect', 2);
      expect(await again()).toEqual(inDoubtWith('not_closed'));
      expect(await again({ isFirstSend: false })).toMatchObject({ kind: 'requires_action' });
    });

    it.each([
      ['pends', { kind: 'confirmed', payment: { state: 'captured' } }, ['capture']],
      ['denied', { kind: 'refused', code: 'declined', payment: { state: 'released' } }, []],
    ])('%s: processing, and in the end what the provider says', async (...row) => {
      const [behaviour, end, kinds] = row;
      const { again, orderId } = await at.anApproved(behaviour);
      expect(await again()).toMatchObject({ kind: 'confirmed', payment: { state: 'processing' } });
      await at.bench.advance(4);
      expect(await again({ isFirstSend: false })).toMatchObject(end);
      expect(await at.kinds(orderId)).toEqual(kinds);
    });

    it('a kept wallet pays without its buyer', async () => {
      const { provider } = at.bench;
      const [userId] = [crypto.randomUUID()];
      const urls = { returnUrl: 'http://localhost/r', cancelUrl: 'http://localhost/c' };
      const setup = await provider.createSetupToken({ key: userId, userId, ...urls });
      expect(setup).toMatchObject({ kind: 'made', value: { state: 'requires_action' } });
      const { setupTokenId } = (setup as { value: { setupTokenId: string } }).value;
      await at.bench.post(`/wallet/setup-tokens/${setupTokenId}/approve`);
      expect(await provider.readSetupToken(setupTokenId)).toMatchObject({
        value: { state: 'approved' },
      });
      const made = await provider.createPaymentToken({ key: `t-${userId}`, setupTokenId });
      expect(made).toMatchObject({ kind: 'made', value: { payerId: expect.any(String) } });
      const { paymentTokenId } = (made as { value: { paymentTokenId: string } }).value;
      expect(await provider.listPaymentTokens(userId)).toMatchObject({
        kind: 'found',
        value: [{ paymentTokenId }],
      });
      const paid = await at.attempt({ providerPaymentMethodId: paymentTokenId });
      expect(paid.outcome).toMatchObject(capturedAnswer(paid.orderId));
      expect(await at.kinds(paid.orderId)).toEqual(['capture']);
      for (const _ of [1, 2]) {
        expect(await provider.deletePaymentToken(paymentTokenId)).toMatchObject({ kind: 'made' });
      }
      expect(await provider.readPaymentToken(paymentTokenId)).toMatchObject({ kind: 'missing' });
      const late = await at.attempt({ providerPaymentMethodId: paymentTokenId });
      expect(late.outcome).toMatchObject({ code: 'declined', advice: 'do_not_try_again' });
    });

    it('not even created: refused as unavailable, no money can have moved', async () => {
      await at.bench.fault('create', 'unrecorded_error', 2);
      const { outcome, orderId } = await at.attempt();
      expect(outcome).toEqual(refusedWith('unavailable'));
      expect(orderId).toBe('');
    });

    it('the answer to the creation is lost: the same order', async () => {
      await at.bench.fault('create', 'effect_then_reset');
      const { outcome, orderId, call } = await at.attempt();
      expect(outcome).toMatchObject({ kind: 'requires_action' });
      const key = `intent-${call.paymentId}`;
      expect(await at.bench.sends(orderId, 'create')).toEqual([key, key]);
    });
  });
});
