// `npm run soak`: every layer of the proof at its long count, unattended. Progress on the way, a table
// and a report as JSON in proof/reports at the end. Exit code 1 on any violation, on a counter that
// stayed at zero where there were enough to see it, on a planted fault that survived; Ctrl-C ends it in
// order and says what was reached.

import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { orUsage } from './or-usage.ts';
import { openCluster } from './planted-faults/plant.ts';
import { layers } from './soak/layers.ts';
import { readOptions, type SoakOptions, usage } from './soak/options.ts';
import { estimate, problemsOf, table, tooFew } from './soak/report.ts';
import { type LayerReport, runLayer } from './soak/run-layer.ts';
import { faultCount, wantedOf } from './soak/run-task.ts';

const interrupted = 130;

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // A second signal is a person who does not want to wait; what we started ends with us.
    if (stopping.signal.aborted) process.exit(interrupted);
    console.log('\nending: what runs is finished and judged');
    stopping.abort();
  });
}

async function soak({ only, seed, minutes, counts }: SoakOptions): Promise<LayerReport[]> {
  const chosen = layers
    .filter(({ name }) => only.includes(name))
    .map((layer) => ({ layer, count: layer.name === 'faults' ? faultCount : counts[layer.name] }));
  console.log(`seed ${seed}; about ${estimate(chosen)} on two quiet cores`);
  const timer = minutes === null ? undefined : setTimeout(() => stopping.abort(), minutes * 60_000);
  const reports: LayerReport[] = [];
  for (const { layer, count } of chosen) {
    if (stopping.signal.aborted || count === 0) continue;
    const wantedNames = wantedOf[layer.name] ?? [];
    const options = { layer, count, seed, wantedNames, signal: stopping.signal };
    const report = await runLayer(options);
    reports.push(report);
    for (const problem of problemsOf(report)) console.log(problem);
  }
  clearTimeout(timer);
  return reports;
}

const options = orUsage(usage, () => readOptions(process.argv.slice(2), Date.now() % 1_000_000));
const startedAt = new Date();
const cluster = await openCluster();
try {
  const reports = await soak(options);
  const problems = reports.flatMap(problemsOf);
  const environment = {
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
    cores: cpus().length,
  };
  const isWhole = !stopping.signal.aborted;
  const folder = join(import.meta.dirname, 'reports');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `soak-${startedAt.toISOString().replaceAll(':', '-')}.json`);
  const whole = { startedAt, seed: options.seed, environment, isWhole, problems, layers: reports };
  writeFileSync(file, `${JSON.stringify(whole, null, 2)}\n`);
  console.log(`\n${table(reports)}\nreport: ${file}`);
  if (!isWhole) console.log('broken off: the counts above are what was reached');
  const unjudged = reports.flatMap((report) => tooFew(report) ?? []);
  for (const line of unjudged) console.log(line);
  const calm = unjudged.length === 0 ? 'no problem' : 'no violation; too few to say more';
  console.log(problems.length === 0 ? calm : `${problems.length} PROBLEMS`);
  process.exitCode = problems.length > 0 ? 1 : isWhole ? 0 : interrupted;
} finally {
  await cluster.stop();
}
