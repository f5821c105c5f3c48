// A closed loop: it keeps a fixed number of operations in flight until the time is up or the rows
// are used.

import type { LoadResult, SingleUseRows } from './load-plan.ts';
import { quantile } from './statistics.ts';

export type LoopPlan = {
  readonly rows: SingleUseRows;
  /** True when each row is used once; otherwise the rows are used again from the first one. */
  readonly isOnce: boolean;
  readonly inFlight: number;
  readonly ms: number;
};

/**
 * Runs `once(row, lane)` and counts what it throws as a failure. The rate is measured to the end of
 * the last operation: otherwise a short run with many in flight would count the wait for the first
 * one as idle time.
 */
export async function runClosedLoop(
  plan: LoopPlan,
  once: (row: number, lane: number) => Promise<void>,
): Promise<LoadResult> {
  const { rows, isOnce, inFlight, ms } = plan;
  const latencies: number[] = [];
  let used = 0;
  let failed = 0;
  let firstFailure: string | null = null;
  const start = performance.now();
  const end = start + ms;

  const lane = async (number: number): Promise<void> => {
    for (;;) {
      const began = performance.now();
      if (began >= end) return;
      if (isOnce && used >= rows.count) return;
      const row = rows.first + (used++ % rows.count);
      try {
        await once(row, number);
        latencies.push(performance.now() - began);
      } catch (error) {
        failed += 1;
        firstFailure ??= error instanceof Error ? error.message : String(error);
      }
    }
  };
  await Promise.all(Array.from({ length: inFlight }, (_, number) => lane(number)));

  return {
    succeeded: latencies.length,
    failed,
    firstFailure,
    used: isOnce ? used : Math.min(used, rows.count),
    perSecond: (latencies.length * 1000) / (performance.now() - start),
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
  };
}
