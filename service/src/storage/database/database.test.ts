// Connections under trouble: killed backends, lost commits, an empty pool; and the guard that no
// call leaves the process inside a transaction. Reliability §2.1: F2, F16, F19, F21; R3, R6.

import { scaled } from '@svc/tools/machine';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase, newId, type TestDatabase } from '../../../test/harness.ts';
import { type LossyWay, openLossyWay } from '../../../test/network/lossy-way.ts';
import {
  aCardToken,
  aHold,
  aSession,
  cards,
  moveHold,
  payWith,
  startWorld,
  type World,
} from '../../../test/world.ts';
import { findPayment } from '../payments/payments.ts';
import {
  type Database,
  DatabaseUnavailable,
  databaseLimits,
  everyClient,
  isConnectionError,
  openDatabase,
  outsideTransaction,
  type Tx,
} from './database.ts';
import { sql } from './sql.ts';

const pid = sql<{ pid: number }>('test_pid', 'select pg_backend_pid() as pid');
const kill = sql('test_kill', 'select pg_terminate_backend($1)');
const alive = sql('test_alive', 'select 1 from pg_stat_activity where pid = $1');
const killOthers = sql(
  'test_kill_others',
  `select pg_terminate_backend(pid) from pg_stat_activity
   where datname = current_database() and application_name = 'svc' and pid <> pg_backend_pid()`,
);
const one = sql<{ one: number }>('test_one', 'select 1 as one');
const broken = sql('test_broken', 'select 1 / $1::int');
const countUsers = sql<{ n: number }>('test_count', 'select count(*)::int as n from users');
const addUser = sql(
  'test_add_user',
  'insert into users (id, email, created_at) values ($1, $2, svc_clock())',
);

const settings = sql<{ name: string; value: string }>(
  'test_settings',
  `select name, current_setting(name) as value
   from unnest(array['jit', 'datestyle', 'default_transaction_isolation', 'synchronous_commit',
     'timezone', 'statement_timeout', 'geqo']) as name`,
);
const settingsByKeys = sql<{ name: string; value: string }>(
  'test_settings_by_keys',
  settings.text,
  { isByKeys: true },
);

let db: TestDatabase;
let database: Database;
let other: Database;
beforeAll(async () => {
  db = await freshDatabase({ poolSize: 2 });
  database = db.database;
  other = openDatabase({ url: db.url, poolSize: 1, applicationName: 'killer' });
});
afterAll(async () => {
  await other?.close();
  await db?.close();
});

const users = async () => (await database.read(countUsers, []))[0]?.n;
const pidOf = async (tx: Tx) => (await tx.query(pid, []))[0]?.pid;

describe('the guard at the ways out', () => {
  const leave = outsideTransaction('provider.capture', async () => 'gone');

  it('no call leaves inside a transaction, also not after awaits and statements', async () => {
    await database.transaction(everyClient, async (tx) => {
      expect(() => leave()).toThrow(/provider\.capture inside a transaction/);
      await tx.query(one, []);
      await new Promise((resolve) => setImmediate(resolve));
      await Promise.all([1, 2].map(async () => expect(() => leave()).toThrow(/inside/)));
    });
  });

  it('what a transaction left behind may go out once it is over', async () => {
    let released: Promise<string> | undefined;
    let over = Promise.withResolvers<void>();
    await database.transaction(everyClient, async () => {
      released = over.promise.then(() => leave());
    });
    over.resolve();
    await expect(released).resolves.toBe('gone');
    over = Promise.withResolvers();
    const failed = database.transaction(everyClient, async () => {
      released = over.promise.then(() => leave());
      throw new Error('rolled back');
    });
    await expect(failed).rejects.toThrow('rolled back');
    over.resolve();
    await expect(released).resolves.toBe('gone');
  });

  it('what server and role are set to otherwise changes nothing of ours', async () => {
    const own = await freshDatabase();
    const theirs = {
      jit: 'on',
      datestyle: 'German',
      default_transaction_isolation: 'serializable',
      synchronous_commit: 'off',
      timezone: 'Asia/Tokyo',
    };
    for (const [name, value] of Object.entries(theirs)) {
      const change = `do $$ begin execute format('alter role %I in database %I set ${name} = %L',
        current_user, current_database(), '${value}'); end $$`;
      await own.database.write(sql(`test_set_${name}`, change), []);
    }
    const mark = own.url.includes('?') ? '&' : '?';
    const given = 'statement_timeout=1&options=-c%20jit%3Don%20-c%20geqo%3Doff';
    const opened = openDatabase({ url: own.url + mark + given });
    try {
      const asked = [
        opened.read(settings, []),
        opened.read(settingsByKeys, []),
        opened.write(settings, []),
        opened.transaction(everyClient, (tx) => tx.query(settings, [])),
      ];
      for (const rows of await Promise.all(asked)) {
        expect(Object.fromEntries(rows.map(({ name, value }) => [name, value]))).toEqual({
          jit: 'off',
          datestyle: 'ISO, MDY',
          default_transaction_isolation: 'read committed',
          synchronous_commit: 'on',
          timezone: 'UTC',
          statement_timeout: '5s',
          // An option of the address that is not one of ours.
          geqo: 'off',
        });
      }
    } finally {
      await opened.close();
      await own.close();
    }
  });

  it('a neighbour of an open transaction is not blamed', async () => {
    const begun = Promise.withResolvers<void>();
    const over = Promise.withResolvers<void>();
    const inside = database.transaction(everyClient, async (tx) => {
      await tx.query(one, []);
      begun.resolve();
      await over.promise;
    });
    await begun.promise;
    await expect(leave()).resolves.toBe('gone');
    over.resolve();
    await inside;
  });

  it('no transaction inside a transaction', async () => {
    const nested = database.transaction(everyClient, () =>
      database.transaction(everyClient, async () => 1),
    );
    await expect(nested).rejects.toThrow(/no transaction inside a transaction/);
    await expect(database.transaction(everyClient, async () => 2)).resolves.toBe(2);
  });
});

