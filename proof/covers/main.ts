// `node proof/covers/main.ts --write [layer ...]` chooses the seeds of those covers again, or of
// all; each file is written as soon as it is done. Exit code 1 when a seed fails, when a counter is
// reached too rarely, or when no seed catches a planted fault.

import { parseArgs } from 'node:util';
import { openCluster } from '../kit/cluster.ts';
import { readOrShowUsage } from '../kit/read-or-show-usage.ts';
import { faultsOf, findScenario, scenarios } from './scenarios.ts';
import { findCatchingSeed, writeCover } from './write-cover.ts';

const usage = `node proof/covers/main.ts --write [layer ...]
layers: ${scenarios.map(({ name }) => name).join(', ')}`;

function readOptions() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      write: { type: 'boolean', default: false },
      // The search for a planted fault starts this program with these options, in a process of its
      // own.
      layer: { type: 'string' },
      fault: { type: 'string' },
      seeds: { type: 'string' },
    },
  });
  if (!values.write && values.fault === undefined) throw new Error(usage);
  const chosen = positionals.length > 0 ? positionals.map(findScenario) : scenarios;
  return { ...values, chosen };
}

const {
  write,
  layer: name = '',
  fault: faultName,
  seeds = '',
  chosen,
} = readOrShowUsage(usage, readOptions);
const cluster = await openCluster();
try {
  if (write) await writeAll();
  else await searchSeed();
} finally {
  await cluster.stop();
}

async function writeAll(): Promise<void> {
  const problems: string[] = [];
  for (const layer of chosen) {
    const from = performance.now();
    console.log(layer.name);
    const found = await writeCover(layer, console.log);
    problems.push(...found.map((one) => `${layer.name}: ${one}`));
    console.log(`  ${Math.round((performance.now() - from) / 1000)} s`);
  }
  for (const problem of problems) console.log(problem);
  if (problems.length > 0) process.exitCode = 1;
}

async function searchSeed(): Promise<void> {
  const layer = findScenario(name);
  const fault = faultsOf(layer).find((one) => one.name === faultName);
  if (!fault) throw new Error(`${name} has no planted fault "${faultName}"`);
  const seed = await findCatchingSeed(layer, fault, seeds.split(',').map(Number));
  console.log(`first caught: ${seed ?? 'none'}`);
}
