// What the watch of idle transactions counts.

import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { freshDatabase } from '../../service/test/harness.ts';
import { watchTransactions } from './watch.ts';

describe('watchTransactions', () => {
  it('counts a transaction that waits, and names its last statement', async () => {
    const database = await freshDatabase();
    const client = new pg.Client({ connectionString: database.url });
    const watch = watchTransactions(database.url);
    try {
      await client.connect();
      await client.query('begin');
      await client.query('select 41 + 1');
      await expect.poll(() => watch.longestIdleMs()).toBeGreaterThan(500);
      expect(watch.lastStatement()).toBe('select 41 + 1');
    } finally {
      await watch.stop();
      await client.end();
      await database.close();
    }
  });
});
