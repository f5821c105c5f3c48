// A read-only snapshot of the database for audits, which may take as long as they need. It uses its
// own connection, because the service's connections cut statements off after seconds.

import { clientOfHosts } from '@svc/contract/servers/database-hosts';
import pg from 'pg';
import { refuseOlder } from './migrate.ts';
import { withOptions } from './session-settings.ts';

/** Ids from `after`, exclusive, to `until`, inclusive. */
export type Span = { readonly after: string; readonly until: string };

/** A row that breaks a rule. */
export type BrokenRow = { readonly subject: string; readonly found: string };

export type Snapshot = {
  readonly now: Date;
  /** The number of payments. */
  readonly payments: number;
  /** Returns the end of the next span of `size` payments; null past the last payment. */
  nextSpanEnd(after: string, size: number): Promise<{ until: string; payments: number } | null>;
  /** Yields the rows that `statement` returns (columns `subject`, `found`), in pages of at most 1000. */
  rows(statement: string, span: Span): AsyncGenerator<BrokenRow[]>;
  close(): Promise<void>;
};

const Client = clientOfHosts(pg.Client);

const pageSize = 1000;
// Sets no client, whatever the settings of the role or the connection URL state: row-level security
// then hides no row.
const settings = '-c statement_timeout=0 -c lock_timeout=10000 -c svc.client=';

/**
 * Opens a read-only snapshot. When `signal` is aborted, the server cancels the statement in
 * progress, which then fails.
 */
export async function openSnapshot(url: string, signal?: AbortSignal): Promise<Snapshot> {
  const config = { ...withOptions(url, settings), application_name: 'svc audit' };
  const client = new Client({ ...config, connectionTimeoutMillis: 5000 });
  client.on('error', () => undefined);
  await client.connect();
  let cancel = (): void => undefined;
  const close = async () => {
    signal?.removeEventListener('abort', cancel);
    await client.end().catch(() => undefined);
  };
  const startSnapshot = async () => {
    const mine = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    cancel = () => void cancelStatement(config, mine.rows[0]?.pid ?? 0);
    // The listener is added before the first long statement, which counts the payments.
    signal?.addEventListener('abort', cancel, { once: true });
    signal?.throwIfAborted();
    await refuseOlder(async ({ text }) => (await client.query(text)).rows);
    await client.query('begin isolation level repeatable read read only');
    const { rows } = await client.query<{ now: Date; payments: string }>(
      'select svc_clock() as now, (select count(*) from payments) as payments',
    );
    const [first] = rows;
    if (!first) throw new Error('the database answered nothing');
    return first;
  };
  const { now, payments } = await startSnapshot().catch(async (error) => {
    await close();
    throw error;
  });
  return {
    now,
    payments: Number(payments),
    nextSpanEnd: (after, size) => nextSpanEnd(client, after, size),
    rows: (statement, span) => pages(client, statement, [span.after, span.until, now]),
    close,
  };
}

async function cancelStatement(config: pg.ClientConfig, pid: number): Promise<void> {
  const client = new Client({ ...config, connectionTimeoutMillis: 2000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select pg_cancel_backend($1)', [pid]);
  } catch {
    // Closing the connection also stops the statement, at its next row.
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function nextSpanEnd(client: pg.Client, after: string, size: number) {
  const { rows } = await client.query<{ until: string | null; payments: string }>(
    `select (array_agg(id order by id desc))[1] as until, count(*) as payments
     from (select id from payments where id > $1 order by id limit $2) page`,
    [after, size],
  );
  const [row] = rows;
  return row?.until ? { until: row.until, payments: Number(row.payments) } : null;
}

/**
 * Binds `:after`, `:until` and `:now` in the statement; a parameter that the statement does not use
 * still needs a type.
 */
async function* pages(
  client: pg.Client,
  statement: string,
  values: readonly unknown[],
): AsyncGenerator<BrokenRow[]> {
  const bound = statement
    .replaceAll(':after', '$1::uuid')
    .replaceAll(':until', '$2::uuid')
    .replaceAll(':now', '$3::timestamptz');
  await client.query(
    `declare broken no scroll cursor for select * from (${bound}) rule
     where $1::uuid is not null and $2::uuid is not null and $3::timestamptz is not null`,
    values as unknown[],
  );
  for (;;) {
    const { rows } = await client.query<BrokenRow>(`fetch ${pageSize} from broken`);
    if (rows.length > 0) yield rows;
    if (rows.length < pageSize) break;
  }
  await client.query('close broken');
}
