// The database crashes and replays its log, again and again, under the same traffic as in the kill
// runs: nothing that was answered may be lost, and no process of the service may end. Reliability R3,
// R5; layer Y5 of docs/guides/proof.md.

import { setTimeout as pause } from 'node:timers/promises';
import { readyWithinMs } from './bounds.ts';
import {
  type ChaosReport,
  countEvent,
  movesAt,
  pickUp,
  type Run,
  recordKilled,
  restart,
  withRun,
} from './chaos-run.ts';
import type { Mode } from './fixture.ts';
import { plantFault } from './load.ts';
import type { SeenRequest } from './shop.ts';
import type { Slot } from './slots.ts';

export type CrashOptions = {
  readonly crashes: number;
  readonly seed: number;
  readonly mode: Mode;
  readonly processes?: number;
  readonly awaitsDeliveries?: boolean;
  /** Also runs `svc audit` and `svc reconcile` at the end. */
  readonly runsCommands?: boolean;
  readonly onCrash?: (done: number) => void;
  readonly signal?: AbortSignal;
};

const killTooEvery = 4;
const answeredWithinMs = 5000;
const orphansLiveMs = 3000;
const shortestPauseMs = 60;
const longestPauseMs = 500;

/** What must happen in a run of several crashes, or it proves nothing. */
export const countersOfCrashes: readonly string[] = [
  'the database crashed',
  'crashed under requests',
  'crashed right after an answer',
  'killed with the database',
  'not ready without a database',
  'ready again',
  ...['captures', 'voids', 'refunds', 'replays', 'takeovers'],
];

/** Runs the crashes on a fixture of its own. The report names every violation. */
export function crashDatabase(options: CrashOptions): Promise<ChaosReport> {
  const { crashes, seed, mode, processes = 2, onCrash, signal } = options;
  return withRun(
    { seed, mode, processes, loops: 6 },
    {
      awaitsDeliveries: () => options.awaitsDeliveries === true && !signal?.aborted,
      runsCommands: options.runsCommands === true,
      chaos: async (run) => {
        for (let done = 0; done < crashes && !signal?.aborted; done++) {
          await crashOnce(run, done);
          onCrash?.(done + 1);
        }
      },
    },
  );
}

async function crashOnce(run: Run, index: number): Promise<void> {
  const { fixture, database, random } = run;
  await pickUp(run, fixture.slots.length);
  if (random.chance(0.5)) await plantFault(fixture, random);
  await pause(random.whole(shortestPauseMs, longestPauseMs));
  if (index % 3 !== 0) await waitForAnswer(run);
  const open = [...run.shop.sending].map(({ move }) => move);
  // An immediate stop, as by `pg_ctl -m immediate`, or SIGKILL.
  await database.crash(index % 5 === 4 ? 'SIGKILL' : 'SIGQUIT');
  countEvent(run, 'the database crashed');
  countEvent(run, 'crashed under requests', open.length);
  recordKilled(run, open);
  const killed = index % killTooEvery === killTooEvery - 1 ? await killProcessToo(run) : null;
  await checkReadiness(run, killed);
  await database.start();
  if (killed) await restart(run, killed);
  await Promise.all(fixture.slots.map((slot) => becomesReady(run, slot)));
}

/** Waits until a client has received a final response: the crash must not undo that operation. */
async function waitForAnswer(run: Run): Promise<void> {
  const { calls } = run.shop;
  const from = calls.length;
  const isDone = ({ move, status }: SeenRequest) =>
    move.kind !== 'purchase' && (status === 200 || status === 201);
  const deadline = performance.now() + answeredWithinMs;
  while (!calls.slice(from).some(isDone)) {
    if (performance.now() > deadline) return;
    await pause(1);
  }
  countEvent(run, 'crashed right after an answer');
}

async function killProcessToo(run: Run): Promise<Slot> {
  const slot = await pickUp(run, 1);
  recordKilled(run, movesAt(run, slot));
  await slot.kill();
  countEvent(run, 'killed with the database');
  return slot;
}

/**
 * While its database is unreachable, a process reports that it is not ready, and continues to run.
 * Reliability R5.
 */
async function checkReadiness(run: Run, killed: Slot | null): Promise<void> {
  for (const slot of run.fixture.slots) {
    if (slot === killed) continue;
    let status = await readiness(slot);
    // Sessions outlive a killed server for a moment and still answer.
    const deadline = performance.now() + orphansLiveMs;
    while (status === 200 && performance.now() < deadline) {
      await pause(20);
      status = await readiness(slot);
    }
    if (status === 503) countEvent(run, 'not ready without a database');
    else run.problems.push(`R5 not ready without a database: ${slot.name} says ${status}`);
  }
}

async function becomesReady(run: Run, slot: Slot): Promise<void> {
  const deadline = performance.now() + readyWithinMs;
  while (slot.isUp() && (await readiness(slot)) !== 200) {
    if (performance.now() > deadline) {
      run.problems.push(
        `R5 ready again within ${readyWithinMs / 1000} s of the database: ${slot.name}`,
      );
      return;
    }
    await pause(20);
  }
  if (slot.isUp()) countEvent(run, 'ready again');
}

async function readiness(slot: Slot): Promise<number | string> {
  try {
    const answer = await fetch(`${slot.url}/readyz`, { signal: AbortSignal.timeout(5000) });
    await answer.arrayBuffer();
    return answer.status;
  } catch (error) {
    return String(error);
  }
}
