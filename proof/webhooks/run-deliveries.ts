// Deliveries with faults. Reliability Y7: merchants' events are written, delivered by two workers
// and followed through the list of events, while receivers misbehave, workers are killed between
// sending and recording, the database crashes, and the clock runs through the whole retry schedule.
// A run has several parts with merchants of their own, and each part is checked when nothing is
// pending.

import { setTimeout as pause } from 'node:timers/promises';
import { scaled } from '@svc/tools/machine';
import { runAudit } from '../../service/src/engine/runs/audit/run-audit.ts';
import { type Random, seeded } from '../kit/random.ts';
import type { SeedFixture } from '../kit/run-seeds.ts';
import { judge } from './judge.ts';
import { Reader } from './reader.ts';
import { readRecords } from './record.ts';
import { openMerchants, openStage, type Stage } from './stage.ts';
import { tallyRecords } from './tally.ts';
import { Writer } from './writer.ts';

export type Deliveries = {
  /** The number of events; each goes to five endpoints, and some also to endpoints that fail. */
  readonly count: number;
  readonly seed: number;
  /** Uses a database server of its own, which is crashed sometimes. */
  readonly crashes?: boolean;
  readonly onProgress?: (done: number) => void;
  readonly signal?: AbortSignal;
};

export type DeliveryReport = {
  readonly count: number;
  readonly violations: readonly string[];
  readonly sometimes: Readonly<Record<string, number>>;
  readonly commands: readonly string[];
};

type Run = {
  readonly stage: Stage;
  readonly random: Random;
  readonly tally: (what: string, times?: number) => void;
  readonly crashes: boolean;
  /** True while a kill waits for the receiver's next signal. */
  isArmed: boolean;
  kills: number;
  /** The kill that is in progress. */
  killing: Promise<unknown>;
};

const stretchSize = 2500;
const mostMerchants = 4;
/** With fewer events there would be little order to check. */
const eventsPerMerchant = 75;

export async function runDeliveries(options: Deliveries): Promise<DeliveryReport> {
  const { count, seed, crashes = false, onProgress, signal } = options;
  const sometimes: Record<string, number> = {};
  const tally = (what: string, times = 1) => {
    sometimes[what] = (sometimes[what] ?? 0) + times;
  };
  const random = seeded(seed);
  const running: { run?: Run } = {};
  const strikeIfRunning = () => running.run && killAtDelivery(running.run);
  const stage = await openStage({ isDurable: crashes, onStrike: strikeIfRunning, tally });
  const run = {
    stage,
    random,
    tally,
    crashes,
    isArmed: false,
    kills: 0,
    killing: Promise.resolve(),
  };
  running.run = run;
  const violations: string[] = [];
  let done = 0;
  try {
    while (done < count && !signal?.aborted && violations.length === 0) {
      const size = Math.min(stretchSize, count - done);
      violations.push(...(await runStretch(run, size, (now) => onProgress?.(done + now))));
      done += size;
    }
    violations.push(...stage.workers.deaths);
    const { results, violations: broken } = await runAudit({ url: stage.url });
    const said = `svc audit: ${results.length} invariants: ${broken} violations`;
    for (const { rule, violations: times, examples } of results) {
      const [first] = examples;
      if (times > 0) violations.push(`audit ${rule}, ${times} times: ${first?.found}`);
    }
    const named = violations.map((one) => `seed ${seed}: ${one}`);
    return { count: done, violations: named, sometimes, commands: [said] };
  } finally {
    await run.killing;
    await stage.close();
  }
}

/** The number of events per seed. */
const eventsOfSeed = 150;

/** Each seed has a fixture of its own, because a receiver's faults end with its processes. */
export async function openDeliveries(): Promise<SeedFixture> {
  return {
    async run(seed) {
      const { violations, sometimes } = await runDeliveries({ count: eventsOfSeed, seed });
      return { violations, sometimes };
    },
    close: async () => undefined,
  };
}

/** Kills a worker while a request is at the receiver or its response is in transit. */
function killAtDelivery(run: Run): void {
  if (!run.isArmed) return;
  run.isArmed = false;
  run.kills += 1;
  const { stage, random, tally } = run;
  tally('a worker was killed');
  const both = random.chance(0.15);
  run.killing = Promise.all([
    stage.workers.kill(random.whole(0, 1)),
    ...(both ? [stage.workers.kill(0)] : []),
  ]);
}

async function runStretch(run: Run, size: number, onProgress: (now: number) => void) {
  const { stage, random, tally } = run;
  const most = Math.ceil(size / eventsPerMerchant);
  const merchants = await openMerchants(stage, Math.min(mostMerchants, most), random);
  const writer = new Writer(stage, { merchants, random, tally });
  const readers = merchants.map((one) => new Reader(stage, one, seeded(random.whole(0, 2 ** 31))));
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
    await stage.time.move(drawMove(random));
    onProgress(size - left);
  }
  const stuck = await drain(run);
  for (const reader of readers) await reader.finish();
  const records = await readRecords(stage, { merchants, written: writer.written, readers });
  tallyRecords(records, tally);
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
  const { stage, random, tally } = run;
  await pause(random.whole(0, 60));
  await run.killing;
  run.isArmed = run.kills === 0 || random.chance(0.7);
  if (!stage.durable || !random.chance(0.04)) return;
  await pause(random.whole(0, 60));
  tally('the database crashed');
  await stage.durable.crash(random.chance(0.2) ? 'SIGKILL' : 'SIGQUIT');
  await stage.durable.start();
}

type WaitingCounts = {
  readonly pending: number;
  readonly due: number;
  readonly leased: number;
  /** The time until a random one of the pending deliveries is due. */
  readonly nextMs: number | null;
};

async function readWaiting({ stage, random }: Run): Promise<WaitingCounts> {
  const { rows } = await stage.owner.query<WaitingCounts>(
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
  const { stage, random } = run;
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
    await stage.time.move(Math.max(due > 0 ? 0 : (nextMs ?? 0), leastMs));
    movedAt = performance.now();
  }
}
