// Tests of refunds that were sent and whose responses were lost, compared with the provider's
// records.

import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { aPurchase, aRefund, plantInDatabase } from '../../../../test/payments/planted.ts';
import { reconcileAll } from '../../../../test/payments/reconcile.ts';
import { openWalletShop } from '../../../../test/wallet/wallet-shop.ts';
import { aSession, startWorld, type World } from '../../../../test/world.ts';
import { sql } from '../../../storage/database/sql.ts';
import { findPayment } from '../../../storage/payments/payments.ts';
import type { ProviderRefund, RefundList } from '../../ports.ts';
import { compareUnnamedRefund } from './compare.ts';

let world: World;
beforeEach(async () => {
  await world?.close();
  world = await startWorld();
});
afterAll(() => world?.close());

const reconcile = (isSettling = false) => reconcileAll(world.ports, { isSettling });

/** Both sends of the refund and the lookup after them meet the fault. */
async function aLostRefund(action: string): Promise<string> {
  const purchase = await aPurchase(world);
  await world.fault({ method: 'POST', path: '/v1/refunds' }, action, { count: 2 });
  await world.fault({ method: 'GET', path: '/v1/refunds' }, 'error_503_unrecorded', { count: 1 });
  await expect(aRefund(world, purchase, 5)).rejects.toThrow('has not reported the outcome');
  const [refund] = await world.database.read(findRefund, [purchase]);
  return refund?.id ?? '';
}

const findRefund = sql<{ id: string }>(
  'test_refund_of',
  `select id from payments where parent_payment_id = $1`,
);

const ours = { status: 'unknown', amount: 5, currency: 'EUR' };

describe('reconcile of refunds in doubt', () => {
  it('done, and both answers lost: what the provider has, settled where asked', async () => {
    const paymentId = await aLostRefund('drop_reply');
    const wanted = {
      ...{ paymentId, type: 'refund', kind: 'state', ours },
      providers: { status: 'succeeded', amount: 5, currency: 'EUR' },
    };
    const before = await reconcile();
    expect(before.seen).toMatchObject([wanted]);
    expect(before.seen[0]?.providers.id).toMatch(/^re_/);
    expect(await reconcile(true)).toMatchObject({ differences: 0, settled: 1 });
    expect((await reconcile()).seen).toEqual([]);
  });

  it('a 500, and not done: the provider has none, for certain', async () => {
    const paymentId = await aLostRefund('error_500');
    const providers = { id: null, status: 'no such refund', amount: null, currency: null };
    expect((await reconcile()).seen).toMatchObject([
      { paymentId, kind: 'missing', ours, providers },
    ]);
    await plantInDatabase(world.ownerUrl, (run) =>
      run(`update payment_operations set state = 'active' where payment_id = $1`, [paymentId]),
    );
    const yet = { ...providers, status: 'no such refund yet' };
    expect((await reconcile()).seen).toMatchObject([{ kind: 'missing', providers: yet }]);
  });

  it('not listed: nothing is said of it', async () => {
    const paymentId = await aLostRefund('error_500');
    await world.fault({ method: 'GET', path: '/v1/refunds' }, 'error_503_unrecorded');
    expect((await reconcile()).seen).toMatchObject([
      { paymentId, kind: 'unread', providers: { status: 'read_failed' } },
    ]);
  });

  it('a list that may be cut proves nothing', () => {
    const payment = { amountMinor: 1, currency: 'EUR', status: 'unknown' } as never;
    const refunds = Array<ProviderRefund>(100).fill({ operationId: 'x' } as ProviderRefund);
    const list = { kind: 'found', refunds } as unknown as RefundList;
    const operation = { id: 'o', state: 'in_doubt' } as const;
    expect(compareUnnamedRefund(payment, operation, list)).toMatchObject({ kind: 'unread' });
  });
});

describe('reconcile of what somebody gave back at the wallet', () => {
  it.each(['refund', 'reverse'])(
    '%s, of which no notice came: found, and recorded',
    async (what) => {
      const shop = await openWalletShop(world);
      const session = await aSession(world, { captureMethod: 'automatic' });
      const { paymentId } = await shop.pay(session);
      await shop.approve(await shop.orderOf({ paymentId }));
      await shop.pay(session);
      expect((await reconcile()).seen).toEqual([]);
      const paid = await findPayment(world.database, world.client.id, paymentId);
      const path = `/_control/wallet/captures/${paid?.gatewayChargeId}/${what}`;
      await world.control('POST', path, { amount: 500 });

      expect((await reconcile()).seen).toMatchObject([
        { paymentId, kind: 'refunds', ours: { amount: 0 }, providers: { amount: 5 } },
      ]);
      expect(await reconcile(true)).toMatchObject({ differences: 0, settled: 1 });
      expect(await findPayment(world.database, world.client.id, paymentId)).toMatchObject({
        status: 'partially_refunded',
        refundedMinor: 500,
      });
      expect((await reconcile()).seen).toEqual([]);
    },
  );
});
