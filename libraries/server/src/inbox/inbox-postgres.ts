// PostgreSQL through the merchant's own driver: `pg`, or postgres.js. The types are structural, so that
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
import { chooseHandlerError, type HandlerError } from './inbox-error.ts';

/** The parts of a `pg` connection that the inbox uses. */
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

/** An inbox database over a pool of `pg`. Handlers receive the connection inside the transaction. */
export function postgres<P extends PgPool>(pool: P): InboxDatabase<ClientOf<P>> {
  return {
    schema: postgresSchema,
    transact: (steps) =>
      repeatOnConflict(async () => {
        const client = await pool.connect();
        let isBroken = false;
        // A `pg` pool listens for errors of idle connections only. Without a listener, a connection that
        // breaks while a handler waits for something else ends the process; with one, the next statement
        // fails.
        const ignore = () => undefined;
        client.on?.('error', ignore);
        try {
          await client.query('begin');
          const query = async ({ text, values }: Statement) =>
            (await client.query(numbered(text), [...values])).rows;
          const result = await walkSteps(steps(client as ClientOf<P>), query);
          await client.query('commit');
          return result;
        } catch (error) {
          await client.query('rollback').catch(() => {
            isBroken = true;
          });
          throw error;
        } finally {
          client.off?.('error', ignore);
          // When even the rollback failed, closing the connection ends its transaction.
          client.release(isBroken);
        }
      }),
  };
}

/** The parts of postgres.js that the inbox uses. */
export type PostgresJsTx = { unsafe(text: string, values?: never[]): PromiseLike<unknown> };
export type PostgresJs = {
  begin(work: (tx: PostgresJsTx) => Promise<unknown>): Promise<unknown>;
};
type TxOf<S> = S extends {
  begin: { (work: (tx: infer T) => infer _): unknown; (...rest: never): unknown };
}
  ? T
  : PostgresJsTx;

/** An inbox database over `postgres(url)` of postgres.js. Handlers receive the `sql` of the transaction. */
export function postgresJs<S extends PostgresJs>(sql: S): InboxDatabase<TxOf<S>> {
  return {
    schema: postgresSchema,
    transact: <T>(steps: (tx: TxOf<S>) => Steps<T>) =>
      repeatOnConflict(async () => {
        const state = { isOver: false };
        try {
          return (await sql.begin((tx: PostgresJsTx) => {
            const held = guardTransaction(tx, state);
            const query = async ({ text, values }: Statement) =>
              (await held.unsafe(numbered(text), [...values] as never[])) as Row[];
            return settleUnlessOver(state, walkSteps(steps(held as TxOf<S>), query, waitOneTurn));
          })) as T;
        } finally {
          state.isOver = true;
        }
      }),
  };
}

/**
 * Rejects statements of a transaction whose connection was lost. `begin` then ends at once while the
 * handler still runs, and postgres.js would send the handler's next statements over the new connection:
 * outside of the transaction, or inside that of another event. Without a new connection, the write to a
 * missing socket would end the process.
 */
const guardTransaction = <T extends object>(tx: T, state: { readonly isOver: boolean }): T => {
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

/**
 * Reports no error for a transaction that is already over: postgres.js would send a rollback without a
 * transaction.
 */
const settleUnlessOver = <T>(state: { readonly isOver: boolean }, work: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    work.then(resolve, async (error) => {
      await waitOneTurn();
      if (!state.isOver) reject(error);
    });
  });

/** Waits one turn: a statement fails before postgres.js reports that its connection was lost. */
const waitOneTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function walkSteps<T>(
  steps: Steps<T>,
  query: (statement: Statement) => Promise<readonly Row[]>,
  /** Runs after a handler has failed, before the failure is handled. */
  afterFailure?: () => Promise<void>,
): Promise<T> {
  let step = steps.next();
  while (!step.done) {
    let rows: readonly Row[] = [];
    if ('call' in step.value) {
      await query(mark.set);
      let thrown: HandlerError;
      try {
        await step.value.call();
      } catch (error) {
        thrown = { error };
        await afterFailure?.();
      }
      await query(mark.release).catch((error) => {
        throw chooseHandlerError(error, thrown);
      });
      if (thrown) throw thrown.error;
    } else rows = await query(step.value);
    step = steps.next(rows);
  }
  return step.value;
}

/**
 * Repeats work after a deadlock or a serialization failure: PostgreSQL rolled it back, and a repeat may
 * succeed.
 */
async function repeatOnConflict<T>(work: () => Promise<T>): Promise<T> {
  for (let n = 1; ; n++) {
    try {
      return await work();
    } catch (error) {
      const { code } = Object(error) as { code?: unknown };
      if (n === 3 || (code !== '40P01' && code !== '40001')) throw error;
    }
  }
}
