// Renewals that a saved wallet pays without its buyer: one order each. Contract §5. docs/decisions/wallet.md.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  advanceToRenewal,
  endAll,
  nowOf,
  renewAll,
  renewalsOf,
  subscriptionOf,
  subscriptionsOfSession,
} from '../../../../test/customers/subscriptions.ts';
import { newId } from '../../../../test/harness.ts';
import { eventsOf, runRecovery } from '../../../../test/payments/checkouts.ts';
import { payAndKeep } from '../../../../test/wallet/kept-wallets.ts';
import { openWalletShop, type WalletShop } from '../../../../test/wallet/wallet-shop.ts';
import { aSession, startWorld, type World } from '../../../../test/world.ts';
import { insertSubscription } from '../../../storage/subscriptions/subscriptions.ts';
import { appendSubscriptionEvent } from '../../steps/subscriptions/apply-to-subscription.ts';

let world: World;
let shop: WalletShop;
beforeAll(async () => {
  world = await startWorld();
  shop = await openWalletShop(world);
  // The first call of a new process may take longer than a test's time limit.
  await shop.pay(await aSession(world, { captureMethod: 'automatic' })).catch(() => undefined);
});
afterEach(async () => {
  await world.control('DELETE', '/_control/faults');
  await endAll(world);
});
afterAll(() => world?.close());

/** Creates a monthly subscription that is paid with a saved wallet. */
async function aWalletClub(behaviour = 'completes') {
  const products = [{ code: 'club', quantity: 1 }];
  const { session, method } = await payAndKeep(world, shop, { behaviour, products });
  const [started] = await subscriptionsOfSession(world, session);
  if (!started) throw new Error('nothing was started');
  return { id: started.id, methodId: method.id };
}

type RecordedRequest = { method: string; path: string; idempotencyKey: string };
/** The idempotency keys of the order requests: an expired access token makes a call come twice. */
const orderKeys = async (): Promise<Set<string>> => {
  const { requests } = (await world.control('GET', '/_control/requests')) as {
    requests: RecordedRequest[];
  };
  const made = requests.filter(
    ({ method, path }) => method === 'POST' && path === '/v2/checkout/orders',
  );
  return new Set(made.map(({ idempotencyKey }) => idempotencyKey));
};

const movements = (orderId: string | null) => shop.movements(orderId ?? '');

describe('a renewal with a kept wallet', () => {
  it('succeeds: one order, one capture, the next period', async () => {
    const { id } = await aWalletClub();
    await advanceToRenewal(world, id);
    expect(await renewAll(world)).toBe(1);
    expect(await renewAll(world)).toBe(0);
    const [renewal, ...more] = await renewalsOf(world, id);
    expect(more).toEqual([]);
    expect(renewal).toMatchObject({ status: 'succeeded' });
    expect(await movements(renewal?.provider_intent_id ?? null)).toMatchObject([
      { kind: 'capture', amount: 2400 },
    ]);
    expect(await subscriptionOf(world, id)).toMatchObject({ status: 'active', periods: 2 });
    expect(await eventsOf(world, id)).toEqual(['subscription.created', 'subscription.renewed']);
  });

  it.each([
    ['declined_later', 'wallet_declined'],
    ['needs_payer', 'authentication_required'],
  ])(
    '%s: nobody is there, so it is a decline (%s), past due, and nothing is captured',
    async (...row) => {
      const [behaviour] = row;
      const { id } = await aWalletClub(behaviour);
      await advanceToRenewal(world, id);
      await renewAll(world);
      const [renewal] = await renewalsOf(world, id);
      expect(renewal).toMatchObject({ status: 'failed' });
      expect(await movements(renewal?.provider_intent_id ?? null)).toEqual([]);
      expect(await subscriptionOf(world, id)).toMatchObject({ status: 'past_due', tries: 1 });
    },
  );

  it.each(['drop_reply', 'drop_request'])(
    'in doubt (%s): no other order for the period; settled once, as the wallet says',
    async (action) => {
      const { id } = await aWalletClub();
      await advanceToRenewal(world, id);
      const captures = { method: 'POST', path: '/v2/checkout/orders/*/capture' };
      const reads = { method: 'GET', path: '/v2/checkout/orders/*' };
      await world.fault(captures, action, { count: 2 });
      await world.fault(reads, 'error_500', { count: 10 });
      const before = await orderKeys();
      await renewAll(world);
      const [open] = await renewalsOf(world, id);
      expect(open).toMatchObject({ status: 'unknown' });
      await renewAll(world);
      expect(await renewalsOf(world, id)).toHaveLength(1);
      await world.control('DELETE', '/_control/faults');
      await runRecovery(world);
      const [renewal] = await renewalsOf(world, id);
      expect(renewal).toMatchObject({ id: open?.id, status: 'succeeded' });
      expect(await movements(renewal?.provider_intent_id ?? null)).toHaveLength(1);
      const made = [...(await orderKeys())].filter((key) => !before.has(key));
      expect(made).toEqual([`intent-${open?.id}`]);
      expect(await subscriptionOf(world, id)).toMatchObject({ periods: 2 });
    },
  );

  it('of an amount that the wallet never takes is a try, so that it ends one day', async () => {
    const club = await aWalletClub();
    const sold = await subscriptionOf(world, club.id);
    const now = await nowOf(world);
    const forints = { id: newId(), productCode: 'forints', currency: 'HUF', amountMinor: 100_050 };
    await world.database.transaction(world.client.id, async (tx) => {
      const begun = { ...sold, ...forints, createdAt: now, currentPeriodEnd: now };
      const started = await insertSubscription(tx, begun);
      if (!started) throw new Error('nothing was started');
      const told = { event: 'subscription.created', request: null, now } as const;
      await appendSubscriptionEvent(tx, started, { ...told, ports: world.ports });
    });
    expect(await renewAll(world)).toBe(1);
    expect(await subscriptionOf(world, forints.id)).toMatchObject({ status: 'past_due', tries: 1 });
  });

  it('whose order was never made when its subscription is cancelled: none is made any more', async () => {
    const { id } = await aWalletClub();
    await advanceToRenewal(world, id);
    const before = await orderKeys();
    const provider = () => {
      throw new Error('killed');
    };
    await expect(renewAll(world, { ...world.ports, provider })).rejects.toThrow('killed');
    await endAll(world);
    await runRecovery(world);
    expect(await renewalsOf(world, id)).toMatchObject([
      { status: 'failed', provider_intent_id: null },
    ]);
    expect([...(await orderKeys())].filter((key) => !before.has(key))).toEqual([]);
  });
});
