// `npm run soak -- [--kills N] [--seed S] [--only chaos|faults]`: what takes too long for every test
// run. Needs nobody: progress on the way, a report as JSON in proof/reports, exit code 1 on any
// violation, on a fault that no suite caught, and on a point that no kill came to.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  type ChaosReport,
  describeReport,
  killDuringCapture,
} from './chaos/kill-during-capture.ts';
import { points } from './chaos/kills.ts';
import { startProgress } from './chaos/progress.ts';
import { plantedFaults } from './planted-faults/faults.ts';
import { openCluster } from './planted-faults/plant.ts';
import { describeVerdict, plantAll, type Verdict } from './planted-faults/run-all.ts';

const usage = 'npm run soak -- [--kills N] [--seed S] [--only chaos|faults]';

function readOptions() {
  const { values } = parseArgs({
    options: {
      kills: { type: 'string', default: '200' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      only: { type: 'string' },
    },
  });
  const kills = Number(values.kills);
  const seed = Number(values.seed);
  const isKnown = values.only === undefined || /^(chaos|faults)$/.test(values.only);
  if (!Number.isInteger(kills) || kills < 2 || !Number.isInteger(seed) || !isKnown) {
    throw new Error(usage);
  }
  return { kills, seed, only: values.only };
}

async function runChaos(kills: number, seed: number): Promise<ChaosReport[]> {
  const reports: ChaosReport[] = [];
  for (const mode of ['guarded', 'unguarded'] as const) {
    const total = Math.ceil(kills / 2);
    const progress = startProgress(`kills, ${mode} provider`, total);
    const report = await killDuringCapture({
      kills: total,
      seed,
      mode,
      awaitsDeliveries: true,
      onKill: progress.at,
    });
    progress.end();
    console.log(`${describeReport(report)}\n`);
    reports.push(report);
  }
  return reports;
}

async function runFaults(): Promise<Verdict[]> {
  let done = 0;
  const progress = startProgress('planted faults', plantedFaults.length);
  const verdicts = await plantAll(plantedFaults, () => progress.at(++done));
  progress.end();
  console.log(`${verdicts.map(describeVerdict).join('\n')}\n`);
  return verdicts;
}

/** What a run must have come across to mean anything. */
function findUnseen(reports: readonly ChaosReport[]): string[] {
  const sum = (read: (report: ChaosReport) => number) =>
    reports.reduce((total, report) => total + read(report), 0);
  const seen = [
    ...points.map(
      (point) => [`killed ${point}`, sum(({ sometimes }) => sometimes[point])] as const,
    ),
    ['an outcome in doubt', sum(({ counts }) => counts.inDoubt)] as const,
    ['a refusal', sum(({ counts }) => counts.refusals)] as const,
    ['a replay', sum(({ counts }) => counts.replays)] as const,
    ['a release', sum(({ counts }) => counts.voids)] as const,
  ];
  return seen.flatMap(([name, times]) => (times === 0 ? `never seen: ${name}` : []));
}

function describeEnvironment() {
  return { node: process.version, platform: `${process.platform}-${process.arch}` };
}

const { kills, seed, only } = readOptions();
const cluster = await openCluster();
try {
  const startedAt = new Date();
  const reports = only === 'faults' ? [] : await runChaos(kills, seed);
  const verdicts = only === 'chaos' ? [] : await runFaults();
  const problems = [
    ...reports.flatMap(({ violations }) => violations),
    ...(reports.length > 0 ? findUnseen(reports) : []),
    ...verdicts.flatMap(({ isCaught, fault }) => (isCaught ? [] : `survived: ${fault.name}`)),
  ];
  const folder = join(import.meta.dirname, 'reports');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `soak-${startedAt.toISOString().replaceAll(':', '-')}.json`);
  const faults = verdicts.map(({ fault, isCaught, found }) => ({
    name: fault.name,
    isCaught,
    ...found,
  }));
  const environment = describeEnvironment();
  const report = { startedAt, seed, environment, problems, chaos: reports, faults };
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
  console.log(`report: ${file}`);
  console.log(problems.length === 0 ? 'no violation' : `PROBLEMS\n  ${problems.join('\n  ')}`);
  process.exitCode = problems.length > 0 ? 1 : 0;
} finally {
  await cluster.stop();
}
