// Runs one share of a layer in this process.

import { join } from 'node:path';
import { browserRuns, runBrowsers } from '../browsers/run-browsers.ts';
import type { ChaosReport } from '../chaos/chaos-run.ts';
import { countersOfCrashes, crashDatabase } from '../chaos/crash-database.ts';
import { killDuringCapture, wantedOfKills } from '../chaos/kill-during-capture.ts';
import { runStorms, shareStorms, wantedOfStorms } from '../chaos/storms.ts';
import { openScenario } from '../covers/fixtures.ts';
import { findScenario, scenarios } from '../covers/scenarios.ts';
import { recordVerdicts } from '../gate/choose.ts';
import { filesLeftOut, runLeftOut } from '../gate/run-left-out.ts';
import { lanesOf, runScenario, seedsOf } from '../kit/scenario.ts';
import { runApiModel, runPureModel } from '../model/run-models.ts';
import { operationsScenarios, runOperations } from '../operations/run-operations.ts';
import { plantedFaults } from '../planted-faults/faults.ts';
import { plantAll, type Verdict } from '../planted-faults/run-all.ts';
import { writeTable } from '../planted-faults/table.ts';
import { packagesSteps, runPackages } from '../registry/run-packages.ts';
import { releaseSteps, runRelease } from '../release/run-release.ts';
import { runShops, shopCases } from '../shops/run-shops.ts';
import { runStrangers, strangersCount } from '../strangers/run-strangers.ts';
import { runNode } from '../vitest/run-vitest.ts';
import type { LayerName, Task, TaskResult } from './layers.ts';
import { propertyFiles, runProperties } from './run-properties.ts';

const coversEntry = join(import.meta.dirname, '../covers/main.ts');

export type TaskOptions = {
  readonly onProgress: (done: number) => void;
  readonly signal: AbortSignal;
};

export function runTask(task: Task, telling: TaskOptions): Promise<TaskResult> {
  return runners[task.layer](task, telling);
}

/** The layers that are scenarios: `schedules` is one for each kind of provider. */
const scenarioOf = (layer: LayerName, mode: Task['mode']) =>
  openScenario(layer === 'schedules' ? `schedules-${mode}` : layer);

/**
 * The counters that a layer must reach; a layer that is not listed must reach all that it counts.
 */
export const wantedOf: Readonly<Partial<Record<LayerName, readonly string[]>>> = {
  ...Object.fromEntries(scenarios.map(({ name, wanted }) => [name, wanted])),
  schedules: findScenario('schedules-guarded').wanted,
  kills: wantedOfKills,
  crashes: countersOfCrashes,
  storms: wantedOfStorms,
};

type Part = {
  readonly runs: number;
  readonly violations: readonly string[];
  readonly sometimes: Readonly<Record<string, number>>;
};

/**
 * Runs the count in chunks of consecutive seeds, so that the run can be aborted between two chunks.
 */
async function runInChunks(
  { count, seed }: Task,
  { onProgress, signal, size }: TaskOptions & { readonly size: number },
  run: (chunk: { runs: number; seed: number; onProgress(done: number): void }) => Promise<Part>,
): Promise<TaskResult> {
  const violations: string[] = [];
  const sometimes: Record<string, number> = {};
  let done = 0;
  while (done < count && !signal.aborted) {
    const before = done;
    const part = await run({
      runs: Math.min(size, count - before),
      seed: seed + before,
      onProgress: (within) => onProgress(before + within),
    });
    violations.push(...part.violations);
    for (const [name, times] of Object.entries(part.sometimes)) {
      sometimes[name] = (sometimes[name] ?? 0) + times;
    }
    if (part.runs === 0) break;
    done += part.runs;
  }
  return { done, violations, sometimes, commands: [] };
}

const seedsAtOnce = 250;

/** Runs the seeds of a scenario; each chunk has fixtures of its own, which are judged at its end. */
function runSeedsOf(task: Task, telling: TaskOptions): Promise<TaskResult> {
  const scenario = scenarioOf(task.layer, task.mode);
  const { perSeed = 1 } = scenario;
  const size = Math.max(seedsAtOnce, perSeed);
  return runInChunks(task, { ...telling, size }, async ({ runs, seed, onProgress }) => {
    const runsIn = (seeds: number) => Math.min(runs, seeds * perSeed);
    const { count, violations, sometimes } = await runScenario(scenario, {
      ...{ seeds: seedsOf(scenario, seed, runs), runs, lanes: lanesOf(scenario) },
      onProgress: (done) => onProgress(runsIn(done)),
    });
    const named = violations.map((one) => `${scenario.name}, ${one}`);
    return { runs: runsIn(count), violations: named, sometimes };
  });
}

