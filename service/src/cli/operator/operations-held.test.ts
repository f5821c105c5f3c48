// Tests of svc operations while another operator works on the operation, the provider takes days to
// answer, or the connection is lost around a commit.

import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { runOn } from '../../../test/command-line.ts';
import { moveClock, newId } from '../../../test/harness.ts';
import { openLossyWay } from '../../../test/network/lossy-way.ts';
import { eventsOf, paymentsOf, runRecovery } from '../../../test/payments/checkouts.ts';
import { advance, aRefund } from '../../../test/payments/planted.ts';
import {
  aStuckCapture,
  aStuckRefund,
  day,
  faultForever,
  lastOperation,
} from '../../../test/payments/stuck-operations.ts';
import { aHold, aSession, moveHold, pay, startWorld, type World } from '../../../test/world.ts';
import { openDatabase } from '../../storage/database/database.ts';
import { claimDueOperations } from '../../storage/payments/payment-operations.ts';
import { findPayment } from '../../storage/payments/payments.ts';
import { claimStuckOperation } from '../../storage/payments/stuck-operations.ts';

let world: World;
beforeEach(async () => {
  await world?.close();
  world = await startWorld();
});
afterAll(() => world?.close());

const runSvc = (...args: string[]) => runOn(world.ports, ['operations', ...args]);
/** Settles without the usual patience for somebody who does not end. */
const settleImpatiently = (id: string) => {
  const settings = { ...world.ports.settings, leaseWaitMs: 300 };
  return runOn({ ...world.ports, settings }, ['operations', 'settle', id]);
};
const clearFaults = () => world.control('DELETE', '/_control/faults');
const paymentOf = (id: string) => findPayment(world.database, world.client.id, id);

describe('svc operations list', () => {
  it('under way for days: listed when it cannot be read any more, and not before', async () => {
    const session = await aSession(world, { captureMethod: 'automatic' });
    await pay(world, session, '4000000000007726');
    const [purchase] = await paymentsOf(world, session);
    const refundId = await aRefund(world, purchase?.id ?? '', 5);
    // Moves only our clock: the operation stays pending at the provider.
    await moveClock(world.database, 2 * day * 1000);
    const { id } = await lastOperation(world);
    await runRecovery(world);
    expect((await runSvc('list')).out).not.toContain(id);
    for (const path of ['/v1/refunds', '/v1/refunds/*']) {
      await world.fault({ method: 'GET', path }, 'drop_request', faultForever);
    }
    await runRecovery(world);
    expect(await paymentOf(refundId)).toMatchObject({ status: 'processing' });
    expect((await runSvc('list')).out).toContain(id);
    await clearFaults();
    expect(await runSvc('settle', id)).toMatchObject({ code: 1 });
    expect((await runSvc('list')).out).not.toContain(id);
  });
});

describe('svc operations list, with nothing that waits for a person', () => {
  it('says what the service is at: how many are in doubt, and when it asks again', async () => {
    const { paymentId } = await aHold(world);
    await world.fault({ path: '/v1/payment_intents/*/capture' }, 'drop_request', faultForever);
    await moveHold(world, 'capturePayment', { paymentId, key: newId() }).catch(() => undefined);
    const { out } = await runSvc('list');
    expect(out).toMatch(/^also in doubt, .*: 1, the first due at \d{4}-.*Z: --state in_doubt$/m);
    const { id } = await lastOperation(world);
    const settled = await runSvc('settle', id);
    expect(settled).toMatchObject({
      code: 1,
      err: expect.stringContaining('operation_not_manual'),
    });
    expect(settled.out).toMatch(/^asked +1 times, last answer \w+$/m);
    expect(settled.out).toMatch(/^next look +\d{4}-/m);
  });
});

describe('svc operations settle, with somebody else or trouble at it', () => {
  it('another operator has it in hands: said, and the provider is not asked', async () => {
    const { id, refundId } = await aStuckRefund(world, 'drop_reply');
    await clearFaults();
    const lease = { owner: newId(), ms: 30_000 };
    await claimStuckOperation(world.database, id, lease);
    const { code, out, err } = await settleImpatiently(id);
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining('operation_taken_over'),
    });
    expect(out).not.toMatch(/^provider/m);
    expect(await paymentOf(refundId)).toMatchObject({ status: 'unknown' });
  });

  it('the worker is just asking the provider: said, and not that it waits for nobody', async () => {
    const { id, paymentId } = await aStuckCapture(world, 'drop_request');
    await advance(world, 3600);
    const lease = { limit: 50, owner: newId(), ms: day * 1000 };
    const due = await claimDueOperations(world.database, lease);
    expect(due.map(({ operation }) => operation.id)).toContain(id);
    expect((await runSvc('list')).out).toContain(id);
    expect(await settleImpatiently(id)).toMatchObject({
      ...{ code: 1, err: expect.stringContaining('operation_taken_over') },
    });
    expect(await paymentOf(paymentId)).toMatchObject({ status: 'unknown' });
  });

  it('the worker ends it meanwhile: waited for, and told as it stands', async () => {
    const { id, paymentId } = await aStuckCapture(world, 'drop_request');
    await advance(world, 3600);
    await clearFaults();
    const [settled] = await Promise.all([runSvc('settle', id), runRecovery(world)]);
    expect(settled).toMatchObject({ code: 0, err: '' });
    expect(await paymentOf(paymentId)).toMatchObject({ status: 'succeeded' });
  });

  it.each(['before', 'after'] as const)(
    'its commit is lost %s it took effect: settled once, and said so',
    async (side) => {
      const { id, refundId } = await aStuckRefund(world, 'drop_reply');
      await clearFaults();
      const lossyWay = await openLossyWay(world.url);
      const database = openDatabase({ url: lossyWay.url, applicationName: 'lossy' });
      lossyWay.lose(1, side);
      const run = await runOn({ ...world.ports, database }, ['operations', 'settle', id]);
      expect(lossyWay.lost()).toBe(1);
      await database.close();
      await lossyWay.close();
      expect(run).toMatchObject({ code: 0, err: '' });
      expect(run.out).toMatch(/^state +succeeded by the provider's word$/m);
      expect(await eventsOf(world, refundId)).toEqual(['refund.created', 'refund.succeeded']);
    },
  );
});
