// What the chaos runs share: a fixture with several processes of the service, clients that never
// stop, the records of the run, the wait until everything is settled, and the checks at the end.

import { setTimeout as pause } from 'node:timers/promises';
import { type Random, seeded } from '../kit/random.ts';
import {
  audit,
  describeViolation,
  type Movement,
  type ReceivedCall,
  type Violation,
} from './audit.ts';
import { idleAtMostMs, settledWithinMs } from './bounds.ts';
import { type Commands, runCommands } from './commands.ts';
import { type DurableDatabase, openDurableDatabase } from './durable-database.ts';
import { type Fixture, type Mode, openFixture } from './fixture.ts';
import { judgeHistories } from './histories.ts';
import { countFates, findFalseRefusals } from './honesty.ts';
import { type Load, startLoad } from './load.ts';
import { type Move, Shop } from './shop.ts';
import type { Slot } from './slots.ts';
import { tracePayment } from './trace.ts';
import { type Watch, watchTransactions } from './watch.ts';

export const leaseMs = 1000;

/** A request that was in progress when its process was killed, and the time of the kill. */
type KilledRequest = { readonly move: Move; readonly at: number };

export type Run = {
  readonly fixture: Fixture;
  readonly database: DurableDatabase;
  readonly shop: Shop;
  readonly random: Random;
  readonly load: Load;
  readonly watch: Watch;
  /** Provider keys of requests that were seen in transit, and keys whose response came back. */
  readonly asked: Set<string>;
  readonly answered: Set<string>;
  readonly met: KilledRequest[];
  /** How often each event happened that a run must have, or it proves nothing. */
  readonly sometimes: Record<string, number>;
  readonly problems: string[];
  /** Processes that are starting. */
  readonly starting: Map<Slot, Promise<void>>;
  /** Errors of processes that did not start. */
  readonly stuck: string[];
  slowestEndMs: number;
};

export type RunSettings = {
  readonly seed: number;
  readonly mode: Mode;
  readonly processes: number;
  readonly loops: number;
  readonly leaseMs?: number;
  readonly env?: Readonly<Record<string, string>>;
};

export type ChaosReport = {
  readonly seed: number;
  readonly mode: Mode;
  readonly seconds: number;
  /** The part of `seconds` that is left without the start, the wait and the checks. */
  readonly chaosSeconds: number;
  readonly violations: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  readonly sometimes: Readonly<Record<string, number>>;
  readonly commands: Commands | null;
};

const keyHeader = /^idempotency-key: (\S+)/gim;

/** Opens everything, runs `chaos`, and checks the result. Closes everything in any case. */
export async function withRun(
  settings: RunSettings,
  {
    chaos,
    awaitsDeliveries,
    runsCommands,
  }: {
    chaos: (run: Run) => Promise<void>;
    awaitsDeliveries: () => boolean;
    runsCommands: boolean;
  },
): Promise<ChaosReport> {
  const startedAt = performance.now();
  const { run, close } = await openRun(settings);
  try {
    const chaosFrom = performance.now();
    await chaos(run);
    const chaosSeconds = secondsSince(chaosFrom);
    await waitForRest(run, awaitsDeliveries());
    const violations = await judge(run);
    const counts = await count(run);
    const commands = runsCommands ? await runCommands(run.fixture) : null;
    return {
      seed: settings.seed,
      mode: settings.mode,
      seconds: secondsSince(startedAt),
      chaosSeconds,
      violations: [...violations, ...(commands?.problems ?? [])],
      counts,
      sometimes: run.sometimes,
      commands,
    };
  } catch (error) {
    const said = `${(error as Error).stack ?? error}\n${errorsOf(run.fixture)}`;
    throw new Error(`seed ${settings.seed}: ${said}`, { cause: error });
  } finally {
    await close();
  }
}

const secondsSince = (from: number) => Math.round((performance.now() - from) / 100) / 10;

async function openRun(settings: RunSettings) {
  const { seed, mode, processes, loops } = settings;
  const random = seeded(seed);
  const [asked, answered] = [new Set<string>(), new Set<string>()];
  const latest = new Map<number, string>();
  const database = await openDurableDatabase();
  const fixture = await openFixture({
    mode,
    database,
    processes,
    providerLatencyMs: 6,
    env: { SVC_LEASE_MS: String(settings.leaseMs ?? leaseMs), ...settings.env },
    record: (link, side, bytes, connection) => {
      if (link !== 'provider') return;
      if (side === 'answers') return void answered.add(latest.get(connection) ?? '');
      for (const [, key = ''] of bytes.toString('latin1').matchAll(keyHeader)) {
        asked.add(key);
        latest.set(connection, key);
      }
    },
  });
  const shop = new Shop(fixture, random);
  const load = startLoad(shop, random, loops);
  const watch = watchTransactions(database.url);
  const run: Run = {
    ...{ fixture, database, shop, random, load, watch, asked, answered },
    met: [],
    sometimes: {},
    problems: [],
    stuck: [],
    slowestEndMs: 0,
    starting: new Map(),
  };
  const close = async () => {
    await Promise.allSettled(run.starting.values());
    await Promise.allSettled([shop.close(), watch.stop()]);
    await fixture.close();
  };
  return { run, close };
}

