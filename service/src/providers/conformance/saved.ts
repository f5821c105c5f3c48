// Tests of cards that are saved for their customer, for the conformance suite.

import { expect, it } from 'vitest';
import type { Outcome } from '../../engine/ports.ts';
import type { BenchCalls } from './bench.ts';

/** The method that pays is saved for a customer, and pays again, with the buyer present or not. */
export function describeSaved(ask: () => BenchCalls): void {
  const saveCard = async (number: string) => {
    const { bench, attempt } = ask();
    const providerCustomerId = await bench.aCustomer();
    const first = await attempt(number, { providerCustomerId, isSaving: true });
    const { providerPaymentMethodId } = first.call;
    return { ...first, providerCustomerId, providerPaymentMethodId };
  };

  it.each([
    ['manual', 'authorized'],
    ['automatic', 'captured'],
  ] as const)(
    'saving, %s: confirmed with the customer and the method that is kept',
    async (captureMethod, state) => {
      const { bench, attempt, provider } = ask();
      const providerCustomerId = await bench.aCustomer();
      const given = { providerCustomerId, isSaving: true, captureMethod } as const;
      const { outcome, call, intentId } = await attempt('4242424242424242', given);
      const saved = {
        customerId: providerCustomerId,
        providerPaymentMethodId: call.providerPaymentMethodId,
        payerEmail: null,
      };
      expect(outcome).toMatchObject({ kind: 'confirmed', payment: { state, saved } });
      expect(await provider.retrieve(intentId)).toMatchObject({ payment: { saved } });
    },
  );

  it('not saving: nothing is said to be kept, with or without a customer', async () => {
    const { attempt } = ask();
    const { providerCustomerId, providerPaymentMethodId } = await saveCard('4242424242424242');
    const again = await attempt('4242424242424242', {
      providerCustomerId,
      providerPaymentMethodId,
    });
    expect(again.outcome).toMatchObject({ kind: 'confirmed', payment: { state: 'authorized' } });
    const plain = await attempt('4242424242424242');
    for (const { outcome } of [again, plain]) {
      expect((outcome as Outcome & { kind: 'confirmed' }).payment.saved).toBeUndefined();
    }
  });

  it('declined while saving: refused, and nothing is kept', async () => {
    const { provider } = ask();
    const { outcome, intentId } = await saveCard('4000000000000002');
    expect(outcome).toMatchObject({ kind: 'refused', code: 'declined' });
    const reading = await provider.retrieve(intentId);
    expect(reading).toMatchObject({ kind: 'found', payment: { state: 'released' } });
    expect((reading as { payment: object }).payment).not.toHaveProperty('saved');
  });

  it('a challenge while saving: kept only once the buyer has approved', async () => {
    const { bench, provider } = ask();
    const { outcome, intentId, providerCustomerId } = await saveCard('4000002500003155');
    expect(outcome).toMatchObject({ kind: 'requires_action' });
    const { challenge } = outcome as Outcome & { kind: 'requires_action' };
    const before = await provider.retrieve(intentId);
    expect((before as { payment: object }).payment).not.toHaveProperty('saved');
    await bench.answerChallenge(challenge.url ?? '', 'approve');
    expect(await provider.retrieve(intentId)).toMatchObject({
      payment: { state: 'authorized', saved: { customerId: providerCustomerId } },
    });
  });

  it('off session: charged once, the same call again has no second effect', async () => {
    const { attempt, kinds } = ask();
    const { providerCustomerId, providerPaymentMethodId } = await saveCard('4242424242424242');
    const given = { providerCustomerId, providerPaymentMethodId, sessionId: '' } as const;
    const { outcome, again, intentId } = await attempt('4242424242424242', {
      ...given,
      isOffSession: true,
      captureMethod: 'automatic',
    });
    expect(outcome).toMatchObject({ kind: 'confirmed', payment: { state: 'captured' } });
    expect(await again()).toMatchObject({ kind: 'confirmed', payment: { state: 'captured' } });
    expect(await kinds(intentId)).toEqual(['capture']);
  });

  it('off session, and the bank asks for the buyer: refused as authentication_required, closed', async () => {
    const { bench, attempt, provider } = ask();
    const first = await saveCard('4000002760003184');
    const { challenge } = first.outcome as Outcome & { kind: 'requires_action' };
    await bench.answerChallenge(challenge.url ?? '', 'approve');
    const { providerCustomerId, providerPaymentMethodId } = first;
    const given = { providerCustomerId, providerPaymentMethodId, isOffSession: true };
    const { outcome, intentId } = await attempt('4000002760003184', given);
    expect(outcome).toMatchObject({
      kind: 'refused',
      code: 'declined',
      declineCode: 'authentication_required',
    });
    expect(await provider.retrieve(intentId)).toMatchObject({ payment: { state: 'released' } });
  });

  it('opened with a saved card for the page: nothing is confirmed, and the same intent again', async () => {
    const { attempt, kinds } = ask();
    const first = await saveCard('4242424242424242');
    const { outcome, again, intentId } = await attempt('4242424242424242', {
      providerCustomerId: first.providerCustomerId,
      offeredMethodId: first.providerPaymentMethodId ?? '',
      providerPaymentMethodId: null,
    });
    expect(outcome).toMatchObject({ kind: 'requires_action', payment: { state: 'new' } });
    expect(await again()).toMatchObject({ payment: { intentId } });
    expect(await kinds(intentId)).toEqual([]);
  });
}
