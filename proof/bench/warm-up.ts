// Rates of a process that is not warm say nothing: V8 compiles what ran often, and connections open on first use.

import type { MeasuredSide } from './measures.ts';

/** Two successive runs of a warm side differ by less. */
const warmSpread = 0.03;

export type WarmUp = {
  readonly warmMs: number;
  /** A side warms up in so many runs at most. */
  readonly warmRuns: number;
  /** A rate, before one was measured. A faster side ends its first run early. */
  readonly guess: number;
  readonly say: (line: string) => void;
};

export type Warm = { readonly perSecond: number; readonly runs: number };

/** Runs the side until its rate stays, or `warmRuns` times. Returns the last rate per second. */
export async function warmUpSide(
  side: MeasuredSide,
  { warmMs, warmRuns, guess, say }: WarmUp,
): Promise<Warm> {
  let known = guess;
  for (let runs = 1; ; runs++) {
    await side.stock?.ensure(side.supply?.(known, warmMs) ?? 0);
    const { perSecond, failed, firstFailure } = await side.run(warmMs);
    if (failed > 0) say(`warm-up: ${failed} failed, first: ${firstFailure}`);
    const isWarm = runs > 1 && Math.abs(perSecond - known) < known * warmSpread;
    known = perSecond;
    if (isWarm || runs >= warmRuns) return { perSecond, runs };
  }
}
