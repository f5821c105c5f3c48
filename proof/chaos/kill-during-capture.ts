// SIGKILL for one of several processes of the service at any point of captures, cancellations,
// refunds and purchases, again and again, while clients repeat their requests with the same keys at
// processes that run. Some processes are paused past their lease instead, some get SIGTERM, and
// sometimes everything is killed at once. Layer Y4 of docs/guides/proof.md.

import { setTimeout as pause } from 'node:timers/promises';
import { drainedWithinMs } from './bounds.ts';
import {
  type ChaosReport,
  countEvent,
  leaseMs,
  movesAt,
  pickUp,
  type Run,
  recordKilled,
  recordStart,
  restart,
  withRun,
} from './chaos-run.ts';
import type { Mode } from './fixture.ts';
import { silentFates } from './honesty.ts';
import { findPoints, placedKills, points } from './kills.ts';
import { plantFault } from './load.ts';
import type { Send } from './shop.ts';
import type { Slot } from './slots.ts';

export type KillOptions = {
  readonly kills: number;
  readonly seed: number;
  readonly mode: Mode;
  readonly processes?: number;
  /**
   * Also waits until every webhook has arrived; its lease outlives a killed process by a minute.
   */
  readonly awaitsDeliveries?: boolean;
  /** Also runs `svc audit` and `svc reconcile` at the end. */
  readonly runsCommands?: boolean;
  readonly onKill?: (done: number) => void;
  readonly signal?: AbortSignal;
};

const killEverythingEvery = 50;
const killEverythingAt = 10;
const freezeEvery = 10;
const stopEvery = 25;
const longestPauseMs = 150;

/** What must happen in a run of fifty kills or more, or it proves nothing. */
export const wantedOfKills: readonly string[] = [
  ...points.map((point) => `killed ${point}`),
  'stopped past its lease',
  'asked to end',
  'answered while ending',
  'everything killed',
  ...silentFates,
  ...['captures', 'voids', 'refunds', 'replays', 'in doubt', 'refusals', 'takeovers'],
];

/** Runs the kills on a fixture of its own. The report names every violation. */
export function killDuringCapture(options: KillOptions): Promise<ChaosReport> {
  const { kills, seed, mode, processes = 3, onKill, signal } = options;
  return withRun(
    // More loops would leave no processor time to start killed processes again.
    { seed, mode, processes, loops: 2 * processes },
    {
      awaitsDeliveries: () => options.awaitsDeliveries === true && !signal?.aborted,
      runsCommands: options.runsCommands === true,
      chaos: async (run) => {
        for (let done = 0; done < kills && !signal?.aborted; done++) {
          await killOnce(run, done);
          onKill?.(done + 1);
        }
      },
    },
  );
}

/**
 * Runs one kill. Every other kill is at a chosen point, each point in turn; the rest are at random
 * times.
 */
async function killOnce(run: Run, index: number): Promise<void> {
  if (index % freezeEvery === freezeEvery / 2) await freeze(run);
  if (index % stopEvery === 7) await stopInOrder(run);
  if (index % killEverythingEvery === killEverythingAt) return killEverything(run);
  const point = index % 2 === 1 ? points[((index - 1) / 2) % points.length] : undefined;
  const slot = await pickUp(run, 2);
  let moves: ReturnType<typeof movesAt>;
  if (point) {
    moves = await killAt(run, slot, point);
  } else {
    if (run.random.chance(0.6)) await plantFault(run.fixture, run.random);
    await pause(run.random.whole(10, longestPauseMs));
    moves = movesAt(run, slot);
    await slot.kill();
  }
  const open = moves.filter(({ endedAt }) => endedAt === null);
  for (const hit of await findPoints(run, open)) countEvent(run, `killed ${hit}`);
  recordKilled(run, open);
  countEvent(run, 'killed', 1);
  void restart(run, slot);
}

