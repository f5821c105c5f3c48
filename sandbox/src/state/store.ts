// The sandbox's storage: one SQLite file, one prepared statement per text, one transaction per request.
// Write-ahead log with synchronous=NORMAL: a killed process loses nothing that it committed.
import { DatabaseSync, type StatementSync } from 'node:sqlite';

export type Cell = string | number | null;
export type Row = Record<string, Cell>;

export type Store = {
  one: (sql: string, ...values: Cell[]) => Row | undefined;
  all: (sql: string, ...values: Cell[]) => Row[];
  run: (sql: string, ...values: Cell[]) => void;
  /**
   * Commits what `work` wrote, or rolls back when it throws. Inside another transaction it joins that one.
   */
  transaction: <T>(work: () => T) => T;
  /** Runs `work` once the surrounding transaction is committed. It is dropped when that one rolls back. */
  afterCommit: (work: () => void) => void;
  isClosed: () => boolean;
  close: () => void;
};

const schema = `
create table if not exists facts (name text primary key, value text not null) without rowid;
create table if not exists accounts (
  id text primary key, name text not null unique,
  secret_key text not null unique, publishable_key text not null unique
);
create table if not exists restricted_keys (
  key text primary key, account text not null, rights text not null
) without rowid;
create table if not exists resources (
  seq integer primary key, id text not null unique, kind text not null, account text not null,
  created integer not null, customer text, intent text, charge text,
  body text not null, notes text not null
);
create index if not exists resources_listed on resources (account, kind, seq);
create index if not exists resources_by_intent on resources (intent) where intent is not null;
create index if not exists resources_by_charge on resources (charge) where charge is not null;
create index if not exists resources_by_customer on resources (customer) where customer is not null;
create table if not exists requests (
  seq integer primary key, id text not null unique, at integer not null, account text,
  method text not null, path text not null, intent text, idempotency_key text,
  status integer, fault text, is_replay integer not null, answered integer not null
);
create index if not exists requests_by_intent on requests (intent) where intent is not null;
create table if not exists movements (
  seq integer primary key, at integer not null, account text not null, kind text not null,
  object text not null, intent text, charge text, amount integer not null,
  currency text not null, idempotency_key text, metadata text not null,
  origin text not null, request text
);
create index if not exists movements_by_intent on movements (intent) where intent is not null;
create table if not exists remembered (
  account text not null, key text not null, fingerprint text not null, status integer not null,
  body text not null, at integer not null, request text not null, primary key (account, key)
) without rowid;
create table if not exists schedule (
  seq integer primary key, due_at integer not null, task text not null,
  account text not null, object text not null
);
create index if not exists schedule_due on schedule (due_at);
create table if not exists deliveries (
  seq integer primary key, event text not null, endpoint text not null, attempt integer not null,
  due_at integer not null, state text not null
);
create index if not exists deliveries_due on deliveries (state, due_at);
create index if not exists deliveries_by_event on deliveries (event);
`;

/** Opens or makes the file; `:memory:` stores nothing on disk. Throws when it cannot be written. */
export const openStore = (file: string): Store => {
  const db = new DatabaseSync(file);
  db.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma busy_timeout = 2000;');
  // A checkpoint syncs to disk and delays every call: it runs once per 32 MB instead of once per 4 MB.
  db.exec('pragma wal_autocheckpoint = 8000; pragma cache_size = -32000;');
  db.exec(schema);
  const statements = new Map<string, StatementSync>();
  const prepareOnce = (sql: string): StatementSync => {
    const known = statements.get(sql);
    if (known) return known;
    const made = db.prepare(sql);
    statements.set(sql, made);
    return made;
  };
  let isOpen = false;
  let isClosed = false;
  let waiting: (() => void)[] = [];

  const transaction = <T>(work: () => T): T => {
    if (isOpen) return work();
    prepareOnce('begin immediate').run();
    isOpen = true;
    let answer: T;
    try {
      answer = work();
      prepareOnce('commit').run();
    } catch (error) {
      waiting = [];
      db.exec('rollback');
      throw error;
    } finally {
      isOpen = false;
    }
    const due = waiting;
    waiting = [];
    for (const next of due) next();
    return answer;
  };

  return {
    one: (sql, ...values) => prepareOnce(sql).get(...values) as Row | undefined,
    all: (sql, ...values) => prepareOnce(sql).all(...values) as Row[],
    run: (sql, ...values) => {
      prepareOnce(sql).run(...values);
    },
    transaction,
    afterCommit: (work) => {
      if (isOpen) waiting.push(work);
      else work();
    },
    isClosed: () => isClosed,
    close: () => {
      if (isClosed) return;
      isClosed = true;
      statements.clear();
      db.close();
    },
  };
};

/** Returns a small value that is kept across restarts (the clock's shift, the next free id). */
export const findFact = (store: Store, name: string): string | undefined => {
  const row = store.one('select value from facts where name = ?', name);
  return row ? String(row.value) : undefined;
};

export const saveFact = (store: Store, name: string, value: string): void => {
  store.run('insert or replace into facts (name, value) values (?, ?)', name, value);
};
