// A run takes a bounded time and reads a bounded number of rows, however large the database is, and
// successive runs cover all of it.

import { scaled } from '@svc/tools/machine';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runOn } from '../../../../test/command-line.ts';
import { freshDatabase, type TestDatabase } from '../../../../test/harness.ts';
import { plantInDatabase } from '../../../../test/payments/planted.ts';
import { aHold, startWorld, type World } from '../../../../test/world.ts';
import { uuidV7 } from '../../../domain/protocol/uuid-v7.ts';
import { type Database, openDatabase } from '../../../storage/database/database.ts';
import { savePlace } from '../../../storage/payments/reconcile-turn.ts';
import { startReconcile } from '../../../workers/reconcile.ts';
import type { Ports } from '../../ports.ts';
import { runBounded } from './run-bounded.ts';
import { type ReconcileSettings, runReconcile } from './run-reconcile.ts';

const many = 20_000;
const newestLimit = 2000;
const othersLimit = 10_000;
const openHolds = 500;
const dayMs = 24 * 3600 * 1000;
const firstAt = Date.parse('2026-01-01T00:00:00Z');
/** One payment every three minutes. */
const gapMs = 180_000;
const idAt = (ms: number) => uuidV7(ms, 0, Buffer.alloc(8));

let world: World;
let test: TestDatabase;
/** Ports for a database, with a tenth of the limits. */
const portsFor = (database: Database): Ports => ({
  ...world.ports,
  database,
  settings: {
    ...world.ports.settings,
    reconcileLimits: { newest: newestLimit, others: othersLimit },
  },
});
beforeAll(async () => {
  world = await startWorld();
  test = await freshDatabase();
  // Settled payments that were never sent agree with the provider without a request. One in 40 is
  // a hold that was never sent, which differs.
  await plantInDatabase(test.ownerUrl, (run) =>
    run(
      `insert into payments (id, client_id, type, provider, gateway_id, amount_minor, currency,
         capture_method, status, is_live, created_at, updated_at)
       select (lpad(to_hex($2::bigint + n * $3::bigint), 12, '0') || '7000800000000000' ||
           lpad(to_hex(n), 4, '0'))::uuid,
         gen_random_uuid(), 'purchase', 'cardprovider', gen_random_uuid(), 100, 'EUR', 'manual',
         case when n % ($1 / $4) = 7 then 'authorized' else 'failed' end, false,
         to_timestamp(($2::bigint + n * $3::bigint) / 1000.0), now()
       from generate_series(0, $1::bigint - 1) n`,
      [many, firstAt, gapMs, openHolds],
    ),
  );
  await plantInDatabase(test.ownerUrl, (run) =>
    run(`insert into open_holds (payment_id, client_id, expires_at)
      select id, client_id, now() + interval '1 year' from payments where status = 'authorized'`),
  );
});
afterAll(async () => {
  await test?.close();
  await world?.close();
});

type Run = Awaited<ReturnType<typeof runReconcile>>;

/**
 * Returns, for one run, the rows of payments that the server read and the statements that were
 * sent.
 */
async function measureRun(run: (ports: Ports) => Promise<Run>) {
  const before = await readRows();
  const opened = openDatabase({ url: test.url, applicationName: 'measured' });
  let statements = 0;
  const database: Database = {
    ...opened,
    read: (query, values) => {
      statements += 1;
      return opened.read(query, values);
    },
    transaction: (client, work, settings) => {
      statements += 1;
      return opened.transaction(client, work, settings);
    },
  };
  const result = await run(portsFor(database));
  // A connection reports its counters when it ends.
  await opened.close();
  await expect.poll(connections, { timeout: 20_000 }).toBe(0);
  return { ...result, rows: (await readRows()) - before, statements };
}

async function queryOwner(text: string): Promise<number> {
  const client = new pg.Client({ connectionString: test.ownerUrl });
  await client.connect();
  const { rows } = await client.query<{ value: string }>(text);
  await client.end();
  return Number(rows[0]?.value);
}
const readRows = () =>
  queryOwner(`select seq_tup_read + idx_tup_fetch as value from pg_stat_user_tables
    where relname = 'payments'`);
