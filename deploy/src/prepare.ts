// Prepares an empty place for a first start: `prepare keys DIR` makes the keys that are missing,
// each a file without a line break; `prepare database` makes roles, database and their walls.
// docs/operating/running.md, PostgreSQL.

import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

const files = ['svc-key', 'vault-key', 'shared-key', 'sandbox-key'];
const adminWord = 'postgres-password';
const roles = ['svc_owner', 'svc_service', 'svc_vault'];

/** Makes what is missing. A key that is there stays: it opens what is stored. */
function makeKeys(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of files) make(join(folder, name), () => randomBytes(32).toString('base64'));
  make(join(folder, adminWord), () => randomBytes(24).toString('hex'));
}

function make(file: string, value: () => string): string {
  if (!existsSync(file)) writeFileSync(file, value(), { mode: 0o400 });
  return readFileSync(file, 'utf8').trim();
}

/**
 * Makes the roles, the database and its walls as the administrator of DATABASE_ADMIN_URL. With a folder
 * each role gets a password, and its address stands in a file of the folder; else the operating system's
 * account of the same name signs in (`peer`).
 */
async function prepareDatabase(folder: string | undefined): Promise<void> {
  const address = adminAddress(folder);
  const patienceMs = folder ? 60_000 : 0;
  const admin = await connect(address, patienceMs);
  for (const role of roles) {
    const { rowCount } = await admin.query('select from pg_roles where rolname = $1', [role]);
    if (rowCount === 0) await admin.query(`create role ${role} login`);
    if (folder)
      await admin.query(`alter role ${role} password ${pg.escapeLiteral(wordOf(folder, role))}`);
  }
  const { rows } = await admin.query('select rolsuper from pg_roles where rolname = current_user');
  // Who is no superuser acts for what a role owns as its member alone.
  if (!rows[0]?.rolsuper) await admin.query('grant svc_owner, svc_vault to current_user');
  const { rowCount } = await admin.query("select from pg_database where datname = 'svc'");
  if (rowCount === 0) await admin.query('create database svc owner svc_owner');
  await admin.query(`revoke connect, temporary on database svc from public;
    grant connect on database svc to svc_owner, svc_service, svc_vault`);
  await admin.end();
  const inside = await connect(inDatabase(address), patienceMs);
  await inside.query(walls);
  await inside.end();
  if (!folder) return;
  for (const role of roles) writeAddress(folder, role, address);
  make(join(folder, 'admin-url'), () => address);
}

/** Returns the administrator's address; without a password in it, adds the one that `prepare keys` made. */
function adminAddress(folder: string | undefined): string {
  const given =
    process.env.DATABASE_ADMIN_URL ?? 'postgres://postgres@/postgres?host=/run/postgresql';
  const file = join(folder ?? '', adminWord);
  const url = URL.parse(given);
  if (!folder || !url?.hostname || url.password || !existsSync(file)) return given;
  url.password = readFileSync(file, 'utf8').trim();
  return url.href;
}

/** Containers start at the same time: the server is waited for. */
async function connect(address: string, patienceMs: number): Promise<pg.Client> {
  // The driver would verify the certificate in this mode too, other than libpq.
  const isLoose = /[?&]sslmode=(require|prefer)(&|$)/.test(address);
  const connectionString = isLoose ? `${address}&uselibpqcompat=true` : address;
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const client = new pg.Client({ connectionString });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return client;
    } catch (error) {
      await client.end().catch(() => undefined);
      const { code = '', errors } = error as AggregateError & { code?: string };
      const inner = (errors?.[0] as { code?: string } | undefined)?.code ?? code;
      const isStarting = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ENOENT', '57P03'].includes(
        inner,
      );
      if (!isStarting || performance.now() > deadline) throw error;
      await pause(500);
    }
  }
}

const walls = `alter schema public owner to svc_owner;
  revoke all on schema public from public;
  grant usage on schema public to svc_service;
  create schema if not exists vault authorization svc_vault;
  revoke all on schema vault from public;
  alter role svc_vault in database svc set search_path = vault;
  alter default privileges for role svc_owner in schema public
    grant select, insert, update, delete on tables to svc_service;
  alter default privileges for role svc_owner in schema public
    grant usage on sequences to svc_service`;

const wordOf = (folder: string, role: string): string =>
  make(join(folder, `${role}-password`), () => randomBytes(24).toString('hex'));

const inDatabase = (address: string): string => address.replace(/\/[^/?]*(\?|$)/, '/svc$1');

function writeAddress(folder: string, role: string, address: string): void {
  const url = new URL(inDatabase(address));
  url.username = role;
  url.password = wordOf(folder, role);
  make(join(folder, `${role}-url`), () => url.href);
}

const [what, folder] = process.argv.slice(2);
try {
  if (what === 'keys' && folder) makeKeys(folder);
  else if (what === 'database') await prepareDatabase(folder);
  else throw new Error('prepare keys DIR, or prepare database [DIR]');
} catch (error) {
  const { errors, message } = error as AggregateError;
  process.stderr.write(`svc prepare: ${message || (errors?.[0] as Error | undefined)?.message}\n`);
  process.exitCode = 1;
}
