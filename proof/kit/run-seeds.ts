// Runs seeds of one layer, one after the other on each of a few fixtures, and adds up their
// counters.

/** The result of one seed. */
export type SeedRun = {
  readonly violations: readonly string[];
  /** How often each counted event happened. */
  readonly sometimes: Readonly<Record<string, number>>;
  /** The steps in their order, if the layer records them: the same seed gives the same trace. */
  readonly trace?: readonly string[];
};

/** The fixture of seeds: a database and what else a layer needs, opened once for many seeds. */
export type SeedFixture = {
  run(seed: number): Promise<SeedRun>;
  /**
   * Returns the violations in everything that the seeds have left; called once, after the last
   * seed.
   */
  judge?(): Promise<readonly string[]>;
  close(): Promise<void>;
};

export type SeedReport = {
  /** How many seeds were run. */
  readonly count: number;
  /** Each begins with the seed that shows it again. */
  readonly violations: readonly string[];
  readonly sometimes: Readonly<Record<string, number>>;
};

export type SeedOptions = {
  readonly seeds: readonly number[];
  /** Fixtures side by side, 1 unless given. */
  readonly lanes?: number;
  /** No further seed once a violation was seen. */
  readonly stopsAtFirst?: boolean;
  readonly onProgress?: (done: number) => void;
  readonly onSeed?: (seed: number, run: SeedRun, seconds: number) => void;
};

/** `count` seeds from `first` on, `step` apart. */
export const seedsFrom = (first: number, count: number, step = 1): number[] =>
  Array.from({ length: count }, (_, index) => first + index * step);

export async function runSeeds(
  open: () => Promise<SeedFixture>,
  options: SeedOptions,
): Promise<SeedReport> {
  const { seeds, lanes = 1, stopsAtFirst = false, onProgress, onSeed } = options;
  const violations: string[] = [];
  const sometimes: Record<string, number> = {};
  const left = [...seeds];
  let done = 0;
  let isBroken = false;
  const isFinished = () => left.length === 0 || isBroken || (stopsAtFirst && violations.length > 0);
  const runLane = async (fixture: SeedFixture) => {
    while (!isFinished()) {
      const seed = left.shift() as number;
      const from = performance.now();
      const run = await fixture.run(seed).catch((error): SeedRun => {
        // What the run has left on its fixture is unknown.
        isBroken = true;
        return { violations: [`it threw ${describeError(error)}`], sometimes: {} };
      });
      addCounts(sometimes, run.sometimes);
      violations.push(...run.violations.map((text) => `seed ${seed}: ${text}`));
      done += 1;
      onSeed?.(seed, run, (performance.now() - from) / 1000);
      onProgress?.(done);
    }
    violations.push(...((await fixture.judge?.()) ?? []));
  };
  const opened = await openAll(open, Math.min(lanes, seeds.length));
  try {
    await Promise.all(opened.map(runLane));
  } finally {
    await Promise.all(opened.map((fixture) => fixture.close()));
  }
  const sorted = Object.fromEntries(Object.entries(sometimes).sort(compareNames));
  return { count: done, violations, sometimes: sorted };
}

/** The error with its stack, where it has one. */
export const describeError = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);

/** Closes the fixtures that were opened when another one could not be opened. */
async function openAll(open: () => Promise<SeedFixture>, count: number): Promise<SeedFixture[]> {
  const tried = await Promise.allSettled(Array.from({ length: count }, open));
  const opened = tried.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failed = tried.find((one) => one.status === 'rejected');
  if (!failed) return opened;
  await Promise.all(opened.map((fixture) => fixture.close()));
  throw failed.reason;
}

const compareNames = ([one]: [string, number], [other]: [string, number]): number =>
  one < other ? -1 : one > other ? 1 : 0;

/** Adds the counts of `more` to those of `to`. */
export function addCounts(
  to: Record<string, number>,
  more: Readonly<Record<string, number>>,
): void {
  for (const [name, times] of Object.entries(more)) to[name] = (to[name] ?? 0) + times;
}

export type Count = (what: string, times?: number) => void;

/** The counters of one seed, and the function that counts. */
export function openCounters(): {
  readonly sometimes: Record<string, number>;
  readonly count: Count;
} {
  const sometimes: Record<string, number> = {};
  return { sometimes, count: (what, times = 1) => addCounts(sometimes, { [what]: times }) };
}
