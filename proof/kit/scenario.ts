// A scenario is one random layer as data: which counters its seeds must meet, which planted faults
// they must catch, and how many seeds a cover of it is chosen from. Every scenario runs by the
// functions of this file: its cover in `npm test`, its many seeds in the proof, one seed again by
// `npm run seeds`.

import {
  describeError,
  runSeeds,
  type SeedFixture,
  type SeedOptions,
  type SeedReport,
  type SeedRun,
  seedsFrom,
} from './run-seeds.ts';

export type Scenario = {
  /** Also the name of the file of its cover. */
  readonly name: string;
  /** The suite of the planted faults that its seeds must catch. */
  readonly suite: string;
  /** The counters that many seeds must meet, or they prove too little. */
  readonly wanted: readonly string[];
  /** The counters that the cover must meet, where a few seeds cannot meet all. */
  readonly wantedOfCover?: readonly string[];
  /** The number of seeds from which a cover is chosen; more are run while a counter is too rare. */
  readonly scanned: number;
  /** The largest number of seeds that are run for a counter or a planted fault. */
  readonly most: number;
  /** The number of runs that one seed stands for, 1 unless given; the next seed is higher by it. */
  readonly perSeed?: number;
  /** The number of fixtures side by side, 2 unless given. */
  readonly lanes?: number;
  /**
   * True when real time matters: the same seed may then end differently, so a fault must be caught
   * three times.
   */
  readonly isTimed?: true;
};

export type OpenScenario = Scenario & {
  /**
   * Opens the fixture of a cover's seeds; or, with the number of runs that are wanted, of seeds of
   * the proof, which may be larger.
   */
  open(runs?: number): Promise<SeedFixture>;
};

export const lanesOf = ({ lanes = 2 }: Scenario): number => lanes;

/** The seeds of `count` runs, from `first` on. */
export const seedsOf = ({ perSeed = 1 }: Scenario, first: number, count: number): number[] =>
  seedsFrom(first, Math.ceil(count / perSeed), perSeed);

export type ScenarioReport = SeedReport & {
  /** Wanted counters that stayed at zero. */
  readonly never: readonly string[];
};

type ScenarioOptions = Omit<SeedOptions, 'onSeed'> & {
  /** How many runs are wanted in the proof; undefined for a cover. */
  readonly runs?: number | undefined;
  /** A fixture that is already open, and stays open. */
  readonly fixture?: SeedFixture;
};

/** Runs the seeds. Prints a failing seed at once, with its trace and the command that replays it. */
export async function runScenario(
  scenario: OpenScenario,
  { runs, fixture, ...options }: ScenarioOptions,
): Promise<ScenarioReport> {
  const open = async () =>
    fixture ? { ...fixture, close: async () => undefined } : scenario.open(runs);
  const report = await runSeeds(open, {
    ...options,
    onSeed(seed, run) {
      if (run.violations.length > 0)
        process.stderr.write(describeFailure(scenario, seed, { ...run, runs }));
    },
  });
  const { wanted, wantedOfCover = wanted } = scenario;
  const names = runs === undefined ? wantedOfCover : wanted;
  return { ...report, never: names.filter((name) => !report.sometimes[name]) };
}

export const describeFailure = (
  { name }: Scenario,
  seed: number,
  { violations, trace = [], runs }: SeedRun & { readonly runs?: number | undefined },
): string =>
  [
    `${name}, seed ${seed}`,
    ...[...violations, ...trace].map((line) => `  ${line}`),
    `  replay: npm run seeds -- ${name} --seed ${seed}${runs === undefined ? '' : ' --many'}\n`,
  ].join('\n');

/** Runs one seed again, on a fixture of its own. */
export async function replaySeed(scenario: OpenScenario, seed: number, runs?: number) {
  const fixture = await scenario.open(runs);
  try {
    return await fixture
      .run(seed)
      .catch(
        (error): SeedRun => ({ violations: [`it threw ${describeError(error)}`], sometimes: {} }),
      );
  } finally {
    await fixture.close();
  }
}
