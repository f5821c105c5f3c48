// Rows that can be captured once each: seeded in advance, and used in order.

import type { SingleUseRows } from './load/load-plan.ts';

export type Stock = {
  /** Seeds rows until this many are unused. */
  ensure(count: number): Promise<void>;
  /** Returns all unused rows. */
  left(): SingleUseRows;
  /** Marks the first `count` unused rows as used. */
  spend(count: number): void;
};

export function openUnusedRows(seed: (rows: SingleUseRows) => Promise<void>): Stock {
  let next = 0;
  let end = 0;
  return {
    async ensure(count) {
      const missing = count - (end - next);
      if (missing <= 0) return;
      await seed({ first: end, count: missing });
      end += missing;
    },
    left: () => ({ first: next, count: end - next }),
    spend(count) {
      next = Math.min(next + count, end);
    },
  };
}