describe('transaction', () => {
  it('commits all or nothing, and gives the connection back', async () => {
    const before = (await users()) ?? 0;
    for (let i = 0; i < 5; i++) {
      const failed = database.transaction(everyClient, async (tx) => {
        await tx.query(addUser, [newId(), newId()]);
        await tx.query(broken, [0]);
      });
      await expect(failed).rejects.toMatchObject({ code: '22012' });
    }
    expect(await users()).toBe(before);
    await database.transaction(everyClient, (tx) => tx.query(addUser, [newId(), newId()]));
    expect(await users()).toBe(before + 1);
  });

  it('a backend killed between two statements: rejected, nothing written, the process lives', async () => {
    const before = await users();
    for (let i = 0; i < 4; i++) {
      const failed = database.transaction(everyClient, async (tx) => {
        await tx.query(addUser, [newId(), newId()]);
        const killed = await pidOf(tx);
        await other.write(kill, [killed]);
        await expect.poll(() => other.read(alive, [killed])).toEqual([]);
        await tx.query(one, []);
      });
      const error = await failed.catch((thrown: unknown) => thrown);
      expect(isConnectionError(error)).toBe(true);
    }
    expect(await users()).toBe(before);
  });

  it('a backend killed under a statement: rejected, and the next one has a new connection', async () => {
    const sleep = sql('test_sleep', 'select pg_sleep(5)');
    const dying = { pid: undefined as number | undefined };
    const failed = database.transaction(everyClient, async (tx) => {
      dying.pid = await pidOf(tx);
      await tx.query(sleep, []);
    });
    // The query may fail before its result is awaited.
    failed.catch(() => undefined);
    await expect.poll(() => dying.pid).toBeDefined();
    await other.write(kill, [dying.pid]);
    await expect(failed).rejects.toMatchObject({ code: '57P01' });
    const next = await database.transaction(everyClient, pidOf);
    expect(next).not.toBe(dying.pid);
  });
});

describe('write', () => {
  it('a failed statement keeps its connection, a killed one gives it up', async () => {
    await expect(database.write(broken, [0])).rejects.toMatchObject({ code: '22012' });
    await other.write(killOthers, []);
    await expect.poll(() => database.write(one, []).catch(() => null)).toEqual([{ one: 1 }]);
  });
});

describe('an empty pool', () => {
  it('is DatabaseUnavailable after its time, and over when a connection comes back', async () => {
    const limits = { ...databaseLimits, connectMs: 200 };
    const small = openDatabase({ url: db.url, poolSize: 1, applicationName: 'small', limits });
    let freeLock: () => void = () => undefined;
    const until = new Promise<void>((resolve) => {
      freeLock = resolve;
    });
    const held = Promise.withResolvers<void>();
    const holding = small.transaction(everyClient, async (tx) => {
      await tx.query(one, []);
      held.resolve();
      await until;
    });
    await held.promise;
    const started = performance.now();
    const [tried, written] = await Promise.allSettled([
      small.transaction(everyClient, async () => 'never'),
      small.write(one, []),
    ]);
    const took = performance.now() - started;
    for (const outcome of [tried, written]) {
      expect(outcome?.status).toBe('rejected');
      const { reason } = outcome as PromiseRejectedResult;
      expect(reason).toBeInstanceOf(DatabaseUnavailable);
      expect(isConnectionError(reason), 'nothing was sent').toBe(false);
    }
    expect(took).toBeGreaterThan(190);
    expect(took).toBeLessThan(scaled(1000));
    freeLock();
    await holding;
    await expect(small.transaction(everyClient, async () => 'now')).resolves.toBe('now');
    await small.close();
  });

  it('the limits: a slow statement has longer than the server gives it', async () => {
    const statementTimeout = sql<{ ms: number }>(
      'test_statement_timeout',
      `select setting::int as ms from pg_settings where name = 'statement_timeout'`,
    );
    const [server] = await database.write(statementTimeout, []);
    expect(databaseLimits).toEqual({ answerMs: 7000, connectMs: 2000 });
    expect(server?.ms).toBeLessThan(databaseLimits.answerMs);
  });

  it('no server: DatabaseUnavailable', async () => {
    const nowhere = openDatabase({ url: 'postgres://svc_service@127.0.0.1:1/none' });
    await expect(nowhere.write(one, [])).rejects.toBeInstanceOf(DatabaseUnavailable);
    await nowhere.close();
  });
});

