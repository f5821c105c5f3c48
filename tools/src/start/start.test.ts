// `npm start` in the situations that people bring it into.

import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import pg from 'pg';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { type Postgres, startPostgres } from '../postgres/index.ts';
import { isServerOf } from '../postgres/processes.ts';
import { testCluster } from '../test-database/index.ts';
import {
  aFolder,
  folders,
  main,
  type Run,
  removeFolders,
  start,
  stop,
  stopAll,
} from './start-runs.ts';

const root = join(import.meta.dirname, '../../..');
const hasCurl = ['bash', 'curl'].every((name) => spawnSync(name, ['--version']).status === 0);
const firstPort = 14800;

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

afterEach(async () => {
  await stopAll();
});
afterAll(() => {
  removeFolders();
});

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** The address of a database of its own, as of a local server: no host, and the rest behind it. */
async function otherDatabase(server: Postgres): Promise<string> {
  const admin = server.url('postgres', 'postgres');
  await query(admin, 'create database other');
  const password = decodeURIComponent(new URL(admin.replace('@/', '@localhost/')).password);
  const rest = { host: server.socketDir, user: 'postgres', password };
  return `postgres:///other?${new URLSearchParams(rest)}`;
}

const isAnswering = (url: string): Promise<boolean> =>
  fetch(`${url}/healthz`).then(
    (response) => response.ok,
    () => false,
  );

/** 0: there is none. */
function postmasterOf(folder: string): number {
  const file = join(folder, 'postgres/cluster/data/postmaster.pid');
  return (existsSync(file) && Number.parseInt(readFileSync(file, 'utf8'), 10)) || 0;
}

