// A database that was restored to an earlier moment under traffic: every purchase, hold, refund and
// dispute made since is found, and each is adopted, released or refunded exactly once.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../../test/harness.ts';
import { eventsOf, runRecovery } from '../../../../test/payments/checkouts.ts';
import { dispute } from '../../../../test/payments/disputes.ts';
import { advance, aPurchase, aRefund } from '../../../../test/payments/planted.ts';
import { restoreMoment, storeMoment } from '../../../../test/payments/put-back.ts';
import { reconcileAll } from '../../../../test/payments/reconcile.ts';
import { openWalletShop, type WalletShop } from '../../../../test/wallet/wallet-shop.ts';
import { aHold, aSession, moveHold, pay, startWorld, type World } from '../../../../test/world.ts';
import { findPayment } from '../../../storage/payments/payments.ts';
import { listOpenMoney } from '../../../storage/payments/unknown-money.ts';
import { runAudit } from '../audit/run-audit.ts';
import { type DecisionRequest, decideUnknown } from './decide-unknown.ts';
import { findUnknownMoney } from './find-unknown-money.ts';

let world: World;
let shop: WalletShop;
beforeAll(async () => {
  // The first calls of a new process may take longer than a test's time limit.
  world = await startWorld();
  shop = await openWalletShop(world);
});
afterAll(() => world?.close());

const paymentOf = (id: string) => findPayment(world.database, world.client.id, id);
const intentOf = async (id: string) => (await paymentOf(id))?.providerIntentId ?? '';
const withIntent = async (paymentId: string) => ({ paymentId, intent: await intentOf(paymentId) });
const purchase = async () => withIntent(await aPurchase(world));
const holdUnnamed = async () => withIntent((await aHold(world)).paymentId);
const capture = (paymentId: string) =>
  moveHold(world, 'capturePayment', { paymentId, key: newId() });
const listKinds = async (intent: string) => (await world.ledger(intent)).map(({ kind }) => kind);

async function walletPurchase() {
  const session = await aSession(world, { captureMethod: 'automatic' });
  const { paymentId } = await shop.pay(session);
  const intent = await intentOf(paymentId);
  await shop.approve(intent);
  expect(await shop.pay(session, { token: intent })).toMatchObject({ type: 'success' });
  return { paymentId, intent };
}

const find = () =>
  findUnknownMoney(world.ports, {
    readsPerSecond: 1000,
    onError: (_, error) => {
      throw error;
    },
  });
const findUnknown = async () => {
  await find();
  const rows = await listOpenMoney(world.database, 100);
  return new Map(rows.map((row) => [row.intentId, row]));
};

/** Three people decide at once, and one decides again afterwards. */
async function decide(id: string, decision: DecisionRequest['decision']) {
  const wish = { id, decision, reason: 'put back' };
  await Promise.all([1, 2, 3].map(() => decideUnknown(wish, world.ports)));
  return decideUnknown(wish, world.ports);
}

describe('a database that was put back under traffic', () => {
  it('names all that was made since, and each is adopted, released or refunded once', async () => {
    const before = { kept: await purchase(), held: await holdUnnamed(), argued: await purchase() };
    const given = await purchase();
    const waiting = await aSession(world, { captureMethod: 'automatic' });
    await find();
    // Other buyers pay while the backup is taken.
    const traffic = [1, 2, 3].map(() => purchase());
    await storeMoment(world);
    const during = await Promise.all(traffic);

    const bought = await purchase();
    const refunded = await purchase();
    await aRefund(world, refunded.paymentId, 5);
    const disputed = await purchase();
    await dispute(world, disputed.intent, { amount: 900 });
    const unwanted = await purchase();
    const dropped = await holdUnnamed();
    const wanted = await holdUnnamed();
    const captured = await holdUnnamed();
    await capture(captured.paymentId);
    const wallet = await walletPurchase();
    const { body } = (await pay(world, waiting)) as { body: { paymentId: string } };
    const late = await withIntent(body.paymentId);
    await capture(before.held.paymentId);
    await aRefund(world, given.paymentId, 3);
    await dispute(world, before.argued.intent, { amount: 400 });
    await advance(world, 3600);
    await restoreMoment(world);

    const open = await findUnknown();
    const since = [bought, refunded, disputed, unwanted, dropped, wanted, captured, wallet, late];
    const lost = [];
    for (const one of during) if (!(await paymentOf(one.paymentId))) lost.push(one);
    expect([...open.keys()].sort()).toEqual([...since, ...lost].map(({ intent }) => intent).sort());
    expect(open.get(dropped.intent)).toMatchObject({ state: 'authorized', amountMinor: 1990 });
    expect(open.get(refunded.intent)).toMatchObject({ state: 'captured', refundedMinor: 500 });
    expect(open.get(disputed.intent)).toMatchObject({ isDisputed: true });
    expect(open.get(late.intent)).toMatchObject({ email: 'buyer@example.test' });
    expect((await runAudit({ url: world.url })).results).toContainEqual(
      expect.objectContaining({ rule: 'U1', violations: since.length + lost.length }),
    );

    expect(await decide(dropped.intent, 'release')).toMatchObject({ refusal: null });
    expect(await decide(unwanted.intent, 'refund')).toMatchObject({ refusal: null });
    const adopted = [bought, refunded, disputed, wanted, captured, wallet, late, ...lost];
    for (const { intent } of adopted) {
      const { refusal, cause, money } = await decide(intent, 'adopt');
      expect({ refusal, cause, status: money?.status }).toEqual({
        refusal: null,
        cause: undefined,
        status: 'adopted',
      });
    }
    expect((await findUnknown()).size).toBe(0);
    expect(await listKinds(dropped.intent)).toEqual(['authorize', 'void']);
    expect((await listKinds(unwanted.intent)).filter((kind) => kind === 'refund')).toHaveLength(1);

    // Each payment has the id that its merchant knows, and continues from there.
    expect(await paymentOf(bought.paymentId)).toMatchObject({
      status: 'succeeded',
      providerIntentId: bought.intent,
    });
    expect(await paymentOf(refunded.paymentId)).toMatchObject({ status: 'partially_refunded' });
    expect(await eventsOf(world, bought.paymentId)).toEqual(['payment.succeeded']);
    expect(await eventsOf(world, late.paymentId)).toEqual(['item.purchased']);
    expect(await eventsOf(world, wanted.paymentId)).toEqual(['payment.authorized']);
    await capture(wanted.paymentId);
    await aRefund(world, bought.paymentId, 2);
    expect(await paymentOf(wanted.paymentId)).toMatchObject({ status: 'succeeded' });
    expect(await paymentOf(bought.paymentId)).toMatchObject({ status: 'partially_refunded' });

    // Operations that were running when the copy was taken.
    await runRecovery(world);
    const settled = await reconcileAll(world.ports, { isSettling: true });
    expect(settled.seen.map(({ paymentId, end }) => `${end} ${paymentId}`).sort()).toEqual(
      [before.held, given, before.argued].map(({ paymentId }) => `settled ${paymentId}`).sort(),
    );
    expect((await reconcileAll(world.ports)).seen).toEqual([]);
    const { violations, results } = await runAudit({ url: world.url });
    expect(results.filter((one) => one.violations > 0)).toEqual([]);
    expect(violations).toBe(0);
    for (const { intent } of [bought, wanted, captured]) {
      expect((await listKinds(intent)).filter((kind) => kind === 'capture')).toHaveLength(1);
    }
  }, 180_000);
});
