// The pace over a real database: several pacers stand for the processes of a service.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { scaled } from '../../../../tools/src/machine.ts';
import { freshDatabase, newId, type TestDatabase } from '../../../test/harness.ts';
import type { Gateway, Holdup, Urgency } from '../../engine/ports.ts';
import { takePaceShare } from '../../storage/gateways/provider-pace.ts';
import { endpointOf } from './endpoint.ts';
import { Pacer, type PacerSettings } from './pacer.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await freshDatabase();
});
afterAll(() => db?.close());

const opened: Pacer[] = [];
afterEach(() => {
  for (const pacer of opened.splice(0)) pacer.close();
});

let shares = 0;
const asked: Promise<unknown>[] = [];
const openPacer = (limits: PacerSettings['limits'], more: Partial<PacerSettings> = {}) => {
  const takeShare: PacerSettings['takeShare'] = (wish) => {
    shares += 1;
    const share = takePaceShare(db.database, wish);
    asked.push(share);
    return share;
  };
  const pacer = new Pacer({ takeShare, limits, ...more });
  opened.push(pacer);
  return pacer;
};
const aGateway = (pace: Gateway['pace'] = {}): Gateway => ({
  ...{ id: newId(), clientId: newId(), provider: 'cardprovider', accountId: `acct_${newId()}` },
  ...{ publishableKey: 'pk_test_1', secretKey: 'sk_test_1', pace },
});
const captureOf = (n: number) => `/v1/payment_intents/pi_${n}/capture`;

type Asked = { urgency?: Urgency; path?: string; patienceMs?: number };
/** Waits for a turn; returns when it came, in ms since `from`, or null. */
async function turn(pacer: Pacer, gateway: Gateway, asked: Asked, from = performance.now()) {
  const { urgency = 'money', path = captureOf(0), patienceMs = 20_000 } = asked;
  const call = { method: 'POST', path, urgency };
  const mayGo = await pacer.of(gateway).take(call, performance.now() + patienceMs);
  return mayGo ? performance.now() - from : null;
}
const manyTurns = (pacers: readonly Pacer[], gateway: Gateway, count: number) => {
  const from = performance.now();
  return Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const pacer = pacers[n % pacers.length] as Pacer;
      return (await turn(pacer, gateway, { path: captureOf(n) }, from)) ?? Number.NaN;
    }),
  );
};
/** The most calls within any `windowMs` that begin with a call. */
const mostWithin = (windowMs: number, times: readonly number[]) =>
  Math.max(
    ...times.map((start) => times.filter((one) => one >= start && one < start + windowMs).length),
  );