const chaosResult = (done: number, report: ChaosReport): TaskResult => ({
  done,
  violations: report.violations.map((one) => `seed ${report.seed}, ${report.mode}: ${one}`),
  sometimes: { ...report.sometimes, ...countSeen(report) },
  commands: report.commands?.said ?? [],
});

const countSeen = ({ counts }: ChaosReport): Record<string, number> =>
  Object.fromEntries(
    ['captures', 'voids', 'refunds', 'replays', 'in doubt', 'refusals', 'takeovers'].map((name) => [
      name,
      counts[name] ?? 0,
    ]),
  );

const runners: Readonly<
  Record<LayerName, (task: Task, telling: TaskOptions) => Promise<TaskResult>>
> = {
  properties: (task, telling) => {
    const files = propertyFiles();
    return runInChunks(task, { ...telling, size: 1 }, ({ seed }) =>
      runProperties({ seed, files, signal: telling.signal }),
    );
  },

  model: (task, telling) => runInChunks(task, { ...telling, size: 1000 }, runPureModel),

  'api-model': (task, telling) => runInChunks(task, { ...telling, size: 250 }, runApiModel),

  schedules: runSeedsOf,

  checkouts: runSeedsOf,

  detachments: runSeedsOf,

  'detachment-races': runSeedsOf,

  revocations: runSeedsOf,

  merchants: runSeedsOf,

  deliveries: runSeedsOf,

  kills: async ({ count, seed, mode }, telling) => {
    const kept = reportDone(telling);
    const common = { seed, mode, runsCommands: true, awaitsDeliveries: true };
    const report = await killDuringCapture({
      ...common,
      kills: count,
      onKill: kept.at,
      ...telling,
    });
    return chaosResult(kept.done(), report);
  },

  crashes: async ({ count, seed, mode }, telling) => {
    const kept = reportDone(telling);
    const common = { seed, mode, runsCommands: true, awaitsDeliveries: true };
    const report = await crashDatabase({
      ...common,
      crashes: count,
      onCrash: kept.at,
      ...telling,
    });
    return chaosResult(kept.done(), report);
  },

  storms: async ({ count, seed, mode }, telling) => {
    const kept = reportDone(telling);
    const times = shareStorms(count);
    const report = await runStorms({
      ...{ seed, mode, times, runsCommands: true, onStorm: kept.at },
      ...telling,
    });
    return chaosResult(kept.done(), report);
  },

  browsers: (_task, telling) => runBrowsers(telling),

  release: (_task, telling) => runRelease(telling),

  packages: (_task, telling) => runPackages(telling),

  strangers: (_task, telling) => runStrangers(telling),

  operations: (_task, telling) => runOperations(telling),

  shops: (_task, telling) => runShops(telling),

  tests: (_task, telling) => runLeftOut(telling),

  covers: writeCovers,

  faults: runFaults,
};

function reportDone({ onProgress }: TaskOptions) {
  let latest = 0;
  return {
    at: (done: number) => {
      latest = done;
      onProgress(done);
    },
    done: () => latest,
  };
}

/**
 * Runs one fault after the other, so that the run can be aborted between two. A complete run writes
 * the table, and the choice of what `npm test` runs.
 */
async function runFaults(_task: Task, { onProgress, signal }: TaskOptions): Promise<TaskResult> {
  const sometimes: Record<string, number> = {};
  const violations: string[] = [];
  let done = 0;
  const onVerdict = (verdict: Verdict) => {
    const { fault, level, shown } = verdict;
    sometimes[`caught: ${fault.name}`] = level ? 1 : 0;
    if (!level) violations.push(`survived: ${fault.name} (${shown})`);
    onProgress(++done);
  };
  const verdicts = await plantAll(plantedFaults, { onVerdict, signal });
  if (verdicts.length === plantedFaults.length) {
    writeTable(verdicts);
    recordVerdicts(verdicts);
  }
  return { done, violations, sometimes, commands: [] };
}

/** Writes one cover after the other, each as soon as its seeds are chosen. */
async function writeCovers(_task: Task, { onProgress, signal }: TaskOptions): Promise<TaskResult> {
  const violations: string[] = [];
  let done = 0;
  for (const { name } of scenarios) {
    if (signal.aborted) break;
    const { code, text } = await runNode([coversEntry, '--write', name]);
    if (code !== 0)
      violations.push(`cover ${name}: ${text.trimEnd().split('\n').slice(-5).join('\n')}`);
    onProgress(++done);
  }
  return { done, violations, sometimes: {}, commands: [] };
}

/** The counts of layers that have no option for it. */
export const fixedCounts: Readonly<Partial<Record<LayerName, number>>> = {
  browsers: browserRuns,
  release: releaseSteps,
  packages: packagesSteps,
  strangers: strangersCount,
  operations: operationsScenarios,
  shops: shopCases,
  tests: filesLeftOut.length,
  covers: scenarios.length,
  faults: plantedFaults.length,
};
