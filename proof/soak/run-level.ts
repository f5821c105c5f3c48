// What `npm run proof` and `npm run soak` do, each with counts of its own: progress on the way, a table and
// a report as JSON in proof/reports at the end. Exit code 1 on any violation, on a counter that stayed at
// zero where there were enough to see it, on a planted fault that survived. The first Ctrl-C or SIGTERM ends
// it in order: what runs is finished and judged, and the table says what was reached. The second ends it at
// once.

import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { startKeeper } from '@svc/tools/test-database/keeper';
import { openCluster } from '../kit/cluster.ts';
import { readOrShowUsage } from '../kit/read-or-show-usage.ts';
import { type Level, layers } from './layers.ts';
import { type RunOptions, readOptions, usageOf } from './options.ts';
import { describeShortRun, estimateDuration, problemsOf, table } from './report.ts';
import { type LayerReport, runLayer } from './run-layer.ts';
import { fixedCounts, wantedOf } from './run-task.ts';

const interrupted = 130;

export async function runLevel(level: Level): Promise<void> {
  const args = process.argv.slice(2);
  if (args.includes('--help')) {
    console.log(usageOf(level));
    return;
  }
  const options = readOrShowUsage(usageOf(level), () =>
    readOptions(level, args, Date.now() % 1_000_000),
  );
  // Ends what this process has started, however it ends: processes of the service have groups of
  // their own.
  const keeper = startKeeper();
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (stopping.signal.aborted) process.exit(interrupted);
      console.log('\nending: what runs is finished and judged; once more ends it at once');
      stopping.abort();
    });
  }
  const startedAt = new Date();
  const cluster = await openCluster();
  try {
    const reports = await runLayers(options, stopping);
    const isWhole = !stopping.signal.aborted;
    const problems = reports.flatMap(problemsOf);
    const file = writeReport(level, { startedAt, seed: options.seed, isWhole, problems, reports });
    console.log(`\n${table(reports)}\nreport: ${file}`);
    printSummary(reports, isWhole);
    process.exitCode = problems.length > 0 ? 1 : isWhole ? 0 : interrupted;
  } finally {
    await cluster.stop();
    keeper.release();
  }
}

async function runLayers(
  { only, seed, minutes, counts }: RunOptions,
  stopping: AbortController,
): Promise<LayerReport[]> {
  const chosen = layers
    .filter(({ name }) => only.includes(name))
    .map((layer) => ({
      layer,
      count: counts[layer.name] && (fixedCounts[layer.name] ?? counts[layer.name]),
    }));
  console.log(`seed ${seed}; about ${estimateDuration(chosen)} on two quiet cores`);
  const timer = minutes === null ? undefined : setTimeout(() => stopping.abort(), minutes * 60_000);
  const reports: LayerReport[] = [];
  for (const { layer, count } of chosen) {
    if (stopping.signal.aborted || count === 0) continue;
    const wantedNames = wantedOf[layer.name] ?? [];
    const report = await runLayer({ layer, count, seed, wantedNames, signal: stopping.signal });
    reports.push(report);
    for (const problem of problemsOf(report)) console.log(problem);
  }
  clearTimeout(timer);
  return reports;
}

type LevelReport = {
  readonly startedAt: Date;
  readonly seed: number;
  readonly isWhole: boolean;
  readonly problems: readonly string[];
  readonly reports: readonly LayerReport[];
};

/** Returns the path of the report. */
function writeReport(level: Level, { reports, ...facts }: LevelReport): string {
  const environment = {
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
    cores: cpus().length,
  };
  const folder = join(import.meta.dirname, '../reports');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${level}-${facts.startedAt.toISOString().replaceAll(':', '-')}.json`);
  writeFileSync(file, `${JSON.stringify({ ...facts, environment, layers: reports }, null, 2)}\n`);
  return file;
}

function printSummary(reports: readonly LayerReport[], isWhole: boolean): void {
  if (!isWhole) console.log('broken off: the counts above are what was reached');
  const unjudged = reports.flatMap((report) => describeShortRun(report) ?? []);
  for (const line of unjudged) console.log(line);
  const problems = reports.flatMap(problemsOf);
  const calm = unjudged.length === 0 ? 'no problem' : 'no violation; not all was run or judged';
  console.log(problems.length === 0 ? calm : `${problems.length} PROBLEMS`);
}
