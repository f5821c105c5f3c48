// Backups of the whole database and their restoring, by PostgreSQL's own programs. docs/operating/recovery.md

import { createHmac, randomBytes } from 'node:crypto';
import {
  createReadStream,
  existsSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { version } from '@svc/contract/version';
import { type BackupReport, type Backups, CommandError } from '../../cli/line/command.ts';
import { inScratchDatabase } from '../../storage/backups/scratch-database.ts';
import {
  atDatabase,
  atOneMoment,
  type Counts,
  countRows,
  listTables,
  NoService,
  serverMajor,
  withClient,
} from '../../storage/backups/whole-database.ts';
import { isInstalled, namesOf, servicePart, vaultPart } from '../../storage/database/upgrade.ts';
import { type Backup, type Manifest, readBackup, writeBackup } from './archive.ts';
import {
  findPrograms,
  libpqEnvironment,
  type Programs,
  programFolders,
  runProgram,
} from './programs.ts';

export type BackupSettings = {
  /** The administrator's address, of any database of the server. */
  readonly adminUrl: string;
  readonly database: string;
  /** SVC_KEY and its former values, where they are known. */
  readonly keys: readonly Buffer[];
  /** Where programs are looked for. */
  readonly folders?: readonly string[];
};

const fingerprint = (key: Buffer): string =>
  createHmac('sha256', key).update('fingerprint of SVC_KEY').digest('hex').slice(0, 16);

export function openBackups(settings: BackupSettings): Backups {
  const { adminUrl, database } = settings;
  const url = atDatabase(adminUrl, database);
  const folders = settings.folders ?? programFolders();
  return {
    async make(to, signal) {
      const path = targetOf(to);
      const major = await withClient(url, serverMajor);
      const programs = findPrograms(major, folders);
      const part = `${path}.part`;
      try {
        const manifest = await dumpInto(part, { settings, url, programs, signal });
        const backup = await readBackup(part);
        await tryBackup(part, backup, { adminUrl, programs, signal });
        await rename(part, path);
        return reportOf(path, manifest);
      } catch (error) {
        await rm(part, { force: true });
        throw error;
      }
    },
    async restore(from, signal) {
      const backup = await readBackup(from);
      const { manifest } = backup;
      refuseNewer(from, manifest);
      refuseOtherKey(from, manifest, settings.keys);
      const major = await withClient(url, async (client) => {
        const [first] = await listTables(client);
        if (first === undefined) return serverMajor(client);
        throw new CommandError(
          `database_not_empty: ${database} holds ${first} and more: a backup is restored into an empty database ` +
            'only (drop it and make it anew: svc prepare database). Nothing was changed',
        );
      });
      const least = Math.max(major, Number.parseInt(manifest.pgDump, 10));
      const programs = findPrograms(least, folders);
      await restoreDump(from, backup, { url, programs, signal });
      await withClient(url, async (client) => {
        compare(manifest.counts, await countRows(client));
        await client.query('analyze');
      });
      return reportOf(from, manifest);
    },
  };
}

/** Returns the file to write: in a folder one that is named by the time. Throws CommandError. */
function targetOf(to: string): string {
  const isFolder = statSync(to, { throwIfNoEntry: false })?.isDirectory();
  const time = new Date().toISOString().replace(/\.\d+|[-:]/g, '');
  const path = isFolder ? join(to, `svc-${time}.tar`) : to;
  if (!existsSync(path)) return path;
  throw new CommandError(`backup_exists: ${path} is there already, and is not overwritten`);
}

const reportOf = (path: string, manifest: Manifest): BackupReport => {
  const counts = Object.values(manifest.counts);
  const known = namesOf(servicePart);
  return {
    path,
    bytes: statSync(path).size,
    version: manifest.version,
    madeAt: manifest.madeAt,
    server: manifest.server,
    keyFingerprint: manifest.keyFingerprint,
    hasVault: manifest.vaultMigrations.length > 0,
    isBehind: known.some((name) => !manifest.migrations.includes(name)),
    tables: counts.length,
    rows: counts.reduce((a, b) => a + b, 0),
  };
};

type PostgresRun = {
  readonly url: string;
  readonly programs: Programs;
  readonly signal: AbortSignal;
};

function dumpInto(
  part: string,
  { settings, url, programs, signal }: PostgresRun & { readonly settings: BackupSettings },
): Promise<Manifest> {
  const [key] = settings.keys;
  const work = atOneMoment(url, async ({ snapshot, counts, ...moment }) => {
    const manifest: Manifest = {
      ...{ format: 1, version, madeAt: new Date().toISOString(), database: settings.database },
      ...{
        pgDump: programs.version,
        ...moment,
        keyFingerprint: key ? fingerprint(key) : null,
        counts,
      },
    };
    const args = ['--format=custom', `--snapshot=${snapshot}`, '--lock-wait-timeout=30000'];
    const { child, ended } = runProgram(programs, { name: 'pg_dump', args, url, signal });
    const file = await open(part, 'w', 0o600).catch((error: NodeJS.ErrnoException) => {
      child.kill();
      throw new CommandError(`${part} cannot be written: ${error.code}`);
    });
    try {
      const dump = (async function* () {
        yield* child.stdout as AsyncIterable<Buffer>;
        // Its output may end early: only its exit code says that the dump is whole.
        await ended;
      })();
      await writeBackup(file, dump, manifest);
    } finally {
      child.kill();
      await file.close();
    }
    return manifest;
  });
  return work.catch((error: unknown) => {
    if (!(error instanceof NoService)) throw error;
    throw new CommandError(`no_service: ${settings.database} has no tables of a service`);
  });
}

/** Restores the backup into a scratch database and compares the rows of each table. */
function tryBackup(
  path: string,
  backup: Backup,
  { adminUrl, programs, signal }: Omit<PostgresRun, 'url'> & { readonly adminUrl: string },
): Promise<void> {
  const scratch = { prefix: 'svc_backup_check', id: randomBytes(6).toString('hex') };
  return inScratchDatabase(adminUrl, scratch, async (url, client) => {
    const args = ['--no-owner', '--no-privileges'];
    await runRestore(path, backup, { args, url, programs, signal });
    compare(backup.manifest.counts, await countRows(client));
  });
}

async function restoreDump(path: string, backup: Backup, run: PostgresRun): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-restore-'));
  try {
    const list = join(folder, 'list');
    const args = ['--single-transaction', `--use-list=${list}`];
    writeFileSync(list, await listOf(path, backup, run));
    await runRestore(path, backup, { ...run, args });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What is restored: all but the vault's schema, which `svc prepare database` has made with its wall. */
async function listOf(path: string, backup: Backup, run: PostgresRun): Promise<string> {
  const isThere = await withClient(run.url, async (client) => {
    const { rows } = await client.query<{ has: boolean }>(
      "select to_regnamespace('vault') is not null as has",
    );
    return rows[0]?.has === true;
  });
  let text = '';
  await runRestore(path, backup, { ...run, args: ['--list'] }, (part) => {
    text += part;
  });
  return isThere ? text.replace(/^\d+; \d+ \d+ SCHEMA - vault .*\n/m, '') : text;
}

async function runRestore(
  path: string,
  { dump }: Backup,
  { args, url, programs, signal }: PostgresRun & { readonly args: readonly string[] },
  onText: (part: string) => void = () => undefined,
): Promise<void> {
  const { PGDATABASE: name } = libpqEnvironment(url);
  const into = args.includes('--list') ? [] : ['--exit-on-error', `--dbname=${name}`];
  const { child, ended } = runProgram(programs, {
    ...{ name: 'pg_restore', args: [...args, ...into], url, signal },
  });
  child.stdout?.setEncoding('utf8').on('data', onText);
  const bytes = createReadStream(path, { start: dump.from, end: dump.from + dump.size - 1 });
  if (child.stdin) await pipeline(bytes, child.stdin).catch(() => undefined);
  await ended;
}

/** Throws where the restored tables have not the rows that were counted. */
function compare(wanted: Counts, found: Counts): void {
  const names = [...new Set([...Object.keys(wanted), ...Object.keys(found)])];
  const odd = names.filter((name) => wanted[name] !== found[name]);
  if (odd.length === 0) return;
  const said = odd.map(
    (name) => `${name} ${found[name] ?? 'missing'} of ${wanted[name] ?? 'none'}`,
  );
  throw new CommandError(
    `backup_differs: restored, these tables have other rows: ${said.join(', ')}`,
  );
}

function refuseNewer(path: string, manifest: Manifest): void {
  const known = new Set(namesOf(servicePart));
  const knownByVault = isInstalled(vaultPart) ? new Set(namesOf(vaultPart)) : undefined;
  const isNewer =
    manifest.migrations.some((name) => !known.has(name)) ||
    manifest.vaultMigrations.some((name) => knownByVault && !knownByVault.has(name)) ||
    manifest.version.localeCompare(version, 'en', { numeric: true }) > 0;
  if (!isNewer) return;
  throw new CommandError(
    `backup_newer: ${path} was made by version ${manifest.version}, and this is ${version}: install that version ` +
      'or a later one first. Nothing was changed',
  );
}

function refuseOtherKey(path: string, manifest: Manifest, keys: readonly Buffer[]): void {
  const wanted = manifest.keyFingerprint;
  if (wanted === null || keys.length === 0 || keys.map(fingerprint).includes(wanted)) return;
  throw new CommandError(
    `key_differs: SVC_KEY is not the key of ${path} (fingerprint ${wanted}): what it seals would not open. Give the ` +
      'key that was kept with the backup, also in SVC_FORMER_KEYS. Nothing was changed',
  );
}
