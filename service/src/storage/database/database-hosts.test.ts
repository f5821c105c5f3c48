// An address that lists two real PostgreSQL servers, one of which takes no writes: migrations, service, a
// command and vault use the other one, and go over after a failover.

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bareEnvironment } from '@svc/tools/test-database/bare-environment';
import { migrate as migrateVault, openPool } from '@svc/vault/database';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Postgres, startPostgres } from '../../start/postgres/index.ts';
import { openDatabase } from './database.ts';
import { isMigrated, migrate } from './migrate.ts';
import { sql } from './sql.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-hosts-'));
// For root, the servers run as another account, which must be able to enter the folder.
chmodSync(folder, 0o711);
const roles = ['svc_owner', 'svc_service', 'svc_vault'] as const;
type ServedRole = (typeof roles)[number];

let servers: [Postgres, Postgres];
const adminOf = async (server: Postgres, ...statements: string[]) => {
  const client = new pg.Client({ connectionString: server.url('postgres') });
  await client.connect();
  try {
    for (const text of statements) await client.query(text);
  } finally {
    await client.end();
  }
};
const takeWrites = (server: Postgres, word: 'on' | 'off') =>
  adminOf(
    server,
    `alter system set default_transaction_read_only = ${word === 'on' ? 'off' : 'on'}`,
    'select pg_reload_conf()',
  );

/** The first server, which takes no writes at first, then the second; the passwords are those of the second. */
const listOf = (role: ServedRole, attrs = 'read-write'): string => {
  const [first, second] = servers;
  const url = new URL(second.url(role).replace('@/', '@no-host.invalid/'));
  url.searchParams.set('host', `${first.socketDir},${second.socketDir}`);
  url.searchParams.set('target_session_attrs', attrs);
  return url.href.replace('@no-host.invalid/', '@/');
};

beforeAll(async () => {
  const settings = { fsync: 'off' };
  const start = (name: string) => startPostgres({ dataDir: join(folder, name), settings });
  servers = await Promise.all([start('first'), start('second')]);
  const [first, second] = servers;
  await migrate(first.url('svc_owner'));
  await migrateVault(first.url('svc_vault'));
  const passwords = roles.map((role) => {
    const { password } = new URL(second.url(role).replace('@/', '@no-host.invalid/'));
    return `alter role ${role} password '${decodeURIComponent(password)}'`;
  });
  await adminOf(first, ...passwords, "alter database svc set svc_test.place = 'first'");
  await adminOf(second, "alter database svc set svc_test.place = 'second'");
  await takeWrites(first, 'off');
});
afterAll(async () => {
  await Promise.all((servers ?? []).map((server) => server.stop()));
  for (const { home } of servers ?? []) rmSync(home, { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
});

const place = "select current_setting('svc_test.place') as place";
const whereIs = sql<{ place: string }>('test_hosts_where', place);
const write = sql<{ place: string }>(
  'test_hosts_write',
  `with written as (delete from users where false returning 1) ${place}`,
);

const writeToken = `with written as (delete from card_tokens where false returning 1) ${place}`;

describe('an address of two servers', () => {
  it('migrates, serves and stores at the one that takes writes, also after a failover', async () => {
    const [first, second] = servers;
    await migrate(listOf('svc_owner'));
    await migrateVault(listOf('svc_vault'));
    const database = openDatabase({ url: listOf('svc_service') });
    const vault = openPool(listOf('svc_vault'));
    const places = async () => [
      (await database.write(write, []))[0]?.place,
      (await database.read(whereIs, []))[0]?.place,
      (await vault.query(writeToken)).rows[0]?.place,
    ];
    try {
      expect(await isMigrated(database)).toBe(true);
      expect(await places()).toEqual(Array(3).fill('second'));
      await takeWrites(second, 'off');
      await takeWrites(first, 'on');
      await expect
        .poll(() => places().catch((error: Error) => error.message))
        .toEqual(Array(3).fill('first'));
    } finally {
      await database.close();
      await vault.end();
      await takeWrites(first, 'off');
      await takeWrites(second, 'on');
    }
  });

  it('goes to the other one when the first is away, and names both when none takes writes', async () => {
    const [, second] = servers;
    const away = listOf('svc_service').replace(
      encodeURIComponent(servers[0].socketDir),
      encodeURIComponent(join(folder, 'away')),
    );
    const database = openDatabase({ url: away });
    expect((await database.write(whereIs, []))[0]?.place).toBe('second');
    await takeWrites(second, 'off');
    await database.close();
    const none = openDatabase({ url: away });
    await expect(none.write(whereIs, [])).rejects.toThrow(
      /no server of the address takes writes: .*away.*: it takes no writes/,
    );
    await none.close();
    await takeWrites(second, 'on');
  });

  it('serves a command', () => {
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(import.meta.dirname, '../../svc.ts'), 'audit'],
      { env: { ...bareEnvironment(), DATABASE_URL: listOf('svc_service') }, encoding: 'utf8' },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});
