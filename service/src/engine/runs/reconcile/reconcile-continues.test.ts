// A payment that cannot be compared does not stop the comparison of the others.

import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { aPurchase } from '../../../../test/payments/disputes.ts';
import { aRefund } from '../../../../test/payments/planted.ts';
import { breakGatewayOf, mendGateway, reconcileAll } from '../../../../test/payments/reconcile.ts';
import { startWorld, type World } from '../../../../test/world.ts';
import { DatabaseUnavailable } from '../../../storage/database/database.ts';
import { findPayment } from '../../../storage/payments/payments.ts';
import type { Gateway } from '../../ports.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const refundedOf = async (paymentId: string) =>
  (await findPayment(world.database, world.client.id, paymentId))?.refundedMinor;

it('one that somebody keeps locked is told, the others are settled, and it the next time', async () => {
  const made = [await aPurchase(world), await aPurchase(world), await aPurchase(world)];
  for (const { intent } of made) {
    await world.control('POST', `/_control/intents/${intent}/refund`, { amount: 500 });
  }
  const [locked = '', ...others] = made.map(({ paymentId }) => paymentId);
  const errors: string[] = [];
  const stranger = new pg.Client({ connectionString: world.url });
  await stranger.connect();
  try {
    await stranger.query('begin');
    await stranger.query('select from payments where id = $1 for update', [locked]);
    const told = await reconcileAll(world.ports, {
      isSettling: true,
      onError: ({ id }, error) => void errors.push(`${id} ${(error as { code: string }).code}`),
    });
    expect(told).toMatchObject({ compared: 3, differences: 1, settled: 2, isComplete: true });
    const lines = told.seen.map(
      ({ paymentId, kind, end, providers }) => `${end} ${kind} ${paymentId} ${providers.status}`,
    );
    expect(lines.sort()).toEqual(
      [
        `stands unread ${locked} not compared: 55P03`,
        ...others.map((id) => `settled refunds ${id} captured`),
      ].sort(),
    );
    expect(errors).toEqual([`${locked} 55P03`]);
  } finally {
    await stranger.end();
  }
  expect(await Promise.all(others.map(refundedOf))).toEqual([500, 500]);
  expect(await reconcileAll(world.ports, { isSettling: true })).toMatchObject({
    differences: 0,
    settled: 1,
  });
  expect(await refundedOf(locked)).toBe(500);
});

it('a gateway of which none can be compared is given up, the payments of the others are compared', async () => {
  const made: string[] = [];
  while (made.length < 12) made.push((await aPurchase(world)).paymentId);
  const broken = await breakGatewayOf(world, made);
  const good = await aPurchase(world);
  await world.control('POST', `/_control/intents/${good.intent}/refund`, { amount: 500 });
  const told: string[] = [];
  const onError = ({ id }: { id: string }) => void told.push(id);
  const run = await reconcileAll(world.ports, { isSettling: true, onError });
  expect(run).toMatchObject({
    differences: 10,
    settled: 1,
    givenUp: [{ gatewayId: broken, clientId: world.client.id, error: expect.any(Error) }],
    isComplete: true,
  });
  expect(told).toHaveLength(10);
  expect(await refundedOf(good.paymentId)).toBe(500);
  await mendGateway(world, broken);
});

it('what it moves forward it asks of no faster than it is told', async () => {
  const since = new Date();
  const [given, failing] = [await aPurchase(world), await aPurchase(world)];
  const open = await aPurchase(world);
  await world.control('POST', `/_control/intents/${given.intent}/refund`, { amount: 500 });
  const refund = await findPayment(
    world.database,
    world.client.id,
    await aRefund(world, failing.paymentId, 5),
  );
  await world.control('POST', `/_control/refunds/${refund?.providerRefundId}/fail`);
  await world.fault({ method: 'POST', path: '/v1/refunds' }, 'drop_reply', { count: 2 });
  await world.fault({ method: 'GET', path: '/v1/refunds' }, 'error_503_unrecorded');
  await aRefund(world, open.paymentId, 4).catch(() => undefined);
  const asked: number[] = [];
  const recordCalls = <T extends object>(provider: T): T =>
    new Proxy(provider, {
      get: (calls, name) => {
        if (name !== 'then') asked.push(performance.now());
        return Reflect.get(calls, name);
      },
    });
  const ports = {
    ...world.ports,
    provider: (gateway: Gateway) => recordCalls(world.ports.provider(gateway)),
  };
  const told = await reconcileAll(ports, { isSettling: true, readsPerSecond: 20, since });
  expect(told).toMatchObject({ differences: 0, settled: 3 });
  expect(asked.length).toBeGreaterThanOrEqual(11);
  const tookMs = Math.max(...asked) - Math.min(...asked);
  expect(tookMs).toBeGreaterThanOrEqual((asked.length - 1) * 50 * 0.9);
});

it('where the database is away it is the run that fails', async () => {
  const throwUnavailable = async (): Promise<never> => {
    throw new DatabaseUnavailable(new Error('away'));
  };
  const ports = {
    ...world.ports,
    database: { ...world.database, read: throwUnavailable, transaction: throwUnavailable },
  };
  await expect(reconcileAll(ports)).rejects.toThrow(DatabaseUnavailable);
});
