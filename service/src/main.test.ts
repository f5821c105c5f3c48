// The process as it is started and stopped. Of the servers that it calls, only the database exists.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { version } from '@svc/contract/version';
import { scaled } from '@svc/tools/machine';
import { bareEnvironment } from '@svc/tools/test-database/bare-environment';
import { cloneDatabase, createTemplate } from '@svc/tools/test-database/index';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { aClient, aGateway, freshDatabase, type TestDatabase } from '../test/harness.ts';
import { openLossyWay } from '../test/network/lossy-way.ts';
import { aReadyVault, type Receiver } from '../test/webhooks/webhooks.ts';
import { assertMode } from './start/database-mode.ts';
import { freePort } from './start/free-port.ts';
import { sql } from './storage/database/sql.ts';

const main = join(import.meta.dirname, 'main.ts');
const key = Buffer.alloc(32, 7).toString('base64');
const children: ChildProcess[] = [];
let db: TestDatabase;
beforeAll(async () => {
  db = await freshDatabase();
  vault = await aReadyVault();
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(() => Promise.all([db.close(), vault.close()]));

const live = {
  SVC_MODE: 'live',
  SVC_BASE_URL: 'https://pay.example',
  SVC_VAULT_ORIGIN: 'https://card.example',
  SVC_PROVIDER_URL: 'https://provider.example',
};

/** Returns the child processes from Linux's list of processes. */
const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

type Run = {
  child: ChildProcess;
  out: () => string;
  err: () => string;
  url(): Promise<string>;
  code(): Promise<number | null>;
};

let vault: Receiver;

function startService(
  env: Record<string, string | undefined> = {},
  log: 'pipe' | number = 'pipe',
): Run {
  const settings: Record<string, string> = {
    ...bareEnvironment(),
    DATABASE_URL: db.url,
    DATABASE_OWNER_URL: db.ownerUrl,
    SVC_HOST: '127.0.0.1',
    SVC_PORT: '0',
    SVC_KEY: key,
    SVC_VAULT_SHARED_KEY: key,
    SVC_VAULT_ORIGIN: 'http://127.0.0.1:1',
    SVC_VAULT_INTERNAL_URL: vault.url,
    // A crowded machine makes the service wait as an overload does.
    SVC_SHED_MS: '0',
    SVC_PROVIDER_URL: 'http://127.0.0.1:1',
  };
  const given = Object.entries({ ...settings, ...env }).filter(([, value]) => value !== undefined);
  const child = spawn(process.execPath, [main], {
    env: Object.fromEntries(given) as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', log],
  });
  children.push(child);
  let [out, err] = ['', ''];
  child.stdout?.on('data', (part) => {
    out += part;
  });
  child.stderr?.on('data', (part) => {
    err += part;
  });
  const exited = once(child, 'exit');
  return {
    child,
    out: () => out,
    err: () => err,
    async url() {
      await expect.poll(() => out, { timeout: scaled(30_000), message: err }).toContain('\n');
      return JSON.parse(out).url;
    },
    code: async () => (await exited)[0] as number | null,
  };
}

describe('a start', () => {
  it('says where it is ready, in one line, and serves; SIGTERM ends it with 0', async () => {
    const run = startService();
    const url = await run.url();
    expect(JSON.parse(run.out())).toEqual({
      ready: true,
      url: expect.stringMatching(/^http:\/\/localhost:\d+$/),
    });
    const address = url.replace('localhost', '127.0.0.1');
    const readiness = async () => {
      const ready = await fetch(`${address}/readyz`);
      return [ready.status, ((await ready.json()) as { isMigrated: boolean }).isMigrated];
    };
    // A slow machine may need more than the four seconds that a check of the database gets.
    await expect.poll(readiness, { timeout: scaled(30_000) }).toEqual([200, true]);
    const refused = await fetch(`${address}/v1/payments`);
    expect(refused.status).toBe(401);
    run.child.kill('SIGTERM');
    expect(await run.code()).toBe(0);
    expect(run.out().trim().split('\n')).toHaveLength(1);
    const lines = run
      .err()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({ version, mode: 'sandbox' });
    expect(lines[0].settings).toMatch(/SVC_HOST=127\.0\.0\.1 .*DATABASE_URL .*SVC_KEY /);
    expect(lines[1]).toMatchObject({ address: '127.0.0.1', agent: 'node' });
    expect(lines.map(({ msg }) => msg)).toEqual([
      'started',
      'request',
      'access refused',
      'request',
      'stopping',
    ]);
  });

  it.runIf(process.platform === 'linux')(
    'SVC_PROCESSES: several behind one port, started anew when killed, ended in order',
    async () => {
      const metricsPort = String(await freePort());
      const run = startService({ SVC_PROCESSES: '2', SVC_METRICS_PORT: metricsPort });
      const address = (await run.url()).replace('localhost', '127.0.0.1');
      const listServing = () => childrenOf(run.child.pid ?? 0);
      const [first, second] = listServing();
      expect([first, second, listServing().length]).toEqual([
        expect.any(Number),
        expect.any(Number),
        2,
      ]);
      const status = async () =>
        (await fetch(`${address}/readyz`, { headers: { connection: 'close' } })).status;
      expect([await status(), await status(), await status()]).toEqual([200, 200, 200]);
      const page = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
      expect(await page.text()).toContain(
        'svc_request_seconds_count{operation="/readyz",status="200"} 3\n',
      );
      process.kill(first ?? 0, 'SIGKILL');
      await expect
        .poll(() => listServing().filter((pid) => pid !== first), { timeout: scaled(30_000) })
        .toHaveLength(2);
      await expect.poll(() => run.err()).toContain('a process of the service ended');
      expect([await status(), await status(), await status()]).toEqual([200, 200, 200]);
      expect(run.out().trim().split('\n')).toHaveLength(1);
      const last = listServing();
      run.child.kill('SIGTERM');
      expect(await run.code()).toBe(0);
      for (const pid of last) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    },
  );

  it.runIf(existsSync('/dev/full')).each([
    ['for which there is no room', '2'],
    ['that nobody reads any more', '1'],
  ])('a log %s ends nothing, with SVC_PROCESSES=%s', async (what, processes) => {
    const isRead = what.startsWith('for');
    // A warning at the start is the first line of the log.
    const env = { SVC_PROCESSES: processes, SVC_LIMITS: 'off' };
    const run = startService(env, isRead ? openSync('/dev/full', 'w') : 'pipe');
    const address = (await run.url()).replace('localhost', '127.0.0.1');
    if (!isRead) run.child.stderr?.destroy();
    for (let request = 0; request < 5; request++) {
      expect((await fetch(`${address}/v1/payments`)).status).toBe(401);
    }
    run.child.kill('SIGTERM');
    expect(await run.code()).toBe(0);
  });

  it('SVC_PROCESSES: what keeps one from starting is told once, and ends it with 1', async () => {
    const run = startService({
      SVC_PROCESSES: '3',
      DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none',
    });
    expect(await run.code()).toBe(1);
    expect(run.err().match(/cannot be used/g)).toHaveLength(1);
    const wrong = startService({ SVC_PROCESSES: '3', SVC_KEY: 'short' });
    expect(await wrong.code()).toBe(1);
    expect(wrong.err()).toBe('svc: SVC_KEY is not base64 of 32 bytes\n');
  });

  it.runIf(process.platform === 'linux')(
    'the owner of the tables is known to no process of it once it serves, given as it may be; svc migrate does without the service',
    async () => {
      await createTemplate('svc_template_owned', async () => undefined);
      const empty = await cloneDatabase('svc_template_owned');
      const owner = empty.url('svc_owner');
      const file = join(mkdtempSync(join(tmpdir(), 'svc-owner-')), 'owner');
      writeFileSync(file, owner);
      const { password } = new URL(owner.replace('@/', '@localhost/'));
      expect(password).not.toBe('');
      const service = empty.url('svc_service');
      for (const given of [
        { DATABASE_OWNER_URL: owner, SVC_PROCESSES: '2' },
        { DATABASE_OWNER_URL: undefined, DATABASE_OWNER_URL_FILE: file },
      ]) {
        const run = startService({ DATABASE_URL: service, ...given });
        const address = (await run.url()).replace('localhost', '127.0.0.1');
        expect((await fetch(`${address}/readyz`)).status).toBe(200);
        const pid = run.child.pid ?? 0;
        for (const one of [pid, ...childrenOf(pid)]) {
          const told = ['environ', 'cmdline'].map((name) =>
            readFileSync(`/proc/${one}/${name}`, 'utf8'),
          );
          expect(told.join(' ')).toContain('svc_service');
          for (const secret of ['svc_owner', password, file]) {
            expect(told.join(' ').includes(secret)).toBe(false);
          }
        }
        run.child.kill('SIGTERM');
        expect(await run.code()).toBe(0);
        expect(run.err()).not.toContain('Warning');
      }
      await empty.drop();

      const other = await cloneDatabase('svc_template_owned');
      const svc = join(dirname(main), 'svc.ts');
      const migrated = spawnSync(process.execPath, [svc, 'migrate'], {
        env: { ...bareEnvironment(), DATABASE_OWNER_URL: other.url('svc_owner') },
        encoding: 'utf8',
      });
      expect([migrated.status, migrated.stderr]).toEqual([0, '']);
      const run = startService({
        DATABASE_URL: other.url('svc_service'),
        DATABASE_OWNER_URL: undefined,
      });
      const address = (await run.url()).replace('localhost', '127.0.0.1');
      expect((await fetch(`${address}/readyz`)).status).toBe(200);
      run.child.kill('SIGKILL');
      await run.code();
      await other.drop();
    },
    scaled(120_000),
  );

  it('warns of a wallet that live mode has no address for', async () => {
    const own = await freshDatabase();
    const env = { ...live, DATABASE_URL: own.url, DATABASE_OWNER_URL: own.ownerUrl };
    const warning = 'SVC_WALLET_URL is not set';
    await assertMode({ mode: 'live' }, own.database);
    await aGateway(own.database, await aClient(own.database), { provider: 'wallet' });
    const runs = [
      startService(env),
      startService({ ...env, SVC_WALLET_URL: 'https://wallet.example' }),
    ] as const;
    await Promise.all(runs.map((run) => run.url()));
    await expect.poll(() => runs[0].err()).toContain(warning);
    expect(runs[1].err()).not.toContain(warning);
    for (const { child } of runs) child.kill('SIGKILL');
    await Promise.all(runs.map((run) => run.code()));
    await own.close();
  });

  it('applies what is missing, also two at once', async () => {
    await createTemplate('svc_template_empty', async () => undefined);
    const empty = await cloneDatabase('svc_template_empty');
    const owner = empty.url('svc_owner');
    const urls = {
      DATABASE_URL: empty.url('svc_service'),
      // A role that both serves and migrates may have the limits of a request.
      DATABASE_OWNER_URL: `${owner}${owner.includes('?') ? '&' : '?'}options=-c%20lock_timeout%3D1`,
    };
    const runs = [startService(urls), startService(urls)];
    const addresses = await Promise.all(runs.map((run) => run.url()));
    expect(new Set(addresses).size).toBe(2);
    for (const address of addresses) {
      const ready = await fetch(`${address.replace('localhost', '127.0.0.1')}/readyz`);
      expect(ready.status).toBe(200);
    }
    for (const run of runs) run.child.kill('SIGINT');
    expect(await Promise.all(runs.map((run) => run.code()))).toEqual([0, 0]);
    await empty.drop();
  });
});

describe('a start that cannot be', () => {
  const lines = async (run: Run): Promise<string[]> => {
    expect(await run.code()).toBe(1);
    expect(run.out()).toBe('');
    const all = run.err().trim().split('\n');
    for (const line of all) expect(line).toMatch(/^svc: /);
    return all;
  };

  it('a busy port: one line', async () => {
    const busy = net.createServer().listen(0, '127.0.0.1');
    await once(busy, 'listening');
    const { port } = busy.address() as net.AddressInfo;
    expect(await lines(startService({ SVC_PORT: String(port) }))).toEqual([
      `svc: port ${port} on 127.0.0.1 is taken; set SVC_PORT to another one`,
    ]);
    busy.close();
  });

  it('a wrong DATABASE_URL: one line, without the password', async () => {
    const url = db.url.replace(/:[^:@/]+@/, ':hunter2@');
    const all = await lines(startService({ DATABASE_URL: url, DATABASE_OWNER_URL: undefined }));
    expect(all).toEqual([
      expect.stringMatching(
        /^svc: the database of DATABASE_URL cannot be used: .*password authentication failed/,
      ),
    ]);
    expect(all[0]).not.toContain('hunter2');
  });

  it('sessions that lack what they ask for: the SQL to run, after which it starts', async () => {
    const own = await freshDatabase();
    const pooler = await openLossyWay(own.url, { dropsOptions: true });
    const env = { DATABASE_URL: pooler.url, DATABASE_OWNER_URL: own.ownerUrl };
    const [line = '', ...others] = await lines(startService(env));
    expect(others).toEqual([]);
    const asked = line.split('new connections: ')[1] ?? '';
    expect(asked).toMatch(
      /^alter role svc_service in database \S+ set statement_timeout = '5000'; /,
    );
    expect(asked).toMatch(/ set idle_in_transaction_session_timeout = '10000';$/);
    for (const [at, statement] of asked.split('; ').entries()) {
      await own.database.write(sql(`test_session_${at}`, statement), []);
    }
    const run = startService(env);
    expect(await run.url()).toMatch(/^http/);
    run.child.kill('SIGTERM');
    expect(await run.code()).toBe(0);
    await pooler.close();
    await own.close();
  });

  it('wrong settings: a line each', async () => {
    const all = await lines(startService({ SVC_KEY: 'x', SVC_PORT: 'y' }));
    expect(all).toEqual([
      'svc: SVC_PORT is not integer 0 to 65535: y',
      'svc: SVC_KEY is not base64 of 32 bytes',
    ]);
  });

  it('live mode on a database whose clock was moved', async () => {
    const moved = await freshDatabase();
    await moved.database.write(
      { name: 't_shift', text: "update clock_shift set shift = '1 day'" },
      [],
    );
    const all = await lines(
      startService({ ...live, DATABASE_URL: moved.url, DATABASE_OWNER_URL: moved.ownerUrl }),
    );
    expect(all).toEqual([
      'svc: the clock of this database was moved: it is a sandbox, not for live mode',
    ]);
    await moved.close();
  });
});
