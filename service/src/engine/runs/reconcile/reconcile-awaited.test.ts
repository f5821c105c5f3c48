// Tests of a payment in doubt that waits only for its buyer.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runOn } from '../../../../test/command-line.ts';
import { readState, runRecovery } from '../../../../test/payments/checkouts.ts';
import { advance } from '../../../../test/payments/planted.ts';
import { reconcileAll } from '../../../../test/payments/reconcile.ts';
import { openWalletShop } from '../../../../test/wallet/wallet-shop.ts';
import { aSession, cards, pay, startWorld, type World } from '../../../../test/world.ts';
import { findPayment } from '../../../storage/payments/payments.ts';

let world: World;
const folder = mkdtempSync(join(tmpdir(), 'svc-awaited-'));
beforeAll(async () => {
  world = await startWorld();
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await world?.close();
});

/** Creates an attempt with a bank's challenge whose responses were all lost. */
async function anAttemptInDoubt() {
  const session = await aSession(world);
  const path = '/v1/payment_intents/*/confirm';
  await world.fault({ path }, 'drop_reply', { count: 2 });
  const answer = await pay(world, session, cards.needs3ds);
  const { paymentId } = (answer as { body: { paymentId: string } }).body;
  await world.control('DELETE', '/_control/faults');
  return { session, paymentId };
}

const linesOf = ({ seen }: Awaited<ReturnType<typeof reconcileAll>>) =>
  seen.map(({ end, kind, ours, providers }) => `${end} ${kind} ${ours.status}/${providers.status}`);

it('is a difference while it is in doubt, and none while its buyer is waited for', async () => {
  const { session, paymentId } = await anAttemptInDoubt();
  expect(linesOf(await reconcileAll(world.ports))).toEqual([
    'stands state unknown/requires_action',
  ]);
  await runRecovery(world);
  expect(await readState(world, session)).toMatchObject({ status: 'requires_action' });
  const payment = await findPayment(world.database, world.client.id, paymentId);
  expect(payment?.status).toBe('unknown');
  for (const isSettling of [false, true]) {
    const run = await reconcileAll(world.ports, { isSettling });
    expect(linesOf(run)).toEqual([]);
    expect(run).toMatchObject({ compared: 1, differences: 0, settled: 0, awaited: 1 });
  }
  const json = join(folder, 'awaited.json');
  const flags = ['reconcile', '--all', '--older-than', '0s', '--json', json];
  expect(await runOn(world.ports, flags)).toMatchObject({
    code: 0,
    out: '1 payment compared: 0 differences, 1 in doubt until the buyer has acted\n',
  });
  expect(JSON.parse(readFileSync(json, 'utf8'))).toMatchObject({
    differences: 0,
    awaitingBuyers: 1,
  });

  // A change by the buyer or by somebody at the provider is still reported as a difference.
  await world.control('POST', `/_control/intents/${payment?.providerIntentId}/cancel`);
  const moved = await reconcileAll(world.ports);
  expect(linesOf(moved)).toEqual(['stands state unknown/released']);
  expect(moved.awaited).toBe(0);
  const settled = await reconcileAll(world.ports, { isSettling: true });
  expect(linesOf(settled)).toEqual(['settled state unknown/released']);
});

it('is none until it is given up after an hour', async () => {
  const { session } = await anAttemptInDoubt();
  await runRecovery(world);
  await advance(world, 3601);
  await runRecovery(world);
  expect(await readState(world, session)).toMatchObject({ status: 'open' });
  expect(await reconcileAll(world.ports)).toMatchObject({ differences: 0, awaited: 0 });
});

it('of a wallet is a difference once its buyer has approved it, and is captured', async () => {
  const shop = await openWalletShop(world);
  const session = await aSession(world, { captureMethod: 'automatic' });
  const asked = await shop.pay(session);
  const order = { method: 'GET', path: '/v2/checkout/orders/*' };
  await world.fault(order, 'error_503_unrecorded');
  await runRecovery(world);
  await world.control('DELETE', '/_control/faults');
  await runRecovery(world);
  expect(await readState(world, session)).toMatchObject({ status: 'requires_action' });
  expect(await reconcileAll(world.ports)).toMatchObject({ differences: 0, awaited: 1 });

  await shop.approve(await shop.orderOf(asked));
  const moved = await reconcileAll(world.ports);
  expect(linesOf(moved)).toEqual(['stands state unknown/new']);
  expect(moved.awaited).toBe(0);
  const run = await reconcileAll(world.ports, { isSettling: true });
  expect(linesOf(run)).toEqual(['settled state unknown/new']);
  expect(run).toMatchObject({ differences: 0, settled: 1, awaited: 0 });
  expect(await readState(world, session)).toMatchObject({ status: 'completed' });
});
