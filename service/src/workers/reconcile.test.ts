import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  freshDatabase,
  moveClock,
  newId,
  portsFor,
  type TestDatabase,
} from '../../test/harness.ts';
import type { Database } from '../storage/database/database.ts';
import { sql } from '../storage/database/sql.ts';
import { claimTurn } from '../storage/payments/reconcile-turn.ts';
import { startReconcile } from './reconcile.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await freshDatabase();
});
afterAll(() => test?.close());

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const hourMs = 3_600_000;

describe('startReconcile', () => {
  /** Starts one of several processes, and counts its reads of the database. */
  const startProcess = (onRead: () => unknown = () => undefined) => {
    const asked: string[] = [];
    const { read, write } = test.database;
    const database: Database = {
      ...test.database,
      read: (query, values) => {
        asked.push(query.name);
        onRead();
        return read(query, values);
      },
      write: (query, values) => {
        asked.push(query.name);
        return write(query, values);
      },
    };
    const worker = startReconcile(portsFor(database), { log, firstAfterMs: 0, pollMs: 5 });
    const count = (name: string) => asked.filter((one) => one === name).length;
    return {
      tries: () => count('reconcile_turn.claim'),
      runs: () => count('reconcile_turn.find_place'),
      ends: () => count('reconcile_turn.end'),
      stop: worker.stop,
    };
  };
  type Process = ReturnType<typeof startProcess>;
  const runsOf = (all: readonly Process[]) => all.reduce((sum, one) => sum + one.runs(), 0);
  const sumEnds = (all: readonly Process[]) => all.reduce((sum, one) => sum + one.ends(), 0);
  const stopAll = (all: readonly Process[]) => Promise.all(all.map((one) => one.stop()));
  /** Waits until each process has checked again whether it is its turn. */
  const waitForRecheck = async (all: readonly Process[]) => {
    const before = all.map((one) => one.tries());
    const hasRechecked = () => all.every((one, n) => one.tries() > (before[n] ?? 0) + 1);
    await expect.poll(hasRechecked).toBe(true);
  };

  it('of several processes one makes the run of the hour', async () => {
    const all = [startProcess(), startProcess(), startProcess()];
    await waitForRecheck(all);
    expect(runsOf(all)).toBe(1);
    await moveClock(test.database, hourMs + 1000);
    await expect.poll(() => sumEnds(all)).toBe(2);
    await waitForRecheck(all);
    expect(runsOf(all)).toBe(2);
    await stopAll(all);
  });

  it('after a failover or a restore the next run is made at once', async () => {
    const all = [startProcess(), startProcess()];
    await waitForRecheck(all);
    await expect.poll(() => sumEnds(all)).toBe(0);
    const before = runsOf(all);
    const earlier = sql('test_earlier_timeline', "update reconcile_turn set timeline = 'earlier'");
    await test.database.write(earlier, []);
    await expect.poll(() => runsOf(all)).toBe(before + 1);
    await waitForRecheck(all);
    expect(runsOf(all)).toBe(before + 1);
    await stopAll(all);
  });

  it('one that died at it has it for two minutes, one that stops no longer', async () => {
    await moveClock(test.database, hourMs + 1000);
    expect(await claimTurn(test.database, { holder: newId(), ms: 120_000 })).toBe(true);
    const all = [startProcess(), startProcess()];
    await moveClock(test.database, 110_000);
    await waitForRecheck(all);
    expect(runsOf(all)).toBe(0);
    await moveClock(test.database, 11_000);
    await expect.poll(() => sumEnds(all)).toBe(1);
    await stopAll(all);
    await moveClock(test.database, hourMs + 1000);
    const broken = startProcess(() => broken.stop());
    await expect.poll(broken.ends).toBe(1);
    const next = startProcess();
    await expect.poll(next.ends).toBe(1);
    await next.stop();
  });

  it('one that fails is begun anew a minute later, by whoever comes', async () => {
    await moveClock(test.database, hourMs + 1000);
    let isAway = true;
    const all = [1, 2].map(() =>
      startProcess(() => {
        if (isAway) throw new Error('away');
      }),
    );
    await expect.poll(() => sumEnds(all)).toBe(1);
    isAway = false;
    await moveClock(test.database, 61_000);
    await expect.poll(() => sumEnds(all)).toBe(2);
    await stopAll(all);
  });

  it('told to stop in the middle of a run, it stops, and does not wait for the next hour', async () => {
    let stopped: Promise<void> | undefined;
    const database = {
      read: async () => {
        stopped = worker.stop();
        return [];
      },
      write: async () => [{}],
    } as unknown as Database;
    const worker = startReconcile(portsFor(database), { log, firstAfterMs: 0 });
    await expect.poll(() => stopped !== undefined).toBe(true);
    await stopped;
  });
});
