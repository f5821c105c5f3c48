// The API layer: random commands over HTTP, in a few parallel lanes, each with a service of its
// own, so that moving one lane's clock affects no other lane.

import fc from 'fast-check';
import { openCluster } from '../kit/cluster.ts';
import type { SeedFixture } from '../kit/run-seeds.ts';
import { apiCommands } from './api-commands.ts';
import { type ApiFixture, openApiFixture } from './api-fixture.ts';
import { ApiRest } from './api-rest.ts';
import { ApiScenario } from './api-scenario.ts';
import { type Budget, describeFailure, type ModelRun, type Replay } from './run-pure.ts';

const mostCommands = 25;
const lanes = 3;
/** A lane's clock only moves forward; a new service starts at the current day again. */
const runsPerFixture = 200;
const share = 10;
const mostViolations = 1;
const mostShrinkingMs = 30_000;

type SharedRun = {
  readonly budget: Budget;
  readonly sometimes: Record<string, number>;
  readonly violations: string[];
  /** The number of runs that a lane has started, and the number that have ended. */
  taken: number;
  done: number;
};

export async function runApiModel(budget: Budget, replay?: Replay): Promise<ModelRun> {
  const shared: SharedRun = { budget, sometimes: {}, violations: [], taken: 0, done: 0 };
  const cluster = await openCluster();
  try {
    const count = replay ? 1 : Math.min(lanes, Math.ceil(budget.runs / share));
    await Promise.all(Array.from({ length: count }, () => runLane(shared, replay)));
  } finally {
    await cluster.stop();
  }
  const { done: runs, violations, sometimes } = shared;
  return { runs, violations, sometimes };
}

const isFinished = ({ taken, budget, violations }: SharedRun): boolean =>
  taken >= budget.runs || violations.length >= mostViolations;

async function runLane(shared: SharedRun, replay: Replay | undefined): Promise<void> {
  while (!isFinished(shared)) {
    const fixture = await openApiFixture();
    try {
      for (let runs = 0; runs < runsPerFixture && !isFinished(shared); runs += share) {
        const from = shared.taken;
        const size = replay ? shared.budget.runs : Math.min(share, shared.budget.runs - from);
        shared.taken += size;
        const { sometimes, budget } = shared;
        const seed = budget.seed + from;
        const found = await check(fixture, { sometimes, seed, size, replay, shrinks: true });
        if (found) shared.violations.push(found);
        shared.done += size;
        shared.budget.onProgress?.(shared.done);
      }
    } finally {
      await fixture.close();
    }
  }
}

type CheckedRun = {
  readonly sometimes: Record<string, number>;
  readonly seed: number;
  readonly size: number;
  readonly replay: Replay | undefined;
  /** True when a failing run is shrunk before it is reported. */
  readonly shrinks: boolean;
};

async function check(
  fixture: ApiFixture,
  { sometimes, seed, size, replay, shrinks }: CheckedRun,
): Promise<string | null> {
  let failedAt: number | null = null;
  // Shrinks a failure for a limited time. After it, every shorter run passes without being
  // executed: an aborted run would continue in the fixture that it shares with the next one.
  const isShrunk = () => failedAt !== null && performance.now() - failedAt > mostShrinkingMs;
  const property = fc.asyncProperty(
    apiCommands(mostCommands, replay?.replayPath),
    async (commands) => {
      if (isShrunk()) return;
      await runOne(fixture, sometimes, commands).catch((error) => {
        failedAt ??= performance.now();
        throw error;
      });
    },
  );
  const found = await fc.check(property, {
    numRuns: size,
    seed,
    ...(replay ? { path: replay.path } : {}),
    endOnFailure: replay !== undefined || !shrinks,
  });
  return describeFailure('api', found);
}

/** Opens one service after the other; a seed stands for ten runs. */
export async function openApiModel(): Promise<SeedFixture> {
  let fixture = await openApiFixture();
  let runs = 0;
  return {
    async run(seed) {
      if (runs >= runsPerFixture) {
        await fixture.close();
        fixture = await openApiFixture();
        runs = 0;
      }
      runs += share;
      const sometimes: Record<string, number> = {};
      const rest = { replay: undefined, shrinks: false };
      const found = await check(fixture, { sometimes, seed, size: share, ...rest });
      return { violations: found === null ? [] : [found], sometimes };
    },
    close: () => fixture.close(),
  };
}

async function runOne(
  fixture: ApiFixture,
  sometimes: Record<string, number>,
  commands: Iterable<fc.AsyncCommand<ApiScenario, ApiScenario, true>>,
): Promise<void> {
  const scenario = new ApiScenario(fixture, sometimes);
  // Most cases need a hold, so one is made first.
  await scenario.pay('manual', 'through');
  await scenario.compare();
  await fc.asyncModelRun(() => ({ model: scenario, real: scenario }), commands);
  await new ApiRest(scenario).rest();
}
