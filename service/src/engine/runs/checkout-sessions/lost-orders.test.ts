// Tests of an order that the wallet no longer has: it has expired, unless a capture of it is in
// doubt. Reliability §4.3: in doubt is never turned into failed.

import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { vouchedSession } from '../../../../test/customers/saved-cards.ts';
import {
  decline,
  expireNow,
  paymentsOf,
  readState,
  runRecovery,
} from '../../../../test/payments/checkouts.ts';
import { advance, plantInDatabase } from '../../../../test/payments/planted.ts';
import { reconcileAll } from '../../../../test/payments/reconcile.ts';
import { openWalletShop, type WalletShop } from '../../../../test/wallet/wallet-shop.ts';
import { aSession, type Checkout, startWorld, type World } from '../../../../test/world.ts';
import { sql } from '../../../storage/database/sql.ts';
import { expireSessions } from './expire-sessions.ts';

let world: World;
let shop: WalletShop;
let session: Checkout;
beforeEach(async () => {
  await world?.close();
  world = await startWorld();
  shop = await openWalletShop(world);
  session = await aSession(world, { captureMethod: 'automatic' });
});
afterAll(() => world?.close());

const fourHours = 4 * 3600;
const statusOf = async () => (await paymentsOf(world, session))[0]?.status;
const clearFaults = () => world.control('DELETE', '/_control/faults');
const capture = { method: 'POST', path: '/v2/checkout/orders/*/capture' };

/** The buyer has approved the order; the capture is sent, and its response is lost. */
async function captureUnanswered(): Promise<void> {
  const asked = await shop.pay(session);
  await shop.approve(await shop.orderOf(asked));
  await world.fault(capture, 'drop_request', { count: 2 });
  await shop.pay(session).catch(() => undefined);
  await clearFaults();
}

async function endSessions(): Promise<void> {
  await expireNow(world, session);
  await expireSessions(world.ports, {
    limit: 50,
    onError: (_, error) => {
      throw error;
    },
  });
}

const declineAsCanceled = () =>
  expect(decline(world, session, { reason: 'wallet_canceled' })).rejects.toMatchObject({
    code: 'gateway_outcome_unknown',
  });

const sealed = sql<{ secret: Buffer }>(
  'test_lost_orders_secret',
  'select secret_key_sealed as secret from gateways where id = $1',
);

/**
 * Makes calls while the secret of the wallet's account cannot be decrypted and no process has it in
 * memory.
 */
async function withoutKeys(ask: (ports: World['ports']) => Promise<unknown>): Promise<void> {
  const [row] = await world.database.read(sealed, [shop.gatewayId]);
  await plantInDatabase(world.ownerUrl, async (plant) => {
    const setSecret = (secret: Buffer | undefined) =>
      plant('update gateways set secret_key_sealed = $2 where id = $1', [shop.gatewayId, secret]);
    await setSecret(Buffer.alloc(1));
    await expect(ask({ ...world.ports })).rejects.toThrow('is not a sealed value');
    await setSecret(row?.secret);
  });
}

