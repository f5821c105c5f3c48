// PostgreSQL through the merchant's own driver: `pg`, or postgres.js. Types by structure, so that
// this package depends on neither.

import {
  type InboxDatabase,
  mark,
  numbered,
  postgresSchema,
  type Row,
  type Statement,
  type Steps,
} from './inbox-database.ts';
import { endedByHandler, type Thrown } from './inbox-error.ts';

/** What is used of a connection of `pg`. */
export type PgClient = {
  query(text: string, values?: unknown[]): Promise<{ rows: Row[] }>;
  on?(name: 'error', listener: () => void): unknown;
  off?(name: 'error', listener: () => void): unknown;
  release(error?: boolean): void;
};
export type PgPool = { connect(): Promise<PgClient> };

// Both overloads of `connect` are named: of an overloaded function only the last one is inferred.
type ClientOf<P> = P extends { connect: { (): Promise<infer C>; (callback: never): unknown } }
  ? C
  : P extends { connect(): Promise<infer C> }
    ? C
    : never;

/** Over a pool of `pg`. Handlers get the connection, within the transaction. */
export function postgres<P extends PgPool>(pool: P): InboxDatabase<ClientOf<P>> {
  return {
    schema: postgresSchema,
    transact: (steps) =>
      repeated(async () => {
        const client = await pool.connect();
        let isBroken = false;
        // The pool listens to idle ones alone. Unheard, a connection that breaks while a handler waits
        // for something else ends the process; heard, the next statement fails.
        const ignore = () => undefined;
        client.on?.('error', ignore);
        try {
          await client.query('begin');
          const query = async ({ text, values }: Statement) =>
            (await client.query(numbered(text), [...values])).rows;
          const result = await walk(steps(client as ClientOf<P>), query);
          await client.query('commit');
          return result;
        } catch (error) {
          await client.query('rollback').catch(() => {
            isBroken = true;
          });
          throw error;
        } finally {
          client.off?.('error', ignore);
          // A connection that could not even roll back takes its transaction with it.
          client.release(isBroken);
        }
      }),
  };
}

/** What is used of postgres.js. */
export type PostgresJsTx = { unsafe(text: string, values?: never[]): PromiseLike<unknown> };
export type PostgresJs = {
  begin(work: (tx: PostgresJsTx) => Promise<unknown>): Promise<unknown>;
};
type TxOf<S> = S extends {
  begin: { (work: (tx: infer T) => infer _): unknown; (...rest: never): unknown };
}
  ? T
  : PostgresJsTx;

/** Over `postgres(url)` of postgres.js. Handlers get the `sql` of the transaction. */
export function postgresJs<S extends PostgresJs>(sql: S): InboxDatabase<TxOf<S>> {
  return {
    schema: postgresSchema,
    transact: <T>(steps: (tx: TxOf<S>) => Steps<T>) =>
      repeated(async () => {
        const state = { isOver: false };
        try {
          return (await sql.begin((tx: PostgresJsTx) => {
            const held = whileItLasts(tx, state);
            const query = async ({ text, values }: Statement) =>
              (await held.unsafe(numbered(text), [...values] as never[])) as Row[];
            return endIn(state, walk(steps(held as TxOf<S>), query, nextTurn));
          })) as T;
        } finally {
          state.isOver = true;
        }
      }),
  };
}

/**
 * A connection that breaks ends `begin` at once, while the handler runs on. What it then asks for,
 * postgres.js would send over the same connection made anew: outside of the transaction, or within that
 * of another event. Where none is made yet, the write to no socket would end the process.
 */
const whileItLasts = <T extends object>(tx: T, state: { readonly isOver: boolean }): T => {
  const assertLasts = () => {
    if (state.isOver) throw new Error('The transaction is over: its connection was lost.');
  };
  return new Proxy(tx, {
    apply(target, self, values) {
      assertLasts();
      return Reflect.apply(target as never, self, values);
    },
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...values: unknown[]) => {
        assertLasts();
        return Reflect.apply(value, target, values);
      };
    },
  });
};

/** Of a transaction that is over nothing more is told: postgres.js would roll back what is not there. */
const endIn = <T>(state: { readonly isOver: boolean }, work: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    work.then(resolve, async (error) => {
      await nextTurn();
      if (!state.isOver) reject(error);
    });
  });

/** A statement fails before postgres.js tells that its connection was lost. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function walk<T>(
  steps: Steps<T>,
  query: (statement: Statement) => Promise<readonly Row[]>,
  /** What is waited for after a handler has failed. */
  afterFailure?: () => Promise<void>,
): Promise<T> {
  let step = steps.next();
  while (!step.done) {
    let rows: readonly Row[] = [];
    if ('call' in step.value) {
      await query(mark.set);
      let thrown: Thrown;
      try {
        await step.value.call();
      } catch (error) {
        thrown = { error };
        await afterFailure?.();
      }
      await query(mark.release).catch((error) => {
        throw endedByHandler(error, thrown);
      });
      if (thrown) throw thrown.error;
    } else rows = await query(step.value);
    step = steps.next(rows);
  }
  return step.value;
}

/** A deadlock or a serialization failure has left nothing: the same again may pass. */
async function repeated<T>(work: () => Promise<T>): Promise<T> {
  for (let n = 1; ; n++) {
    try {
      return await work();
    } catch (error) {
      const { code } = Object(error) as { code?: unknown };
      if (n === 3 || (code !== '40P01' && code !== '40001')) throw error;
    }
  }
}
