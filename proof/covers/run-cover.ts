// Runs every seed of a layer's cover on the current sources, for the layer's tests.

import { runSeeds, type SeedFixture, type SeedReport, type SeedRun } from '../kit/run-seeds.ts';
import { readCover } from './cover.ts';
import { openFixture } from './fixtures.ts';
import { type CoverLayer, coverLayer } from './layers.ts';

export type CoverReport = SeedReport & {
  /** Counters that stayed at zero. */
  readonly never: readonly string[];
};

/**
 * Runs the cover. Prints a failing seed at once, with its trace and the command that runs it again.
 */
export async function runCover(name: string, fixture?: SeedFixture): Promise<CoverReport> {
  const layer = coverLayer(name);
  const { seeds } = readCover(layer);
  const openOnce = async () =>
    fixture ? { ...fixture, close: async () => undefined } : openFixture(layer);
  const onSeed = (seed: number, run: SeedRun) => {
    if (run.violations.length > 0) process.stderr.write(describeFailure(layer, seed, run));
  };
  const report = await runSeeds(openOnce, { seeds, stopsAtFirst: true, onSeed });
  return { ...report, never: layer.wanted.filter((what) => !report.sometimes[what]) };
}

export const describeFailure = (layer: CoverLayer, seed: number, run: SeedRun): string =>
  [
    `${layer.name}, seed ${seed}`,
    ...run.violations.map((one) => `  ${one}`),
    ...(run.trace ?? []).map((line) => `  ${line}`),
    `  replay: ${layer.replay(seed)}\n`,
  ].join('\n');
