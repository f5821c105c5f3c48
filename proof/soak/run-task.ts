// Runs one share of a layer in this process.

import { join } from 'node:path';
import { browserRuns, runBrowsers } from '../browsers/run-browsers.ts';
import type { ChaosReport } from '../chaos/chaos-run.ts';
import { countersOfCrashes, crashDatabase } from '../chaos/crash-database.ts';
import { killDuringCapture, wantedOfKills } from '../chaos/kill-during-capture.ts';
import { runStorms, shareStorms, wantedOfStorms } from '../chaos/storms.ts';
import { wantedOfCheckouts } from '../checkout/expected-counters.ts';
import { runInterleavings } from '../checkout/run-interleavings.ts';
import { coverLayers } from '../covers/layers.ts';
import { wantedOfDetachments, wantedOfRaces } from '../detachment/expected-counters.ts';
import { runDetachments } from '../detachment/run-detachments.ts';
import { runRaces } from '../detachment/run-races.ts';
import { recordVerdicts } from '../gate/choose.ts';
import { filesLeftOut, runLeftOut } from '../gate/run-left-out.ts';
import { runNode } from '../kit/run-vitest.ts';
import { wantedOfMerchants } from '../merchant/expected-counters.ts';
import { runMerchants } from '../merchant/run-merchants.ts';
import { wantedOfApiModel, wantedOfPureModel } from '../model/expected-counters.ts';
import { runApiModel, runPureModel } from '../model/run-models.ts';
import { plantedFaults } from '../planted-faults/faults.ts';
import { plantAll, type Verdict } from '../planted-faults/run-all.ts';
import { writeTable } from '../planted-faults/table.ts';
import { wantedOfRevocations } from '../revocation/expected-counters.ts';
import { runRevocations } from '../revocation/run-revocations.ts';
import { wantedOfSchedules } from '../simulation/expected-counters.ts';
import { runSchedules } from '../simulation/run-schedules.ts';
import { wantedOfDeliveries } from '../webhooks/expected-counters.ts';
import { runDeliveries } from '../webhooks/run-deliveries.ts';
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

/**
 * The counters that a layer must reach; a layer that is not listed must reach all that it counts.
 */
export const wantedOf: Readonly<Partial<Record<LayerName, readonly string[]>>> = {
  model: wantedOfPureModel,
  'api-model': wantedOfApiModel,
  schedules: wantedOfSchedules,
  checkouts: wantedOfCheckouts,
  kills: wantedOfKills,
  crashes: countersOfCrashes,
  storms: wantedOfStorms,
  detachments: wantedOfDetachments,
  'detachment-races': wantedOfRaces,
  revocations: wantedOfRevocations,
  merchants: wantedOfMerchants,
  deliveries: wantedOfDeliveries,
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

  schedules: (task, telling) =>
    runInChunks(task, { ...telling, size: 250 }, async ({ runs, ...chunk }) => {
      const { schedules, ...rest } = await runSchedules({
        ...chunk,
        mode: task.mode,
        count: runs,
      });
      return { runs: schedules, ...rest };
    }),

  checkouts: (task, telling) =>
    runInChunks(task, { ...telling, size: 500 }, async ({ runs, ...chunk }) => {
      const { count, ...rest } = await runInterleavings({ ...chunk, count: runs });
      return { runs: count, ...rest };
    }),

  detachments: (task, telling) =>
    runInChunks(task, { ...telling, size: 500 }, async ({ runs, ...chunk }) => {
      const { count, ...rest } = await runDetachments({ ...chunk, count: runs });
      return { runs: count, ...rest };
    }),

  'detachment-races': (task, telling) =>
    runInChunks(task, { ...telling, size: 250 }, async ({ runs, ...chunk }) => {
      const { count, ...rest } = await runRaces({ ...chunk, count: runs });
      return { runs: count, ...rest };
    }),

  revocations: (task, telling) =>
    runInChunks(task, { ...telling, size: 125 }, async ({ runs, ...chunk }) => {
      const { count, ...rest } = await runRevocations({ ...chunk, count: runs });
      return { runs: count, ...rest };
    }),

  merchants: (task, telling) =>
    runInChunks(task, { ...telling, size: 125 }, async ({ runs, ...chunk }) => {
      const { count, ...rest } = await runMerchants({ ...chunk, count: runs });
      return { runs: count, ...rest };
    }),

  deliveries: async ({ count, seed }, telling) => {
    const { count: done, ...rest } = await runDeliveries({
      ...{ count, seed, crashes: true },
      ...telling,
    });
    return { done, ...rest };
  },

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
  for (const { name } of coverLayers) {
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
  tests: filesLeftOut.length,
  covers: coverLayers.length,
  faults: plantedFaults.length,
};
