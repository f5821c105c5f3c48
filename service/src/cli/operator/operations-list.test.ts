// svc operations list: what waits for a person, and what is left where keys do not open.

import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { runOn } from '../../../test/command-line.ts';
import { moveClock, newId } from '../../../test/harness.ts';
import { paymentsOf } from '../../../test/payments/checkouts.ts';
import { advance } from '../../../test/payments/planted.ts';
import { breakGatewayOf } from '../../../test/payments/reconcile.ts';
import { aStuckRefund, day, faultForever } from '../../../test/payments/stuck-operations.ts';
import { aHold, aSession, moveHold, pay, startWorld, type World } from '../../../test/world.ts';
import { manualChecks } from '../../domain/payments/operation.ts';
import { settleInDoubt } from '../../engine/runs/payments/settle-in-doubt.ts';

let world: World;
beforeEach(async () => {
  await world?.close();
  world = await startWorld();
});
afterAll(() => world?.close());

const runSvc = (...args: string[]) => runOn(world.ports, ['operations', ...args]);

describe('svc operations list', () => {
  it('what waits for a person, or what is in a state; nothing younger than a day', async () => {
    const { id, refundId } = await aStuckRefund(world, 'drop_request');
    const { paymentId } = await aHold(world);
    await world.fault({ path: '/v1/payment_intents/*/capture' }, 'drop_request', faultForever);
    await moveHold(world, 'capturePayment', { paymentId, key: newId() }).catch(() => undefined);
    const { out, code } = await runSvc('list');
    expect(code).toBe(0);
    expect(out.split('\n').slice(1, -1)).toEqual([
      expect.stringMatching(new RegExp(`^${id} +refund +manual +5 EUR +${refundId} +cardprovider`)),
      expect.stringMatching(/^also in doubt, and asked about again: 1, .*--state in_doubt$/),
    ]);
    expect(out).toContain('read_failed');
    expect((await runSvc('list', '--state', 'in_doubt')).out).toContain(paymentId);
    expect((await runSvc('list', '--state', 'manual')).out).toContain(id);
  });
});

/**
 * Moves the payment to an account whose keys cannot be decrypted, and waits a day with many checks.
 */
async function waitWithoutKeys(paymentId: string, ask: () => Promise<unknown>): Promise<string> {
  await breakGatewayOf(world, [paymentId]);
  await ask().catch(() => undefined);
  await advance(world, day);
  expect((await runSvc('list')).out).not.toContain(paymentId);
  for (let look = 0; look <= manualChecks; look++) {
    // The clock moves by more than a lease lasts.
    await moveClock(world.database, 31_000);
    await settleInDoubt(world.ports, { limit: 50, onError: () => undefined });
  }
  return (await runSvc('list')).out;
}

describe('svc operations list, where keys do not open for a day', () => {
  it('an attempt in doubt: it may have been charged', async () => {
    const session = await aSession(world, { captureMethod: 'automatic' });
    const path = '/v1/payment_intents/*';
    await world.fault({ path: `${path}/confirm` }, 'drop_reply', { count: 2 });
    await world.fault({ method: 'GET', path }, 'drop_request', faultForever);
    await pay(world, session);
    const [payment] = await paymentsOf(world, session);
    const out = await waitWithoutKeys(payment?.id ?? '', async () => undefined);
    expect(out).toMatch(new RegExp(` authorize +in_doubt .* ${payment?.id}`));
  });

  it.each(['capturePayment', 'cancelPayment'] as const)('%s, never sent', async (kind) => {
    const { paymentId } = await aHold(world);
    const request = () => moveHold(world, kind, { paymentId, key: newId() });
    expect(await waitWithoutKeys(paymentId, request)).toMatch(
      new RegExp(` active .* ${paymentId}`),
    );
  });
});