describe('an order that ran out while nobody looked', () => {
  it('never captured: failed, and the session is open', async () => {
    await shop.pay(session);
    await advance(world, fourHours);
    await runRecovery(world);
    expect(await statusOf()).toBe('failed');
    expect(await readState(world, session)).toMatchObject({ status: 'open' });
    expect((await reconcileAll(world.ports)).seen).toEqual([]);
  });

  it.each([
    ['could not be read', 'error_503_unrecorded'],
    ['was missing on a copy that lags', 'stale_read'],
  ])('never captured, though it once %s: failed, and the session is open', async (_, action) => {
    await shop.pay(session);
    await world.fault({ method: 'GET', path: '/v2/checkout/orders/*' }, action);
    await runRecovery(world);
    expect(await statusOf()).toBe('unknown');
    await clearFaults();
    await runRecovery(world);
    expect(await readState(world, session)).toMatchObject({ status: 'requires_action' });
    await advance(world, fourHours);
    await runRecovery(world);
    expect(await statusOf()).toBe('failed');
    expect(await readState(world, session)).toMatchObject({ status: 'open' });
  });

  it.each([
    ['the end of its session', endSessions],
    ['its buyer, who lets go of it', declineAsCanceled],
  ])('never captured, and found gone first by %s: failed', async (_, close) => {
    await shop.pay(session);
    await advance(world, fourHours);
    await close();
    expect(await statusOf()).toBe('unknown');
    await runRecovery(world);
    expect(await statusOf()).toBe('failed');
    expect((await reconcileAll(world.ports)).seen).toEqual([]);
  });

  it('never captured, though it was missing on a copy that lags when it was to be closed: failed', async () => {
    await shop.pay(session);
    await world.fault({ method: 'GET', path: '/v2/checkout/orders/*' }, 'stale_read');
    await declineAsCanceled();
    expect(await statusOf()).toBe('unknown');
    await clearFaults();
    await advance(world, fourHours);
    await runRecovery(world);
    expect(await statusOf()).toBe('failed');
    expect(await readState(world, session)).toMatchObject({ status: 'open' });
  });

  it.each<[string, (ports: World['ports']) => Promise<unknown>]>([
    ['when it was made', (ports) => shop.pay(session, {}, ports)],
    ['when its buyer came back', (ports) => shop.pay(session, {}, ports)],
    ['to the recovery worker', (ports) => runRecovery({ ...world, ports })],
    ['when it was to be closed', (ports) => decline({ ...world, ports }, session)],
  ])(
    'never captured, though the keys of its account did not open %s: failed',
    async (when, ask) => {
      if (when !== 'when it was made') await shop.pay(session);
      await withoutKeys(ask);
      await runRecovery(world);
      expect(await readState(world, session)).toMatchObject({ status: 'requires_action' });
      await advance(world, fourHours);
      await runRecovery(world);
      expect(await statusOf()).toBe('failed');
      expect(await readState(world, session)).toMatchObject({ status: 'open' });
    },
  );

  it('never captured, though it was not known once for whom its wallet is kept: failed', async () => {
    session = await vouchedSession(world);
    await shop.pay(session, { saveForLater: true });
    await plantInDatabase(world.ownerUrl, async (plant) => {
      await plant('delete from provider_customers where user_id = $1', [session.userId]);
      await plant('update customers set id = $2 where id = $1', [session.userId, world.client.id]);
      await runRecovery(world);
      await plant('update customers set id = $1 where id = $2', [session.userId, world.client.id]);
    });
    expect(await statusOf()).toBe('unknown');
    await runRecovery(world);
    expect(await readState(world, session)).toMatchObject({ status: 'requires_action' });
    await advance(world, fourHours);
    await runRecovery(world);
    expect(await statusOf()).toBe('failed');
  });

  it('its capture had no answer, and then the keys of its account did not open: in doubt', async () => {
    await captureUnanswered();
    await withoutKeys((ports) => runRecovery({ ...world, ports }));
    await advance(world, fourHours);
    await runRecovery(world);
    expect(await statusOf()).toBe('unknown');
  });

  it('its capture had no answer: in doubt', async () => {
    await captureUnanswered();
    await advance(world, fourHours);
    for (let look = 0; look < 2; look++) await runRecovery(world);
    expect(await statusOf()).toBe('unknown');
    expect(await readState(world, session)).toMatchObject({ status: 'processing' });
  });

  it('whoever captured it died before writing down what came of it: in doubt', async () => {
    const asked = await shop.pay(session);
    await shop.approve(await shop.orderOf(asked));
    await world.fault(capture, 'drop_request', { count: 2 });
    const ports: World['ports'] = {
      ...world.ports,
      provider: (gateway) => {
        const provider = world.ports.provider(gateway);
        return {
          ...provider,
          authorize: async (call) => {
            await provider.authorize(call);
            throw new Error('planted');
          },
        };
      },
    };
    await expect(shop.pay(session, {}, ports)).rejects.toThrow('planted');
    await clearFaults();
    await advance(world, fourHours);
    await runRecovery(world);
    expect(await statusOf()).toBe('unknown');
  });
});
