import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EchoWorld, echoWorld, expectRefusal, readSeen } from '../../../test/echo.ts';
import { aClient, aToken, newId, portsFor } from '../../../test/harness.ts';
import { aServer } from '../../../test/server.ts';
import { Refusal } from '../../domain/protocol/refusal.ts';
import { contractLimits } from './limits.ts';

// Contract §10, over the routes, with a clock that stands still until it is moved.
let nowMs = 0;
let world: EchoWorld;
beforeAll(async () => {
  world = await echoWorld({ limits: contractLimits, nowMs: () => nowMs });
});
afterAll(() => world.close());

const statuses = async (times: number, call: () => ReturnType<EchoWorld['call']>) => {
  const counts: Record<number, number> = {};
  for (let i = 0; i < times; i++) {
    const { statusCode } = await call();
    counts[statusCode] = (counts[statusCode] ?? 0) + 1;
  }
  return counts;
};

describe('429 rate_limited', () => {
  it('Contract §10 client, headers: a client: 100 at once, 100 a second, and others are not touched', async () => {
    const call = () => world.call('POST', '/v1/echo', {});
    expect(await statuses(101, call)).toEqual({ 200: 100, 429: 1 });
    const refused = await call();
    expect(expectRefusal(refused, 'rate_limited').retryable).toBe(true);
    expect(refused.headers).toMatchObject({
      'retry-after': '1',
      'ratelimit-limit': '100',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '1',
    });
    const other = await aToken(world.db.database, await aClient(world.db.database));
    readSeen(await world.call('POST', '/v1/echo', {}, {}, other));
    nowMs += 1000;
    expect(await statuses(101, call)).toEqual({ 200: 100, 429: 1 });
    nowMs += 60_000;
  });

  it('Contract §10 money: captures and the like: a burst of 100, then 50 a second', async () => {
    const other = await aToken(world.db.database, await aClient(world.db.database));
    const key = { 'idempotency-key': 'k' };
    const call = () => world.call('PUT', `/v1/keyed/${newId()}`, {}, key, other);
    expect(await statuses(101, call)).toEqual({ 200: 100, 429: 1 });
    nowMs += 1000;
    expect(await statuses(51, call)).toEqual({ 200: 50, 429: 1 });
    nowMs += 60_000;
  });

  it('a session: 60 calls a minute', async () => {
    const session = { nonce: randomBytes(32).toString('base64url') };
    const readSession = () => world.call('GET', '/v1/session', undefined, {}, session);
    expect(await statuses(61, readSession)).toEqual({ 200: 60, 429: 1 });
    nowMs += 60_000;
  });

  it('reads of a session: 240 a minute, and they take nothing from its other calls', async () => {
    const session = { nonce: randomBytes(32).toString('base64url') };
    const readSessionOften = () => world.call('GET', '/v1/session-read', undefined, {}, session);
    expect(await statuses(242, readSessionOften)).toEqual({ 200: 240, 429: 2 });
    const readOther = () => world.call('GET', '/v1/session', undefined, {}, session);
    expect(await statuses(61, readOther)).toEqual({ 200: 60, 429: 1 });
    nowMs += 60_000;
  });

  it('Contract §10 session create: sessions without a credential: 120 a minute from one address; with one they are not counted', async () => {
    const anonymous = () => world.call('POST', '/v1/open', {}, {}, null);
    expect(await statuses(121, anonymous)).toEqual({ 200: 120, 429: 1 });
    readSeen(await world.call('POST', '/v1/open', {}));
    nowMs += 60_000;
  });

  it('Contract §10 basic: failed Basic: 20 a minute get 401, then failures get 429 and a right one still passes', async () => {
    const sendWrong = () => world.call('POST', '/v1/echo', {}, { authorization: 'Basic x' }, null);
    expect(await statuses(22, sendWrong)).toEqual({ 401: 20, 429: 2 });
    readSeen(await world.call('POST', '/v1/echo', {}));
    nowMs += 3000;
    expect(await statuses(2, sendWrong)).toEqual({ 401: 1, 429: 1 });
    nowMs += 60_000;
  });

  it('Contract §10 session token: wrong session tokens: 10 a minute get 404, then 429, and a right one still passes', async () => {
    const wrong = () =>
      world.call(
        'GET',
        '/v1/unknown-session',
        undefined,
        {},
        { nonce: randomBytes(8).toString('hex') },
      );
    expect(await statuses(12, wrong)).toEqual({ 404: 10, 429: 2 });
    readSeen(await world.call('GET', '/v1/session', undefined, {}, { nonce: 'right' }));
    nowMs += 60_000;
  });
});