describe('isConnectionError', () => {
  it.each([
    ['57P01', true],
    ['57P03', true],
    ['53300', true],
    ['08006', true],
    ['ECONNRESET', true],
    ['EPIPE', true],
    ['57014', false],
    ['23505', false],
    ['40001', false],
    ['55P03', false],
    ['ERR_ASSERTION', false],
  ])('%s: %s', (code, expected) => {
    expect(isConnectionError(Object.assign(new Error('x'), { code }))).toBe(expected);
  });

  it.each([
    ['Connection terminated unexpectedly', true],
    ['Client has encountered a connection error and is not queryable', true],
    ['x is not a function', false],
  ])('%s: %s', (message, expected) => {
    expect(isConnectionError(new Error(message))).toBe(expected);
  });
});

describe('a commit whose answer is lost', () => {
  let world: World;
  let way: LossyWay;
  let lossy: Database;
  beforeAll(async () => {
    world = await startWorld();
    way = await openLossyWay(world.url);
    lossy = openDatabase({ url: way.url, applicationName: 'lossy' });
  });
  afterAll(async () => {
    await lossy?.close();
    await way?.close();
    await world?.close();
  });
  afterEach(() => way.forget());

  const events = sql<{ type: string }>(
    'test_lossy_events',
    'select type from events where resource_id = $1 order by sequence',
  );
  const typesOf = async (id: string) =>
    (await world.database.read(events, [id])).map((event) => event.type);
  const lossyWorld = () => ({ ...world, ports: { ...world.ports, database: lossy } }) as World;
  const sides = ['before', 'after'] as const;

  it.each(
    ['hold.claim_at_once', 'hold.settle_at_once'].flatMap((name) =>
      sides.map((side) => [name, side] as const),
    ),
  )('capture, %s lost %s it took effect: 200, one capture, one event', async (name, side) => {
    const { paymentId } = await aHold(world);
    way.lose(name, side);
    const answer = await moveHold(lossyWorld(), 'capturePayment', { paymentId, key: newId() });
    expect(way.lost()).toBe(1);
    expect(answer).toMatchObject({ status: 200 });
    await expectCapturedOnce(paymentId, ['payment.authorized', 'item.purchased']);
  });

  it.each([1, 2].flatMap((nth) => sides.map((side) => [nth, side] as const)))(
    'capture again after a refusal, commit %i lost %s it took effect: 200, once, with one new key',
    async (nth, side) => {
      const { paymentId } = await aHold(world);
      const key = newId();
      await world.fault({ path: '/v1/payment_intents/*/capture' }, 'decline');
      await expect(moveHold(world, 'capturePayment', { paymentId, key })).rejects.toMatchObject({
        code: 'gateway_capture_failed',
      });
      way.lose(nth, side);
      const answer = await moveHold(lossyWorld(), 'capturePayment', { paymentId, key });
      expect(way.lost()).toBe(1);
      expect(answer).toMatchObject({ status: 200 });
      await expectCapturedOnce(paymentId, [
        'payment.authorized',
        'payment.capture_failed',
        'item.purchased',
      ]);
    },
  );

  it.each([1, 2].flatMap((nth) => sides.map((side) => [nth, side] as const)))(
    'attempt, commit %i lost %s it took effect: paid, once',
    async (nth, side) => {
      const session = await aSession(world, { captureMethod: 'automatic' });
      const token = await aCardToken(world, session, cards.approved);
      way.lose(nth, side);
      const answer = await payWith(lossyWorld(), session, token);
      expect(way.lost()).toBe(1);
      const { paymentId, type } = (answer as { body: { paymentId: string; type: string } }).body;
      expect(type).toBe('success');
      await expectCapturedOnce(paymentId, ['item.purchased']);
      expect(await payWith(world, session, token)).toEqual(answer);
    },
  );

  async function expectCapturedOnce(paymentId: string, types: string[]): Promise<void> {
    expect(await typesOf(paymentId)).toEqual(types);
    const payment = await findPayment(world.database, world.client.id, paymentId);
    expect(payment?.status).toBe('succeeded');
    const kinds = (await world.ledger(payment?.providerIntentId ?? '')).map((entry) => entry.kind);
    expect(kinds).toEqual(['authorize', 'capture']);
  }
});