const connections = () =>
  queryOwner(`select count(*) as value from pg_stat_activity
    where datname = current_database() and application_name like 'measured%'`);

describe('a bounded run', () => {
  it('reads what is watched, the newest and one stretch of the others, and says where it goes on', async () => {
    const told: string[] = [];
    const onDifference: ReconcileSettings['onDifference'] = ({ kind }) => void told.push(kind);
    const first = await measureRun((ports) =>
      runBounded(ports, { isSettling: true, readsPerSecond: 1000, sample: 0, onDifference }),
    );
    expect(told).toEqual(Array.from({ length: openHolds }, () => 'never_sent'));
    const goesOnAt = idAt(firstAt + (othersLimit - 1) * gapMs).slice(0, 13);
    expect(first.left).toMatchObject({ watched: 0, place: { watchedAfter: null } });
    expect(first.left.othersAfter?.slice(0, 13)).toBe(goesOnAt);
    expect(first.rows).toBeGreaterThan(othersLimit);
    // The newest payments are read twice, because their start is found by counting; a hold is read
    // for its page and again for its comparison.
    expect(first.rows).toBeLessThan(othersLimit + 2 * newestLimit + 4 * openHolds);
    expect(first.statements).toBeLessThan(3 * openHolds + 100);
    // The second run reads the rest of the others, and then starts from the beginning.
    const second = await measureRun((ports) =>
      runBounded(ports, { isSettling: true, readsPerSecond: 1000, sample: 0 }),
    );
    expect(second.left.othersAfter).toBeNull();
    expect(second.rows).toBeLessThan(many - othersLimit + newestLimit + 4 * openHolds);
    const third = await measureRun((ports) =>
      runBounded(ports, { isSettling: false, readsPerSecond: 1000, sample: 0 }),
    );
    expect(third.left.othersAfter?.slice(0, 13)).toBe(goesOnAt);
  });

  it('out of time: the watched that are left are counted, and the next run begins with them', async () => {
    const run = async (most: number) => {
      const seen: string[] = [];
      const stopping = new AbortController();
      const onDifference: ReconcileSettings['onDifference'] = ({ paymentId }) => {
        if (seen.push(paymentId) === most) stopping.abort();
      };
      const timeUp = stopping.signal;
      const settings = { isSettling: true, timeUp, readsPerSecond: 1000, sample: 0, onDifference };
      const { left } = await measureRun((ports) => runBounded(ports, settings));
      return { left, seen };
    };
    // The run ends in the middle of the second page.
    const first = await run(250);
    expect(first.left.watched).toBe(openHolds - 200);
    const next = await run(Number.POSITIVE_INFINITY);
    expect(next.left.watched).toBe(0);
    expect(next.seen).toHaveLength(openHolds);
    const done = new Set([...first.seen].sort().slice(0, 200));
    expect(next.seen.slice(0, openHolds - 200).filter((id) => done.has(id))).toEqual([]);
  });
});

