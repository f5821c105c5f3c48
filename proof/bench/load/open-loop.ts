// An open loop: operations begin on a schedule, whether or not earlier ones have ended, and their
// latency counts from the scheduled time. A closed loop would hide the time that operations wait in
// a queue.

import type { LoadResult, SingleUseRows } from './load-plan.ts';
import { quantile } from './statistics.ts';

export type OpenPlan = {
  /** Rows, each used once. */
  readonly rows: SingleUseRows;
  readonly perSecond: number;
  readonly ms: number;
};

/** A row and its latency in ms. */
export type TimedRow = readonly [row: number, ms: number];

/**
 * Returns the times in ms at which independent callers arrive: the gaps are exponential (Poisson).
 */
export function scheduleArrivals({ rows, perSecond, ms }: OpenPlan): number[] {
  const arrivals: number[] = [];
  // The generator of Numerical Recipes, so that every run has the same schedule.
  let state = rows.first >>> 0;
  for (let at = 0; arrivals.length < rows.count; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    at += (-Math.log(1 - state / 2 ** 32) * 1000) / perSecond;
    if (at >= ms) break;
    arrivals.push(at);
  }
  return arrivals;
}

/** Runs `once(row)` for each arrival and waits for the last. */
export async function runOpenLoop(
  plan: OpenPlan,
  once: (row: number) => Promise<void>,
): Promise<LoadResult & { readonly timed: readonly TimedRow[] }> {
  const arrivals = scheduleArrivals(plan);
  const timed: TimedRow[] = [];
  let failed = 0;
  let firstFailure: string | null = null;
  const start = performance.now();
  const running: Promise<void>[] = [];
  for (const [at, due] of arrivals.entries()) {
    const wait = start + due - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    const row = plan.rows.first + at;
    const end = once(row).then(
      () => void timed.push([row, performance.now() - start - due]),
      (error: unknown) => {
        failed += 1;
        firstFailure ??= error instanceof Error ? error.message : String(error);
      },
    );
    running.push(end);
  }
  await Promise.all(running);
  const latencies = timed.map(([, ms]) => ms);
  return {
    succeeded: timed.length,
    failed,
    firstFailure,
    used: arrivals.length,
    perSecond: (timed.length * 1000) / (performance.now() - start),
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    timed,
  };
}
