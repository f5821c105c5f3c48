// Connections: a pool for transactions and writes, a few pipelined sockets for single-statement
// reads, and the check that no call leaves the process while a transaction is open.

import assert from 'node:assert';
import { AsyncLocalStorage } from 'node:async_hooks';
import { clientOfHosts, readDatabaseHosts } from '@svc/contract/servers/database-hosts';
import pg from 'pg';
import { uuidPattern } from '../../domain/protocol/uuid.ts';
import { openReports, Reads, type RunReport, type StandbyState } from './reads.ts';
import { withSettings } from './session-settings.ts';
import type { Query, Writing } from './sql.ts';

/** A transaction in progress. Statements on it run one after the other. */
export type Tx = {
  query<Row extends pg.QueryResultRow>(
    query: Query<Row>,
    values: readonly unknown[],
  ): Promise<Row[]>;
};

/**
 * The scope of the few transactions over the rows of all clients, such as claims of workers and the
 * demo's set-up.
 */
export const everyClient: unique symbol = Symbol('every client');

/** The client whose rows a transaction sees and writes; the database enforces it. */
export type TransactionScope = string | typeof everyClient;

/** Settings of PostgreSQL for the length of one transaction. */
export type TransactionSetting =
  | 'enable_sort = off'
  | 'lock_timeout = 1500'
  | "work_mem = '64kB'"
  | 'statement_timeout = 60000'
  /** All its statements see the database as the first one does. */
  | "transaction_isolation = 'repeatable read'";

export type Database = Writing & {
  /**
   * Commits everything that `work` did, or nothing. READ COMMITTED; never nested. Row-level
   * security hides the rows of every other client. docs/decisions/database.md.
   */
  transaction<T>(
    client: TransactionScope,
    work: (tx: Tx) => Promise<T>,
    settings?: readonly TransactionSetting[],
  ): Promise<T>;
  /**
   * Runs one statement on a shared pipelined socket: no locks, no writes. Repeated when the socket
   * breaks.
   */
  read<Row extends pg.QueryResultRow>(
    query: Query<Row>,
    values: readonly unknown[],
  ): Promise<Row[]>;
  /** How long the caller has waited that has waited longest for a connection, in milliseconds. */
  waitedMs?(): number;
  close(): Promise<void>;
};

export type OpenDatabase = Database & {
  report: RunReport;
  /** What the address of the standby leads to; null where none is named. */
  standby(): Promise<StandbyState | null>;
  /** How many connections for transactions there are now. */
  connections(): Connections;
};

/** `waiting` are callers that wait for a connection. */
export type Connections = {
  readonly inUse: number;
  readonly idle: number;
  readonly waiting: number;
};

export type DatabaseSettings = {
  readonly url: string;
  /** A standby of the same database. */
  readonly readUrl?: string | null;
  readonly poolSize?: number;
  readonly applicationName?: string;
  readonly limits?: DatabaseLimits;
};

type DatabaseLimits = {
  /**
   * A server that hangs returns not even an error: after this many milliseconds the connection is
   * given up. Longer than the server's own statement_timeout, which ends a slow statement first.
   */
  readonly answerMs: number;
  /** How long a caller waits for a connection. */
  readonly connectMs: number;
};

export const databaseLimits: DatabaseLimits = { answerMs: 7000, connectMs: 2000 };

