// svc backup and svc restore with PostgreSQL's own programs. The embedded server comes without them, so these
// tests start a server of the machine's packages, and are left out where there is none.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { scaled } from '@svc/tools/machine';
import { bareEnvironment } from '@svc/tools/test-database/bare-environment';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrate as migrateVault } from '../../../../vault/src/database.ts';
import { runOn } from '../../../test/command-line.ts';
import { aClient, aToken, newId } from '../../../test/harness.ts';
import type { Ports } from '../../engine/ports.ts';
import { type Manifest, readBackup, writeBackup } from '../../start/backups/archive.ts';
import { openBackups } from '../../start/backups/backups.ts';
import { findPrograms, programFolders } from '../../start/backups/programs.ts';
import { type Postgres, startPostgres } from '../../start/postgres/index.ts';
import { ensureDatabase, wallSchemas } from '../../start/postgres/roles.ts';
import { openDatabase } from '../../storage/database/database.ts';
import { migrate } from '../../storage/database/migrate.ts';
import { listInstallations } from '../../storage/gateways/gateways.ts';

const programs = programFolders().find((folder) =>
  ['postgres', 'initdb', 'pg_dump'].every((name) => existsSync(join(folder, name))),
);
const folder = mkdtempSync(join(tmpdir(), 'svc-backup-'));
// The server's account has to enter it.
chmodSync(folder, 0o755);
const good = join(folder, 'good.tar');
const kek = Buffer.alloc(32, 7);
let server: Postgres;
let made = 0;

/** Runs statements as the administrator of a database. */
async function asAdmin(text: string, database = 'svc'): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: server.url('postgres', database) });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** An empty database as `svc prepare database` makes it. */
async function emptyDatabase(): Promise<string> {
  const name = `svc_empty_${made++}`;
  const admin = new pg.Client({ connectionString: server.url('postgres', 'postgres') });
  await admin.connect();
  await ensureDatabase(admin, name);
  await admin.end();
  const inside = new pg.Client({ connectionString: server.url('postgres', name) });
  await inside.connect();
  await wallSchemas(inside);
  await inside.end();
  return name;
}

const tablesOf = async (database: string) =>
  (await asAdmin("select from pg_tables where schemaname in ('public', 'vault')", database)).length;

type Wish = { readonly keys?: readonly Buffer[]; readonly folders?: readonly string[] };

/** Runs a command on a database of the server. */
const run = (args: readonly string[], database: string, { keys = [kek], folders }: Wish = {}) =>
  runOn({} as Ports, args, {
    backups: () =>
      openBackups({
        ...{ adminUrl: server.url('postgres', 'postgres'), database, keys },
        ...(folders ? { folders } : {}),
      }),
  });

