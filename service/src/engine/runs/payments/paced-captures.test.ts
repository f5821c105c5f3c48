// Captures at an account that takes only so many calls a second. The sandbox has the provider's
// limiter; several sets of ports stand for the processes of a service.

import { scaled } from '@svc/tools/machine';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { moveClock, newId } from '../../../../test/harness.ts';
import { aHold, aSession, moveHold, pay, startWorld, type World } from '../../../../test/world.ts';
import { openProviders, type Providers } from '../../../providers/registry.ts';
import { sql } from '../../../storage/database/sql.ts';
import { listHoldups, takePaceShare } from '../../../storage/gateways/provider-pace.ts';
import { settleInDoubt } from './settle-in-doubt.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const opened: Providers[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((providers) => providers.close()));
});
const limit = (setting: object) => world.control('POST', '/_control/limits', setting);
beforeEach(() => limit({ setting: 'off' }));

/** The world as another process of the service serves it, with this pace. */
function processWith(perSecond: number, patienceMs = 5000): World {
  const providers = openProviders({
    cardUrl: world.sandbox.url,
    patienceMs,
    pauseMs: 20,
    pacer: {
      takeShare: (wish) => takePaceShare(world.database, wish),
      limits: { perSecond, endpointPerSecond: perSecond },
    },
  });
  opened.push(providers);
  const { provider, methodKeeper } = providers;
  return { ...world, ports: { ...world.ports, provider, methodKeeper } };
}

async function someHolds(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let left = count; left > 0; left -= 8) {
    const made = await Promise.all(Array.from({ length: Math.min(8, left) }, () => aHold(world)));
    ids.push(...made.map(({ paymentId }) => paymentId));
  }
  return ids;
}

const capture = async (at: World, paymentId: string) =>
  moveHold(at, 'capturePayment', { paymentId, key: `evening-${paymentId}` }).then(
    ({ status }) => String(status),
    (error: { code: string }) => error.code,
  );

const readStates = sql<{ status: string; count: number }>(
  'test_paced_states',
  'select status, count(*)::int as count from payments where id = any($1) group by status',
);
const statesOf = async (ids: readonly string[]) =>
  Object.fromEntries(
    (await world.database.read(readStates, [ids])).map(({ status, count }) => [status, count]),
  );
const readFailures = sql<{ type: string }>(
  'test_paced_failures',
  "select type from events where resource_id = any($1) and type like '%failed'",
);
const readRefused = async (): Promise<number> => {
  const { requests } = (await world.control('GET', '/_control/requests')) as {
    requests: { status: number }[];
  };
  return requests.filter(({ status }) => status === 429).length;
};

const recover = (at: World) =>
  settleInDoubt(at.ports, {
    limit: 10,
    onError: (_, error) => {
      throw error;
    },
  });

describe('an evening of captures, all sent at once', () => {
  it.each([1, 4])(
    '%i process(es) keep the account’s pace: all captured in time, none refused by the provider',
    async (count) => {
      const perSecond = 40;
      const ids = await someHolds(60);
      const processes = Array.from({ length: count }, () => processWith(perSecond));
      await limit({ account: world.account.accountId, perSecond, endpointPerSecond: perSecond });
      const refusedBefore = await readRefused();
      const from = performance.now();
      const answers = await Promise.all(
        ids.map((id, n) => capture(processes[n % count] as World, id)),
      );
      const tookMs = performance.now() - from;
      expect(new Set(answers)).toEqual(new Set(['200']));
      expect(tookMs).toBeLessThan((ids.length / perSecond) * 1000 + scaled(2000));
      expect(await readRefused()).toBe(refusedBefore);
      expect(await world.database.read(readFailures, [ids])).toEqual([]);
    },
  );

  it('409 payment_operation_in_progress where the turn does not come in time: it goes on by itself, nothing fails', async () => {
    const ids = await someHolds(24);
    const slow = processWith(4, 300);
    const answers = await Promise.all(ids.map((id) => capture(slow, id)));
    const waiting = answers.filter((one) => one === 'payment_operation_in_progress').length;
    expect(waiting).toBeGreaterThan(10);
    expect(answers.filter((one) => one === '200')).toHaveLength(ids.length - waiting);
    expect(await statesOf(ids)).toEqual({
      authorized: waiting,
      succeeded: ids.length - waiting,
    });
    const [holdup] = await listHoldups(world.database);
    expect(holdup).toMatchObject({ accountId: world.account.accountId, postponed: waiting });
    const fast = processWith(1000);
    // The repeat of a request does not wait for the worker.
    const next = ids.find((_, n) => answers[n] !== '200') ?? '';
    expect(await capture(fast, next)).toBe('200');
    await moveClock(world.database, 2000);
    while ((await recover(fast)) > 0);
    expect(await statesOf(ids)).toEqual({ succeeded: ids.length });
    expect(await world.database.read(readFailures, [ids])).toEqual([]);
    expect(await listHoldups(world.database)).toEqual([]);
  });

  it('a provider that takes less than it publishes: its 429 means wait, and the pace goes down', async () => {
    const ids = await someHolds(30);
    // Fewer than a busy machine sends.
    await limit({ account: world.account.accountId, perSecond: 4, endpointPerSecond: 4 });
    const refusedBefore = await readRefused();
    const eager = processWith(1000);
    const answers = await Promise.all(ids.map((id) => capture(eager, id)));
    expect([...new Set(answers)].filter((one) => one !== 'payment_operation_in_progress')).toEqual([
      '200',
    ]);
    expect((await readRefused()) - refusedBefore).toBeGreaterThan(0);
    await limit({ setting: 'off' });
    await moveClock(world.database, 2000);
    while ((await recover(eager)) > 0);
    expect(await statesOf(ids)).toEqual({ succeeded: ids.length });
    expect(await world.database.read(readFailures, [ids])).toEqual([]);
  });

  it.each([['a rate limit', 'error_429']] as const)(
    '%s on every send of a cancel: in progress, then released by the same key',
    async (_, fault) => {
      const [id = ''] = await someHolds(1);
      await world.fault({ path: '/v1/payment_intents/*/cancel' }, fault, { count: 9 });
      const key = newId();
      const cancel = () => moveHold(world, 'cancelPayment', { paymentId: id, key });
      await expect(cancel()).rejects.toMatchObject({ code: 'payment_operation_in_progress' });
      expect(await statesOf([id])).toEqual({ authorized: 1 });
      await world.control('DELETE', '/_control/faults');
      expect(await cancel()).toMatchObject({ status: 200 });
    },
  );
});

describe('a buyer whose turn does not come in time', () => {
  it('hears that the payment is processed, and it is; the form is not sent again', async () => {
    const slow = processWith(1, 300);
    const session = await aSession(world);
    const answer = await pay(slow, session);
    expect(answer).toMatchObject({
      status: 202,
      body: { type: 'processing', status: 'processing' },
    });
    const id = 'body' in answer ? (answer.body.paymentId ?? '') : '';
    expect(await statesOf([id])).toEqual({ pending: 1 });
    await moveClock(world.database, 2000);
    while ((await recover(processWith(1000))) > 0);
    expect(await statesOf([id])).toEqual({ authorized: 1 });
    expect(
      (await world.ledger()).filter(({ kind }) => kind === 'authorize').length,
    ).toBeGreaterThan(0);
  });
});
