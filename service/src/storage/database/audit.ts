// One moment of the database, read for as long as it takes: an audit's snapshot. Apart from the
// service's own connections, whose statements are cut off after seconds.

import pg from 'pg';
import { withOptions } from './session-settings.ts';

/** Ids from `after`, exclusive, to `until`, inclusive. */
export type Span = { readonly after: string; readonly until: string };

/** A row that breaks a rule. */
export type Broken = { readonly subject: string; readonly found: string };

export type Snapshot = {
  readonly now: Date;
  /** How many payments there are. */
  readonly payments: number;
  /** The end of the next span of `size` payments; null past the last payment. */
  nextSpanEnd(after: string, size: number): Promise<{ until: string; payments: number } | null>;
  /** The rows that `statement` returns (columns `subject`, `found`), in pages of at most 1000. */
  rows(statement: string, span: Span): AsyncGenerator<Broken[]>;
  close(): Promise<void>;
};

const pageSize = 1000;
// Names no client, whatever the role's own settings or the address say: row-level security then hides no row.
const settings = '-c statement_timeout=0 -c lock_timeout=10000 -c svc.client=';

/**
 * Opens a read-only snapshot. When `signal` is aborted the statement in progress is cancelled at
 * the server, and fails.
 */
export async function openSnapshot(url: string, signal?: AbortSignal): Promise<Snapshot> {
  const config = { ...withOptions(url, settings), application_name: 'svc audit' };
  const client = new pg.Client({ ...config, connectionTimeoutMillis: 5000 });
  client.on('error', () => undefined);
  await client.connect();
  let cancel = (): void => undefined;
  const close = async () => {
    signal?.removeEventListener('abort', cancel);
    await client.end().catch(() => undefined);
  };
  const start = async () => {
    const mine = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    cancel = () => void cancelStatement(config, mine.rows[0]?.pid ?? 0);
    // Before the first long statement: the count.
    signal?.addEventListener('abort', cancel, { once: true });
    signal?.throwIfAborted();
    await client.query('begin isolation level repeatable read read only');
    const { rows } = await client.query<{ now: Date; payments: string }>(
      'select svc_clock() as now, (select count(*) from payments) as payments',
    );
    const [first] = rows;
    if (!first) throw new Error('the database answered nothing');
    return first;
  };
  const { now, payments } = await start().catch(async (error) => {
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
  const client = new pg.Client({ ...config, connectionTimeoutMillis: 2000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select pg_cancel_backend($1)', [pid]);
  } catch {
    // The connection's end stops it as well, at the next row.
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

/** `:after`, `:until` and `:now` of the statement are bound; one it does not use still has a type. */
async function* pages(
  client: pg.Client,
  statement: string,
  values: readonly unknown[],
): AsyncGenerator<Broken[]> {
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
    const { rows } = await client.query<Broken>(`fetch ${pageSize} from broken`);
    if (rows.length > 0) yield rows;
    if (rows.length < pageSize) break;
  }
  await client.query('close broken');
}
