// Tests of Ctrl-C while another session keeps a command waiting. The command runs in a process of
// its own.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bareEnvironment } from '@svc/tools/test-database/bare-environment';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../test/harness.ts';
import { untilBlocked } from '../../test/held-row.ts';
import { plantInDatabase } from '../../test/payments/planted.ts';

const entry = join(import.meta.dirname, '../svc.ts');
const folder = mkdtempSync(join(tmpdir(), 'svc-ctrl-c-'));
let db: TestDatabase;
beforeAll(async () => {
  db = await freshDatabase();
});
afterAll(async () => {
  await db?.close();
  rmSync(folder, { recursive: true });
});

function spawnCommand(args: readonly string[], env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [entry, ...args], {
    cwd: folder,
    env: { ...bareEnvironment(), ...env },
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (part) => {
    out += part;
  });
  child.stderr.on('data', (part) => {
    err += part;
  });
  const ended = once(child, 'close').then(([code]) => ({ code: code as number, out, err }));
  return { child, ended };
}

/** Returns the result of `ended`, or 'still at it' after this many milliseconds. */
async function withinMs<T>(ms: number, ended: Promise<T>): Promise<T | 'still at it'> {
  const late = once(AbortSignal.timeout(ms), 'abort').then(() => 'still at it' as const);
  return Promise.race([ended, late]);
}

describe('Ctrl-C', () => {
  it('before the audit has counted the payments: 130, at once', async () => {
    const csv = join(folder, 'not-counted.csv');
    await plantInDatabase(db.ownerUrl, async (run) => {
      await run('begin');
      await run('lock table payments in access exclusive mode');
      const { child, ended } = spawnCommand(['audit', '--csv', csv], { DATABASE_URL: db.url });
      await expect.poll(() => existsSync(`${csv}.part`), { timeout: 15_000 }).toBe(true);
      await untilBlocked(db.url);
      child.kill('SIGINT');
      const end = await withinMs(5000, ended);
      await run('rollback');
      expect(end).toMatchObject({ code: 130, out: expect.stringContaining('broken off') });
    });
  });

  it('while the service does not answer: 130, at once', async () => {
    const asked = Promise.withResolvers<void>();
    const silent = createServer(() => asked.resolve()).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const { child, ended } = spawnCommand(['events', 'list'], {
      SVC_API_URL: `http://127.0.0.1:${port}`,
      SVC_CLIENT_ID: 'x',
      SVC_API_TOKEN: 'y',
    });
    try {
      await asked.promise;
      child.kill('SIGINT');
      expect(await withinMs(5000, ended)).toEqual({
        code: 130,
        out: '',
        err: 'svc events: broken off\n',
      });
    } finally {
      silent.closeAllConnections();
      silent.close();
    }
  });
});
