// Arithmetic of the bench. A machine that is shared moves rates by a factor of two from minute to
// minute, so what counts is the ratio of two runs side by side, and the median of those.

/** The middle value; the mean of the two middle ones for an even count; NaN of nothing. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const high = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? high : ((sorted[middle - 1] ?? Number.NaN) + high) / 2;
}

/** The value that `share` of all values do not exceed; NaN of nothing. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  const rank = Math.ceil(share * sorted.length) - 1;
  return sorted[Math.min(Math.max(rank, 0), sorted.length - 1)] ?? Number.NaN;
}

export type RoundPair<S> = { readonly limit: S; readonly ours: S };

/** The median of the rounds' own ratios, which is not the ratio of the medians. */
export function medianRatio<S>(
  rounds: readonly RoundPair<S>[],
  measureOf: (sample: S) => number,
): number {
  return median(rounds.map(({ limit, ours }) => measureOf(ours) / measureOf(limit)));
}

/** More of somebody else's work than this makes a round doubtful. */
export const mostForeign = 0.1;

/** Fewer clean rounds than this are no evidence either. */
const fewestClean = 3;

type Disturbed = { readonly foreign: number };

export const isClean = ({ limit, ours }: RoundPair<Disturbed>): boolean =>
  limit.foreign <= mostForeign && ours.foreign <= mostForeign;

/** The rounds that count: the clean ones, or all of them where too few are clean. */
export function countedRounds<S extends Disturbed>(
  rounds: readonly RoundPair<S>[],
): readonly RoundPair<S>[] {
  const clean = rounds.filter(isClean);
  return clean.length >= fewestClean ? clean : rounds;
}
