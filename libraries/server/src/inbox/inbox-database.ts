// What an inbox needs from a database and stores there. Each statement is written once, with `?` for
// values. A PostgreSQL driver runs them asynchronously and a SQLite driver synchronously: generators leave
// the waiting to the driver.

export type Row = Readonly<Record<string, unknown>>;
export type Value = string | number | null;

export type Statement = { readonly text: string; readonly values: readonly Value[] };
/** The merchant's handler, as a step of a transaction. */
export type HandlerCall = { readonly call: () => unknown };
export type Steps<T> = Generator<Statement | HandlerCall, T, readonly Row[]>;

/** The merchant's database, made by `postgres`, `postgresJs` or `sqlite`. */
export type InboxDatabase<Tx> = {
  /** Statements that create the tables; repeatable. */
  readonly schema: readonly string[];
  /** Runs the steps in one transaction. When a step throws, the transaction is rolled back. */
  transact<T>(steps: (tx: Tx) => Steps<T>): Promise<T>;
};

const tables = (instant: string, now: string): readonly string[] => [
  `create table if not exists svc_inbox_resources (
  inbox text not null,
  resource text not null,
  sequence bigint not null,
  failed_sequence bigint,
  failed_event text,
  failed_type text,
  failures integer not null default 0,
  error text,
  failed_at ${instant},
  reach bigint,
  primary key (inbox, resource)
)`,
  `create table if not exists svc_inbox_events (
  inbox text not null,
  event_id text not null,
  resource text not null,
  sequence bigint not null,
  type text not null,
  outcome text not null,
  applied_at ${instant} not null default ${now},
  primary key (inbox, event_id),
  unique (inbox, resource, sequence)
)`,
  `create table if not exists svc_inbox_cursors (
  inbox text primary key,
  event_id text not null
)`,
  // Null: the inbox begins with the first event.
  `create table if not exists svc_inbox_starts (
  inbox text primary key,
  begins_at ${instant}
)`,
];

// Two processes that start at once would both create the tables, and PostgreSQL fails one of them.
const alone = "select pg_advisory_xact_lock(hashtext('svc_inbox'))";

export const postgresSchema: readonly string[] = [alone, ...tables('timestamptz', 'now()')];
export const sqliteSchema: readonly string[] = tables(
  'text',
  "(strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))",
);

/** The SQL that creates the tables, for merchants whose migrations create all tables. */
export const inboxSchema = (kind: 'postgres' | 'sqlite'): string =>
  `${(kind === 'postgres' ? postgresSchema : sqliteSchema).join(';\n')};\n`;

export const statement = (text: string, ...values: readonly Value[]): Statement => ({
  text,
  values,
});

/**
 * A savepoint set before the handler. It is gone when the handler has ended the transaction, which is
 * detected that way.
 */
export const mark = {
  set: statement('savepoint svc_inbox'),
  release: statement('release savepoint svc_inbox'),
};

/** Replaces `?` by `$1`, `$2`, …, the placeholders of PostgreSQL. */
export function numbered(text: string): string {
  let n = 0;
  return text.replace(/\?/g, () => `$${++n}`);
}
