// Makes a race certain: another connection locks the row until all calls wait for it.

import { scaled } from '@svc/tools/machine';
import pg from 'pg';
import { expect } from 'vitest';

const waitingForLocks = `select count(*)::int as n from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`;

/** Waits until at least this many connections of the database wait for a lock. */
export async function untilBlocked(url: string, waiting = 1): Promise<void> {
  const watcher = new pg.Client({ connectionString: url });
  await watcher.connect();
  try {
    const count = async () => (await watcher.query<{ n: number }>(waitingForLocks)).rows[0]?.n;
    await expect
      .poll(count, { timeout: scaled(10_000), interval: 5 })
      .toBeGreaterThanOrEqual(waiting);
  } finally {
    await watcher.end();
  }
}

type Calls<T> = () => readonly Promise<T>[];

type Race = {
  /** How many of the calls wait before the row is released. */
  readonly waiting: number;
  /** What others do while the calls wait. */
  readonly meanwhile?: () => Promise<void>;
};

/**
 * Starts all calls while `lock` (a `select … for update`) holds their row, and releases it once
 * `waiting` of them wait and `meanwhile` is done.
 */
export const raceFor = <T>(
  url: string,
  { lock, values, ...race }: Race & { lock: string; values: readonly unknown[] },
  calls: Calls<T>,
): Promise<T[]> => {
  const lockRow = async (holder: pg.Client) => {
    const held = await holder.query(lock, values as unknown[]);
    expect(held.rowCount, 'the row to fight for').toBe(1);
  };
  return raceBehindLock(url, { hold: lockRow, ...race }, calls);
};

/** The same with a transaction in which `hold` locks and changes rows. */
export async function raceBehindLock<T>(
  url: string,
  { hold, waiting, meanwhile }: Race & { hold: (holder: pg.Client) => Promise<void> },
  calls: Calls<T>,
): Promise<T[]> {
  const holder = new pg.Client({ connectionString: url });
  const watcher = new pg.Client({ connectionString: url });
  await Promise.all([holder.connect(), watcher.connect()]);
  try {
    await holder.query('begin');
    await hold(holder);
    const all = Promise.all(calls());
    const count = async () => {
      const { rows } = await watcher.query(waitingForLocks);
      return rows[0].n;
    };
    await expect.poll(count, { timeout: scaled(1500), interval: 5 }).toBe(waiting);
    await meanwhile?.();
    await holder.query('commit');
    return await all;
  } finally {
    await Promise.all([holder.end(), watcher.end()]);
  }
}
