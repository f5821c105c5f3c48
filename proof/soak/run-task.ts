// One share of a layer, in this process.

import type { ChaosReport } from '../chaos/chaos-run.ts';
import { crashDatabase, wantedOfCrashes } from '../chaos/crash-database.ts';
import { killDuringCapture, wantedOfKills } from '../chaos/kill-during-capture.ts';
import { rage, shareStorms, wantedOfStorms } from '../chaos/storms.ts';
import { runApiModel, runPureModel } from '../model/run-models.ts';
import { plantedFaults } from '../planted-faults/faults.ts';
import { plantAll } from '../planted-faults/run-all.ts';
import { runSchedules } from '../simulation/run-schedules.ts';
import type { LayerName, Task, TaskResult } from './layers.ts';

export type Telling = {
  readonly onProgress: (done: number) => void;
  readonly signal: AbortSignal;
};

export function runTask(task: Task, telling: Telling): Promise<TaskResult> {
  return runners[task.layer](task, telling);
}

/** What a layer must come across; those that are not named here count by themselves. */
export const wantedOf: Readonly<Partial<Record<LayerName, readonly string[]>>> = {
  kills: wantedOfKills,
  crashes: wantedOfCrashes,
  storms: wantedOfStorms,
};

const ofModel = ({
  runs,
  violations,
  sometimes,
}: {
  runs: number;
  violations: readonly string[];
  sometimes: Readonly<Record<string, number>>;
}): TaskResult => ({ done: runs, violations, sometimes, commands: [] });

const ofChaos = (done: number, report: ChaosReport): TaskResult => ({
  done,
  violations: report.violations.map((one) => `seed ${report.seed}, ${report.mode}: ${one}`),
  sometimes: { ...report.sometimes, ...countsAsSeen(report) },
  commands: report.commands?.said ?? [],
});

const countsAsSeen = ({ counts }: ChaosReport): Record<string, number> =>
  Object.fromEntries(
    ['captures', 'voids', 'refunds', 'replays', 'in doubt', 'refusals', 'takeovers'].map((name) => [
      name,
      counts[name] ?? 0,
    ]),
  );

const runners: Readonly<Record<LayerName, (task: Task, telling: Telling) => Promise<TaskResult>>> =
  {
    model: async ({ count, seed }, { onProgress }) =>
      ofModel(await runPureModel({ runs: count, seed, onProgress })),

    'api-model': async ({ count, seed }, { onProgress }) =>
      ofModel(await runApiModel({ runs: count, seed, onProgress })),

    schedules: async (task, { onProgress }) => {
      const { schedules, ...rest } = await runSchedules({ ...task, onProgress });
      return { done: schedules, ...rest, commands: [] };
    },

    kills: async ({ count, seed, mode }, telling) => {
      const kept = keepDone(telling);
      const common = { seed, mode, runsCommands: true, awaitsDeliveries: true };
      const report = await killDuringCapture({
        ...common,
        kills: count,
        onKill: kept.at,
        ...telling,
      });
      return ofChaos(kept.done(), report);
    },

    crashes: async ({ count, seed, mode }, telling) => {
      const kept = keepDone(telling);
      const common = { seed, mode, runsCommands: true, awaitsDeliveries: true };
      const report = await crashDatabase({
        ...common,
        crashes: count,
        onCrash: kept.at,
        ...telling,
      });
      return ofChaos(kept.done(), report);
    },

    storms: async ({ count, seed, mode }, telling) => {
      const kept = keepDone(telling);
      const times = shareStorms(count);
      const report = await rage({
        ...{ seed, mode, times, runsCommands: true, onStorm: kept.at },
        ...telling,
      });
      return ofChaos(kept.done(), report);
    },

    faults: runFaults,
  };

function keepDone({ onProgress }: Telling) {
  let latest = 0;
  return {
    at: (done: number) => {
      latest = done;
      onProgress(done);
    },
    done: () => latest,
  };
}

/** Suite by suite, so that it can be broken off in between. */
async function runFaults(_task: Task, { onProgress, signal }: Telling): Promise<TaskResult> {
  const sometimes: Record<string, number> = {};
  const violations: string[] = [];
  let done = 0;
  for (const suite of new Set(plantedFaults.map((fault) => fault.suite))) {
    if (signal.aborted) break;
    const faults = plantedFaults.filter((fault) => fault.suite === suite);
    await plantAll(faults, ({ fault, isCaught, found }) => {
      sometimes[`caught: ${fault.name}`] = isCaught ? 1 : 0;
      if (!isCaught) {
        violations.push(`survived: ${fault.name} (${found.failures[0] ?? 'all stayed green'})`);
      }
      onProgress(++done);
    });
  }
  return { done, violations, sometimes, commands: [] };
}

export const faultCount = plantedFaults.length;
