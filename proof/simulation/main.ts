// `npm run sim -- --seed N [--mode guarded|unguarded] [--trace]` replays one schedule;
// `npm run sim -- --count N [--from S] [--mode …] [--first]` runs many, with `--first` only up to the
// first that shows a violation. Exit code 1 on any.

import { parseArgs } from 'node:util';
import { openCluster } from '../kit/cluster.ts';
import { startProgress } from '../kit/progress.ts';
import { readOrShowUsage } from '../kit/read-or-show-usage.ts';
import { runSchedules } from './run-schedules.ts';
import { runSchedule } from './schedule.ts';
import { openStage } from './stage.ts';

const usage =
  'npm run sim -- --seed N [--mode guarded|unguarded] [--trace]\n' +
  'npm run sim -- --count N [--from S] [--mode guarded|unguarded] [--first]';

const modes = ['guarded', 'unguarded'] as const;

function readOptions() {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string' },
      count: { type: 'string' },
      from: { type: 'string', default: '1' },
      mode: { type: 'string' },
      trace: { type: 'boolean', default: false },
      first: { type: 'boolean', default: false },
    },
  });
  const chosen = modes.filter((mode) => values.mode === undefined || values.mode === mode);
  const seed = values.seed === undefined ? null : Number(values.seed);
  const count = Number(values.count ?? 1000);
  const from = Number(values.from);
  if (![seed ?? 0, count, from].every(Number.isSafeInteger) || chosen.length === 0) {
    throw new Error(usage);
  }
  return { seed, count, from, chosen, isTraced: values.trace, isFirstEnough: values.first };
}

async function replay(seed: number, mode: (typeof modes)[number], isTraced: boolean) {
  const stage = await openStage(mode);
  try {
    const { violations, trace, counts } = await runSchedule(stage, seed);
    if (isTraced || violations.length > 0) console.log(trace.join('\n'));
    console.log(`seed ${seed}, ${mode} provider: ${trace.length} steps`);
    console.log(JSON.stringify(counts));
    console.log(violations.length === 0 ? 'no violation' : violations.join('\n'));
    return violations.length;
  } finally {
    await stage.close();
  }
}

/** Runs seeds until one shows a violation. */
async function findFirst(count: number, from: number, mode: (typeof modes)[number]) {
  const stage = await openStage(mode);
  try {
    for (let seed = from; seed < from + count; seed++) {
      const { violations } = await runSchedule(stage, seed);
      if (violations.length === 0) continue;
      console.log(`seed ${seed}, the ${seed - from + 1}. of ${count}\nVIOLATIONS`);
      console.log(violations.join('\n'));
      return violations.length;
    }
    return 0;
  } finally {
    await stage.close();
  }
}

async function runMany(count: number, from: number, mode: (typeof modes)[number]) {
  const progress = startProgress(`schedules, ${mode} provider`, count);
  const report = await runSchedules({ count, seed: from, mode, onProgress: progress.at });
  progress.end();
  for (const violation of report.violations) console.log(violation);
  for (const [name, times] of Object.entries(report.sometimes).sort(([a], [b]) => (a < b ? -1 : 1)))
    console.log(`${String(times).padStart(8)}  ${name}`);
  console.log(`${report.schedules} schedules, ${report.violations.length} violations`);
  return report.violations.length;
}

const { seed, count, from, chosen, isTraced, isFirstEnough } = readOrShowUsage(usage, readOptions);
const cluster = await openCluster();
try {
  let violations = 0;
  for (const mode of chosen) {
    if (seed !== null) violations += await replay(seed, mode, isTraced);
    else if (isFirstEnough) violations += await findFirst(count, from, mode);
    else violations += await runMany(count, from, mode);
  }
  process.exitCode = violations > 0 ? 1 : 0;
} finally {
  await cluster.stop();
}
