// The process as an operator starts it.

import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { Agent, createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@svc/tools/free-port';
import { bareEnvironment } from '@svc/tools/test-database/bare-environment';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildForm } from '../build.ts';
import { vaultDatabase } from '../test/harness.ts';
import { openPool } from './database.ts';
import { readForm } from './form-files.ts';
import { signMountToken } from './signatures.ts';

const base64 = (byte: number) => Buffer.alloc(32, byte).toString('base64');
let database: Awaited<ReturnType<typeof vaultDatabase>>;
let environment: Record<string, string>;
const children: ChildProcess[] = [];
const card = { number: '4242424242424242', expiryMonth: 12, expiryYear: 2040, cvc: '123' };

const parents = 'p'.repeat(43);
const newMountToken = () =>
  signMountToken(
    {
      sessionId: randomUUID(),
      clientId: randomUUID(),
      publishableKey: 'pk_test_1',
      livemode: false,
      parents,
      expiresAt: Math.floor(Date.now() / 1000) + 600,
    },
    Buffer.alloc(32, 2),
  );

beforeAll(async () => {
  await buildForm();
  database = await vaultDatabase();
  environment = {
    VAULT_PORT: '0',
    VAULT_INTERNAL_PORT: '0',
    VAULT_DATABASE_URL: database.url,
    VAULT_KEY: base64(1),
    VAULT_SHARED_KEY: base64(2),
    VAULT_PROVIDER_URL: 'http://127.0.0.1:9',
  };
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(() => database.drop());

function start(more: Record<string, string> = {}, flags: string[] = ['--disable-proto=delete']) {
  const child = spawn(process.execPath, [...flags, join(import.meta.dirname, 'main.ts')], {
    env: { ...bareEnvironment(), ...environment, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (output.stdout += String(chunk)));
  const line = Promise.withResolvers<void>();
  child.stdout.on('data', () => output.stdout.includes('\n') && line.resolve());
  child.stderr.on('data', (chunk) => (output.stderr += String(chunk)));
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
  const ready = async () => {
    await Promise.race([exit, line.promise]);
    expect(output.stderr).not.toContain('vault:');
    return JSON.parse(output.stdout) as { ready: boolean; url: string; internalUrl: string };
  };
  return { child, output, exit, ready };
}

describe('node src/main.ts', () => {
  it('prints one ready line, serves, and ends at SIGTERM with 0', async () => {
    const { child, output, exit, ready } = start();
    const line = await ready();
    expect(line.ready).toBe(true);
    expect((await fetch(`${line.url}/readyz`)).status).toBe(200);
    expect((await fetch(`${line.internalUrl}/healthz`)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
    expect(output.stdout.trim().split('\n')).toHaveLength(1);
  });

  it('a log that nobody reads any more ends nothing', async () => {
    const { child, exit, ready } = start();
    const { url } = await ready();
    child.stderr.destroy();
    for (let request = 0; request < 5; request++) {
      const report = await fetch(`${url}/csp-reports`, {
        method: 'POST',
        headers: { 'content-type': 'application/csp-report' },
        body: JSON.stringify({ 'csp-report': { 'violated-directive': 'script-src-elem' } }),
      });
      expect(report.status).toBe(204);
    }
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
  });

  it('answers what runs before it ends', async () => {
    // The wire of a provider that answers once the vault has had its signal.
    const called = Promise.withResolvers<ServerResponse>();
    const provider = createServer((_, response) => called.resolve(response));
    await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
    const { port } = provider.address() as AddressInfo;
    const { child, exit, ready } = start({ VAULT_PROVIDER_URL: `http://127.0.0.1:${port}` });
    const { url } = await ready();
    const answer = fetch(`${url}/form/tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url },
      body: JSON.stringify({ ...card, mountToken: newMountToken(), parents }),
    });
    const response = await called.promise;
    child.kill('SIGTERM');
    const isTaken = () =>
      fetch(`${url}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      );
    await expect.poll(isTaken).toBe(false);
    response.end('{"id":"pm_1","card":{"brand":"visa"}}');
    expect((await answer).status).toBe(200);
    expect(await exit).toBe(0);
    provider.close();
  });

  it('VAULT_DRAIN_MS: not ready at once, and each answer the last of its connection', async () => {
    const { child, exit, ready } = start({ VAULT_DRAIN_MS: '1000' });
    const { url, internalUrl } = await ready();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const requestPath = (base: string, path: string) =>
      new Promise<{ status: number | undefined; last: boolean }>((resolve, reject) => {
        const call = request(base + path, { agent }, (answer) => {
          answer.resume();
          const last = answer.headers.connection === 'close';
          answer.once('end', () => resolve({ status: answer.statusCode, last }));
        });
        call.once('error', reject).end();
      });
    expect(await requestPath(url, '/readyz')).toEqual({ status: 200, last: false });
    const signalled = performance.now();
    child.kill('SIGTERM');
    await expect.poll(() => requestPath(url, '/readyz')).toEqual({ status: 503, last: true });
    for (const base of [url, internalUrl]) {
      expect(await requestPath(base, '/healthz')).toEqual({ status: 200, last: true });
    }
    expect(await exit).toBe(0);
    expect(performance.now() - signalled).toBeGreaterThan(950);
    agent.destroy();
  });

  it.runIf(process.platform === 'linux')('keeps its memory out of core files', async () => {
    const { child, ready } = start();
    await ready();
    const filter = readFileSync(`/proc/${child.pid}/coredump_filter`, 'utf8');
    expect(Number.parseInt(filter, 16)).toBe(0);
  });

  it('opens no inspector at SIGUSR1, and refuses to start under one', async () => {
    const { child, output, exit, ready } = start();
    const { url } = await ready();
    child.kill('SIGUSR1');
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
    expect(output.stderr).not.toContain('Debugger');
    const inspected = start({}, ['--inspect=127.0.0.1:0']);
    expect(await inspected.exit).toBe(1);
    expect(inspected.output.stderr).toContain('does not run under the inspector');
  });

  it('names every problem of its settings and exits with 1', async () => {
    const { exit, output } = start({ VAULT_KEY: 'x', VAULT_PORT: 'http', VAULT_MODE: 'live' });
    expect(await exit).toBe(1);
    expect(output.stdout).toBe('');
    const lines = output.stderr.trim().split('\n');
    expect(lines.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
      'vault: VAULT_PORT',
      'vault: VAULT_KEY',
      'vault: VAULT_ORIGIN',
      'vault: VAULT_PROVIDER_URL',
    ]);
  });

  it('refuses tables of another mode than its own, and says which is which', async () => {
    const { child, ready, exit } = start();
    await ready();
    child.kill('SIGTERM');
    await exit;
    const test = start({ VAULT_MODE: 'test', VAULT_PROVIDER_URL: 'https://127.0.0.1:9' });
    expect(await test.exit).toBe(1);
    expect(test.output.stderr).toBe(
      "vault: The vault's tables are of sandbox mode, and VAULT_MODE is test: set " +
        'VAULT_MODE=sandbox, or name another database.\n',
    );
  });

  it('refuses tables from before the first release, and changes nothing', async () => {
    const { child, ready, exit } = start();
    await ready();
    child.kill('SIGTERM');
    await exit;
    const admin = new pg.Client({ connectionString: database.url });
    await admin.connect();
    const rename = 'update vault.migrations set name = $1 where name = $2';
    await admin.query(rename, ['0001_card_tokens', '0001_baseline']);
    const older = start();
    expect(await older.exit).toBe(1);
    expect(older.output.stderr).toBe(
      "vault: The vault's tables were made before version 0.1.0 and cannot be migrated: name an empty " +
        'database. Nothing was changed.\n',
    );
    const renamed = await admin.query(rename, ['0001_baseline', '0001_card_tokens']);
    await admin.end();
    expect(renamed.rowCount).toBe(1);
  });

  it('says in one line that a port is taken', async () => {
    const { ready } = start();
    const { url } = await ready();
    const { port } = new URL(url);
    const second = start({ VAULT_PORT: port });
    expect(await second.exit).toBe(1);
    expect(second.output.stderr).toBe(`vault: 127.0.0.1:${port} is in use already.\n`);
  });

  it('says in one line that the database cannot be reached', async () => {
    const { exit, output } = start({ VAULT_DATABASE_URL: 'postgres://x:y@127.0.0.1:9/svc' });
    expect(await exit).toBe(1);
    expect(output.stderr.trim().split('\n')).toHaveLength(1);
    expect(output.stderr).toContain('VAULT_DATABASE_URL: the database cannot be reached');
    expect(output.stderr).not.toContain('x:y');
  });

  it('refuses a role that has no schema of its own, with the SQL to run', async () => {
    const admin = new pg.Client({ connectionString: database.adminUrl });
    await admin.connect();
    const role = `vault_test_${process.pid}`;
    try {
      await admin.query(`create role ${role} login password 'p'`);
      await admin.query(`do $$ begin execute format('grant connect on database %I to ${role}',
        current_database()); end $$`);
      const url = database.adminUrl.replace(/\/\/[^@]*@/, `//${role}:p@`);
      const { exit, output } = start({ VAULT_DATABASE_URL: url });
      expect(await exit).toBe(1);
      expect(output.stderr).toContain(`create schema if not exists vault authorization "${role}";`);
    } finally {
      await admin.query(`drop owned by ${role}`);
      await admin.query(`drop role ${role}`);
      await admin.end();
    }
  });

  it('serves metrics on a port of their own, where one is named', async () => {
    const port = await freePort();
    const { ready } = start({ VAULT_METRICS_PORT: String(port) });
    const { url } = await ready();
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    const page = `http://127.0.0.1:${port}/metrics`;
    expect(await (await fetch(page)).text()).toContain(
      'svc_vault_request_seconds_count{route="/readyz",status="200"} 1\n',
    );
    const second = start({ VAULT_METRICS_PORT: String(port) });
    expect(await second.exit).toBe(1);
    expect(second.output.stderr).toMatch(/^vault: metrics cannot be served on .*EADDRINUSE/m);
  });

  it('works in its schema and keeps what it wrote, whatever its role and address ask for', async () => {
    const admin = new pg.Client({ connectionString: database.adminUrl });
    await admin.connect();
    for (const setting of ['search_path = public', 'synchronous_commit = off']) {
      await admin.query(`do $$ begin execute format('alter role svc_vault in database %I set ${setting}',
        current_database()); end $$`);
    }
    await admin.end();
    const mark = database.url.includes('?') ? '&' : '?';
    const asked = 'statement_timeout=1&options=-c%20search_path%3Dpublic%20-c%20geqo%3Doff';
    for (const url of [database.url, `${database.url}${mark}${asked}`]) {
      const pool = openPool(url);
      try {
        const { rows } = await pool.query(
          `select current_setting('synchronous_commit') as kept,
             current_setting('statement_timeout') as time, current_setting('geqo') as other
           from (select count(*) from card_tokens) c`,
        );
        const other = url === database.url ? 'on' : 'off';
        expect(rows).toEqual([{ kept: 'on', time: '5s', other }]);
      } finally {
        await pool.end();
      }
    }
  });

  it('migrates an empty database, two at once', async () => {
    const admin = new pg.Client({ connectionString: database.url });
    await admin.connect();
    await admin.query(
      'drop table vault.card_tokens, vault.session_attempts, vault.installation, vault.migrations',
    );
    await admin.end();
    const both = [start(), start()];
    for (const { ready } of both) expect((await ready()).ready).toBe(true);
  });
});

describe('a vault without a built form', () => {
  it('says what to run', () => {
    const empty = mkdtempSync(join(tmpdir(), 'svc-vault-'));
    expect(() => readForm(empty)).toThrow('The card form is not built: run `node vault/build.ts`');
  });
});
