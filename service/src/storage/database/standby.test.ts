// Reports on a real standby: it streams from the database, falls behind, ends, and is promoted.

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findBinaries } from '../../start/postgres/binaries.ts';
import { ensureCluster } from '../../start/postgres/cluster.ts';
import { choosePlace, clusterFolder, dataFolder } from '../../start/postgres/cluster-place.ts';
import { type Postgres, startPostgres } from '../../start/postgres/index.ts';
import { type LiveServer, serve, stopServer } from '../../start/postgres/server.ts';
import { type OpenDatabase, openDatabase } from './database.ts';
import { migrate } from './migrate.ts';
import { sql } from './sql.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-standby-'));
// For root, the servers run as another account, which must be able to enter the folder.
chmodSync(folder, 0o711);
const settings = { fsync: 'off' };
const place = sql<{ place: string; rows: number }>(
  'test_standby_place',
  `select case when pg_is_in_recovery() then 'standby' else 'database' end as place,
     (select count(*)::int from pg_tables where tablename like 'standby\\_test%') as rows`,
);
const fail = sql(
  'test_standby_fail',
  'select 1 / (case when pg_is_in_recovery() then 0 else 1 end)',
);

let primary: Postgres;
let standby: LiveServer;
let standbyHome: string;
let database: OpenDatabase;

const onPrimary = async (text: string) => {
  const client = new pg.Client({ connectionString: primary.url('postgres') });
  await client.connect();
  await client.query(text).finally(() => client.end());
};
const where = () =>
  database.report(async (reader, asOf) => ({ ...(await reader.read(place, []))[0], asOf }));

const readUrl = () =>
  primary
    .url('svc_service')
    .replace(encodeURIComponent(primary.socketDir), encodeURIComponent(standby.socketDir));

beforeAll(async () => {
  const dataDir = join(folder, 'primary');
  const first = await startPostgres({ dataDir, settings });
  await migrate(first.url('svc_owner'));
  await first.stop();
  const copy = choosePlace({
    dataDir: join(folder, 'standby'),
    native: findBinaries(import.meta.dirname),
    say: () => undefined,
  });
  standbyHome = copy.home;
  execFileSync('cp', ['-a', clusterFolder(first.home), clusterFolder(copy.home)]);
  writeFileSync(join(dataFolder(copy.home), 'standby.signal'), '');
  primary = await startPostgres({ dataDir, settings });
  const passwords = ensureCluster(copy, false);
  const source = `host=${primary.socketDir} user=postgres password=${passwords.postgres}`;
  standby = await serve({
    ...{ place: copy, passwords, log: join(copy.home, 'log') },
    settings: { ...settings, primary_conninfo: source, wal_receiver_status_interval: '1' },
  });
  await onPrimary('create database another template svc');
  database = openDatabase({ url: primary.url('svc_service'), readUrl: readUrl() });
}, 120_000);

afterAll(async () => {
  await database?.close();
  await standby?.superuser.end().catch(() => undefined);
  if (standby) await stopServer(standby.pid, standbyHome).catch(() => undefined);
  await primary?.stop();
  for (const left of [folder, standbyHome, primary?.home]) {
    if (left) rmSync(left, { recursive: true, force: true });
  }
});

it('a report is read on the standby, which tells up to when it knows everything', async () => {
  await expect.poll(async () => (await where()).place, { timeout: 30_000 }).toBe('standby');
  const before = Date.now();
  await onPrimary('create table standby_test_1 ()');
  await expect.poll(async () => (await where()).rows, { timeout: 30_000 }).toBe(1);
  const { asOf } = await where();
  expect(await database.standby()).toEqual({ asOf: expect.any(Date) });
  expect(asOf?.getTime()).toBeGreaterThanOrEqual(before - 1000);
  expect(asOf?.getTime()).toBeLessThanOrEqual(Date.now() + 1000);
});

it('one that has fallen behind tells so; what fails there is read on the database', async () => {
  await standby.superuser.query('select pg_wal_replay_pause()');
  await onPrimary('create table standby_test_2 ()');
  const behind = await where();
  expect(behind).toMatchObject({ place: 'standby', rows: 1 });
  const ageMs = async () => Date.now() - ((await where()).asOf?.getTime() ?? Date.now());
  await expect.poll(ageMs, { timeout: 30_000 }).toBeGreaterThan(1000);
  await standby.superuser.query('select pg_wal_replay_resume()');
  const refused = new Error('refused');
  await expect(database.report(() => Promise.reject(refused))).rejects.toBe(refused);
  expect((await where()).place).toBe('standby');
  const read = await database.report(async (reader, at) => {
    await reader.read(fail, []);
    return at;
  });
  expect(read).toBeNull();
});

it('that of another database is not read', async () => {
  const other = openDatabase({
    ...{ url: primary.url('svc_service'), readUrl: readUrl().replace('/svc?', '/another?') },
  });
  await expect
    .poll(() => other.standby())
    .toEqual({ unfit: 'foreign', behindMs: expect.anything() });
  const read = async () => (await other.report(async (reader) => reader.read(place, [])))[0]?.place;
  expect(await read()).toBe('database');
  await other.close();
});

it('one that was promoted is a standby no more, and one that ended hinders nobody', async () => {
  await standby.superuser.query('select pg_promote()');
  const other = openDatabase({ url: primary.url('svc_service'), readUrl: readUrl() });
  await onPrimary('create table standby_test_3 ()');
  expect(await other.report(async (reader) => (await reader.read(place, []))[0]?.rows)).toBe(3);
  expect(await other.standby()).toEqual({ unfit: 'no standby', behindMs: null });
  await other.close();
  await standby.superuser.end();
  await stopServer(standby.pid, standbyHome);
  expect(await where()).toEqual({ place: 'database', rows: 3, asOf: null });
});
