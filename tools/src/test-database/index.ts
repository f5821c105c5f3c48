// Databases for tests: a template is migrated once, and each test file gets a clone of it, which takes
// milliseconds.
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Role } from '@svc/service/start/postgres/index';
import { wallDatabase, wallSchemas } from '@svc/service/start/postgres/roles';
import pg from 'pg';
import { type Address, folderVariable, machine, roleUrl, variable } from './cluster.ts';
import { openFixture } from './fixture.ts';

export type { Role } from '@svc/service/start/postgres/index';

export type TestCluster = { url(role: Role, database: string): string };
export type RoleUrls = Readonly<Record<Role, string>>;
export type TestDatabase = { name: string; url(role: Role): string; drop(): Promise<void> };

const maintenance = 'postgres';
const templateLocks = 7_382_005;

let address: Promise<Address> | undefined;

/** Returns the server of this test run. Outside a run it starts one, and stops it at the end. */
export async function testCluster(): Promise<TestCluster> {
  const found = await findAddress();
  return { url: (role, database) => roleUrl(found, role, database) };
}

function findAddress(): Promise<Address> {
  address ??= (async () => {
    const given = process.env[variable];
    if (given) return JSON.parse(given) as Address;
    const cluster = await openFixture();
    process.once('beforeExit', () => void cluster.stop());
    return cluster;
  })();
  return address;
}

/**
 * Makes a template with that name unless there is one. The permissions of the roles are set before
 * `migrate` is called. Of several callers one makes it and the others wait. A template whose making was
 * interrupted is made again.
 */
export async function createTemplate(
  name: string,
  migrate: (ownerUrl: string, urls: RoleUrls) => Promise<void>,
): Promise<void> {
  const cluster = await testCluster();
  await withClient(cluster.url('postgres', maintenance), async (admin) => {
    await admin.query('select pg_advisory_lock($1, hashtext($2))', [templateLocks, name]);
    const { rowCount } = await admin.query('select from pg_database where datname = $1', [name]);
    if (rowCount !== 0) return;
    const draft = `${name}_draft`;
    await dropDatabase(admin, draft);
    await admin.query(`create database ${quoted(draft)} owner svc_owner template template0`);
    await wallDatabase(admin, draft);
    await withClient(cluster.url('postgres', draft), wallSchemas);
    const urls = {
      postgres: cluster.url('postgres', draft),
      svc_owner: cluster.url('svc_owner', draft),
      svc_service: cluster.url('svc_service', draft),
      svc_vault: cluster.url('svc_vault', draft),
    };
    await migrate(urls.svc_owner, urls);
    await whileInUse(() =>
      admin.query(`alter database ${quoted(draft)} rename to ${quoted(name)}`),
    );
    await admin.query(`alter database ${quoted(name)} with is_template true`);
    // Nobody can connect to the template, so no clone has to wait for a connection to end.
    await admin.query(`alter database ${quoted(name)} with allow_connections false`);
  });
}

/** Makes a database of the caller's own from the template. `drop` also ends its connections. */
export async function cloneDatabase(template: string): Promise<TestDatabase> {
  const cluster = await testCluster();
  const name = `svc_test_${machine}_${process.pid}_${randomBytes(4).toString('hex')}`;
  const admin = cluster.url('postgres', maintenance);
  await withClient(admin, async (client) => {
    const { rows } = await client.query<{ num: number }>(
      "select current_setting('server_version_num')::int as num",
    );
    // Copying files forces two checkpoints: on a disk 220-390 ms against 25-90, in memory 25 against 53.
    const how = process.env[folderVariable] ? 'file_copy' : 'wal_log';
    const strategy = (rows[0]?.num ?? 0) >= 150_000 ? `strategy ${how}` : '';
    await whileInUse(() =>
      client.query(
        `create database ${quoted(name)} owner svc_owner template ${quoted(template)} ${strategy}`,
      ),
    );
    await wallDatabase(client, name);
  });
  return {
    name,
    url: (role) => cluster.url(role, name),
    drop: () => withClient(admin, (client) => dropDatabase(client, name)),
  };
}

/** Makes a copy of a database that is in use. Its connections are ended; their pools open new ones. */
export async function copyDatabase(name: string): Promise<TestDatabase> {
  const cluster = await testCluster();
  let copy: TestDatabase | undefined;
  await withClient(cluster.url('postgres', maintenance), async (admin) => {
    await admin.query(`alter database ${quoted(name)} with allow_connections false`);
    const end = 'select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1';
    await admin.query(end, [name]);
    copy = await cloneDatabase(name).finally(() =>
      admin.query(`alter database ${quoted(name)} with allow_connections true`),
    );
  });
  return copy as unknown as TestDatabase;
}

/** Repeats while somebody is connected to the database that is copied or renamed. */
async function whileInUse(work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await work();
      return;
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || error.code !== '55006' || attempt === 50)
        throw error;
      await pause(40);
    }
  }
}

async function dropDatabase(client: pg.Client, name: string): Promise<void> {
  await client.query(`drop database if exists ${quoted(name)} with (force)`);
}

function quoted(name: string): string {
  return pg.escapeIdentifier(name);
}

async function withClient(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  // Dropping the database ends its connections, which each query reports by itself.
  client.on('error', () => {});
  try {
    await client.connect();
    await work(client);
  } finally {
    await client.end();
  }
}
