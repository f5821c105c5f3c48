// `svc bench` as a process, beside the server of the tests.

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bareEnvironment } from '@svc/tools/test-database/bare-environment';
import { testCluster } from '@svc/tools/test-database/index';
import pg from 'pg';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { freshDatabase, type TestDatabase } from './harness.ts';

const entry = join(import.meta.dirname, '../src/svc.ts');

/** The processes that run with this mark in their environment. */
export const processesOf = (mark: string): string[] =>
  readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(mark);
    } catch {
      return false;
    }
  });

export const longBench = ['--provider', 'sandbox', '--rate', '5', '--seconds', '60'];
export const shortBench = ['--provider', 'sandbox', '--rate', '10', '--seconds', '2'];

/** For a test file: a database, its administrator, and the command as a process. */
export function benchTest() {
  let db: TestDatabase;
  let adminUrl = '';
  const started: ReturnType<typeof spawn>[] = [];
  beforeAll(async () => {
    db = await freshDatabase();
    adminUrl = (await testCluster()).url('postgres', 'postgres');
  });
  afterEach(() => {
    for (const child of started.splice(0)) child.kill('SIGKILL');
  });
  afterAll(() => db?.close());

  async function asAdmin(text: string, url = adminUrl): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** Starts the command; its processes inherit the mark. */
  function start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const mark = `BENCH_TEST=${randomUUID()}`;
    const [name = '', value = ''] = mark.split('=');
    const child = spawn(process.execPath, [entry, 'bench', ...args], {
      cwd: tmpdir(),
      env: {
        ...bareEnvironment(),
        ...{ DATABASE_URL: db.url, DATABASE_ADMIN_URL: adminUrl, [name]: value, ...env },
      },
    });
    started.push(child);
    let [out, err] = ['', ''];
    child.stdout.on('data', (part) => {
      out += part;
    });
    child.stderr.on('data', (part) => {
      err += part;
    });
    const ended = once(child, 'close').then(([code]) => ({ code: code as number, out, err }));
    return { child, mark, ended, said: () => err };
  }

  return {
    start,
    asAdmin,
    ownerUrl: () => db.ownerUrl,
    listScratch: () =>
      asAdmin("select datname from pg_database where datname like 'svc\\_bench\\_%'"),
  };
}
