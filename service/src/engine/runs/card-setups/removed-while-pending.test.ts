// A merchant removes a card that is still being set up. Spec: Payment-method deletion, card_setups.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { beginDetachment } from '../../../../test/customers/saved-cards.ts';
import {
  aChallengedSetup,
  aSetupSession,
  methodsOf,
  submitCard,
} from '../../../../test/customers/setups.ts';
import { callerOf } from '../../../../test/harness.ts';
import { answerChallenge, readState } from '../../../../test/payments/checkouts.ts';
import { startWorld, type World } from '../../../../test/world.ts';
import { operations } from '../../../operations/index.ts';
import { refuse } from '../../implement.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const remove = (id: string) =>
  operations.deletePaymentMethod({ id }, callerOf(world.token), world.ports, refuse);

describe('deletePaymentMethod and submitCardSetup', () => {
  it('409 payment_method_has_active_payment: its bank still asks; the set-up goes on', async () => {
    const { session, again, url } = await aChallengedSetup(world);
    const [method] = await methodsOf(world, session);
    await expect(remove(method?.id ?? '')).rejects.toEqual(
      expect.objectContaining({ code: 'payment_method_has_active_payment' }),
    );
    await answerChallenge(url, 'approve');
    expect(await again()).toMatchObject({ type: 'success', paymentMethodId: method?.id });
  });

  it('removed before a card came: the next card is a method of its own', async () => {
    const session = await aSetupSession(world);
    const [first] = await methodsOf(world, session);
    expect(await remove(first?.id ?? '')).toMatchObject({ status: 204 });
    const { paymentMethodId } = await submitCard(world, session);
    expect(paymentMethodId).not.toBe(first?.id);
    const methods = await methodsOf(world, session);
    expect(methods.filter(({ status }) => status === 'active')).toMatchObject([
      { id: paymentMethodId },
    ]);
    expect(await readState(world, session)).toMatchObject({
      status: 'completed',
      paymentMethodId,
    });
  });

  it('just being removed: the card does not become that method', async () => {
    const session = await aSetupSession(world);
    const [first] = await methodsOf(world, session);
    await beginDetachment(world, first?.id ?? '');
    const { paymentMethodId } = await submitCard(world, session);
    expect(paymentMethodId).not.toBe(first?.id);
    const methods = await methodsOf(world, session);
    expect(methods.find(({ id }) => id === first?.id)).toMatchObject({ status: 'pending' });
  });

  it('both at once, over and over: removed, or set up, never both of one method', async () => {
    for (let round = 0; round < 10; round += 1) {
      const session = await aSetupSession(world);
      const [first] = await methodsOf(world, session);
      const [card, detachment] = await Promise.allSettled([
        submitCard(world, session),
        remove(first?.id ?? ''),
      ]);
      expect(card).toMatchObject({ status: 'fulfilled', value: { type: 'success' } });
      const { paymentMethodId } = (await readState(world, session)) as {
        paymentMethodId?: string;
      };
      const methods = await methodsOf(world, session);
      const active = methods.filter(({ status }) => status === 'active').map(({ id }) => id);
      const isSame = paymentMethodId === first?.id;
      // A card that is removed after it became active is removed like any other card.
      expect(active).toEqual(detachment?.status === 'fulfilled' && isSame ? [] : [paymentMethodId]);
    }
  });
});