describe('npm start', () => {
  it('one line of JSON; secrets in a file that only its owner reads; Ctrl-C stops everything', async () => {
    const folder = aFolder();
    const run = start(['--data', folder, '--port', String(firstPort)]);
    const block = await run.block;
    expect(block).toMatchObject({ dashboardUrl: null, ownerEmail: 'owner@demo.example' });
    expect(block.ownerPassword).toMatch(/^([a-z2-9]{4}-){3}[a-z2-9]{4}$/);
    expect(block.accountUrl).toBe(`${block.apiUrl}/account`);
    expect(block.database).toMatch(/^embedded PostgreSQL/);
    expect(statSync(join(folder, 'keys.json')).mode & 0o777).toBe(0o600);
    expect(run.said()).toContain('as proof');
    expect(await stop(run)).toBe(0);
    for (const url of [block.apiUrl, block.cardFormUrl, block.sandboxUrl, block.demoShopUrl]) {
      expect(await isAnswering(url)).toBe(false);
    }
  });

  it('Ctrl-C while the database comes up: it does not stay behind', async () => {
    const folder = aFolder();
    const run = start(['--data', folder, '--port', String(firstPort)]);
    const read = () => postmasterOf(folder);
    await expect.poll(read, { timeout: 30_000, interval: 5 }).toBeGreaterThan(0);
    const pid = read();
    expect(await stop(run)).toBe(0);
    expect(isServerOf(pid, join(folder, 'postgres/cluster/data'))).toBe(false);
  });

  it('whoever read what it prints has gone, as with `| head`: Ctrl-C stops it in order', async () => {
    const folder = aFolder();
    const run = start(['--data', folder, '--port', String(firstPort)]);
    await run.block;
    run.child.stderr?.destroy();
    expect(await stop(run)).toBe(0);
    expect(postmasterOf(folder)).toBe(0);
  });

  // Bash and curl are not everywhere; what the page promises is run where they are.
  it.runIf(hasCurl)(
    'the first payment of the README, by curl, as it is written there',
    async () => {
      const block = await start(['--data', aFolder(), '--port', String(firstPort)]).block;
      const page = readFileSync(join(root, 'README.md'), 'utf8');
      const [, walk = ''] =
        /## The first payment, by curl[\s\S]*?```sh\n([\s\S]*?)```/.exec(page) ?? [];
      const script = walk
        .replace('http://localhost:4000', block.apiUrl)
        .replace('<client id>', block.clientId)
        .replace('<API token>', block.apiToken);
      const ran = spawnSync('bash', ['-c', script], { encoding: 'utf8', env: process.env });
      expect(ran.stderr).toBe('');
      expect(ran.stdout).toContain('"status":"succeeded"');
    },
  );

  it('a second start in the same folder shows the block of the first and ends', async () => {
    const folder = aFolder();
    const first = start(['--data', folder, '--port', String(firstPort)]);
    const second = start(['--data', folder, '--port', String(firstPort)]);
    const [one, other] = await Promise.all([first.block, second.block]);
    expect(other).toEqual(one);
    await Promise.race([first.ended, second.ended]);
    expect(await isAnswering(one.apiUrl)).toBe(true);
  });

  it('after kill -9: its processes end, and the next start keeps merchant, token and payments', async () => {
    const folder = aFolder();
    const first = start(['--data', folder, '--port', String(firstPort)]);
    const before = await first.block;
    first.child.kill('SIGKILL');
    await first.ended;
    await expect.poll(() => isAnswering(before.apiUrl), { timeout: 15_000 }).toBe(false);
    const second = start(['--data', folder, '--port', String(firstPort)]);
    const after = await second.block;
    expect(after).toMatchObject({ clientId: before.clientId, apiToken: before.apiToken });
    const credential = Buffer.from(`${after.clientId}:${after.apiToken}`).toString('base64');
    const response = await fetch(`${after.apiUrl}/v1/payments`, {
      headers: { authorization: `Basic ${credential}` },
    });
    expect(((await response.json()) as { total: number }).total).toBe(2);
  }, 60_000);

  it('ends as a whole when its database is killed', async () => {
    const folder = aFolder();
    const run = start(['--data', folder, '--port', String(firstPort)]);
    await run.block;
    process.kill(postmasterOf(folder), 'SIGKILL');
    expect(await run.ended).toBe(1);
    expect(run.said()).toContain('database ended: ');
  });

  it('the sandbox’s clock years ahead: the next start proves itself all the same', async () => {
    const folder = aFolder();
    const first = start(['--data', folder, '--port', String(firstPort)]);
    const { sandboxUrl } = await first.block;
    const moved = await fetch(`${sandboxUrl}/_control/clock/advance`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ seconds: 5 * 366 * 86_400 }),
    });
    expect(moved.status).toBe(200);
    await stop(first);
    const second = start(['--data', folder, '--port', String(firstPort)]);
    expect(await isAnswering((await second.block).apiUrl)).toBe(true);
  }, 90_000);

  it('a taken port is passed over, and said', async () => {
    const taken: Server = createServer();
    await new Promise<void>((resolve) => taken.listen(firstPort, '127.0.0.1', resolve));
    try {
      const run = start(['--data', aFolder(), '--port', String(firstPort)]);
      const block = await run.block;
      expect(block.apiUrl).toBe(`http://localhost:${firstPort + 1}`);
      expect(run.said()).toContain(`port ${firstPort} is taken, using ${firstPort + 1}`);
    } finally {
      taken.close();
    }
  });

  it('limits reach the service; other settings that it is given are named', async () => {
    const run = start(['--data', aFolder(), '--port', String(firstPort)], {
      SVC_LIMIT_SESSION_CREATE: '1',
      SVC_LOG_LEVEL: 'debug',
    });
    const { apiUrl } = await run.block;
    const create = () =>
      fetch(`${apiUrl}/v1/checkouts/sessions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      });
    await create();
    expect((await create()).status).toBe(429);
    expect(run.said()).toMatch(/npm start does not use .*SVC_LOG_LEVEL/);
  });

  it('another PostgreSQL: DATABASE_URL is used, the vault behind a role of its own', async () => {
    const cluster = await testCluster();
    const name = `svc_start_${process.pid}`;
    const admin = cluster.url('postgres', 'postgres');
    await query(admin, `create database ${name} owner svc_owner`);
    try {
      // The cluster's roles are shared with other tests, so they are given rather than made here.
      await query(
        cluster.url('postgres', name),
        `create schema vault authorization svc_vault;
        alter schema public owner to svc_owner; grant connect on database ${name} to svc_vault`,
      );
      const run = start(['--data', aFolder(), '--port', String(firstPort)], {
        DATABASE_URL: cluster.url('svc_owner', name),
        VAULT_DATABASE_URL: cluster.url('svc_vault', name),
      });
      expect((await run.block).database).toMatch(/^PostgreSQL \d+ at /);
      await stop(run);
    } finally {
      await query(admin, `drop database ${name} with (force)`);
    }
  });

  it('an address without a host, as of a socket: each part has the role that is its own', async () => {
    const server = await startPostgres({ dataDir: aFolder(), settings: { fsync: 'off' } });
    try {
      const admin = server.url('postgres', 'postgres');
      await query(admin, 'drop database svc');
      await query(admin, 'drop role svc_owner, svc_service, svc_vault');
      const folder = aFolder();
      const run = start(['--data', folder, '--port', String(firstPort)], {
        DATABASE_URL: await otherDatabase(server),
      });
      await run.block;
      const { DATABASE_URL, DATABASE_OWNER_URL } = parseEnv(
        readFileSync(join(folder, 'service.env'), 'utf8'),
      );
      const who = 'select current_user as name';
      expect(await query(DATABASE_URL ?? '', who)).toEqual([{ name: 'svc_service' }]);
      expect(await query(DATABASE_OWNER_URL ?? '', who)).toEqual([{ name: 'svc_owner' }]);
      await stop(run);
    } finally {
      await server.stop();
    }
  });
});

describe('npm start refuses with one clear message', () => {
  const refused = async (run: Run): Promise<string> => {
    expect(await run.ended).toBe(1);
    expect(run.said()).not.toMatch(/\n\s+at /);
    return run.said();
  };

  it('an unwritable data folder', async () => {
    const file = join(aFolder(), 'file');
    writeFileSync(file, '');
    expect(await refused(start(['--data', join(file, 'data')]))).toContain(
      'Make it writable or choose another with --data DIR',
    );
  });

  it('a DATABASE_URL that nobody answers, or that is none', async () => {
    const run = start(['--data', aFolder()], {
      DATABASE_URL: 'postgres://nobody:secret@127.0.0.1:1/none',
    });
    const said = await refused(run);
    expect(said).toContain('DATABASE_URL (127.0.0.1/none) cannot be used');
    expect(said).not.toContain('secret');
  });

  it('a database user that may not make roles: the SQL to run is shown', async () => {
    const cluster = await testCluster();
    const run = start(['--data', aFolder()], {
      DATABASE_URL: cluster.url('svc_owner', 'svc'),
    });
    const said = await refused(run);
    expect(said).toContain('create role svc_vault login password');
    expect(said).toContain('VAULT_DATABASE_URL');
  });

  it('a server whose roles are another installation’s: their passwords stay', async () => {
    const server = await startPostgres({ dataDir: aFolder(), settings: { fsync: 'off' } });
    try {
      const run = start(['--data', aFolder()], { DATABASE_URL: await otherDatabase(server) });
      run.block.then(() => stop(run)).catch(() => undefined);
      const said = await refused(run);
      expect(said).toContain('has a role svc_owner with a password that is not of this data');
      expect(await query(server.url('svc_owner'), 'select')).toHaveLength(1);
    } finally {
      await server.stop();
    }
  });

  it('roles whose password cannot be tried: they stay as they are', async () => {
    const server = await startPostgres({ dataDir: aFolder(), settings: { fsync: 'off' } });
    const admin = server.url('postgres', 'postgres');
    const owned = () => query(server.url('svc_owner'), 'select').catch(({ code }) => code);
    try {
      const run = { DATABASE_URL: await otherDatabase(server) };
      const [{ hba_file: file }] = (await query(admin, 'show hba_file')) as [{ hba_file: string }];
      const rules = readFileSync(file, 'utf8');
      for (const rule of ['local all svc_owner,svc_service,svc_vault reject\n', '']) {
        writeFileSync(file, rule + rules);
        await query(admin, 'select pg_reload_conf()');
        await expect.poll(owned).toEqual(rule ? '28000' : [expect.anything()]);
        const said = rule && (await refused(start(['--data', aFolder()], run)));
        if (rule) expect(said).toContain('svc_owner, and its password could not be tried');
      }
    } finally {
      await server.stop();
    }
  });

  it('broken keys: never replaced silently', async () => {
    const folder = aFolder();
    writeFileSync(join(folder, 'keys.json'), '{ broken');
    expect(await refused(start(['--data', folder]))).toContain('restore the file');
    expect(readFileSync(join(folder, 'keys.json'), 'utf8')).toBe('{ broken');
  });

  it('keys that are missing beside a database: none are made in their place', async () => {
    const folder = aFolder();
    mkdirSync(join(folder, 'postgres/cluster'), { recursive: true });
    const said = await refused(start(['--data', folder]));
    expect(said).toContain('keys.json is missing');
    expect(said).toContain(`remove ${folder}.`);
    expect(existsSync(join(folder, 'keys.json'))).toBe(false);
  });

  // As root the database lives elsewhere where its account cannot enter, and outlives the folder.
  it.runIf(process.getuid?.() === 0)(
    'a folder that was removed, but not its database outside: both are named',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'svc-start-'));
      folders.push(folder);
      const run = start(['--data', folder, '--port', String(firstPort)]);
      await run.block;
      await stop(run);
      const home = /the database lives in (\S+)/.exec(run.said())?.[1] ?? '';
      folders.push(home);
      rmSync(folder, { recursive: true });
      const again = await refused(start(['--data', folder, '--port', String(firstPort)]));
      expect(again).toContain(`remove ${folder} and ${home}.`);
      rmSync(folder, { recursive: true });
      rmSync(home, { recursive: true });
      const afresh = start(['--data', folder, '--port', String(firstPort)]);
      expect((await afresh.block).database).toMatch(/^embedded/);
    },
    90_000,
  );

  it.each([
    [['--port', 'x'], '--port must be a number'],
    [['--data'], '--data needs a value'],
    [['--nonsense'], 'Unknown argument --nonsense'],
  ])('arguments %j', (args, text) => {
    const run = spawnSync(process.execPath, [main, ...args], { encoding: 'utf8' });
    expect([run.status, run.stderr]).toEqual([1, expect.stringContaining(text)]);
  });
});