/** The database cannot be reached or is out of connections; nothing was written. */
export class DatabaseUnavailable extends Error {
  constructor(cause: unknown) {
    super(`database unavailable: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
    this.name = 'DatabaseUnavailable';
  }
}

const scope = new AsyncLocalStorage<{ open: boolean }>();

/**
 * Wraps a call that leaves the process and throws when a transaction is open; put it in front of
 * any queue of that call.
 */
export const outsideTransaction =
  <A extends unknown[], R>(name: string, call: (...a: A) => R) =>
  (...a: A): R => {
    assert(!scope.getStore()?.open, `${name} inside a transaction`);
    return call(...a);
  };

/**
 * How long a connection that nobody uses stays open. For a new one the server forks and plans each statement anew, while
 * a caller waits. One that a lost network left half open costs a caller `answerMs`, so none stays for long.
 */
const idleMs = 60_000;

/** `answerMs` of a statement that may take a minute. */
const longAnswerMs = 62_000;

/** Sets client and settings in the round trip that begins the transaction; they are reset when it ends. */
function beginText(client: TransactionScope, settings: readonly TransactionSetting[]): string {
  const begin = ['begin', ...settings.map((setting) => `set local ${setting}`)].join('; ');
  if (client === everyClient) return begin;
  assert(typeof client === 'string' && uuidPattern.test(client), 'a transaction names its client');
  return `${begin}; set local svc.client = '${client}'`;
}

// Statements on the write pool find their rows by key, whatever the values: they are planned once
// for each connection. PostgreSQL would plan statements over arrays each time, which costs
// milliseconds. Of the reads, only statements with `isByKeys` are planned once.
const byKeys = '-c plan_cache_mode=force_generic_plan';

// A list of row places stays exact up to some hundred thousand rows.
const forManyRows = '-c work_mem=16MB';

// 57P: the server is stopping or starting. 53300: too many connections. 08: connection errors.
const lostPattern = /^(57P|53300|08)/;

/** True when a second row was refused by a unique index; nothing was written. */
export const isUniqueViolation = (error: unknown): boolean =>
  (error as { code?: unknown }).code === '23505';

/**
 * True when the connection was lost after the statement was sent, so that its outcome is unknown.
 * False when there was no connection to begin with: nothing was written then.
 */
export function isConnectionError(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable) return false;
  const { code, message = '' } = error as { code?: string; message?: string };
  if (code === undefined) return /terminated|timeout|Connection|closed|ended/i.test(message);
  return lostPattern.test(code) || /^E[A-Z]+$/.test(code);
}

/**
 * True when the server takes no writes, as one that became a standby. Only a new connection finds its
 * successor.
 */
const isDemoted = (error: unknown): boolean => (error as { code?: unknown }).code === '25006';

const instantType: number = pg.types.builtins.TIMESTAMPTZ;
const plainInstant = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?\+00$/;

/** Parses as the driver does, with a faster path for the form that sessions in UTC receive. */
const readInstant = (text: string): unknown =>
  plainInstant.test(text)
    ? // biome-ignore lint/plugin: PostgreSQL's own text, read for each row
      new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`)
    : pg.types.getTypeParser(instantType)(text);

const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === instantType && format !== 'binary'
      ? readInstant
      : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

const withTimeout = (query: Query, values: readonly unknown[]): pg.QueryConfig => ({
  ...query,
  ...(query.isLong && { query_timeout: longAnswerMs }),
  values: values as unknown[],
});

const countConnections = ({ totalCount, idleCount, waitingCount }: pg.Pool): Connections => ({
  inUse: totalCount - idleCount,
  idle: idleCount,
  waiting: waitingCount,
});

/** The queue for a connection of the pool. */
function openQueue(pool: pg.Pool) {
  /** Since when each caller waits, the oldest first. */
  const waiting = new Map<object, number>();
  return {
    async connect(): Promise<pg.PoolClient> {
      const caller = {};
      waiting.set(caller, performance.now());
      try {
        return await pool.connect();
      } catch (error) {
        throw new DatabaseUnavailable(error);
      } finally {
        waiting.delete(caller);
      }
    },
    waitedMs(): number {
      const now = performance.now();
      const [oldest = now] = waiting.values();
      return now - oldest;
    },
  };
}

/**
 * Returns the rule for which errors a connection is not used again. Reads leave a demoted server of a list
 * as well.
 */
function connectionJudge(url: string, sockets: readonly Reads[]): (error: unknown) => boolean {
  const mustWrite = readDatabaseHosts(url)?.mustWrite ?? false;
  return (error) => {
    if (!mustWrite || !isDemoted(error)) return isConnectionError(error);
    for (const one of sockets) one.drop();
    return true;
  };
}

/** Sockets for reads: by key, over many rows, any other; and those of a standby. */
function openReaders(config: pg.ClientConfig, standbyUrl: string | null | undefined) {
  const reads = new Reads(config);
  const scans = new Reads({ ...config, options: `${config.options} ${forManyRows}` });
  const readsByKeys = new Reads({ ...config, options: `${config.options} ${byKeys}` });
  const sockets = [reads, scans, readsByKeys];
  const read: Database['read'] = async (query, values) =>
    (query.isScan ? scans : query.isByKeys ? readsByKeys : reads).find(query, values);
  const standby = standbyUrl ? { ...config, ...withSettings(standbyUrl) } : null;
  const reports = openReports({ read }, standby, isConnectionError);
  return {
    read,
    report: reports.report,
    standby: reports.standby,
    sockets,
    close: () => Promise.all([...sockets, reports].map((each) => each.close())),
  };
}

export function openDatabase(settings: DatabaseSettings): OpenDatabase {
  const { answerMs, connectMs } = settings.limits ?? databaseLimits;
  const config: pg.ClientConfig = {
    types,
    ...withSettings(settings.url),
    application_name: settings.applicationName ?? 'svc',
    query_timeout: answerMs,
    connectionTimeoutMillis: connectMs,
  };
  const pool = new pg.Pool({
    ...config,
    Client: clientOfHosts(pg.Client),
    options: `${config.options} ${byKeys}`,
    max: settings.poolSize ?? 10,
    idleTimeoutMillis: idleMs,
  });
  pool.on('error', () => undefined);
  // A client in use whose backend dies emits an error too; its next statement rejects.
  pool.on('connect', (client) => void client.on('error', () => undefined));
  const readers = openReaders(config, settings.readUrl);
  const { connect, waitedMs } = openQueue(pool);
  const isOver = connectionJudge(settings.url, readers.sockets);

  return {
    async transaction(client, work, settings = []) {
      assert(!scope.getStore()?.open, 'no transaction inside a transaction');
      const begin = beginText(client, settings);
      const connection = await connect();
      const mine = { open: true };
      let broken = false;
      const tx: Tx = {
        query: async (query, values) =>
          (await connection.query<never>(withTimeout(query, values))).rows,
      };
      try {
        await connection.query(begin);
        const result = await scope.run(mine, () => work(tx));
        await connection.query('commit');
        return result;
      } catch (error) {
        // On a connection that hangs, a rollback would hang just as long.
        broken = isOver(error);
        if (!broken) {
          await connection.query('rollback').catch(() => {
            broken = true;
          });
        }
        throw error;
      } finally {
        mine.open = false;
        connection.release(broken);
      }
    },
    read: readers.read,
    report: readers.report,
    standby: readers.standby,
    async write(query, values) {
      const client = await connect();
      let broken = false;
      try {
        return (await client.query<never>({ ...query, values: values as unknown[] })).rows;
      } catch (error) {
        broken = isOver(error);
        throw error;
      } finally {
        client.release(broken);
      }
    },
    connections: () => countConnections(pool),
    waitedMs,
    async close() {
      await Promise.all([readers.close(), pool.end()]);
    },
  };
}

/**
 * Runs the work once more when the connection was lost, because the outcome of its commit is then
 * unknown. Only for work that recognises what it did before.
 */
export async function repeatWhenLost<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isConnectionError(error)) throw error;
    return work();
  }
}
