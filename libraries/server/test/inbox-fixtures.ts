// A merchant's own database, of each kind that an inbox works with: a table of effects, in which a
// handler counts its calls.

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { cloneDatabase } from '@svc/tools/test-database/index';
import pg from 'pg';
import connect from 'postgres';
import { type InboxDatabase, postgres, postgresJs, sqlite } from '../src/inbox/inbox.ts';

export type Effect = { event: string; resource: string; note: string };

/** `tx` is the driver's transaction; the fixture knows how to write through it. */
export type Fixture = {
  /** Each call opens connections of its own, as a process has. */
  open(): InboxDatabase<unknown>;
  write(tx: unknown, effect: Effect): unknown;
  effects(): Promise<Effect[]>;
  query(text: string): Promise<Record<string, unknown>[]>;
  isSync: boolean;
  close(): Promise<void>;
};

const table = 'create table effects (event text, resource text, note text)';
const insert = (mark: (n: number) => string) =>
  `insert into effects (event, resource, note) values (${[1, 2, 3].map(mark).join(', ')})`;

async function emptyDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const clone = await cloneDatabase('template0');
  return { url: clone.url('postgres'), drop: clone.drop };
}

async function pgFixture(): Promise<Fixture> {
  const { url, drop } = await emptyDatabase();
  const pools: pg.Pool[] = [];
  const openPool = () => {
    const made = new pg.Pool({ connectionString: url, max: 3 });
    made.on('error', () => undefined);
    pools.push(made);
    return made;
  };
  const own = openPool();
  await own.query(table);
  return {
    isSync: false,
    open: () => postgres(openPool()) as InboxDatabase<unknown>,
    write: (tx, { event, resource, note }) =>
      (tx as pg.PoolClient).query(
        insert((n) => `$${n}`),
        [event, resource, note],
      ),
    effects: async () => (await own.query<Effect>('select * from effects')).rows,
    query: async (text) => (await own.query(text)).rows,
    async close() {
      await Promise.all(pools.map((one) => one.end()));
      await drop();
    },
  };
}

async function postgresJsFixture(): Promise<Fixture> {
  const { url, drop } = await emptyDatabase();
  const opened: ReturnType<typeof connect>[] = [];
  const openClient = () => {
    // postgres.js does not accept the address of a socket in the form that `pg` accepts.
    const { host, port, user, password, database = '' } = new pg.Client(url);
    const path = `${host}/.s.PGSQL.${port}`;
    const login = { path, user: user ?? '', password: password ?? '', database };
    const made = connect({ ...login, max: 3, onnotice: () => undefined });
    opened.push(made);
    return made;
  };
  const own = openClient();
  await own.unsafe(table);
  return {
    isSync: false,
    open: () => postgresJs(openClient()) as InboxDatabase<unknown>,
    write: (tx, { event, resource, note }) => {
      const sql = tx as ReturnType<typeof connect>;
      return sql`insert into effects values (${event}, ${resource}, ${note})`;
    },
    effects: async () => [...(await own<Effect[]>`select * from effects`)],
    query: async (text) => [...(await own.unsafe(text))],
    async close() {
      // Without a bound, postgres.js waits for ever for a connection that broke in a transaction.
      await Promise.all(opened.map((one) => one.end({ timeout: 1 })));
      await drop();
    },
  };
}

/**
 * The calls of better-sqlite3 that an inbox uses, as strict as that driver: a statement that
 * returns rows is run by `all` and any other one by `run`, or it throws.
 */
class StrictDatabase {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  exec(text: string): this {
    this.#database.exec(text);
    return this;
  }

  prepare(text: string) {
    const made = this.#database.prepare(text);
    const assertGives = (rows: boolean, fix: string) => {
      if (made.columns().length > 0 === rows) return;
      throw new TypeError(`This statement ${rows ? 'does not return' : 'returns'} data. ${fix}`);
    };
    return {
      all(...values: SQLInputValue[]) {
        assertGives(true, 'Use run() instead');
        return made.all(...values);
      },
      run(...values: SQLInputValue[]) {
        assertGives(false, 'Use get(), all(), or iterate() instead');
        return made.run(...values);
      },
    };
  }
}

async function sqliteFixture(isStrict = false): Promise<Fixture> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-inbox-'));
  const opened: DatabaseSync[] = [];
  const openFile = () => {
    const made = new DatabaseSync(join(folder, `shop.db`));
    made.exec('pragma synchronous = off');
    opened.push(made);
    return made;
  };
  const own = openFile();
  own.exec(table);
  const readAll = (text: string) => own.prepare(text).all() as Record<string, unknown>[];
  return {
    isSync: true,
    open: () => {
      const database = isStrict ? sqlite(new StrictDatabase(openFile())) : sqlite(openFile());
      return database as unknown as InboxDatabase<unknown>;
    },
    write: (tx, { event, resource, note }) =>
      void (tx as DatabaseSync | StrictDatabase)
        .prepare(insert(() => '?'))
        .run(event, resource, note),
    effects: async () => readAll('select * from effects').map((row) => ({ ...row }) as Effect),
    query: async (text) => readAll(text).map((row) => ({ ...row })),
    async close() {
      for (const one of opened) one.close();
      rmSync(folder, { recursive: true });
    },
  };
}

export const fixtures: readonly [string, () => Promise<Fixture>][] = [
  ['pg', pgFixture],
  ['postgres.js', postgresJsFixture],
  ['node:sqlite', () => sqliteFixture()],
  ['calls like those of better-sqlite3', () => sqliteFixture(true)],
];

export const aResource = (): string => randomUUID();
