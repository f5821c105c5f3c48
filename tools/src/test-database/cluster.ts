// The PostgreSQL server of a test run: the one in DATABASE_URL, else an embedded one, which is kept in the
// cache folder between runs unless the run has a folder for it.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import {
  type Passwords,
  prepareDatabase,
  type Role,
  startPostgres,
} from '@svc/service/start/postgres/index';
import pg from 'pg';

/** Passed from the set-up of a run to its test files, and to processes that they start. */
export const variable = 'SVC_TEST_CLUSTER';

/** Names a folder for a server that only this run uses. */
export const folderVariable = 'SVC_TEST_FOLDER';

/** The folder in which the server is kept between runs, unless the run has a folder. */
export const cacheFolder = join(import.meta.dirname, '../../../.cache');

/** Everything that is needed to connect to the server, as plain text. */
export type Address = {
  /** The address of a user who may create roles and databases, on the maintenance database. */
  admin: string;
  passwords: Omit<Passwords, 'postgres'>;
};

/** The folder of the server's files. */
export const homeIn = (folder: string): string => join(folder, 'test-postgres');

/** Starts the server, or uses the given one. `stop` ends this use. */
export async function startCluster(
  given = process.env.DATABASE_URL,
  folder = process.env[folderVariable] ?? cacheFolder,
): Promise<Address & { stop(): Promise<void> }> {
  if (given) {
    const address = { admin: given, passwords: rememberedPasswords(join(folder, 'test-roles')) };
    await prepareGiven(address);
    return { ...address, stop: async () => {} };
  }
  const server = await startPostgres({
    dataDir: homeIn(folder),
    say: (line) => console.log(line),
    settings: {
      // The cache may be lost in a power cut.
      fsync: 'off',
      full_page_writes: 'off',
      // Each clone writes its pages to the log, and compressing them takes six times as long as the rest.
      wal_compression: 'off',
      max_wal_size: '1GB',
      max_connections: '200',
    },
  });
  const passwords = {
    svc_owner: passwordIn(server.url('svc_owner')),
    svc_service: passwordIn(server.url('svc_service')),
    svc_vault: passwordIn(server.url('svc_vault')),
  };
  return { admin: server.url('postgres', 'postgres'), passwords, stop: server.stop };
}

/**
 * Returns the address for a role; for `postgres` that of the administrator, whatever the user's name is.
 */
export function roleUrl({ admin, passwords }: Address, role: Role, database: string): string {
  const url = parse(admin);
  url.pathname = `/${encodeURIComponent(database)}`;
  if (role !== 'postgres') {
    url.username = role;
    url.password = passwords[role];
  }
  return url.href.replace(`@${nowhere}/`, '@/');
}

/** Part of the names of this machine's test databases, because several machines may share a server. */
export const machine = Buffer.from(hostname()).toString('hex').slice(0, 8);

const nowhere = 'no-host.invalid';

/** A socket's address has no host between `@` and `/`, which `URL` refuses. */
function parse(address: string): URL {
  return new URL(address.replace('@/', `@${nowhere}/`));
}

function passwordIn(address: string): string {
  return decodeURIComponent(parse(address).password);
}

function rememberedPasswords(file: string): Address['passwords'] {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Address['passwords'];
  } catch {
    const word = () => randomBytes(24).toString('base64url');
    const made = { svc_owner: word(), svc_service: word(), svc_vault: word() };
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(made), { mode: 0o600 });
    return made;
  }
}

async function prepareGiven(address: Address): Promise<void> {
  const admin = new pg.Client({ connectionString: address.admin });
  admin.on('error', () => {});
  try {
    await admin.connect();
    const { passwords } = address;
    const inside = roleUrl(address, 'postgres', 'svc_test');
    await prepareDatabase({ admin, inside, passwords, database: 'svc_test' });
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw new Error(
      `The tests cannot use the PostgreSQL of DATABASE_URL: ${cause}. They need a user that may ` +
        'create roles and databases; without DATABASE_URL they use an embedded server.',
      { cause: error },
    );
  } finally {
    await admin.end();
  }
}
