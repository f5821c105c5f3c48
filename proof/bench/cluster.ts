// The bench's own PostgreSQL, with the product's settings and with commit timestamps, and databases
// in it that last for one run.

import { join } from 'node:path';
import { type Postgres, prepareDatabase, startPostgres } from '@svc/service/start/postgres/index';
import { root } from '@svc/tools/start/options';
import pg from 'pg';
import type { Closers } from './load/closers.ts';

export type Cluster = {
  readonly pid: number;
  readonly version: string;
  /**
   * The settings as PostgreSQL reports them. They are printed, because figures without them are
   * meaningless.
   */
  readonly settings: Readonly<Record<string, string>>;
  /** Runs a query as the superuser, on the database of that name. */
  query<Row extends pg.QueryResultRow>(text: string): Promise<Row[]>;
  /** Creates an empty database, which is dropped at the end. */
  createDatabase(name: string): Promise<BenchDatabase>;
  /** Returns how many bytes of write-ahead log the whole cluster has written so far. */
  walBytes(): Promise<number>;
};

export type BenchDatabase = {
  readonly ownerUrl: string;
  readonly serviceUrl: string;
  readonly vaultUrl: string;
  readonly superuserUrl: string;
  /** Runs `work` on the database as the superuser, on one connection. */
  withAdmin<T>(work: (admin: pg.Client) => Promise<T>): Promise<T>;
};

const shown = ['fsync', 'synchronous_commit', 'shared_buffers', 'max_wal_size', 'autovacuum'];

/**
 * Starts the cluster in `.cache/bench-postgres`, or shares the one that another run started.
 * Binaries other than the project's get a folder of their own, because versions cannot read each
 * other's data.
 */
export async function startCluster(
  closers: Closers,
  { say, binaries }: { say: (line: string) => void; binaries: string | null },
): Promise<Cluster> {
  const apart = binaries === null ? '' : binaries.replaceAll(/[^\w.]+/g, '-');
  const server = await startPostgres({
    dataDir: join(root, `.cache/bench-postgres${apart}`),
    project: root,
    ...(binaries === null ? {} : { binaries }),
    settings: { track_commit_timestamp: 'on' },
    say,
  });
  await closers.add(() => server.stop());
  const admin = new pg.Client({ connectionString: server.url('postgres', 'postgres') });
  admin.on('error', () => undefined);
  await admin.connect();
  await closers.add(() => admin.end());
  await dropAbandoned(admin);
  const { rows } = await admin.query<{ name: string; value: string }>(
    'select name, current_setting(name) as value from unnest($1::text[]) as name',
    [shown],
  );
  return {
    pid: server.pid,
    version: server.version,
    settings: Object.fromEntries(rows.map(({ name, value }) => [name, value])),
    query: async <Row extends pg.QueryResultRow>(text: string) =>
      (await admin.query<Row>(text)).rows,
    createDatabase: (name) => createDatabase({ server, admin, closers }, name),
    async walBytes() {
      const {
        rows: [row],
      } = await admin.query<{ bytes: string }>(
        "select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as bytes",
      );
      return Number(row?.bytes);
    },
  };
}

/** Contains the run's process id, so that two runs at once have different databases. */
const databaseName = (name: string, pid: number): string => `bench_${name}_${pid}`;

async function createDatabase(
  { server, admin, closers }: { server: Postgres; admin: pg.Client; closers: Closers },
  label: string,
): Promise<BenchDatabase> {
  const name = databaseName(label, process.pid);
  const superuserUrl = server.url('postgres', name);
  await prepareDatabase({ admin, inside: superuserUrl, passwords: {}, database: name });
  await closers.add(() => admin.query(`drop database if exists ${name} with (force)`));
  return {
    ownerUrl: server.url('svc_owner', name),
    serviceUrl: server.url('svc_service', name),
    vaultUrl: server.url('svc_vault', name),
    superuserUrl,
    async withAdmin(work) {
      const client = new pg.Client({ connectionString: superuserUrl });
      client.on('error', () => undefined);
      await client.connect();
      try {
        return await work(client);
      } finally {
        await client.end();
      }
    },
  };
}

/** Drops the databases of runs that were killed. */
async function dropAbandoned(admin: pg.Client): Promise<void> {
  const { rows } = await admin.query<{ name: string; pid: string }>(
    `select datname as name, substring(datname from '_(\\d+)$') as pid from pg_database
     where datname ~ '^bench_[a-z0-9]+_\\d+$'`,
  );
  for (const { name, pid } of rows) {
    if (!isRunning(Number(pid))) await admin.query(`drop database if exists ${name} with (force)`);
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