export function countEvent(run: Run, name: string, times = 1): void {
  run.sometimes[name] = (run.sometimes[name] ?? 0) + times;
}

/** Returns the requests that are in progress at this process and at no other one. */
export const movesAt = ({ shop }: Run, slot: Slot): Move[] => [
  ...new Set([...shop.sending].filter((one) => one.slot === slot).map(({ move }) => move)),
];

export function recordKilled({ met }: Run, moves: readonly Move[]): void {
  const at = performance.now();
  met.push(...moves.flatMap((move) => (move.endedAt === null ? { move, at } : [])));
}

/** Starts the process again while other processes serve. */
export function restart(run: Run, slot: Slot): Promise<void> {
  return recordStart(run, slot, slot.start());
}

/**
 * Records a start: it is awaited before the slot is used again, and at the end, where a failure is
 * reported.
 */
export function recordStart(run: Run, slot: Slot, starting: Promise<void>): Promise<void> {
  const kept = starting.finally(() => run.starting.delete(slot));
  run.starting.set(slot, kept);
  kept.catch((error: unknown) => run.stuck.push(`${slot.name}: ${error}`));
  return kept;
}

/** Waits until at least this many processes are running, and picks one of them at random. */
export async function pickUp(run: Run, atLeast: number): Promise<Slot> {
  const { slots } = run.fixture;
  for (;;) {
    const up = slots.filter((slot) => slot.isUp());
    if (up.length >= Math.min(atLeast, slots.length)) return run.random.pick(up);
    if (run.stuck.length > 0) throw new Error(run.stuck.join('\n'));
    // A process that ended by itself is a violation; the run starts it again and continues.
    for (const slot of slots) {
      if (!slot.isUp() && !run.starting.has(slot)) void restart(run, slot);
    }
    await pause(5);
  }
}

/** Removes the faults and waits until every client has a final response and no work is left. */
async function waitForRest(run: Run, awaitsDeliveries: boolean): Promise<void> {
  const { fixture, shop } = run;
  await Promise.allSettled(run.starting.values());
  await fixture.control('DELETE', '/faults');
  const deadline = performance.now() + settledWithinMs + (awaitsDeliveries ? 90_000 : 0);
  await Promise.race([run.load.stop(), pause(settledWithinMs, undefined, { ref: false })]);
  await shop.rest(deadline - performance.now());
  while (performance.now() < deadline) {
    const { rows } = await fixture.owner.query<{ open: number; undelivered: number }>(`select
      (select count(*) from payment_operations where state not in ('succeeded', 'failed'))::int
        + (select count(*) from provider_inbox where processed_at is null)::int as open,
      (select count(*) from webhook_deliveries where state = 'pending')::int as undelivered`);
    const [left] = rows;
    if (left?.open === 0 && (!awaitsDeliveries || left.undelivered === 0)) break;
    await pause(100);
  }
  // A key with a final response returns it again, from every process.
  const ended = shop.moves.filter(({ endedAt }) => endedAt !== null).slice(-mostAskedAgain);
  const repeatEnded = async () => {
    for (let move = ended.pop(); move; move = ended.pop()) await shop.once(move);
  };
  await Promise.all(Array.from({ length: 8 }, repeatEnded));
}

const mostAskedAgain = 2000;
const mostTraced = 3;

