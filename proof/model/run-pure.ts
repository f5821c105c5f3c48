// The pure layer: random commands on the reference model and on the service's transition core.

import fc from 'fast-check';
import type { SeedFixture } from '../kit/run-seeds.ts';
import { judgeAmounts } from './money.ts';
import { pureCommands } from './pure-commands.ts';
import { Scenario } from './scenario.ts';

export type ModelRun = {
  readonly runs: number;
  readonly violations: readonly string[];
  /** How often each command, response and coincidence happened. */
  readonly sometimes: Record<string, number>;
};

export type Budget = {
  readonly runs: number;
  readonly seed: number;
  readonly onProgress?: (done: number) => void;
};

export type Replay = { readonly path: string; readonly replayPath: string };

const mostPureCommands = 40;
const share = 500;

/** Runs the budget in parts, so that progress can be reported. */
async function runShares(
  budget: Budget,
  size: number,
  check: (runs: number, seed: number) => Promise<string | null>,
): Promise<{ runs: number; violations: string[] }> {
  const violations: string[] = [];
  let done = 0;
  while (done < budget.runs && violations.length < 5) {
    const runs = Math.min(size, budget.runs - done);
    const violation = await check(runs, budget.seed + done);
    if (violation) violations.push(violation);
    done += runs;
    budget.onProgress?.(done);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { runs: done, violations };
}

const count = (seen: Record<string, number>, name: string, times: number): void => {
  seen[name] = (seen[name] ?? 0) + times;
};

/** Runs this many sequences of random commands, and this many random amounts. */
export async function runPureModel(budget: Budget, replay?: Replay): Promise<ModelRun> {
  const sometimes: Record<string, number> = {};
  const check = async (runs: number, seed: number) => {
    const found = fc.check(
      fc.property(pureCommands(mostPureCommands, replay?.replayPath), (commands) => {
        const scenario = new Scenario(sometimes);
        fc.modelRun(() => ({ model: scenario, real: scenario }), commands);
        scenario.rest();
      }),
      { numRuns: runs, seed, ...(replay ? { path: replay.path, endOnFailure: true } : {}) },
    );
    const amounts = replay ? [] : judgeAmounts(runs, seed);
    count(sometimes, 'an amount', runs);
    return describeFailure('pure', found) ?? amounts[0] ?? null;
  };
  const { runs, violations } = await runShares(budget, replay ? budget.runs : share, check);
  return { runs, violations, sometimes };
}

type PropertyResult = {
  readonly failed: boolean;
  readonly seed: number;
  readonly counterexamplePath: string | null;
  readonly counterexample: readonly unknown[] | null;
  readonly errorInstance: unknown;
  readonly error?: unknown;
};

/**
 * Returns the failure, the shortest sequence that causes it, and the command that runs it again.
 */
export function describeFailure(layer: 'pure' | 'api', found: PropertyResult): string | null {
  if (!found.failed) return null;
  const [trace] = found.counterexample ?? [];
  const text = String(trace);
  const replayPath = /replayPath="([^"]*)"/.exec(text)?.[1] ?? '';
  const error = found.errorInstance;
  const says = error instanceof Error ? error.message : String(error);
  const place = `--seed ${found.seed} --path "${found.counterexamplePath}"`;
  const again = `npm run model -- --layer ${layer} ${place} --replay "${replayPath}"`;
  return `${says}\n  ${text}\n  ${again}`;
}

/** The number of runs per seed. */
const runsOfSeed = 100;

export async function openPureModel(): Promise<SeedFixture> {
  return { run: (seed) => runPureModel({ runs: runsOfSeed, seed }), close: async () => undefined };
}