describe('the pace', () => {
  it.each([1, 4])(
    'of %i process(es): the whole rate, and never more than it and a burst',
    async (processes) => {
      const limits = { perSecond: 50, endpointPerSecond: 50 };
      const pacers = Array.from({ length: processes }, () => openPacer(limits));
      const before = shares;
      const times = await manyTurns(pacers, aGateway(), 80);
      const lastMs = Math.max(...times);
      // 30 at once, then 50 a second.
      expect(lastMs).toBeGreaterThan(900);
      expect(lastMs).toBeLessThan(scaled(2000));
      // Up to ten more come due while the database answers the first question for a share.
      expect(mostWithin(500, times)).toBeLessThanOrEqual(25 + 30 + 10);
      expect(shares - before).toBeLessThan(80);
    },
  );

  it('counts an operation whatever the id in its path, and the account in all', async () => {
    const pacer = openPacer({ perSecond: 1000, endpointPerSecond: 20 });
    const gateway = aGateway();
    const [captures, confirmed] = await Promise.all([
      manyTurns([pacer], gateway, 24),
      turn(pacer, gateway, { path: '/v1/payment_intents/pi_1/confirm' }),
    ]);
    expect(Math.max(...captures)).toBeGreaterThan(500);
    // It would go last if it counted as a capture.
    expect(confirmed).toBeLessThan(Math.max(...captures));
    expect(endpointOf('GET', '/v1/payment_intents/pi_1?expand[0]=x')).toBe(
      'GET /v1/payment_intents/:id',
    );
    expect(endpointOf('POST', '/v1/payment_intents')).toBe('POST /v1/payment_intents');
  });

  it('buyers go first, then captures, then upkeep, in other processes too', async () => {
    const limits = { perSecond: 20, endpointPerSecond: 20 };
    const [busy, other] = [openPacer(limits), openPacer(limits)];
    const gateway = aGateway();
    const order: string[] = [];
    const ask = async (pacer: Pacer, urgency: Urgency, n: number) => {
      await turn(pacer, gateway, { urgency, path: captureOf(n) });
      order.push(urgency);
    };
    const upkeep = [ask(busy, 'upkeep', 100), ask(busy, 'upkeep', 101)];
    const captures = Array.from({ length: 30 }, (_, n) => ask(busy, 'money', n));
    await Promise.all(captures.slice(0, 15));
    const buyers = [ask(busy, 'buyer', 200), ask(other, 'buyer', 201)];
    await Promise.all(buyers);
    const captured = order.filter((one) => one === 'money').length;
    expect(captured).toBeLessThan(30);
    await Promise.all([...captures, ...upkeep]);
    expect(order.slice(-1)).toEqual(['upkeep']);
  });

  it('a call waits no longer than its patience', async () => {
    const pacer = openPacer({ perSecond: 1, endpointPerSecond: 1 });
    const gateway = aGateway();
    expect(await turn(pacer, gateway, {})).not.toBeNull();
    const from = performance.now();
    expect(await turn(pacer, gateway, { patienceMs: 100 })).toBeNull();
    expect(performance.now() - from).toBeLessThan(scaled(600));
  });

  it('a gateway’s own limits hold in place of the published ones', async () => {
    const pacer = openPacer({ perSecond: 1, endpointPerSecond: 1 });
    const gateway = aGateway({ perSecond: 1000, endpointPerSecond: 1000 });
    const times = await manyTurns([pacer], gateway, 40);
    // The published limits let 40 calls go in 39 seconds.
    expect(Math.max(...times)).toBeLessThan(10_000);
  });

  it('one payment intent is changed ten times freely, then as often as all processes may in an hour', async () => {
    const pacer = openPacer({ perSecond: 1000, endpointPerSecond: 1000 });
    const gateway = aGateway();
    for (let n = 0; n < 11; n += 1) expect(await turn(pacer, gateway, {})).not.toBeNull();
    expect(await turn(pacer, gateway, { patienceMs: 200 })).toBeNull();
    expect(await turn(pacer, gateway, { path: captureOf(1) })).not.toBeNull();
  });

  it('after a refusal every process pauses for as long as the provider says', async () => {
    const limits = { perSecond: 100, endpointPerSecond: 100 };
    const [one, other] = [openPacer(limits), openPacer(limits)];
    const gateway = aGateway();
    await Promise.all([turn(one, gateway, {}), turn(other, gateway, { path: captureOf(1) })]);
    const call = { method: 'POST', path: captureOf(0) };
    one.of(gateway).refused(call, { reason: 'global-rate', retryAfterMs: 700 });
    await Promise.all(asked);
    const from = performance.now();
    const waits = await Promise.all([
      turn(one, gateway, { path: captureOf(2) }, from),
      ...Array.from({ length: 8 }, (_, n) =>
        turn(other, gateway, { path: captureOf(3 + n) }, from),
      ),
    ]);
    const [ownMs, ...otherMs] = waits.map((ms) => ms ?? 0);
    expect(ownMs).toBeGreaterThan(600);
    // The other process may have had a turn or two at hand.
    expect(otherMs.filter((ms) => ms > 600).length).toBeGreaterThan(5);
  });

  it('tells every second how many wait and for how long, and once that none does', async () => {
    const told: Holdup[] = [];
    const onHoldup = (_: Gateway, holdup: Holdup) => void told.push(holdup);
    const pacer = openPacer({ perSecond: 0.01, endpointPerSecond: 0.01 }, { onHoldup });
    const [one, other] = [aGateway(), aGateway()];
    const toldOf = ({ accountId }: Gateway) => told.filter((each) => each.accountId === accountId);
    const calls = manyTurns([pacer], one, 5);
    void manyTurns([pacer], other, 2);
    const secondsPass = (seconds: number) => {
      const until = toldOf(other).length + seconds;
      return expect.poll(() => toldOf(other).length).toBeGreaterThanOrEqual(until);
    };
    await secondsPass(2);
    expect(toldOf(one)[0]).toMatchObject({ waiting: 4, refused: 0, factor: 1 });
    expect(toldOf(one)[0]?.longestMs).toBeGreaterThanOrEqual(1000);
    // A change of the account's limits answers all waiting calls with false.
    await turn(pacer, { ...one, pace: { perSecond: 100 } }, { patienceMs: 1 });
    expect((await calls).filter(Number.isNaN)).toHaveLength(4);
    await secondsPass(2);
    const [last, ...before] = toldOf(one).reverse();
    expect(last?.waiting).toBe(0);
    expect(new Set(before.map(({ waiting }) => waiting))).toEqual(new Set([4]));
  });
});
