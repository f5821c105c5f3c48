// Deliveries with faults. Layer Y7: merchants' events are written, delivered by two workers
// and followed through the list of events, while receivers misbehave, workers are killed between
// sending and recording, the database crashes, and the clock runs through the whole retry schedule.
// Everything is checked when nothing is pending.

import { setTimeout as pause } from 'node:timers/promises';
import { scaled } from '@svc/tools/machine';
import { auditAll } from '../kit/audit.ts';
import { type Random, seeded } from '../kit/random.ts';
import { type Count, openCounters, type SeedFixture, type SeedRun } from '../kit/run-seeds.ts';
import { type Fixture, openFixture, openMerchants } from './fixture.ts';
import { judge } from './judge.ts';
import { Reader } from './reader.ts';
import { readRecords } from './record.ts';
import { tallyRecords } from './tally.ts';
import { Writer } from './writer.ts';

type Deliveries = {
  readonly events: number;
  /** Uses a database server of its own, which is crashed sometimes. */
  readonly crashes: boolean;
};

type Run = {
  readonly fixture: Fixture;
  readonly random: Random;
  readonly count: Count;
  /** True while a kill waits for the receiver's next signal. */
  isArmed: boolean;
  kills: number;
  /** The kill that is in progress. */
  killing: Promise<unknown>;
};

const mostMerchants = 4;
/** With fewer events there would be little order to check. */
const eventsPerMerchant = 75;

/** Each seed has a fixture of its own, because a receiver's faults end with its processes. */
export const openDeliveries = async (options: Deliveries): Promise<SeedFixture> => ({
  run: (seed) => runDeliveries(options, seed),
  close: async () => undefined,
});

async function runDeliveries({ events, crashes }: Deliveries, seed: number): Promise<SeedRun> {
  const { sometimes, count } = openCounters();
  const random = seeded(seed);
  const running: { run?: Run } = {};
  const strikeIfRunning = () => running.run && killAtDelivery(running.run);
  const fixture = await openFixture({ isDurable: crashes, onStrike: strikeIfRunning, count });
  const rest = { isArmed: false, kills: 0, killing: Promise.resolve() };
  const run: Run = { fixture, random, count, ...rest };
  running.run = run;
  try {
    const violations = [...(await runEvents(run, events)), ...fixture.workers.deaths];
    violations.push(...(await auditAll(fixture.url)).map((one) => `audit ${one}`));
    return { violations, sometimes };
  } finally {
    await run.killing;
    await fixture.close();
  }
}

/** Kills a worker while a request is at the receiver or its response is in transit. */
function killAtDelivery(run: Run): void {
  if (!run.isArmed) return;
  run.isArmed = false;
  run.kills += 1;
  const { fixture, random, count } = run;
  count('a worker was killed');
  const both = random.chance(0.15);
  run.killing = Promise.all([
    fixture.workers.kill(random.whole(0, 1)),
    ...(both ? [fixture.workers.kill(0)] : []),
  ]);
}

async function runEvents(run: Run, size: number): Promise<string[]> {
  const { fixture, random, count } = run;
  const most = Math.ceil(size / eventsPerMerchant);
  const merchants = await openMerchants(fixture, Math.min(mostMerchants, most), random);
  const writer = new Writer(fixture, { merchants, random, count });
  const readers = merchants.map(
    (one) => new Reader(fixture, one, seeded(random.whole(0, 2 ** 31))),
  );
  for (const reader of readers) reader.start();
  let left = size;
  while (left > 0) {
    // A fast endpoint gets more requests in flight only when many events come at once.
    const part = Math.min(
      left,
      random.chance(0.15) ? random.whole(100, 300) : random.whole(10, 50),
    );
    left -= part;
    await Promise.all([writer.burst(part), disturbRun(run)]);
    await fixture.time.move(drawMove(random));
  }
  const stuck = await drain(run);
  for (const reader of readers) await reader.finish();
  const records = await readRecords(fixture, { merchants, written: writer.written, readers });
  tallyRecords(records, count);
  return [...stuck, ...judge(records)];
}

