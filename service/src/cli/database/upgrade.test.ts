// svc upgrade --check on real databases of every state.

import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cloneDatabase } from '@svc/tools/test-database/index';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runOn } from '../../../test/command-line.ts';
import { freshDatabase, type TestDatabase } from '../../../test/harness.ts';
import { plantInDatabase } from '../../../test/payments/planted.ts';
import type { Ports } from '../../engine/ports.ts';
import { planUpgrade, servicePart } from '../../storage/database/upgrade.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await freshDatabase();
});
afterAll(() => db?.close());

const check = (url: string, vaultUrl?: string) =>
  runOn({} as Ports, ['upgrade', '--check'], {
    databaseUrl: () => url,
    vaultDatabaseUrl: () => vaultUrl,
  });

/** Runs the work while the database is changed so. */
async function changed<T>(change: string, undo: string, work: () => Promise<T>): Promise<T> {
  await plantInDatabase(db.ownerUrl, (run) => run(change));
  try {
    return await work();
  } finally {
    await plantInDatabase(db.ownerUrl, (run) => run(undo));
  }
}

describe('svc upgrade --check', () => {
  it('a database of this version: nothing to do; the vault is looked at where it is named', async () => {
    const { code, out, err } = await check(db.url, db.vaultUrl);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^service +migrated to 0001_baseline$/m);
    expect(out).toMatch(/^vault will run +0001_baseline: makes vault\.card_tokens, /m);
    expect(out).toMatch(/the upgrade runs 1 migration; nothing was changed\n$/);
    expect((await check(db.url)).out).toMatch(/^vault +not looked at: no VAULT_DATABASE_URL$/m);
  });

  it('an empty database: what the first start will make', async () => {
    const empty = await cloneDatabase('template1');
    const { code, out } = await check(empty.url('svc_owner'));
    await empty.drop();
    expect(code).toBe(0);
    expect(out).toMatch(/^service will run +0001_baseline: makes \d+ tables$/m);
  });

  it('database_newer: a downgrade is refused in a sentence', async () => {
    const { code, err } = await changed(
      "insert into schema_migrations (name, run_on) values ('0099_later', now())",
      "delete from schema_migrations where name = '0099_later'",
      () => check(db.url),
    );
    expect(code).toBe(1);
    expect(err).toMatch(
      /^svc upgrade: database_newer: .*later version than \S+ \(0099_later\): install/,
    );
  });

  it.each([
    [
      'database_foreign',
      'alter table schema_migrations rename name to version',
      'alter table schema_migrations rename version to name',
    ],
    [
      'database_foreign',
      'alter table schema_migrations rename to other_migrations',
      'alter table other_migrations rename to schema_migrations',
    ],
    [
      'database_older',
      "update schema_migrations set name = '0001_foundation'",
      "update schema_migrations set name = '0001_baseline'",
    ],
  ])('%s after %s', async (code, change, undo) => {
    const ran = await changed(change, undo, () => check(db.url));
    expect([ran.code, ran.err]).toEqual([
      1,
      expect.stringMatching(new RegExp(`^svc upgrade: ${code}: `)),
    ]);
    expect(ran.out).not.toContain('nothing to migrate');
  });

  it('a database of the version before: each migration, with the tables that it makes and changes', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-upgrade-'));
    copyFileSync(join(servicePart.folder, '0001_baseline.sql'), join(folder, '0001_baseline.sql'));
    writeFileSync(
      join(folder, '0002_more.sql'),
      `-- create table in_a_comment
       create table gifts (id uuid); create index gifts_id on gifts (id);
       alter table payments add column gift uuid; create unique index of_gift on clients (name);`,
    );
    const plan = await planUpgrade(db.url, { ...servicePart, folder });
    rmSync(folder, { recursive: true });
    expect(plan).toMatchObject({ state: 'behind', applied: ['0001_baseline'], unknown: [] });
    expect(plan.pending).toMatchObject([
      {
        name: '0002_more',
        makes: ['gifts'],
        changes: [{ table: 'payments' }, { table: 'clients' }],
      },
    ]);
    expect((await check(db.url)).code).toBe(0);
  });
});
