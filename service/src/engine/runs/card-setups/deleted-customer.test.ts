// Tests of a customer who was deleted at the provider, by hand or for an erasure: the next card
// creates a new customer there, once, and the cards saved under the old one can still be removed.
// docs/decisions/saved-cards.md.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  customerAtProvider,
  insertFundedSubscription,
  isKeptAtProvider,
} from '../../../../test/customers/detachments.ts';
import {
  aSavedCard,
  methodsOf,
  payBy,
  vouchedSession,
} from '../../../../test/customers/saved-cards.ts';
import {
  aSetupSession,
  confirmSetupInPage,
  openSetupIntent,
  recoverSetups,
  setupsOf,
  submitCard,
} from '../../../../test/customers/setups.ts';
import { aCustomer, callAs, newId, sessionCaller } from '../../../../test/harness.ts';
import { bodyOf, paymentsOf } from '../../../../test/payments/checkouts.ts';
import { aServer, type TestServer } from '../../../../test/server.ts';
import { aCardToken, cards, startWorld, type World } from '../../../../test/world.ts';
import type { PaymentMethod } from '../../../domain/payments/payment-method.ts';
import { operations } from '../../../operations/index.ts';
import { sql } from '../../../storage/database/sql.ts';
import { refuse } from '../../implement.ts';

let world: World;
let server: TestServer;
beforeAll(async () => {
  world = await startWorld();
  server = await aServer(world.ports);
});
afterAll(async () => {
  await server?.close();
  await world?.close();
});

const code = (name: string, more: object = {}) => expect.objectContaining({ code: name, ...more });
const kept = sql<{ provider_customer_id: string; generation: number }>(
  'test_kept_customers',
  'select provider_customer_id, generation from provider_customers where user_id = $1',
);
const activeMethodsOf = async (userId: string) =>
  (await methodsOf(world, userId)).filter(({ status }) => status === 'active');

/** A customer with a saved card, deleted at the provider. */
async function aGoneCustomer(): Promise<{ userId: string; card: PaymentMethod }> {
  const { id: userId } = await aCustomer(world.database, world.client);
  const card = await aSavedCard(world, { userId });
  await customerAtProvider(world, card, 'DELETE');
  return { userId, card };
}

/** Expects another customer at the provider in place of the first one, with the saved card. */
async function expectNextCustomer({ userId, card }: { userId: string; card: PaymentMethod }) {
  const [now, ...more] = await world.database.read(kept, [userId]);
  expect(more).toEqual([]);
  expect(now?.generation).toBe(2);
  expect(now?.provider_customer_id).not.toBe(card.providerCustomerId);
  const [, saved] = await activeMethodsOf(userId);
  expect(saved?.providerCustomerId).toBe(now?.provider_customer_id);
  expect(saved && (await isKeptAtProvider(world, saved))).toBe(true);
}

