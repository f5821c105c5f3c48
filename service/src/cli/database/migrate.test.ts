// Migrations beside the traffic of the version before, on a real server.

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyMigrations } from '@svc/contract/servers/apply-migrations';
import { cloneDatabase } from '@svc/tools/test-database/index';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const table = 'public.test_migrations';
const folder = mkdtempSync(join(tmpdir(), 'svc-migrations-'));
let db: Awaited<ReturnType<typeof cloneDatabase>>;
let clients: pg.Client[];
beforeEach(async () => {
  db = await cloneDatabase('template1');
  clients = [];
  write('0001_sales', 'create table sales (id int, code text);\n-- without an end of the line');
  await applyMigrations(await connect(), { folder, table });
});
afterEach(async () => {
  for (const client of clients) await client.end();
  await db.drop();
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
});

function write(name: string, text: string): void {
  writeFileSync(join(folder, `${name}.sql`), text, { flush: true });
}

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: db.url('svc_owner') });
  await client.connect();
  clients.push(client);
  return client;
}

const apply = async (patienceMs?: number) =>
  applyMigrations(await connect(), {
    folder,
    table,
    ...(patienceMs !== undefined && { patienceMs }),
  });

const applied = async () =>
  (await (await connect()).query(`select name from ${table} order by id`)).rows.map(
    ({ name }) => name,
  );

const waits = async (what: string): Promise<boolean> => {
  const text = `select from pg_stat_activity where datname = current_database() and state = 'active'
    and wait_event_type = 'Lock' and query like $1`;
  return (await (await connect()).query(text, [`%${what}%`])).rowCount === 1;
};

describe('applyMigrations', () => {
  it('builds an index while sales are written, and another start waits for it', async () => {
    write(
      '0002_sales_by_code',
      '-- Reads by code.\ndrop index concurrently if exists sales_by_code;\ncreate index concurrently sales_by_code on sales (code);\n',
    );
    const [buyer, other] = [await connect(), await connect()];
    await buyer.query("begin; insert into sales values (1, 'a')");
    const first = apply();
    await expect.poll(() => waits('create index concurrently')).toBe(true);
    const second = apply();
    const asks = `select from pg_stat_activity where query like '%advisory_lock%' and datname = current_database()`;
    await expect.poll(async () => (await other.query(asks)).rowCount).toBeGreaterThan(1);
    await other.query("insert into sales values (2, 'b')");
    await buyer.query('commit');
    await Promise.all([first, second]);
    expect(await applied()).toEqual(['0001_sales', '0002_sales_by_code']);
  });

  it('an index that could not be built is built again by the next start', async () => {
    write(
      '0002_one_code',
      'drop index concurrently if exists one_code;\ncreate unique index concurrently one_code on sales (code);\n',
    );
    const client = await connect();
    await client.query("insert into sales values (1, 'a'), (2, 'a')");
    await expect(apply()).rejects.toThrow('could not create unique index "one_code"');
    expect(await applied()).toEqual(['0001_sales']);
    await client.query('delete from sales where id = 2');
    await apply();
    const valid = "select indisvalid from pg_index where indexrelid = 'one_code'::regclass";
    expect((await client.query(valid)).rows).toEqual([{ indisvalid: true }]);
  });

  it('does not let sales wait for a table that somebody else reads for long', async () => {
    write('0002_note', 'alter table sales add note text');
    const [report, buyer] = [await connect(), await connect()];
    await report.query('begin; select from sales');
    const done = apply();
    await expect.poll(() => waits('alter table')).toBe(true);
    await buyer.query("set statement_timeout = 5000; insert into sales values (1, 'a')");
    await expect.poll(() => waits('alter table')).toBe(true);
    await report.query('commit');
    await done;
    expect((await buyer.query('select note from sales')).rows).toEqual([{ note: null }]);
  });

  it('gives up in the end with the name of who holds the table; nothing of it stays', async () => {
    write('0002_note', 'create table notes (id int);\nalter table sales add note text');
    const report = await connect();
    await report.query("set application_name = 'monthly report'; begin; select from sales");
    await expect(apply(0)).rejects.toThrow(
      /^0002_note got no lock within 0 s\. The oldest transaction: pid \d+ of monthly report, since \d+ s: /,
    );
    expect((await report.query("select to_regclass('notes') as found")).rows).toEqual([
      { found: null },
    ]);
    expect(await applied()).toEqual(['0001_sales']);
  });

  it('refuses a database of other migrations', async () => {
    const client = await connect();
    await client.query(`update ${table} set name = '0001_other'`);
    await expect(apply()).rejects.toThrow(
      'its migration 1 is 0001_other, and here it is 0001_sales',
    );
  });
});
