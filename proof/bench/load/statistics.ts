// Arithmetic of the bench. On a shared machine rates vary by a factor of two from minute to minute,
// so only the ratio of two adjacent runs counts, and the median of these ratios.

/** Returns the median: the mean of the two middle values for an even count; NaN for no values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const high = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? high : ((sorted[middle - 1] ?? Number.NaN) + high) / 2;
}

/**
 * Returns the smallest value that at least `share` of all values do not exceed; NaN for no values.
 */
export function quantile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  const rank = Math.ceil(share * sorted.length) - 1;
  return sorted[Math.min(Math.max(rank, 0), sorted.length - 1)] ?? Number.NaN;
}

/** Smallest and largest of the ratios, as text. */
export const spreadOf = (ratios: readonly number[]): string =>
  `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;

export type RoundPair<S> = { readonly limit: S; readonly ours: S };

/** Returns the median of the rounds' own ratios, which is not the ratio of the medians. */
export function medianRatio<S>(
  rounds: readonly RoundPair<S>[],
  measureOf: (sample: S) => number,
): number {
  return median(rounds.map(({ limit, ours }) => measureOf(ours) / measureOf(limit)));
}

/** A round is doubtful when other processes used more than this share of the machine. */
export const maxForeignLoad = 0.1;

/** With fewer undisturbed rounds than this, all rounds count. */
const fewestClean = 3;

type ForeignLoad = { readonly foreign: number };

export const isClean = ({ limit, ours }: RoundPair<ForeignLoad>): boolean =>
  limit.foreign <= maxForeignLoad && ours.foreign <= maxForeignLoad;

/** Returns the rounds that count: the undisturbed ones, or all of them when there are too few. */
export function countedRounds<S extends ForeignLoad>(
  rounds: readonly RoundPair<S>[],
): readonly RoundPair<S>[] {
  const clean = rounds.filter(isClean);
  return clean.length >= fewestClean ? clean : rounds;
}