describe('saving a card of a customer that is gone at the provider', () => {
  it('200 of a set-up: saved for a new customer of the provider’s, and the next one stays', async () => {
    const gone = await aGoneCustomer();
    const session = await aSetupSession(world, { userId: gone.userId });
    expect(await submitCard(world, session)).toMatchObject({ type: 'success' });
    await expectNextCustomer(gone);
    const again = await aSetupSession(world, { userId: gone.userId });
    await submitCard(world, again, '5555555555554444');
    expect(await world.database.read(kept, [gone.userId])).toMatchObject([{ generation: 2 }]);
  });

  it('200 with a payment: paid, and saved', async () => {
    const gone = await aGoneCustomer();
    const session = await vouchedSession(world, { userId: gone.userId });
    const token = await aCardToken(world, session, cards.approved);
    expect(await payBy(world, session, { token, saveForLater: true })).toMatchObject({
      body: { type: 'success' },
    });
    await expectNextCustomer(gone);
  });

  it('200 of a setup intent that the page confirms', async () => {
    const gone = await aGoneCustomer();
    const session = await vouchedSession(world, { userId: gone.userId });
    await confirmSetupInPage(world, await openSetupIntent(world, session));
    await recoverSetups(world);
    await expectNextCustomer(gone);
  });

  it('of six at once one is made, and deleted again it is made again', async () => {
    const gone = await aGoneCustomer();
    const customers: Record<string, unknown>[] = [];
    for (const generation of [2, 3]) {
      const sessions = await Promise.all(
        Array.from({ length: 6 }, () => aSetupSession(world, { userId: gone.userId })),
      );
      const answers = await Promise.all(sessions.map((session) => submitCard(world, session)));
      expect(answers.filter(({ type }) => type !== 'success')).toEqual([]);
      expect(await world.database.read(kept, [gone.userId])).toMatchObject([{ generation }]);
      const saved = (await activeMethodsOf(gone.userId)).slice(-6);
      expect(new Set(saved.map((one) => one.providerCustomerId)).size).toBe(1);
      const [{ providerCustomerId = '' } = {}] = saved;
      customers.push({ providerCustomerId });
      if (saved[0]) await customerAtProvider(world, saved[0], 'DELETE');
    }
    expect(customers[0]).not.toEqual(customers[1]);
  });

  it('a provider that cannot be read says nothing: the customer stays', async () => {
    const { id: userId } = await aCustomer(world.database, world.client);
    const card = await aSavedCard(world, { userId });
    await world.fault({ path: '/v1/customers/*', method: 'GET' }, 'error_503_unrecorded', {
      count: 2,
    });
    await submitCard(world, await aSetupSession(world, { userId }), '5555555555554444');
    await world.control('DELETE', '/_control/faults');
    expect(await world.database.read(kept, [userId])).toEqual([
      { provider_customer_id: card.providerCustomerId, generation: 1 },
    ]);
  });

  it('verified for one who is gone before we looked: failed, and nothing is saved', async () => {
    const { id: userId } = await aCustomer(world.database, world.client);
    const card = await aSavedCard(world, { userId });
    const session = await vouchedSession(world, { userId });
    const intent = await openSetupIntent(world, session);
    await confirmSetupInPage(world, intent);
    await customerAtProvider(world, card, 'DELETE');
    await submitCard(world, await aSetupSession(world, { userId }));
    await recoverSetups(world);
    expect(await setupsOf(world, session)).toMatchObject([{ failure_code: 'unavailable' }]);
    expect(await activeMethodsOf(userId)).toHaveLength(2);
  });
});

describe('a card saved for a customer that is gone at the provider', () => {
  it('402 card_declined: nothing is charged, and no repeat is advised', async () => {
    const { userId, card } = await aGoneCustomer();
    const session = await vouchedSession(world, { userId });
    await expect(payBy(world, session, { paymentMethodId: card.id })).rejects.toEqual(
      code('card_declined', {
        facts: expect.objectContaining({
          declineCode: 'card_not_kept',
          advice: 'do_not_try_again',
        }),
      }),
    );
    expect(await paymentsOf(world, session)).toMatchObject([{ status: 'failed' }]);
  });

  it('402 card_declined: detached at the provider, its customer still there', async () => {
    const { id: userId } = await aCustomer(world.database, world.client);
    const card = await aSavedCard(world, { userId });
    const detach = `${world.sandbox.url}/v1/payment_methods/${card.providerPaymentMethodId}/detach`;
    await fetch(detach, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.account.secretKey}` },
    });
    const session = await vouchedSession(world, { userId });
    await expect(payBy(world, session, { paymentMethodId: card.id })).rejects.toEqual(
      code('card_declined'),
    );
  });

  it('404 payment_method_not_found: no intent is opened for it', async () => {
    const { userId, card } = await aGoneCustomer();
    const session = await vouchedSession(world, { userId });
    const body = {
      sessionId: session.sessionId,
      email: 'buyer@example.test',
      paymentMethod: card.id,
    };
    await expect(
      bodyOf(
        operations.createPaymentIntent({ body }, sessionCaller(session.nonce), world.ports, refuse),
      ),
    ).rejects.toEqual(code('payment_method_not_found'));
  });

  const remove = async (id: string) => {
    const response = await callAs(server.app, world.token, `DELETE /v1/payment-methods/${id}`);
    return [response.statusCode, response.body === '' ? null : response.json().code];
  };

  it('204: removed, the default among others too', async () => {
    const { id: userId } = await aCustomer(world.database, world.client);
    const [first, second] = [
      await aSavedCard(world, { userId }),
      await aSavedCard(world, { userId, number: '5555555555554444' }),
    ];
    await customerAtProvider(world, first, 'DELETE');
    expect(await remove(first.id)).toEqual([204, null]);
    expect(await remove(second.id)).toEqual([204, null]);
    expect(await activeMethodsOf(userId)).toEqual([]);
  });

  it('409 payment_method_in_use: it pays a subscription, and no other can take over', async () => {
    const { userId, card } = await aGoneCustomer();
    await insertFundedSubscription(world, card);
    await submitCard(world, await aSetupSession(world, { userId }), '5555555555554444');
    expect(await remove(card.id)).toEqual([409, 'payment_method_in_use']);
    expect(await remove(newId())).toEqual([404, 'payment_method_not_found']);
  });
});
