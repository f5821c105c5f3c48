// The database connection is lost while a command works: exit code 1 would mean that something was
// found.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { join } from 'node:path';
import tls from 'node:tls';
import { bareEnvironment } from '@svc/tools/test-database/bare-environment';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../test/harness.ts';
import { selfSigned } from '../../test/network/self-signed.ts';

const entry = join(import.meta.dirname, '../svc.ts');
let db: TestDatabase;
beforeAll(async () => {
  db = await freshDatabase();
});
afterAll(() => db?.close());

/**
 * Runs an audit that waits at a locked table, until `act` has ended its connection or statement.
 */
async function auditWhile(act: 'pg_terminate_backend' | 'pg_cancel_backend') {
  const [owner, other] = [db.ownerUrl, db.url].map(
    (connectionString) => new pg.Client({ connectionString }),
  ) as [pg.Client, pg.Client];
  await Promise.all([owner.connect(), other.connect()]);
  try {
    await owner.query('begin; lock table open_holds in access exclusive mode');
    const child = spawn(process.execPath, [entry, 'audit'], {
      env: { ...bareEnvironment(), DATABASE_URL: db.url },
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

describe('a database that is asked for TLS', () => {
  it.each([
    ['S', 'an untrusted certificate', /certificate/],
    ['N', 'none there', /does not support SSL/],
  ])('answers %s, %s: 2, in one line', async (answer, _, reason) => {
    const certificate = selfSigned('database.example');
    const server = net.createServer((socket) => {
      socket
        .on('error', () => undefined)
        .once('data', () => {
          socket.write(answer);
          if (answer === 'S') new tls.TLSSocket(socket, { isServer: true, ...certificate });
        });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as net.AddressInfo;
    const url = `postgres://x@127.0.0.1:${port}/y?sslmode=verify-full`;
    const child = spawn(process.execPath, [entry, 'audit', '--database', url], {
      env: bareEnvironment(),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (part) => {
      said += part;
    });
    expect(await once(child, 'close')).toEqual([2, null]);
    server.close();
    expect(said).toMatch(/^svc audit: the database of --database cannot be reached: .*\n$/);
    expect(said).toMatch(reason);
  });
});
