// When calls are refused because requests wait too long, and what is served all the same.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EchoWorld, echoWorld } from '../../../test/echo.ts';
import { aToken } from '../../../test/harness.ts';
import { Overload } from './overload.ts';

describe('Overload', () => {
  /** Runs the samples of this many milliseconds, while the queue has waited so long and the loop is so late. */
  function anOverload() {
    let now = 0;
    let waited = 0;
    const said: string[] = [];
    const overload = new Overload({
      ...{ shedMs: 500, nowMs: () => now, waitedMs: () => waited },
      log: { warn: (line) => said.push(line), info: (line) => said.push(line) },
    });
    return {
      overload,
      said,
      run(ms: number, state: { waitedMs?: number; lateMs?: number } = {}) {
        waited = state.waitedMs ?? 0;
        const stepMs = 100 + (state.lateMs ?? 0);
        for (let passed = 0; passed < ms; passed += stepMs) {
          now += stepMs;
          overload.sample();
        }
      },
    };
  }
  const isRefused = ({ overload }: ReturnType<typeof anOverload>) => {
    const request = {};
    const isIn = overload.enter(request);
    overload.leave(request);
    return !isIn;
  };

  it.each([
    ['a late event loop', { lateMs: 600 }],
    ['a queue for the database', { waitedMs: 600 }],
  ])('refuses within two seconds of %s, and admits as soon as it has gone', (_, state) => {
    const one = anOverload();
    one.run(5000);
    expect(isRefused(one)).toBe(false);
    one.run(2000, state);
    expect(isRefused(one)).toBe(true);
    one.run(100);
    expect(isRefused(one)).toBe(false);
    one.run(100, state);
    expect(isRefused(one)).toBe(true);
    expect(one.said).toEqual([
      expect.stringMatching(/^overloaded: further calls get 503/),
      'no longer overloaded',
      expect.stringMatching(/^overloaded/),
    ]);
  });

  it('a pause of the machine refuses nobody', () => {
    const one = anOverload();
    for (let times = 0; times < 20; times += 1) {
      one.run(1, { lateMs: 5000 });
      one.run(300);
      expect(isRefused(one)).toBe(false);
    }
  });

  it('a request that still waits for its credential counts by its age', () => {
    const one = anOverload();
    const stuck = {};
    one.overload.enter(stuck);
    one.run(2000);
    expect(isRefused(one)).toBe(true);
    one.overload.leave(stuck);
    one.run(100);
    expect(isRefused(one)).toBe(false);
  });
});

describe('a server whose requests wait too long', () => {
  let world: EchoWorld;
  let nowMs = 0;
  const over = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  let isSlow = false;
  beforeAll(async () => {
    world = await echoWorld({
      ...{ shedMs: 500, nowMs: () => nowMs, slowly: () => over.promise },
      beforeCredential: () => {
        if (!isSlow) return Promise.resolve();
        asked.resolve();
        return answered.promise;
      },
    });
  });
  afterAll(() => world?.close());

  it('503 service_unavailable: at once; what began ends, health is served', async () => {
    const begun = world.call('POST', '/v1/slow', {});
    await expect.poll(() => world.started.length).toBe(1);
    isSlow = true;
    // The first token is remembered.
    const other = await aToken(world.db.database, world.client);
    const waits = world.call('POST', '/v1/echo', {}, {}, other);
    await asked.promise;
    // The sampler runs in real time; each look finds the request a second older.
    await expect
      .poll(async () => {
        nowMs += 1000;
        return (await world.call('GET', '/healthz')).statusCode === 200 && world.server.logged;
      })
      .toContainEqual(expect.objectContaining({ msg: expect.stringMatching(/^overloaded/) }));
    const refused = await world.call('POST', '/v1/echo', {});
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '1']);
    expect(refused.json()).toMatchObject({ code: 'service_unavailable' });
    expect((await world.call('GET', '/readyz')).statusCode).toBe(200);
    expect((await world.call('GET', '/startupz')).statusCode).toBe(200);
    over.resolve();
    expect((await begun).statusCode).toBe(200);
    isSlow = false;
    answered.resolve();
    expect((await waits).statusCode).toBe(200);
    await expect.poll(async () => (await world.call('POST', '/v1/echo', {})).statusCode).toBe(200);
  });
});
