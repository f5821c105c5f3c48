// `sslmode` in the address of a database, as libpq reads it, for service, commands and vault. Real
// PostgreSQL with a certificate that nobody trusts, reached at the name in it and at another.

import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openPool } from '../../../vault/src/database.ts';
import { readSettings } from '../../../vault/src/settings.ts';
import { selfSigned } from '../../test/network/self-signed.ts';
import { openDatabase } from '../storage/database/database.ts';
import { sql } from '../storage/database/sql.ts';
import { readDatabaseUrl } from './config.ts';
import { type Postgres, startPostgres } from './postgres/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-tls-'));
// The server's account has to enter it.
chmodSync(folder, 0o755);
const authority = join(folder, 'ca.pem');
const key = (byte: number) => Buffer.alloc(32, byte).toString('base64');
const shown = sql<{ ssl: string }>(
  'test_tls_shown',
  "select case when ssl then 'encrypted' end as ssl from pg_stat_ssl where pid = pg_backend_pid()",
);
let postgres: Postgres;
let way: net.Server;

/** Listens with TLS. Its port is fixed, so it has an address of its own, and a free port leads to it. */
beforeAll(async () => {
  const host = `127.77.${process.pid % 250}.${1 + (Date.now() % 250)}`;
  const settings = { fsync: 'off', listen_addresses: host };
  postgres = await startPostgres({ dataDir: join(folder, 'data'), settings });
  const admin = new pg.Client({ connectionString: postgres.url('postgres') });
  await admin.connect();
  const { rows } = await admin.query<{ place: string }>(
    "select current_setting('data_directory') as place",
  );
  const place = rows[0]?.place ?? '';
  const { key: secret, cert } = selfSigned('localhost');
  const { uid, gid } = statSync(place);
  for (const [name, text] of [
    ['server.key', secret],
    ['server.crt', cert],
  ] as const) {
    writeFileSync(join(place, name), text, { mode: 0o600 });
    chownSync(join(place, name), uid, gid);
  }
  writeFileSync(authority, cert);
  const rule = 'hostssl all all 127.0.0.1/8 scram-sha-256';
  writeFileSync(join(place, 'pg_hba.conf'), `${rule}\nlocal all all scram-sha-256\n`);
  await admin.query('alter system set ssl = on');
  await admin.query('select pg_reload_conf()');
  await admin.end();
  way = net.createServer((near) => {
    const far = net.connect(5432, host);
    near.pipe(far).pipe(near);
    for (const each of [near, far]) each.on('error', () => undefined);
  });
  way.listen(0, '127.0.0.1');
  await once(way, 'listening');
}, 60_000);
afterAll(async () => {
  way?.close();
  await postgres?.stop();
  // Started by root, the server keeps its database outside of its folder.
  for (const left of [folder, postgres?.home ?? folder])
    rmSync(left, { recursive: true, force: true });
});

/** The address of a role with these parameters, at a name of the server or at its number. */
function address(role: 'svc_service' | 'svc_vault', query: string, host = 'localhost'): string {
  const password = /:([^:@]*)@/.exec(postgres.url(role))?.[1];
  const { port } = way.address() as net.AddressInfo;
  return `postgres://${role}:${password}@${host}:${port}/svc?${query}`;
}

type Way = (url: string) => Promise<string>;

/** Signs in as the service does, with the setting as it reads it. Returns whether the way is encrypted. */
const asService: Way = async (url) => {
  const database = openDatabase({ url: readDatabaseUrl({ DATABASE_URL: url }) });
  const [row] = await database.write(shown, []).finally(() => database.close());
  return row?.ssl ?? '';
};

const asVault: Way = async (url) => {
  const read = readSettings({
    ...{ VAULT_DATABASE_URL: url, VAULT_KEY: key(1), VAULT_SHARED_KEY: key(2), VAULT_PORT: '0' },
    ...{ VAULT_INTERNAL_PORT: '0', VAULT_PROVIDER_URL: 'http://127.0.0.1:9' },
  });
  if ('problems' in read) throw new Error(read.problems.join());
  const pool = openPool(read.settings.databaseUrl);
  const { rows } = await pool.query<{ ssl: string }>(shown.text).finally(() => pool.end());
  return rows[0]?.ssl ?? '';
};

describe.each([
  ['the service and its commands', 'svc_service', asService],
  ['the vault', 'svc_vault', asVault],
] as const)('%s', (_, role, signIn) => {
  const at = (query: string, host?: string) => signIn(address(role, query, host));

  it('require: encrypted, whoever has signed the certificate; no warning of the driver', async () => {
    const warned = vi.spyOn(process, 'emitWarning');
    expect(await at('sslmode=require')).toBe('encrypted');
    expect(warned).not.toHaveBeenCalled();
    warned.mockRestore();
  });

  it('require with an authority: one that it has not signed is refused', async () => {
    const other = join(folder, 'other.pem');
    writeFileSync(other, selfSigned('localhost').cert);
    await expect(at(`sslmode=require&sslrootcert=${other}`)).rejects.toThrow(/certificate/);
    expect(await at(`sslmode=require&sslrootcert=${authority}`, '127.0.0.1')).toBe('encrypted');
  });

  it('verify-full: a trusted certificate of this host', async () => {
    await expect(at('sslmode=verify-full')).rejects.toThrow(/certificate/);
    const query = `sslmode=verify-full&sslrootcert=${authority}`;
    await expect(at(query, '127.0.0.1')).rejects.toThrow(/does not match certificate/);
    expect(await at(query)).toBe('encrypted');
  });
});
