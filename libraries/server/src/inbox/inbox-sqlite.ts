// SQLite through node:sqlite or better-sqlite3: both have `exec` and `prepare`. The whole process shares
// one connection, so a transaction must not wait for anything: a statement of another request would become
// part of it.

import {
  type InboxDatabase,
  mark,
  type Row,
  type Statement,
  type Steps,
  sqliteSchema,
} from './inbox-database.ts';
import { chooseHandlerError, type HandlerError, SvcInboxError } from './inbox-error.ts';

/** The parts of a node:sqlite or better-sqlite3 database that the inbox uses. */
export type SqliteDatabase = {
  exec(text: string): unknown;
  prepare(text: string): { all(...values: never[]): unknown[] };
};

/** How long the inbox waits while another process has the database locked. */
const patienceMs = 5000;

/** An inbox database over node:sqlite or better-sqlite3. Handlers receive it, and must not be async. */
export function sqlite<D extends SqliteDatabase>(database: D): InboxDatabase<D> {
  const runSteps = <T>(steps: (tx: D) => Steps<T>): T => {
    // Immediate: SQLite refuses a transaction that reads first and writes after another one has written.
    database.exec('begin immediate');
    try {
      const result = walkSteps(steps(database), database);
      database.exec('commit');
      return result;
    } catch (error) {
      try {
        database.exec('rollback');
      } catch {
        // SQLite has rolled back by itself, as it does when the disk is full.
      }
      throw error;
    }
  };
  return {
    schema: sqliteSchema,
    async transact(steps) {
      const until = Date.now() + patienceMs;
      for (let pauseMs = 5; ; pauseMs = Math.min(100, pauseMs * 2)) {
        try {
          return runSteps(steps);
        } catch (error) {
          if (!isBusy(error) || Date.now() > until) throw error;
          await new Promise((resolve) => setTimeout(resolve, pauseMs));
        }
      }
    },
  };
}

function walkSteps<T>(steps: Steps<T>, database: SqliteDatabase): T {
  let step = steps.next();
  while (!step.done) {
    let rows: readonly Row[] = [];
    if ('call' in step.value) {
      queried(database, mark.set);
      let thrown: HandlerError;
      try {
        refusePromise(step.value.call());
      } catch (error) {
        thrown = { error };
      }
      try {
        queried(database, mark.release);
      } catch (error) {
        throw chooseHandlerError(error, thrown);
      }
      if (thrown) throw thrown.error;
    } else rows = queried(database, step.value);
    step = steps.next(rows);
  }
  return step.value;
}

const queried = (database: SqliteDatabase, { text, values }: Statement): readonly Row[] => {
  // better-sqlite3 returns rows only for statements that return some.
  if (!/^select|\breturning\b/i.test(text)) {
    (database.prepare(text) as unknown as Runs).run(...values);
    return [];
  }
  return database.prepare(text).all(...(values as readonly never[])) as Row[];
};

type Runs = { run(...values: unknown[]): unknown };

function refusePromise(result: unknown): void {
  if (typeof (result as { then?: unknown } | undefined)?.then !== 'function') return;
  // The rest of an async handler runs outside the transaction: its rejection is ignored, because the error
  // below reports the mistake.
  (result as Promise<unknown>).then(undefined, () => undefined);
  throw new SvcInboxError(
    'HandlerIsAsync',
    'A handler over SQLite returned a promise. Its transaction ends when the handler returns, so use the synchronous calls of the database and await nothing.',
  );
}

const isBusy = (error: unknown): boolean => {
  const { code, errcode } = Object(error) as { code?: unknown; errcode?: unknown };
  if (typeof errcode === 'number') return (errcode & 0xff) === 5;
  return typeof code === 'string' && code.startsWith('SQLITE_BUSY');
};