describe.runIf(programs)('svc backup and svc restore', () => {
  beforeAll(async () => {
    const settings = { fsync: 'off' };
    server = await startPostgres({
      ...{ dataDir: join(folder, 'data'), binaries: dirname(programs ?? ''), settings },
    });
    await migrate(server.url('svc_owner'));
    await migrateVault(server.url('svc_vault'), 'sandbox');
    const database = openDatabase({ url: server.url('svc_service') });
    const client = await aClient(database, { name: 'Ein Laden' });
    for (let at = 0; at < 40; at++) await aToken(database, client);
    await listInstallations(database, newId);
    await database.close();
    await asAdmin(`insert into vault.card_tokens (token_sha256, session_id, client_id,
        provider_payment_method_id, expires_at)
      select sha256('a'), gen_random_uuid(), gen_random_uuid(), 'pm_1', now()`);
    expect(await run(['backup', good], 'svc')).toMatchObject({ code: 0, err: '' });
  }, scaled(120_000));
  afterAll(async () => {
    await server?.stop();
    // Started by root, the server keeps its database outside of its folder.
    for (const left of [folder, server?.home ?? folder])
      rmSync(left, { recursive: true, force: true });
  });

  it(
    'settings from --env: a file named by the time, tried, said, and nothing of the trial left',
    async () => {
      const into = join(folder, 'backups');
      mkdirSync(into);
      const settings = join(folder, 'service.env');
      writeFileSync(
        settings,
        `DATABASE_ADMIN_URL='${server.url('postgres', 'postgres')}'\nDATABASE_URL='${server.url('svc_service')}'
SVC_KEY=${kek.toString('base64')}\n`,
      );
      const elsewhere = {
        DATABASE_URL: 'postgres://x@127.0.0.1:1/other',
        SVC_KEY_FILE: '/nowhere',
      };
      const ran = await spawnSvc(['--env', settings, 'backup', into], elsewhere);
      expect(ran).toMatchObject({ code: 0, err: '' });
      expect(ran.out).toMatch(/restored into a scratch database: every table has its rows\n$/);
      expect(ran.out).toMatch(/^holds +\d+ rows of \d+ tables, the vault among them$/m);
      expect(ran.out).toMatch(/fingerprint [0-9a-f]{16}: keep it apart/);
      expect(ran.out).not.toContain(kek.toString('base64'));
      expect(readdirSync(into)).toEqual([expect.stringMatching(/^svc-\d{8}T\d{6}Z\.tar$/)]);
      const databases = await asAdmin("select from pg_database where datname like 'svc_backup%'");
      expect(databases).toEqual([]);
    },
    scaled(60_000),
  );

  it(
    'restored: owners, walls and rows; then doctor and reconcile, and the question whose copy it is',
    async () => {
      const database = await emptyDatabase();
      const ran = await spawnSvc(['restore', good], {
        DATABASE_ADMIN_URL: server.url('postgres', 'postgres'),
        DATABASE_URL: server.url('svc_service', database),
        ...{ SVC_KEY: kek.toString('base64'), SVC_VAULT_SHARED_KEY: kek.toString('base64') },
        ...{ SVC_VAULT_ORIGIN: 'http://127.0.0.1:9', SVC_VAULT_INTERNAL_URL: 'http://127.0.0.1:9' },
        SVC_PROVIDER_URL: 'http://127.0.0.1:9',
      });
      expect([ran.code, ran.err]).toEqual([1, expect.any(String)]);
      expect(ran.out).toMatch(/restored: every table has its rows\. This database is now a copy/);
      expect(ran.out).toMatch(/svc doctor\n[\s\S]*^good +migrations +all are applied$/m);
      expect(ran.out).toMatch(/^wrong +installation +this database is a copy/m);
      expect(ran.out).toMatch(/svc reconcile\n[\s\S]*payment/);
      const ask = `select (select count(*)::int from api_tokens) as tokens, tableowner as owner,
        has_table_privilege('svc_service', 'public.clients', 'insert') as serves,
        has_schema_privilege('svc_service', 'vault', 'usage') as sees_vault,
        has_table_privilege('svc_vault', 'vault.card_tokens', 'insert') as keeps
      from pg_tables where tablename = 'clients'`;
      expect(await asAdmin(ask, database)).toEqual([
        { tokens: 40, owner: 'svc_owner', serves: true, sees_vault: false, keeps: true },
      ]);
      // The next migration's tables are served too.
      await asAdmin('set role svc_owner; create table later (a int)', database);
      const serves = "select has_table_privilege('svc_service', 'later', 'select') as serves";
      expect(await asAdmin(serves, database)).toEqual([{ serves: true }]);
    },
    scaled(90_000),
  );

  it('database_not_empty: a database that holds anything', async () => {
    const ran = await run(['restore', good], 'svc');
    expect(ran).toMatchObject({ code: 2, out: '' });
    expect(ran.err).toMatch(/^svc restore: database_not_empty: svc holds \S+ and more: [^\n]*\n$/);
  });

  const flip = (bytes: Buffer, at: number) => bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  const copyOf = (name: string, change: (bytes: Buffer) => unknown): string => {
    const bytes = readFileSync(good);
    change(bytes);
    writeFileSync(join(folder, name), bytes);
    return join(folder, name);
  };
  const cutTo = (name: string, share: number): string => {
    const path = copyOf(name, () => undefined);
    truncateSync(path, Math.floor((readFileSync(path).length * share) / 512) * 512);
    return path;
  };

  /** The backup with another manifest, and right sums. */
  async function withManifest(name: string, change: Partial<Manifest>): Promise<string> {
    const { manifest, dump } = await readBackup(good);
    const bytes = readFileSync(good).subarray(dump.from, dump.from + dump.size);
    const file = await open(join(folder, name), 'w');
    await writeBackup(
      file,
      (async function* () {
        yield bytes;
      })(),
      { ...manifest, ...change },
    );
    await file.close();
    return join(folder, name);
  }

  it.each([
    ['backup_half', 'its dump ends early', () => cutTo('a.tar', 0.5)],
    ['backup_half', 'its sums are missing', () => cutTo('b.tar', 0.98)],
    ['backup_altered', 'a byte of the dump', () => copyOf('c.tar', (b) => flip(b, 9000))],
    [
      'backup_altered',
      'a digit of the manifest',
      () => copyOf('d.tar', (b) => flip(b, b.indexOf('"madeAt": "2') + 11)),
    ],
    ['backup_newer', 'a later version', () => withManifest('e.tar', { version: '99.0.0' })],
    ['backup_newer', 'a later migration', () => withManifest('f.tar', { migrations: ['0099_x'] })],
    ['not_a_backup', 'another file', () => copyOf('g.tar', (b) => void b.fill(65))],
    ['backup_unreadable', 'no file', async () => join(folder, 'none.tar')],
  ] as const)('%s: %s; nothing is restored', async (code, _, make) => {
    const database = await emptyDatabase();
    const ran = await run(['restore', await make()], database);
    expect(ran).toMatchObject({ code: 2, out: '' });
    expect(ran.err).toMatch(new RegExp(`^svc restore: ${code}: [^\\n]*othing was changed\\n$`));
    expect(await tablesOf(database)).toBe(0);
  });

  it(
    'key_differs: another SVC_KEY; with the former one beside it the backup is restored',
    async () => {
      const database = await emptyDatabase();
      const other = Buffer.alloc(32, 8);
      const ran = await run(['restore', good], database, { keys: [other] });
      expect([ran.code, ran.err]).toEqual([
        2,
        expect.stringMatching(/^svc restore: key_differs: /),
      ]);
      const line = ['restore', '--no-checks', good];
      expect((await run(line, database, { keys: [other, kek] })).code).toBe(0);
    },
    scaled(60_000),
  );

  it(
    'a row that does not fit: nothing of the backup stays',
    async () => {
      const database = await emptyDatabase();
      await asAdmin('alter role svc_vault rename to svc_vault_before');
      try {
        const ran = await run(['restore', good], database);
        expect(ran).toMatchObject({ code: 2, out: '' });
        expect(ran.err).toMatch(/pg_restore failed: .*role "svc_vault" does not exist/);
        expect(await tablesOf(database)).toBe(0);
      } finally {
        await asAdmin('alter role svc_vault_before rename to svc_vault');
      }
    },
    scaled(60_000),
  );

  /** The machine's programs, with a pg_dump that fails in a way of its own. */
  function brokenDump(line: string): readonly string[] {
    const place = mkdtempSync(join(folder, 'programs-'));
    const real = (name: string) => `${join(programs ?? '', name)} "$@"`;
    writeFileSync(join(place, 'pg_restore'), `#!/bin/sh\nexec ${real('pg_restore')}\n`);
    const version = `case "$*" in *--version*) exec ${real('pg_dump')};; esac`;
    writeFileSync(
      join(place, 'pg_dump'),
      `#!/bin/sh\n${version}\n${line.replace('REAL', real('pg_dump'))}\n`,
    );
    for (const name of ['pg_dump', 'pg_restore']) chmodSync(join(place, name), 0o755);
    return [place];
  }

  it.each([
    [
      'leaves out rows',
      'REAL --exclude-table-data=public.api_tokens',
      /backup_differs: .*public\.api_tokens 0 of 40/,
    ],
    [
      'ends early',
      'REAL | head -c 20000; echo "pg_dump: error: connection lost" >&2; exit 1',
      /pg_dump failed: connection lost/,
    ],
    ['loses its end without a word', 'REAL | head -c 20000', /pg_restore failed: /],
  ])(
    'a pg_dump that %s: no backup, and no file',
    async (_, line, said) => {
      const path = join(folder, 'bad.tar');
      const ran = await run(['backup', path], 'svc', { folders: brokenDump(line) });
      expect(ran).toMatchObject({ code: 2, out: '' });
      expect(ran.err).toMatch(said);
      expect(readdirSync(folder).filter((name) => name.startsWith('bad'))).toEqual([]);
    },
    60_000,
  );

  it('is not written over another, and says which programs are missing', async () => {
    expect((await run(['backup', good], 'svc')).err).toContain('backup_exists: ');
    const without = await run(['backup', join(folder, 'x.tar')], 'svc', { folders: [folder] });
    expect([without.code, without.err]).toEqual([
      2,
      expect.stringMatching(/pg_dump_missing: .*in PATH\. Install/),
    ]);
    expect(() => findPrograms(99, [programs ?? ''])).toThrow(
      /99 or later.*; the newest here is \d/,
    );
  });

  it('its file opens without Svc', async () => {
    const place = mkdtempSync(join(folder, 'open-'));
    const opened = await shell(
      `tar -xf ${good} && sha256sum -c SHA256SUMS && ${join(programs ?? '', 'pg_restore')} -l database.dump`,
      place,
    );
    expect(opened).toMatch(
      /database\.dump: OK\nmanifest\.json: OK\n[\s\S]*TABLE DATA public clients/,
    );
  });
});

async function collect(child: ReturnType<typeof spawn>) {
  let [out, err] = ['', ''];
  child.stdout?.on('data', (part) => {
    out += part;
  });
  child.stderr?.on('data', (part) => {
    err += part;
  });
  const [code] = await once(child, 'close');
  return { code: code as number, out, err };
}

const spawnSvc = (args: readonly string[], env: Record<string, string>) =>
  collect(
    spawn(process.execPath, [join(import.meta.dirname, '../../svc.ts'), ...args], {
      ...{ cwd: folder, env: { ...bareEnvironment(), ...env } },
    }),
  );

const shell = async (line: string, cwd: string) =>
  (await collect(spawn('sh', ['-c', line], { cwd }))).out;
