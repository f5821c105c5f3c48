// What an inbox needs of a database, and what it keeps there. Statements are written once, with `?`
// for values, and run by a driver that waits (PostgreSQL) or by one that does not (SQLite): hence
// generators, which leave the waiting to whoever runs them.

export type Row = Readonly<Record<string, unknown>>;
export type Value = string | number | null;

export type Statement = { readonly text: string; readonly values: readonly Value[] };
/** The merchant's own part of a transaction. */
export type Call = { readonly call: () => unknown };
export type Steps<T> = Generator<Statement | Call, T, readonly Row[]>;

/** A database of the merchant's, made by `postgres`, `postgresJs` or `sqlite`. */
export type InboxDatabase<Tx> = {
  /** Statements that make the tables; repeatable. */
  readonly schema: readonly string[];
  /** Runs the steps in one transaction. What a step throws leaves nothing behind. */
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
  // Null: at the beginning.
  `create table if not exists svc_inbox_starts (
  inbox text primary key,
  begins_at ${instant}
)`,
];

// Two processes that start at once would both make the tables, which PostgreSQL refuses one of them.
const alone = "select pg_advisory_xact_lock(hashtext('svc_inbox'))";

export const postgresSchema: readonly string[] = [alone, ...tables('timestamptz', 'now()')];
export const sqliteSchema: readonly string[] = tables(
  'text',
  "(strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))",
);

/** The tables' own SQL, for merchants whose migrations make all tables. */
export const inboxSchema = (kind: 'postgres' | 'sqlite'): string =>
  `${(kind === 'postgres' ? postgresSchema : sqliteSchema).join(';\n')};\n`;

export const statement = (text: string, ...values: readonly Value[]): Statement => ({
  text,
  values,
});

/** Set before the handler and gone with its transaction, so that a handler cannot end it unseen. */
export const mark = {
  set: statement('savepoint svc_inbox'),
  release: statement('release savepoint svc_inbox'),
};

/** `?` to `$1`, `$2`, …: PostgreSQL's way of writing values. */
export function numbered(text: string): string {
  let n = 0;
  return text.replace(/\?/g, () => `$${++n}`);
}
