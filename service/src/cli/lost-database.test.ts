// A database that goes away while a command works: 1 would say that something was found.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../test/harness.ts';

const entry = join(import.meta.dirname, '../svc.ts');
let db: TestDatabase;
beforeAll(async () => {
  db = await freshDatabase();
});
afterAll(() => db?.close());

/** Runs an audit that waits at a table, until `act` has done something to its connection. */
async function auditWhile(act: 'pg_terminate_backend' | 'pg_cancel_backend') {
  const [owner, other] = [db.ownerUrl, db.url].map(
    (connectionString) => new pg.Client({ connectionString }),
  ) as [pg.Client, pg.Client];
  await Promise.all([owner.connect(), other.connect()]);
  try {
    await owner.query('begin; lock table open_holds in access exclusive mode');
    const child = spawn(process.execPath, [entry, 'audit'], {
      env: { PATH: process.env.PATH ?? '', DATABASE_URL: db.url },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (part) => {
      said += part;
    });
    const ended = once(child, 'close');
    const done = `select ${act}(pid) as is_done from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    await expect
      .poll(async () => (await other.query(done)).rows, { timeout: 20_000, interval: 200 })
      .toContainEqual({ is_done: true });
    const [code] = await ended;
    return { code, said };
  } finally {
    await Promise.all([owner.end(), other.end()]);
  }
}

describe('a database that goes away meanwhile', () => {
  it.each(['pg_terminate_backend', 'pg_cancel_backend'] as const)(
    '%s: 2, in one line',
    async (act) => {
      const { code, said } = await auditWhile(act);
      expect({ code, said }).toEqual({
        code: 2,
        said: expect.stringMatching(/^svc audit: the database of DATABASE_URL .*\n$/),
      });
    },
    40_000,
  );
});