async function killAt(run: Run, slot: Slot, point: (typeof points)[number]) {
  const paymentId = await run.shop.hold();
  // A fault that is left over would keep the request from reaching its point.
  await run.fixture.control('DELETE', '/faults');
  const before = new Set(run.shop.moves);
  const others = movesAt(run, slot);
  await placedKills[point]({ run, slot, paymentId });
  const placed = run.shop.moves.filter((move) => !before.has(move) && move.paymentId === paymentId);
  return [...others, ...placed];
}

/**
 * Pauses a process past its lease and continues it: other processes have taken over its work
 * meanwhile.
 */
async function freeze(run: Run): Promise<void> {
  const slot = await pickUp(run, 2);
  const moves = movesAt(run, slot);
  slot.freeze();
  run.watch.overlook(leaseMs * 2.5);
  countEvent(run, 'stopped past its lease');
  recordKilled(run, moves);
  const thawing = pause(leaseMs * 1.5).then(() => slot.thaw());
  void recordStart(run, slot, thawing);
}

/**
 * SIGTERM: the process finishes and answers what it has begun, soon. Reliability R5. Only requests
 * that were sent once, to this process, are checked: another process may have begun the operation
 * of a key that was sent elsewhere too, and this process may not have read its request yet.
 */
async function stopInOrder(run: Run): Promise<void> {
  const slot = await pickUp(run, 2);
  let found = await startedAt(run, slot);
  for (let looks = 1; found.begun.size === 0 && looks < mostLooks; looks++) {
    await pause(5);
    found = await startedAt(run, slot);
  }
  countEvent(run, 'asked to end');
  void recordStart(run, slot, endAndStart(run, slot, found));
}

/** How often the process is polled until it has begun a request. */
const mostLooks = 100;

type StartedCaptures = { readonly sends: readonly Send[]; readonly begun: ReadonlySet<string> };

/**
 * Returns the requests that were sent only to this process, and the keys of those that it has
 * begun.
 */
async function startedAt(run: Run, slot: Slot): Promise<StartedCaptures> {
  const { sending, calls } = run.shop;
  const sends = [...sending].filter(
    (one) =>
      one.slot === slot &&
      ![...sending].some((other) => other !== one && other.move === one.move) &&
      !calls.some(({ move }) => move === one.move),
  );
  const { rows } = await run.fixture.owner.query<{ key: string }>(
    'select idempotency_key as key from payment_operations where idempotency_key = any($1)',
    [sends.map(({ move }) => move.key)],
  );
  return { sends, begun: new Set(rows.map(({ key }) => key)) };
}

async function endAndStart(run: Run, slot: Slot, { sends, begun }: StartedCaptures): Promise<void> {
  const from = performance.now();
  await slot.stop();
  const took = Math.round(performance.now() - from);
  run.slowestEndMs = Math.max(run.slowestEndMs, took);
  if (took > drainedWithinMs)
    run.problems.push(`R5 ends within ${drainedWithinMs / 1000} s of SIGTERM: ${took} ms`);
  // The last responses are still in transit.
  await pause(50);
  const lost = run.shop.calls.filter(
    ({ move, slot: at, calledAt, status, isGivenUp }) =>
      status === null &&
      !isGivenUp &&
      begun.has(move.key) &&
      sends.some((one) => one.move === move && one.slot === at && one.calledAt === calledAt),
  );
  countEvent(run, 'answered while ending', begun.size - lost.length);
  for (const { move } of lost) {
    run.problems.push(`R5 what was begun is answered before the end: ${move.kind} ${move.key}`);
  }
  await slot.start();
}

/** A reboot: kills the processes, the vault and the database together. Reliability F34. */
async function killEverything(run: Run): Promise<void> {
  const { fixture, database } = run;
  await Promise.allSettled(run.starting.values());
  const moves = run.shop.moves.filter(({ endedAt }) => endedAt === null);
  await Promise.all([
    database.crash('SIGKILL'),
    fixture.vault.kill(),
    ...fixture.slots.map((slot) => slot.kill()),
  ]);
  recordKilled(run, moves);
  countEvent(run, 'everything killed');
  await database.start();
  await Promise.all([fixture.vault, ...fixture.slots].map((slot) => restart(run, slot)));
}
