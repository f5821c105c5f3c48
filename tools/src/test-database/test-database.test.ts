import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { roleUrl, startCluster } from './cluster.ts';
import { cloneDatabase, createTemplate, testCluster } from './index.ts';
import { sweep } from './set-up.ts';

const template = `svc_template_tools_${process.pid}`;

async function query<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

async function databases(like: string): Promise<string[]> {
  const admin = (await testCluster()).url('postgres', 'postgres');
  const rows = await query<{ datname: string }>(
    admin,
    `select datname from pg_database where datname like '${like}' order by datname`,
  );
  return rows.map((row) => row.datname);
}

async function dropTemplate(name: string): Promise<void> {
  const admin = (await testCluster()).url('postgres', 'postgres');
  await query(admin, `alter database ${name} with is_template false`);
  await query(admin, `drop database ${name} with (force)`);
}

let migrated = 0;
const migrate = async (ownerUrl: string) => {
  migrated++;
  await query(ownerUrl, 'create table payment (n int); insert into payment values (1)');
};

beforeAll(() => createTemplate(template, migrate));
afterAll(() => dropTemplate(template));

describe('createTemplate', () => {
  it('migrates once for all', async () => {
    await Promise.all([createTemplate(template, migrate), createTemplate(template, migrate)]);
    expect(migrated).toBe(1);
  });

  it('several callers at once: one makes it, the others wait', async () => {
    const name = `${template}_many`;
    let calls = 0;
    const slow = async (ownerUrl: string) => {
      calls++;
      await query(ownerUrl, 'select pg_sleep(0.1)');
    };
    await Promise.all([1, 2, 3].map(() => createTemplate(name, slow)));
    expect(calls).toBe(1);
    await dropTemplate(name);
  });

  it('a failed migration leaves no template, and the next call makes it afresh', async () => {
    const name = `${template}_retry`;
    const fillHalf = async (ownerUrl: string) => {
      await query(ownerUrl, 'create table payment (n int)');
      throw new Error('half way');
    };
    await expect(createTemplate(name, fillHalf)).rejects.toThrow('half way');
    expect(await databases(name)).toEqual([]);
    await createTemplate(name, migrate);
    expect(await databases(`${name}%`)).toEqual([name]);
    await dropTemplate(name);
  });
});

describe('cloneDatabase', () => {
  it('gives each caller his own copy', async () => {
    const [one, two] = await Promise.all([cloneDatabase(template), cloneDatabase(template)]);
    await query(one.url('svc_service'), 'insert into payment values (2)');
    expect(await query(one.url('svc_owner'), 'table payment')).toHaveLength(2);
    expect(await query(two.url('svc_owner'), 'table payment')).toHaveLength(1);
    await Promise.all([one.drop(), two.drop()]);
    expect(await databases(one.name)).toEqual([]);
  });

  it('keeps the walls between the roles', async () => {
    const { url, drop } = await cloneDatabase(template);
    await query(url('svc_vault'), 'create table cards (n int)');
    await expect(query(url('svc_service'), 'table vault.cards')).rejects.toThrow(
      /permission denied/,
    );
    await expect(query(url('svc_vault'), 'table public.payment')).rejects.toThrow(
      /permission denied/,
    );
    const open = await query(
      url('postgres'),
      `select has_database_privilege('pg_monitor',
      current_database(), 'connect') as connect`,
    );
    expect(open).toEqual([{ connect: false }]);
    await drop();
  });

  it('is dropped although a client is connected', async () => {
    const { url, drop, name } = await cloneDatabase(template);
    const client = new pg.Client({ connectionString: url('svc_service') });
    client.on('error', () => {});
    await client.connect();
    await drop();
    expect(await databases(name)).toEqual([]);
    await client.end().catch(() => {});
  });
});

describe('the set-up of a run', () => {
  it('clears the databases of dead processes and leaves those of living ones', async () => {
    const living = await cloneDatabase(template);
    const code = `
      const { cloneDatabase } = await import(${JSON.stringify(join(import.meta.dirname, 'index.ts'))});
      console.log((await cloneDatabase(process.argv[1])).name);`;
    const ran = await promisify(execFile)(process.execPath, [
      '--input-type=module',
      '-e',
      code,
      template,
    ]);
    const dead = ran.stdout.trim();
    expect(await databases(dead)).toEqual([dead]);
    await sweep((await testCluster()).url('postgres', 'postgres'));
    expect(await databases(dead)).toEqual([]);
    expect(await databases(living.name)).toEqual([living.name]);
    await living.drop();
  });
});

describe('DATABASE_URL', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-given-'));
  // Keeps the database in this folder even when its account is not ours.
  chmodSync(folder, 0o711);
  let home: Awaited<ReturnType<typeof startCluster>>;
  beforeAll(async () => {
    home = await startCluster('', folder);
    await query(home.admin, `create role chief login createdb createrole password 'word'`);
    await query(home.admin, `create role guest login password 'word'`);
    // Removes everything, as on a server where svc was never started.
    await query(home.admin, 'drop database svc');
    await query(home.admin, 'drop role svc_owner, svc_service, svc_vault');
  });
  afterAll(async () => {
    await home.stop();
    rmSync(folder, { recursive: true });
  });
  const urlAs = (role: string) => home.admin.replace(/\/\/postgres:[^@]+@/, `//${role}:word@`);

  it('a user that may create roles is enough', async () => {
    const given = await startCluster(urlAs('chief'), folder);
    const rows = await query(
      roleUrl(given, 'svc_owner', 'svc_test'),
      'select current_user as name',
    );
    expect(rows).toEqual([{ name: 'svc_owner' }]);
    await given.stop();
  });

  it('a user that may not is refused, with the reason', async () => {
    await expect(startCluster(urlAs('guest'), folder)).rejects.toThrow(
      /cannot use the PostgreSQL of DATABASE_URL: permission denied.*create roles and databases/,
    );
  });

  it('a wrong address is refused, with the reason', async () => {
    await expect(startCluster('postgres://x:y@127.0.0.1:1/svc', folder)).rejects.toThrow(
      /DATABASE_URL: .*ECONNREFUSED/,
    );
  });
});
