// What can be seen only during a run: transactions that stay open without a statement, and how the
// service reports its readiness while its database is down. Reliability R3, R5.

import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

export type Watch = {
  /** Longest time that a transaction was open and idle, in milliseconds. */
  longestIdleMs(): number;
  /** The last statement of that transaction. */
  lastStatement(): string;
  samples(): number;
  /** Ignores the next `ms`: a paused process cannot end its transactions. */
  overlook(ms: number): void;
  stop(): Promise<void>;
};

const everyMs = 150;

type Idle = { readonly ms: number; readonly query: string };

const idle = `select (extract(epoch from clock_timestamp() - state_change) * 1000)::float8 as ms, query
  from pg_stat_activity where state = 'idle in transaction' and datname = current_database()
  order by state_change limit 1`;

/** Polls the sessions of the service's role; `url` must be of that role. */
export function watchTransactions(url: string): Watch {
  let isOver = false;
  let longest: Idle = { ms: 0, query: '' };
  let samples = 0;
  let overlookedUntil = 0;
  const running = (async () => {
    let client: pg.Client | undefined;
    while (!isOver) {
      const before = performance.now();
      try {
        client ??= await connect(url);
        const { rows } = await client.query<Idle>(idle);
        samples += 1;
        const [found] = rows;
        if (found && before > overlookedUntil && found.ms > longest.ms) longest = found;
      } catch {
        // The database is down; the next poll uses a new connection.
        await client?.end().catch(() => undefined);
        client = undefined;
      }
      await pause(everyMs);
    }
    await client?.end().catch(() => undefined);
  })();
  return {
    longestIdleMs: () => Math.round(longest.ms),
    lastStatement: () => longest.query,
    samples: () => samples,
    overlook: (ms) => {
      overlookedUntil = performance.now() + ms;
    },
    stop: async () => {
      isOver = true;
      await running;
    },
  };
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