async function judge(run: Run): Promise<string[]> {
  const { fixture, shop, met, watch } = run;
  await watch.stop();
  const { entries } = await fixture.control<{ entries: (Movement & { at: string })[] }>(
    'GET',
    '/ledger',
  );
  const { requests } = await fixture.control<{ requests: ReceivedCall[] }>('GET', '/requests');
  const client = await fixture.owner.connect();
  let violations: Violation[];
  let told: readonly string[];
  const traces: string[] = [];
  try {
    violations = await audit(client, { ledger: entries, calls: requests, answers: shop.answers });
    const histories = await judgeHistories(client, shop, fixture.merchant.clientId);
    told = [...(await findFalseRefusals(client, shop)), ...histories.violations];
    countEvent(run, 'a payment replayed on the model', histories.replayed);
    countEvent(run, 'a payment whose calls were ordered', histories.ordered);
    for (const { subject } of violations.slice(0, mostTraced)) {
      traces.push(...(await tracePayment(subject, { fixture, shop, client })));
    }
    for (const [fate, times] of Object.entries(await countFates(client, shop, entries))) {
      countEvent(run, `a silent call ${fate}`, times);
    }
  } finally {
    client.release();
  }
  const slow = met.filter((one) => settlementMs(one) > settledWithinMs);
  const unheard = shop.moves.filter(({ endedAt }) => endedAt === null);
  const idle = watch.longestIdleMs();
  return [
    ...run.problems,
    ...run.stuck,
    ...fixture.deaths,
    ...violations.map(describeViolation),
    ...told,
    ...slow.map(
      ({ move }) =>
        `R1 settled within ${settledWithinMs / 1000} s of the kill: ${move.kind} ${move.key}`,
    ),
    ...unheard.map(describeUnheard),
    ...changedDeliveries(fixture),
    ...traces,
    ...(fixture.forged() > 0 ? [`E10 every delivery is signed: ${fixture.forged()} are not`] : []),
    ...(idle > idleAtMostMs
      ? [`R3 no transaction stays open without work: ${idle} ms after ${watch.lastStatement()}`]
      : []),
  ];
}

const settlementMs = ({ move, at }: KilledRequest): number =>
  Math.max(0, (move.endedAt ?? Number.POSITIVE_INFINITY) - at);

function describeUnheard({ kind, key, answers }: Move): string {
  const last = answers.at(-1);
  const heard = last ? `${last.status} ${last.code}` : 'nothing';
  return `R1 a client is told an end: ${kind} ${key} heard ${heard}`;
}

function changedDeliveries({ received }: Fixture): string[] {
  const bodies = new Map<string, string>();
  const changed = new Set<string>();
  for (const { id, body } of received) {
    if (bodies.has(id) && bodies.get(id) !== body) changed.add(id);
    bodies.set(id, body);
  }
  return [...changed].map((id) => `E6 a delivery has the same bytes each time: ${id}`);
}

async function count(run: Run): Promise<Record<string, number>> {
  const { fixture, shop, met, watch } = run;
  const { rows } = await fixture.owner.query<Record<string, number>>(`select
      (select count(*) from payments where type = 'purchase')::int as payments,
      (select count(*) from payments where captured_minor > 0)::int as captures,
      (select count(*) from payments where status = 'voided')::int as voids,
      (select count(*) from payments where type = 'refund' and status = 'succeeded')::int as refunds,
      (select count(distinct operation_id) from operation_attempts
        where outcome = 'in_doubt')::int as "in doubt",
      (select count(*) from operation_attempts where outcome = 'refused')::int as refusals,
      (select count(*) from payment_operations where epoch > attempt)::int as takeovers,
      (select deadlocks from pg_stat_database where datname = current_database())::int as deadlocks`);
  const slowest = met.map(settlementMs).filter(Number.isFinite);
  return {
    ...rows[0],
    replays: shop.replays,
    requests: shop.calls.length,
    'lost answers': shop.moves.reduce((sum, { lost }) => sum + lost, 0),
    webhooks: fixture.received.length,
    'slowest settlement, ms': Math.round(slowest.reduce((a, b) => Math.max(a, b), 0)),
    'slowest end after SIGTERM, ms': run.slowestEndMs,
    'longest idle transaction, ms': watch.longestIdleMs(),
    'samples of transactions': watch.samples(),
  };
}

/** Returns the last error lines of the service's log. */
const errorsOf = (fixture: Fixture): string =>
  fixture
    .logs()
    .service.split('\n')
    .filter((line) => line.includes('"level":"error"'))
    .slice(-5)
    .join('\n');

/** Returns the report as text. */
export function describeReport(report: ChaosReport): string {
  const { counts, sometimes, violations, commands } = report;
  const list = (of: object) =>
    Object.entries(of)
      .map(([name, value]) => `  ${name.padEnd(34)} ${value}`)
      .join('\n');
  return `${report.mode} provider, seed ${report.seed}, ${report.seconds} s
${list(counts)}
met
${list(sometimes)}
${commands ? `${commands.said.join('\n')}\n` : ''}${
  violations.length === 0 ? 'no violation' : `VIOLATIONS\n  ${violations.join('\n  ')}`
}`;
}
