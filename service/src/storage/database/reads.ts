import { clientOfHosts } from '@svc/contract/servers/database-hosts';
import pg from 'pg';
import { type Query, sql } from './sql.ts';

const Client = clientOfHosts(pg.Client);

/**
 * A few pipelined sockets for single-statement reads; never for transactions, locks or writes. A
 * read is repeated, at most twice, when its socket breaks. There is no client-side query timeout,
 * because it would destroy the socket under all other reads on it; the server's statement_timeout
 * bounds each read.
 */
export class Reads {
  #sockets: Promise<pg.Client>[] = [];
  #next = 0;
  #closed = false;
  readonly #config: pg.ClientConfig;
  readonly #size: number;

  constructor(config: pg.ClientConfig, size = 2) {
    this.#config = config;
    this.#size = size;
  }

  #open(slot: number): Promise<pg.Client> {
    const client = new Client({ ...this.#config, pipeline: true } as pg.ClientConfig);
    const drop = () => {
      if (this.#sockets[slot] === opening) delete this.#sockets[slot];
    };
    client.on('error', drop);
    client.on('end', drop);
    const opening = client.connect().then(
      () => client,
      (error) => {
        drop();
        throw error;
      },
    );
    this.#sockets[slot] = opening;
    return opening;
  }

  async find<Row extends pg.QueryResultRow>(
    query: Query<Row>,
    values: readonly unknown[],
  ): Promise<Row[]> {
    for (let attempt = 0; ; attempt++) {
      const slot = this.#next++ % this.#size;
      const socket = this.#sockets[slot] ?? this.#open(slot);
      try {
        const client = await socket;
        return (await client.query<Row>({ ...query, values: values as unknown[] })).rows;
      } catch (error) {
        const { code } = error as { code?: string };
        // 08: a connection pooler in between has lost the server.
        const isLost = code === undefined || /^(57P|08|E)/.test(code);
        // 26000: another read's first parse of the same statement failed; prepare it again.
        const isWorthRepeating = isLost || code === '26000';
        if (attempt >= 2 || this.#closed || !isWorthRepeating) throw error;
        if (isLost && this.#sockets[slot] === socket) delete this.#sockets[slot];
      }
    }
  }

  /** Gives up the sockets; reads on them are repeated on new ones. */
  drop(): void {
    for (const socket of this.#sockets.splice(0)) {
      socket?.then((client) => client.end()).catch(() => undefined);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(
      this.#sockets.map(async (socket) => (await socket.catch(() => undefined))?.end()),
    );
  }
}

/** Reads one statement at a time. */
export type Reader = { read: Reads['find'] };

// Reports on a standby of the database take nothing from payments. docs/operating/running.md, PostgreSQL.

/** A standby that is further behind is left alone: something is wrong with it. */
const mostBehindMs = 60_000;
/** How long a standby that did not answer, or is not to be read, is left alone. */
const restMs = 10_000;

// While nothing is written, the last replayed transaction grows old and the standby knows everything: then it has
// replayed all that it received. Null for a server that is no standby.
const progress = sql<{ as_of: Date | null; behind_ms: number | null; identity: string }>(
  'standby.progress',
  `select svc_clock() - behind as as_of, (extract(epoch from behind) * 1000)::float8 as behind_ms,
     database_identity() as identity
   from (select case
       when not pg_is_in_recovery() then null
       when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn()
         and exists (select from pg_stat_get_wal_receiver() r where r.pid is not null) then interval '0'
       else clock_timestamp() - pg_last_xact_replay_timestamp() end as behind) found`,
);

const ownIdentity = sql<{ identity: string }>(
  'standby.own_identity',
  'select database_identity() as identity',
);

/** What the address of the standby leads to; only `asOf` is read from. */
export type StandbyState =
  | { readonly asOf: Date }
  | { readonly unfit: 'foreign' | 'no standby' | 'behind'; readonly behindMs: number | null }
  | { readonly unfit: 'silent'; readonly error: unknown };

/**
 * Runs the reads of a report on the standby, where one is named, answers and is at most a minute behind, else on the
 * database itself; there once more when the standby fails meanwhile. `asOf` is the instant up to which the standby
 * knows everything; null on the database itself. Never for what decides about money.
 */
export type RunReport = <T>(work: (reader: Reader, asOf: Date | null) => Promise<T>) => Promise<T>;

type Reports = {
  readonly report: RunReport;
  /** Null where none is named. */
  standby(): Promise<StandbyState | null>;
  close(): Promise<void>;
};

/** `config` is the standby's; null without one. It is connected with the first report. */
export function openReports(
  own: Reader,
  config: pg.ClientConfig | null,
  isLost: (error: unknown) => boolean,
): Reports {
  if (!config) {
    return {
      report: (work) => work(own, null),
      standby: async () => null,
      close: async () => undefined,
    };
  }
  const sockets = new Reads(config);
  const standby: Reader = { read: (query, values) => sockets.find(query, values) };
  let restsUntilMs = Number.NEGATIVE_INFINITY;
  const rest = () => {
    restsUntilMs = performance.now() + restMs;
  };
  // It stays the same for as long as the process runs, after a failover too.
  let identity: string | undefined;
  const look = async (): Promise<StandbyState> => {
    identity ??= (await own.read(ownIdentity, []))[0]?.identity;
    let row: Awaited<ReturnType<typeof readProgress>>;
    try {
      row = await readProgress();
    } catch (error) {
      return { unfit: 'silent', error };
    }
    const { as_of: asOf = null, behind_ms: behindMs = null } = row ?? {};
    if (row?.identity !== identity) return { unfit: 'foreign', behindMs };
    if (asOf === null || behindMs === null) return { unfit: 'no standby', behindMs };
    return behindMs <= mostBehindMs ? { asOf } : { unfit: 'behind', behindMs };
  };
  const readProgress = async () => (await standby.read(progress, []))[0];
  const readAsOf = async (): Promise<Date | null> => {
    if (performance.now() < restsUntilMs) return null;
    const state = await look();
    if ('asOf' in state) return state.asOf;
    rest();
    return null;
  };
  return {
    standby: look,
    async report(work) {
      const asOf = await readAsOf();
      if (asOf) {
        try {
          return await work(standby, asOf);
        } catch (error) {
          // A standby ends reads that hinder its replay (40001), and all of them when it is promoted.
          if (!(error instanceof pg.DatabaseError) && !isLost(error)) throw error;
          rest();
        }
      }
      return work(own, null);
    },
    close: () => sockets.close(),
  };
}
