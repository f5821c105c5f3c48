// Saved wallets as payment methods: created by an order, charged without their buyer, read, and
// removed.

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { capturedAnswer, describeWallet } from '../../../test/wallet/wallet-bench.ts';
import { inDoubtWith, refusedWith } from '../conformance/bench.ts';
import { unaddressedKeeper } from './unaddressed-wallet.ts';
import { customerIdOf } from './vault.ts';

const token = { method: 'DELETE', path: '/v3/vault/payment-tokens/*' };
const readToken = { method: 'GET', path: '/v3/vault/payment-tokens/*' };

describeWallet(['guarded', 'unguarded'], (at) => {
  /** Creates a wallet that an order has saved. */
  const aKept = async (behaviour = 'completes') => {
    const providerCustomerId = customerIdOf(randomUUID());
    const saving = { providerCustomerId, isSaving: true };
    const { again, orderId } = await at.anApproved(behaviour, saving);
    const paid = await again(saving);
    if (paid.kind !== 'confirmed') throw new Error(`not paid: ${paid.kind}`);
    const { saved } = paid.payment;
    return { providerCustomerId, orderId, saved, methodId: saved?.providerPaymentMethodId ?? '' };
  };
  const plant = (match: object, action: string, count = 1) =>
    at.bench.post('/faults', { match, action, count });
  const chargeLater = async (methodId: string, more: object = {}) => {
    const made = await at.attempt({ providerPaymentMethodId: methodId, ...more });
    return { ...made, given: { providerPaymentMethodId: methodId, ...more } };
  };

  describe('an order that saves', () => {
    it('says what is kept, for whom, and whose it is', async () => {
      const { saved, providerCustomerId, orderId } = await aKept();
      const kept = {
        customerId: providerCustomerId,
        providerPaymentMethodId: expect.any(String),
        payerEmail: expect.stringMatching(/@example\.com$/),
      };
      expect(saved).toEqual(kept);
      expect(await at.provider.retrieve(orderId)).toMatchObject({ payment: { saved: kept } });
    });

    it('one that does not save says nothing, and neither does one that is not captured', async () => {
      const { again } = await at.anApproved();
      expect(await again()).not.toHaveProperty('payment.saved');
      const saving = { providerCustomerId: customerIdOf(randomUUID()), isSaving: true };
      const { orderId } = await at.anApproved('completes', saving);
      expect(await at.provider.retrieve(orderId)).not.toHaveProperty('payment.saved');
    });

    it('kept later: paid at once, said by a later reading', async () => {
      const { orderId, saved } = await aKept('saved_later');
      expect(saved).toBeUndefined();
      await at.bench.advance(4);
      expect(await at.provider.retrieve(orderId)).toMatchObject({
        payment: { state: 'captured', saved: { providerPaymentMethodId: expect.any(String) } },
      });
    });

    it('an account that may keep nothing: wallet_not_kept, and no order', async () => {
      await at.bench.fault('create', 'refused');
      const saving = { providerCustomerId: customerIdOf(randomUUID()), isSaving: true };
      const { outcome, orderId } = await at.attempt(saving);
      expect(outcome).toEqual(refusedWith('wallet_not_kept'));
      expect(orderId).toBe('');
    });
  });

  describe('a charge of a kept wallet', () => {
    it('off session: captured at once, under the key of its operation', async () => {
      const { methodId } = await aKept();
      const { outcome, orderId, call } = await chargeLater(methodId, { isOffSession: true });
      expect(outcome).toMatchObject(capturedAnswer(orderId));
      expect(await at.bench.effects(orderId)).toMatchObject([{ kind: 'capture', key: call.key }]);
    });

    it('PAYER_ACTION_REQUIRED on session: its buyer is asked, then captured once', async () => {
      const { methodId } = await aKept('needs_payer');
      const { outcome, orderId, again, given } = await chargeLater(methodId);
      const asks = {
        kind: 'requires_action',
        challenge: { url: expect.stringContaining(orderId) },
      };
      expect(outcome).toMatchObject(asks);
      expect(await again({ ...given, isFirstSend: false })).toMatchObject(asks);
      await at.bench.approve(orderId);
      const paid = await again({ ...given, isFirstSend: false });
      expect(paid).toMatchObject(capturedAnswer(orderId));
      expect(await again({ ...given, isFirstSend: false })).toMatchObject(capturedAnswer(orderId));
      expect(await at.kinds(orderId)).toEqual(['capture']);
    });

    it('PAYER_ACTION_REQUIRED off session: a decline, its order given up for good', async () => {
      const { methodId } = await aKept('needs_payer');
      const { outcome, orderId, again, given } = await chargeLater(methodId, {
        isOffSession: true,
      });
      expect(outcome).toMatchObject({
        kind: 'refused',
        code: 'declined',
        declineCode: 'authentication_required',
        advice: 'try_again_later',
      });
      expect(await at.provider.retrieve(orderId)).toMatchObject({ payment: { state: 'released' } });
      await at.bench.approve(orderId);
      expect(await again({ ...given, isFirstSend: false })).toMatchObject({
        payment: { state: 'released' },
      });
      expect(await at.kinds(orderId)).toEqual([]);
    });

    it('declined: refused, its order given up', async () => {
      const { methodId } = await aKept('declined_later');
      const { outcome, orderId } = await chargeLater(methodId, { isOffSession: true });
      expect(outcome).toMatchObject({ code: 'declined', declineCode: 'wallet_declined' });
      expect(await at.provider.retrieve(orderId)).toMatchObject({ payment: { state: 'released' } });
    });

    it.each([
      'effect_then_reset',
      'effect_then_silence',
      'recorded_error_after_effect',
      'reset_then_late_effect',
    ] as const)('the answer is lost (%s): asked again, captured once', async (fault) => {
      const { methodId } = await aKept();
      await at.bench.fault('capture', fault, 2);
      const { orderId, again, given } = await chargeLater(methodId, { isOffSession: true });
      await at.bench.clearFaults();
      // The provider may capture long after it closed the connection.
      await expect.poll(() => at.kinds(orderId)).toEqual(['capture']);
      const end = await again({ ...given, isFirstSend: false });
      expect(end).toMatchObject(capturedAnswer(orderId));
      expect(await at.kinds(orderId)).toEqual(['capture']);
    });

    it('the answer to the creation is lost: the same order, captured once', async () => {
      const { methodId } = await aKept();
      await at.bench.fault('create', 'effect_then_reset');
      const { outcome, orderId } = await chargeLater(methodId);
      expect(outcome).toMatchObject(capturedAnswer(orderId));
      expect(new Set(await at.bench.sends(orderId, 'create')).size).toBe(1);
    });
  });

  describe('a kept wallet', () => {
    it('is found with its customer; let go of, it is missing, again and again', async () => {
      const { methodId, providerCustomerId: customerId } = await aKept();
      expect(await at.provider.retrieveMethod(methodId)).toMatchObject({
        kind: 'found',
        method: { methodId, customerId },
      });
      for (const key of ['a', 'a', 'b']) {
        expect(await at.provider.detachMethod({ key, methodId })).toMatchObject({
          kind: 'confirmed',
        });
      }
      expect(await at.provider.retrieveMethod(methodId)).toMatchObject({ kind: 'missing' });
      const { outcome } = await chargeLater(methodId);
      expect(outcome).toMatchObject({ code: 'declined', declineCode: 'wallet_restricted' });
    });

    it('the answer to the detachment is lost: confirmed by what the wallet shows', async () => {
      const { methodId } = await aKept();
      await plant(token, 'drop_reply', 2);
      expect(await at.provider.detachMethod({ key: 'x', methodId })).toMatchObject({
        kind: 'confirmed',
      });
    });

    it('the detachment never arrives: in doubt, and the wallet is still there', async () => {
      const { methodId } = await aKept();
      await plant(token, 'drop_request', 2);
      expect(await at.provider.detachMethod({ key: 'x', methodId })).toEqual(
        inDoubtWith('no_answer'),
      );
      expect(await at.provider.retrieveMethod(methodId)).toMatchObject({ kind: 'found' });
    });

    it('the detachment is turned away, or never left: not done, and the wallet is still there', async () => {
      const { methodId } = await aKept();
      const { unreachable } = at.bench;
      for (const action of ['error_429', 'error_500']) {
        await plant(token, action, 2);
        expect(await at.provider.detachMethod({ key: 'x', methodId })).toMatchObject({
          kind: 'not_done',
        });
      }
      expect(await unreachable.detachMethod({ key: 'x', methodId })).toMatchObject({
        kind: 'not_done',
      });
      expect(await at.provider.retrieveMethod(methodId)).toMatchObject({ kind: 'found' });
    });

    it('the first detachment was lost, the second turned away: in doubt', async () => {
      const { methodId } = await aKept();
      await plant(token, 'drop_request', 1);
      await plant(token, 'error_429', 1);
      expect(await at.provider.detachMethod({ key: 'x', methodId })).toMatchObject({
        kind: 'in_doubt',
      });
    });

    it('cannot be read: in doubt, never missing', async () => {
      const { methodId } = await aKept();
      await plant(readToken, 'error_500', 2);
      expect(await at.provider.retrieveMethod(methodId)).toEqual(inDoubtWith('read_failed'));
      expect(await at.bench.unreachable.retrieveMethod(methodId)).toMatchObject({
        kind: 'in_doubt',
      });
    });

    it('wrong credentials: refused, and the wallet stays', async () => {
      const { methodId } = await aKept();
      const { unauthorised } = at.bench;
      expect(await unauthorised.detachMethod({ key: 'x', methodId })).toEqual(
        expect.objectContaining({ kind: 'refused', code: 'key_refused' }),
      );
      expect(await at.provider.retrieveMethod(methodId)).toMatchObject({ kind: 'found' });
    });
  });

  describe('customers', () => {
    it('are named by us, have no default, and are set up by a payment alone', async () => {
      const userId = randomUUID();
      const call = { key: 'c', clientId: randomUUID(), userId, email: 'a@example.test' };
      const customerId = customerIdOf(userId);
      const found = { kind: 'found', customer: { customerId, defaultMethodId: null } };
      expect(await at.provider.createCustomer(call)).toMatchObject(found);
      expect(await at.provider.retrieveCustomer(customerId)).toMatchObject(found);
      const no = { kind: 'refused', code: 'not_supported' };
      const setUp = {
        key: 's',
        isFirstSend: true,
        cardSetupId: randomUUID(),
        sessionId: randomUUID(),
        customerId,
        setupId: null,
        providerPaymentMethodId: null,
        returnUrl: 'http://localhost/r',
        onSetup: async () => undefined,
      };
      expect(await at.provider.setUp(setUp)).toMatchObject(no);
      expect(await at.provider.cancelSetup({ key: 's', setupId: 'x' })).toMatchObject(no);
      expect(await at.provider.retrieveSetup('x')).toMatchObject({ kind: 'missing' });
      const change = { key: 'd', customerId, methodId: null };
      expect(await at.provider.setDefaultMethod(change)).toMatchObject(no);
    });
  });
});

describe('a wallet without an address', () => {
  it('keeps what it keeps: nothing is confirmed, nothing reads as missing', async () => {
    const gone = { kind: 'refused', code: 'unavailable' };
    const doubt = { kind: 'in_doubt' };
    const keeper = unaddressedKeeper;
    expect(await keeper.detachMethod({ key: 'x', methodId: 'x' })).toMatchObject(gone);
    expect(await keeper.retrieveMethod('x')).toMatchObject(doubt);
    expect(await keeper.retrieveCustomer('x')).toMatchObject(doubt);
    expect(await keeper.retrieveSetup('x')).toMatchObject(doubt);
  });
});