describe('a run since a day', () => {
  const since = new Date(firstAt + many * gapMs - dayMs);
  const ofADay = dayMs / gapMs;

  it('begins at the id of that day: it reads its payments and those of an hour before', async () => {
    const { rows, compared, left, statements } = await measureRun((ports) =>
      runReconcile(ports, { isSettling: false, sample: 1, since, readsPerSecond: 1000 }),
    );
    expect(compared).toBe(ofADay);
    // Each row is read for its page, and once more for its comparison.
    expect(rows).toBeGreaterThanOrEqual(2 * ofADay);
    expect(rows).toBeLessThan(2.2 * ofADay);
    expect(statements).toBeLessThan(ofADay + 30);
    expect(left.othersAfter).toBeNull();
  });

  it('where the clock was moved ahead of the ids, none of its payments is left out', async () => {
    const shifted = await freshDatabase();
    await plantInDatabase(shifted.ownerUrl, async (run) => {
      await run(`update clock_shift set shift = interval '100 days'`);
      await run(
        `insert into payments (id, client_id, type, provider, gateway_id, amount_minor, currency,
           capture_method, status, is_live, created_at, updated_at)
         values ($1, gen_random_uuid(), 'purchase', 'cardprovider', gen_random_uuid(), 100, 'EUR',
           'manual', 'failed', false, $2, $2)`,
        [idAt(firstAt), new Date(firstAt + 100 * dayMs)],
      );
    });
    const run = (at: number) =>
      runReconcile(
        { ...world.ports, database: shifted.database },
        { isSettling: false, sample: 1, since: new Date(at) },
      );
    expect((await run(firstAt + 100 * dayMs)).compared).toBe(1);
    expect((await run(firstAt + 100 * dayMs + 1)).compared).toBe(0);
    await shifted.close();
  });

  it('--all out of time: says after which payment nothing was looked at', async () => {
    const stopping = new AbortController();
    const { left, compared } = await measureRun((ports) =>
      runReconcile(ports, {
        isSettling: false,
        sample: 1,
        since,
        pageSize: 100,
        timeUp: stopping.signal,
        onProgress: (done) => done > 300 && stopping.abort(),
      }),
    );
    expect(compared).toBeLessThan(ofADay);
    expect(left.othersAfter).not.toBeNull();
  });
});

describe('svc reconcile, about what it left out', () => {
  const run = (...args: string[]) =>
    runOn(portsFor(test.database), ['reconcile', '--rate', '1000', ...args]);

  it('of the older settled ones: where the next run goes on', async () => {
    await savePlace(test.database, { watchedAfter: null, othersAfter: null });
    const { out } = await run();
    expect(out).not.toContain('out of time');
    expect(out).toMatch(
      /^older settled payments: the next run goes on after [0-9a-f-]{36}, made at 2026-[\dT:.-]+Z$/m,
    );
    const told: string[] = [];
    const recordText = (_: object, words: string) => void told.push(words);
    const log = { info: recordText, warn: () => undefined, error: recordText };
    const ports = portsFor(test.database);
    const worker = startReconcile(ports, { log, firstAfterMs: 0 });
    await expect.poll(() => told.length, { timeout: scaled(30_000) }).toBe(1);
    await worker.stop();
    expect(told[0]).toMatch(
      /^reconcile: \d+ payments compared, 5\d\d differences; of the older settled ones the next run goes on after [0-9a-f-]{36}$/,
    );
  });

  it('out of time: how many, or after which payment, and exits with 1', async () => {
    const bounded = await run('--budget', '0s');
    expect([bounded.code, bounded.out]).toEqual([
      1,
      expect.stringContaining(
        `out of time: ${openHolds} unsettled or disputed payments left out\n`,
      ),
    ]);
    expect(bounded.out).toContain('older settled payments: the next run ');
    const since = new Date(firstAt + dayMs).toISOString();
    const through = await run('--since', since, '--budget', '0s');
    expect(through.code).toBe(1);
    expect(through.out).toMatch(
      /^out of time: no payment after 019b[0-9a-f-]{32}, made at 2026-01-[\dT:.-]+Z, was compared; continue with --since$/m,
    );
    const all = await run('--all', '--budget', '0s');
    expect(all.code).toBe(1);
    expect(all.out).toMatch(
      /^out of time before the first payments were compared: give a longer --budget$/m,
    );
  });
});

it('a hold is compared once, though it is among the newest', async () => {
  const { paymentId } = await aHold(world);
  const seen: string[] = [];
  await plantInDatabase(world.ownerUrl, (run) =>
    run(`update payments set provider_intent_id = 'pi_gone' where id = $1`, [paymentId]),
  );
  const { compared } = await runBounded(world.ports, {
    isSettling: false,
    olderThanMs: 0,
    sample: 1,
    readsPerSecond: 1000,
    onDifference: (difference) => void seen.push(difference.paymentId),
  });
  expect({ compared, seen }).toEqual({ compared: 1, seen: [paymentId] });
});