const [secondMs, minuteMs, hourMs] = [1000, 60_000, 3_600_000];

/**
 * Returns how far the clock moves: leases expire, an earlier event no longer blocks a later one,
 * retries come due, endpoints are disabled.
 */
function drawMove(random: Random): number {
  const few = [0.3 * secondMs, 2 * secondMs, 6 * secondMs, 31 * secondMs, 31 * secondMs];
  const many = [62 * secondMs, 6 * minuteMs, 40 * minuteMs, 3 * hourMs, 25 * hourMs, 61 * hourMs];
  return random.pick(random.chance(0.85) ? few : many);
}

/** Disturbs the run during a burst of events. */
async function disturbRun(run: Run): Promise<void> {
  const { fixture, random, count } = run;
  await pause(random.whole(0, 60));
  await run.killing;
  run.isArmed = run.kills === 0 || random.chance(0.7);
  if (!fixture.durable || !random.chance(0.04)) return;
  await pause(random.whole(0, 60));
  count('the database crashed');
  await fixture.durable.crash(random.chance(0.2) ? 'SIGKILL' : 'SIGQUIT');
  await fixture.durable.start();
}

type WaitingCounts = {
  readonly pending: number;
  readonly due: number;
  readonly leased: number;
  /** The time until a random one of the pending deliveries is due. */
  readonly nextMs: number | null;
};

async function readWaiting({ fixture, random }: Run): Promise<WaitingCounts> {
  const { rows } = await fixture.owner.query<WaitingCounts>(
    `with clock as materialized (select svc_clock() as now),
     waiting as (
       select d.*, exists (select from webhook_deliveries earlier
         where earlier.endpoint_id = d.endpoint_id and earlier.resource_id = d.resource_id
           and earlier.sequence < d.sequence and earlier.state = 'pending'
           and earlier.created_at > clock.now - interval '60 seconds') as is_held
       from webhook_deliveries d, clock where d.state = 'pending')
     select count(*)::int as pending,
       count(*) filter (where next_attempt_at <= clock.now and not is_held)::int as due,
       count(*) filter (where lease_until > clock.now)::int as leased,
       (extract(epoch from percentile_disc($1::float8) within group (order by next_attempt_at)
         - min(clock.now)) * 1000)::float8 as "nextMs"
     from waiting, clock`,
    [random.next()],
  );
  const [row] = rows;
  if (!row) throw new Error('a count answers a row');
  return row;
}

const stuckAfterMs = scaled(30_000);
const leasedForMs = 400;
/**
 * Longer than a lease whose holder may be dead; until then it occupies one of the endpoint's slots.
 */
const overLeaseMs = 31_000;

/** Moves the clock through all pauses of the retry schedule until nothing is pending. */
async function drain(run: Run): Promise<string[]> {
  const { fixture, random } = run;
  let last = '';
  let since = performance.now();
  let movedAt = since;
  for (;;) {
    const { pending, due, leased, nextMs } = await readWaiting(run);
    if (pending === 0) return [];
    const now = `${pending} ${due} ${leased}`;
    if (now !== last) since = movedAt = performance.now();
    last = now;
    const at = performance.now();
    if (at - since > stuckAfterMs) return [`E5 ${pending} deliveries wait, ${due} of them due`];
    const isMoving = leased > 0 ? at - movedAt < leasedForMs : due > 0;
    if (isMoving) {
      await pause(15);
      continue;
    }
    await run.killing;
    run.isArmed = run.kills === 0 || random.chance(0.2);
    const leastMs = leased > 0 ? overLeaseMs : random.whole(200, 6000);
    await fixture.time.move(Math.max(due > 0 ? 0 : (nextMs ?? 0), leastMs));
    movedAt = performance.now();
  }
}
