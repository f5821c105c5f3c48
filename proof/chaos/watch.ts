// What can only be seen while a run goes on: transactions that stay open without a statement, and
// how the service speaks of itself while its database is away. Reliability R3, R5.

import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

export type Watch = {
  /** Longest time that a transaction was open and idle, in milliseconds. */
  longestIdleMs(): number;
  samples(): number;
  /** Nothing counts until so long after: a stopped process cannot end its transactions. */
  overlook(ms: number): void;
  stop(): Promise<void>;
};

const everyMs = 150;

const idle = `select coalesce(max(extract(epoch from clock_timestamp() - state_change) * 1000), 0)
    ::float8 as ms
  from pg_stat_activity where state = 'idle in transaction' and datname = current_database()`;

/** Looks at the sessions of the role that the service has; `url` must be of that role. */
export function watchTransactions(url: string): Watch {
  let isOver = false;
  let longest = 0;
  let samples = 0;
  let overlookedUntil = 0;
  const running = (async () => {
    let client: pg.Client | undefined;
    while (!isOver) {
      const before = performance.now();
      try {
        client ??= await connect(url);
        const { rows } = await client.query<{ ms: number }>(idle);
        samples += 1;
        if (before > overlookedUntil) longest = Math.max(longest, rows[0]?.ms ?? 0);
      } catch {
        // The database is away: asked again on a new connection.
        await client?.end().catch(() => undefined);
        client = undefined;
      }
      await pause(everyMs);
    }
    await client?.end().catch(() => undefined);
  })();
  return {
    longestIdleMs: () => Math.round(longest),
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
