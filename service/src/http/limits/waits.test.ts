// Waiting status reads over real sockets: they end with their caller and with the service.
// Contract §3, Status.

import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { scaled } from '@svc/tools/machine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aServer, type TestServer } from '../../../test/server.ts';
import { aSession, type Checkout, startWorld, type World } from '../../../test/world.ts';
import type { Ports } from '../../engine/ports.ts';
import { Waits } from './waits.ts';

let world: World;
/** The number of reads of each session. */
const reads = new Map<string, number>();
const readsOf = ({ sessionId }: Checkout): number => reads.get(sessionId) ?? 0;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

/** Counts the reads of each session: they show whether a wait continues. */
const countingPorts = (): Ports => ({
  ...world.ports,
  database: {
    ...world.ports.database,
    read: async (query, values) => {
      const rows = await world.ports.database.read(query, values);
      if (query.name.startsWith('sessions.')) {
        for (const { id = '' } of rows as { id?: string }[])
          reads.set(id, (reads.get(id) ?? 0) + 1);
      }
      return rows;
    },
  },
});

async function listening(): Promise<{ server: TestServer; url: string }> {
  const server = await aServer(countingPorts());
  return { server, url: `http://127.0.0.1:${await server.listen('127.0.0.1', 0)}` };
}

const waitForStatus = (url: string, { sessionId, nonce }: Checkout, signal?: AbortSignal) =>
  fetch(`${url}/v1/checkouts/sessions/${sessionId}/status?wait=25`, {
    headers: { 'x-checkout-session-token': nonce },
    ...(signal ? { signal } : {}),
  });

describe('getCheckoutSessionStatus?wait', () => {
  it('ends when its caller hangs up: nothing is read for nobody', async () => {
    const { server, url } = await listening();
    const [session, other] = [await aSession(world), await aSession(world)];
    const caller = new AbortController();
    const answer = waitForStatus(url, session, caller.signal).catch(() => 'hung up');
    await expect.poll(() => readsOf(session)).toBeGreaterThan(1);
    caller.abort();
    expect(await answer).toBe('hung up');
    const staying = new AbortController();
    const stays = waitForStatus(url, other, staying.signal).catch(() => 'hung up');
    // The other wait is read four times meanwhile, with pauses in between.
    const readsMeanwhile = async () => {
      const [before, enough] = [readsOf(session), readsOf(other) + 4];
      await expect.poll(() => readsOf(other)).toBeGreaterThanOrEqual(enough);
      return readsOf(session) - before;
    };
    await expect.poll(readsMeanwhile, { timeout: 15_000 }).toBe(0);
    staying.abort();
    await stays;
    await server.close();
  });

  it('answers what there is when the service stops, and does not hold it up', async () => {
    const { server, url } = await listening();
    const session = await aSession(world);
    const answer = waitForStatus(url, session);
    await expect.poll(() => readsOf(session)).toBeGreaterThan(1);
    const started = performance.now();
    const closed = server.close(20_000);
    const response = await answer;
    expect([response.status, await response.json()]).toMatchObject([
      200,
      { data: { status: 'open' } },
    ]);
    await closed;
    expect(performance.now() - started).toBeLessThan(scaled(2000));
  });

  it('five wait on one session; the sixth is answered at once, and another session’s waits', async () => {
    const { server, url } = await listening();
    const [session, other] = [await aSession(world), await aSession(world)];
    const hangUp = new AbortController();
    const held = Array.from({ length: 5 }, () =>
      waitForStatus(url, session, hangUp.signal).catch(() => 'held'),
    );
    await expect.poll(() => readsOf(session)).toBeGreaterThan(5);
    const sixth = await waitForStatus(url, session, AbortSignal.timeout(10_000));
    expect(sixth).toMatchObject({ status: 200 });
    const second = waitForStatus(url, other, hangUp.signal).catch(() => 'held');
    // A request that is answered at once reads the session once.
    await expect.poll(() => readsOf(other)).toBeGreaterThan(2);
    hangUp.abort();
    expect(await Promise.all([...held, second])).toEqual(Array(6).fill('held'));
    const waits = async () => {
      const before = readsOf(session);
      const given = new AbortController();
      const answer = waitForStatus(url, session, given.signal).then(
        () => 'at once',
        () => 'waited',
      );
      const isReadAgain = expect.poll(() => readsOf(session) - before).toBeGreaterThan(2);
      const first = await Promise.race([answer, isReadAgain.then(() => 'waits')]);
      given.abort();
      return first;
    };
    await expect.poll(waits).toBe('waits');
    await server.close();
  });
});

describe('Waits', () => {
  it('fifty wait for one address, whatever their sessions; another address waits beside them', () => {
    const waits = new Waits();
    const responses = Array.from({ length: 50 }, () => new EventEmitter() as ServerResponse);
    const enterWait = (address: string, session: string, response = new EventEmitter()) =>
      waits.enter({ address, session }, response as ServerResponse).aborted;
    expect(responses.some((one, n) => enterWait('203.0.113.9', `s${n}`, one))).toBe(false);
    expect(enterWait('203.0.113.9', 'more')).toBe(true);
    expect(enterWait('203.0.113.10', 'more')).toBe(false);
    responses[0]?.emit('close');
    expect(enterWait('203.0.113.9', 'more')).toBe(false);
  });
});
