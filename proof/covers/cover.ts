// A cover: a few seeds of a layer that together reach all its counters and catch its planted
// faults. `proof/covers/main.ts` writes it, `npm test` runs it.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Scenario } from '../kit/scenario.ts';
import { faultsOf } from './scenarios.ts';

export type Cover = {
  /**
   * The seeds that the gate runs, in this order: those for the counters, then those for the faults.
   */
  readonly seeds: readonly number[];
  /** Each counter, with its value for these seeds when they were chosen. */
  readonly counters: Readonly<Record<string, number>>;
  /** Each planted fault, with the seed that catches it. */
  readonly faults: Readonly<Record<string, number>>;
};

/**
 * Each counter reaches this value, so that a change that affects a few seeds leaves none at zero. Where time
 * plays a part, a seed may miss a counter that it has met before.
 */
export const leastMetOf = ({ isTimed }: Pick<Scenario, 'isTimed'>): number => (isTimed ? 3 : 2);

/** The counters that the cover must meet. */
export const wantedOfCover = ({ wanted, wantedOfCover: few = wanted }: Scenario) => few;

export const coverFile = (name: string): string => join(import.meta.dirname, `${name}.json`);

export const readCover = ({ name }: Pick<Scenario, 'name'>): Cover =>
  JSON.parse(readFileSync(coverFile(name), 'utf8')) as Cover;

/** The names of the counters and faults that a cover must contain. */
export type CoverDemand = {
  readonly counters: readonly string[];
  readonly faults: readonly string[];
  readonly leastMet: number;
};

export const demandedOf = (layer: Scenario): CoverDemand => ({
  counters: wantedOfCover(layer),
  faults: faultsOf(layer).map(({ name }) => name),
  leastMet: leastMetOf(layer),
});

/**
 * Returns the names that the cover lacks and those that no longer exist; empty when it is up to
 * date.
 */
export function findStale({ seeds, counters, faults }: Cover, demanded: CoverDemand): string[] {
  const missing = (known: object, names: readonly string[]) =>
    names.filter((name) => !Object.hasOwn(known, name));
  const listMissing = (known: object, names: readonly string[]) =>
    Object.keys(known).filter((name) => !names.includes(name));
  return [
    ...missing(counters, demanded.counters).map((one) => `does not know the counter "${one}"`),
    ...listMissing(counters, demanded.counters).map(
      (one) => `has the counter "${one}", which is gone`,
    ),
    ...missing(faults, demanded.faults).map((one) => `does not know the planted fault "${one}"`),
    ...listMissing(faults, demanded.faults).map(
      (one) => `has the planted fault "${one}", which is gone`,
    ),
    ...Object.entries(counters)
      .filter(([, times]) => !(times >= demanded.leastMet))
      .map(([name, times]) => `meets "${name}" ${times} times, fewer than ${demanded.leastMet}`),
    ...Object.entries(faults)
      .filter(([, seed]) => !seeds.includes(seed))
      .map(([name, seed]) => `does not run seed ${seed}, which catches "${name}"`),
  ];
}

/** What one seed met, and how long it took. */
export type SeedCounters = {
  readonly seed: number;
  readonly seconds: number;
  readonly sometimes: Readonly<Record<string, number>>;
};

/** Beside this, a difference between the times of two seeds is chance. */
const leastSeconds = 0.3;

/**
 * Chooses seeds whose sum reaches `leastMet` for each counter, or the sum of all seeds when that is
 * lower. It takes the seed that adds most of what is still missing in its time, again and again; the first
 * one of several equal ones.
 */
export function chooseSeeds(
  met: readonly SeedCounters[],
  { wanted, leastMet }: { readonly wanted: readonly string[]; readonly leastMet: number },
): Pick<Cover, 'seeds' | 'counters'> {
  const left = new Map(wanted.map((name) => [name, leastMet]));
  const gainOfSeed = ({ sometimes, seconds }: SeedCounters) =>
    [...left].reduce((sum, [name, need]) => sum + Math.min(need, sometimes[name] ?? 0), 0) /
    (leastSeconds + seconds);
  const chosen: SeedCounters[] = [];
  for (let rest = [...met]; rest.length > 0; ) {
    const gains = rest.map(gainOfSeed);
    const most = Math.max(...gains);
    if (most === 0) break;
    const [best] = rest.splice(gains.indexOf(most), 1) as [SeedCounters];
    chosen.push(best);
    for (const [name, need] of left) {
      left.set(name, Math.max(0, need - (best.sometimes[name] ?? 0)));
    }
  }
  const counters = Object.fromEntries(
    [...wanted]
      .sort()
      .map((name) => [name, chosen.reduce((sum, one) => sum + (one.sometimes[name] ?? 0), 0)]),
  );
  return { seeds: chosen.map(({ seed }) => seed), counters };
}
