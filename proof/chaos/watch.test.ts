// What the watch of idle transactions counts.

import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { freshDatabase } from '../../service/test/harness.ts';
import { missedMs, watchTransactions } from './watch.ts';

describe('missedMs', () => {
  it('is zero while every look comes in time', () => {
    expect(missedMs([0, 150, 300, 450], 600, 500)).toBe(0);
    expect(missedMs([], 600, 500)).toBe(0);
  });

  it('is what the machine stood still: the last look came late', () => {
    expect(missedMs([0, 150, 300], 1500, 1200)).toBe(1050);
  });

  it('counts a stop in the middle of the transaction', () => {
    expect(missedMs([0, 150, 1300, 1450], 1600, 1500)).toBe(1000);
  });

  it('counts no stop from before the transaction was idle', () => {
    expect(missedMs([0, 1000, 1150, 1300], 1450, 400)).toBe(0);
    // Of a stop that the transaction met in its midst, the part that it met.
    expect(missedMs([0, 1000], 1150, 650)).toBe(350);
  });
});

describe('watchTransactions', () => {
  it('counts a transaction that waits, and names its last statement', async () => {
    const database = await freshDatabase();
    const client = new pg.Client({ connectionString: database.url });
    const watch = watchTransactions(database.url);
    try {
      await client.connect();
      await client.query('begin');
      await client.query('select 41 + 1');
      await expect.poll(() => watch.longestIdleMs(), { timeout: 10_000 }).toBeGreaterThan(500);
      expect(watch.lastStatement()).toBe('select 41 + 1');
    } finally {
      await watch.stop();
      await client.end();
      await database.close();
    }
  });
});