describe('one address', () => {
  const nonce = () => ({ nonce: randomBytes(32).toString('base64url') });

  it('429 rate_limited: 30 payment attempts an hour, however many sessions it spreads them over', async () => {
    nowMs += 3_600_000;
    const pay = () => world.call('POST', '/v1/attempt', {}, {}, nonce());
    expect(await statuses(31, pay)).toEqual({ 200: 30, 429: 1 });
    expect((await pay()).json().message).toBe(
      'Too many payment attempts from your address. Try again in 2 minutes.',
    );
    nowMs += 120_000;
    expect(await statuses(2, pay)).toEqual({ 200: 1, 429: 1 });
    readSeen(await world.call('GET', '/v1/session', undefined, {}, nonce()));
    nowMs += 3_600_000;
  });

  it('a payment that succeeds gives its place back, once for each attempt', async () => {
    nowMs += 3_600_000;
    const payOnce = () => world.call('POST', '/v1/attempt', { isPaid: true }, {}, nonce());
    expect(await statuses(40, payOnce)).toEqual({ 200: 40 });
    const attemptAndFail = () => world.call('POST', '/v1/attempt', {}, {}, nonce());
    expect(await statuses(31, attemptAndFail)).toEqual({ 200: 30, 429: 1 });
    nowMs += 3_600_000;
    // The third try of the session pays: one place is returned, not three.
    const session = nonce();
    const tryOnce = (isPaid: boolean) =>
      world.call('POST', '/v1/attempt', isPaid ? { isPaid } : {}, {}, session);
    for (const isPaid of [false, false, true]) readSeen(await tryOnce(isPaid));
    expect(await statuses(29, attemptAndFail)).toEqual({ 200: 28, 429: 1 });
    nowMs += 3_600_000;
  });

  it('a vault charge counts like one, but not while it waits for the claim', async () => {
    const charge = (body: object) => world.call('POST', '/v1/charge', body, {}, nonce());
    expect(await statuses(40, () => charge({ isPending: true }))).toEqual({ 503: 40 });
    expect(await statuses(31, () => charge({}))).toEqual({ 200: 30, 429: 1 });
    nowMs += 3_600_000;
  });

  it('429 rate_limited: one more open request than allowed, until one of them ends', async () => {
    const limits = { ...contractLimits, openPerAddress: 20 };
    const small = await echoWorld({ limits, nowMs: () => nowMs });
    const sendSlow = () => small.call('POST', '/v1/slow', {});
    const answers = await Promise.all(Array.from({ length: 21 }, sendSlow));
    const refused = answers.filter(({ statusCode }) => statusCode === 429);
    expect(refused).toHaveLength(1);
    expect(refused[0]?.headers).toMatchObject({ 'retry-after': '1', 'ratelimit-limit': '20' });
    expect(small.started).toHaveLength(20);
    readSeen(await sendSlow());
    await small.close();
  });
});

describe('requests that one address leaves open', () => {
  it.each(['/oauth/slow', '/v1/slow'])('429 rate_limited at %s too', async (url) => {
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
    const server = await aServer(portsFor(world.db.database), {
      limits: { ...contractLimits, openPerAddress: 3 },
      rows: {},
      operations: {},
      mountOauth: (app) => app.get(url, () => isOver.then(() => 'done')),
    });
    const request = () => server.app.inject({ method: 'GET', url });
    const open = Promise.all([request(), request(), request()]);
    expect((await request()).statusCode).toBe(429);
    end();
    expect((await open).map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
    expect((await request()).statusCode).toBe(200);
    await server.app.close();
  });
});

describe('SVC_LIMITS=off', () => {
  it('nothing is counted', async () => {
    const free = await echoWorld({ nowMs: () => nowMs });
    const session = { nonce: 'one' };
    const pay = () => free.call('POST', '/v1/attempt', {}, {}, session);
    expect(await statuses(130, pay)).toEqual({ 200: 130 });
    await free.close();
  });
});

describe('what was not asked for', () => {
  it('a missing credential is no guess', async () => {
    const call = () => world.call('POST', '/v1/echo', {}, {}, null);
    expect(await statuses(40, call)).toEqual({ 401: 40 });
  });

  it('a refusal of the operation costs no more than its call', async () => {
    nowMs += 60_000;
    expectRefusal(await world.failWith(new Refusal('payment_not_found')), 'payment_not_found');
  });
});
