// Tests of a process that is stopped for more than a day, while the provider forgets its
// idempotency keys. Reliability §4.5; docs/operating/recovery.md.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { aSavedCard, payBy, vouchedSession } from '../../../../test/customers/saved-cards.ts';
import { paymentsOf, runRecovery } from '../../../../test/payments/checkouts.ts';
import { advance, aPurchase, aRefund } from '../../../../test/payments/planted.ts';
import { aKeptWallet } from '../../../../test/wallet/kept-wallets.ts';
import { openWalletShop } from '../../../../test/wallet/wallet-shop.ts';
import {
  aCardToken,
  aSession,
  cards,
  payWith,
  startWorld,
  type World,
} from '../../../../test/world.ts';
import { sql } from '../../../storage/database/sql.ts';
import type { Ports } from '../../ports.ts';

let world: World;
beforeEach(async () => {
  world = await startWorld({ provider: { answerMs: 3000 } });
});
afterEach(() => world?.close());

const day = 24 * 3600;
const waitUntilAsked = () =>
  expect
    .poll(async () => JSON.stringify(await world.control('GET', '/_control/faults')))
    .toContain('"fired":1');

const statusOf = sql<{ status: string }>(
  'test_status_stopped',
  'select status from checkout_sessions where id = $1',
);

describe('an attempt whose holder is stopped for a day', () => {
  it('before it has an intent: whoever took over has charged, and the second intent is not paid', async () => {
    // A saved card can be charged again, unlike a card that was typed for this payment.
    const session = await vouchedSession(world);
    const card = await aSavedCard(world, { userId: session.userId });
    await world.fault({ method: 'POST', path: '/v1/payment_intents$' }, 'half_open', { count: 1 });
    const stopped = payBy(world, session, { paymentMethodId: card.id }).catch(() => undefined);
    await waitUntilAsked();
    await advance(world, 60);
    await runRecovery(world);
    expect(await paymentsOf(world, session)).toMatchObject([{ status: 'succeeded' }]);
    await advance(world, day + 3600);
    await stopped;
    const charges = (await world.ledger()).filter(({ kind }) => kind === 'capture');
    expect(charges).toHaveLength(1);
    expect(await paymentsOf(world, session)).toMatchObject([{ status: 'succeeded' }]);
    expect(await world.database.read(statusOf, [session.sessionId])).toEqual([
      { status: 'completed' },
    ]);
  });

  it('before it has an intent, and nobody took over: called off, not charged a day late', async () => {
    const session = await vouchedSession(world);
    const card = await aSavedCard(world, { userId: session.userId });
    const dead = new Promise<never>(() => undefined);
    const provider: Ports['provider'] = (gateway) => ({
      ...world.ports.provider(gateway),
      authorize: () => dead,
    });
    const ports = { ...world.ports, provider };
    void payBy({ ...world, ports }, session, { paymentMethodId: card.id });
    await expect
      .poll(() => paymentsOf(world, session))
      .toMatchObject([{ status: 'pending', provider_intent_id: null }]);
    const before = await world.ledger();
    await advance(world, 20 * 3600 + 60);
    await runRecovery(world);
    expect(await paymentsOf(world, session)).toMatchObject([{ status: 'failed' }]);
    expect(await world.ledger()).toEqual(before);
  });

  it('with a kept wallet, before it has an order: called off too', async () => {
    const shop = await openWalletShop(world);
    const { session: earlier, method } = await aKeptWallet(world, shop);
    const session = await vouchedSession(world, { userId: earlier.userId });
    const dead = new Promise<never>(() => undefined);
    const provider: Ports['provider'] = (gateway) => ({
      ...world.ports.provider(gateway),
      authorize: () => dead,
    });
    void shop.pay(session, { paymentMethodId: method.id }, { ...world.ports, provider });
    await expect
      .poll(() => paymentsOf(world, session))
      .toMatchObject([{ status: 'pending', provider_intent_id: null }]);
    const before = await shop.ordersMade();
    await advance(world, 20 * 3600 + 60);
    await runRecovery(world);
    expect(await paymentsOf(world, session)).toMatchObject([
      { status: 'failed', provider_intent_id: null },
    ]);
    expect(await shop.ordersMade()).toBe(before);
  });

  it('a first look that fails after a standstill leaves it in doubt, not to a person', async () => {
    const session = await aSession(world);
    const token = await aCardToken(world, session, cards.approved);
    await world.fault({ path: '/v1/payment_intents/*/confirm' }, 'drop_reply', {
      count: 2,
    });
    await world.fault({ path: '/v1/payment_intents/*' }, 'error_500', { count: 1 });
    await payWith(world, session, token).catch((error: unknown) => error);
    await world.control('DELETE', '/_control/faults');
    await advance(world, day + 3600);
    await world.fault({ path: '/v1/payment_intents/*' }, 'drop_request', { count: 2 });
    await runRecovery(world);
    expect(await paymentsOf(world, session)).not.toMatchObject([{ status: 'authorized' }]);
    await world.control('DELETE', '/_control/faults');
    await runRecovery(world);
    expect(await paymentsOf(world, session)).toMatchObject([{ status: 'authorized' }]);
  });
});

describe('a refund whose holder is stopped for a day', () => {
  const stops = {
    'before it looks at the clock': (ports: Ports, stop: () => Promise<void>): Ports => ({
      ...ports,
      database: {
        ...ports.database,
        read: async (query, values) => {
          if (query.name === 'clock.read') await stop();
          return ports.database.read(query, values);
        },
      },
    }),
    'on its way to the provider': (ports: Ports, stop: () => Promise<void>): Ports => ({
      ...ports,
      provider: (gateway) => {
        const provider = ports.provider(gateway);
        return {
          ...provider,
          refund: async (call) => {
            await stop();
            return provider.refund(call);
          },
        };
      },
    }),
  };

  it.each(Object.entries(stops))(
    '%s: it sends nothing, whoever took over has paid back',
    async (_, stopIn) => {
      const paymentId = await aPurchase(world);
      const [reached, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const ports = stopIn(world.ports, () => {
        reached.resolve();
        return goOn.promise;
      });
      const stopped = aRefund({ ...world, ports }, paymentId, 5).catch(() => undefined);
      await reached.promise;
      await advance(world, 60);
      await runRecovery(world);
      const sleepMs = (day + 3600) * 1000;
      await advance(world, sleepMs / 1000);
      const awake = Date.now;
      // The wall clock goes on while a machine sleeps.
      Date.now = () => awake() + sleepMs;
      goOn.resolve();
      await stopped;
      Date.now = awake;
      expect((await world.ledger()).filter(({ kind }) => kind === 'refund')).toHaveLength(1);
    },
    30_000,
  );
});
