// `npm run seeds`: runs one seed of a random layer again, or many. Exit code 1 on any violation.

import { parseArgs } from 'node:util';
import { openScenario } from './covers/fixtures.ts';
import { scenarios } from './covers/scenarios.ts';
import { openCluster } from './kit/cluster.ts';
import { startProgress } from './kit/progress.ts';
import { readOrShowUsage } from './kit/read-or-show-usage.ts';
import { lanesOf, replaySeed, runScenario, seedsOf } from './kit/scenario.ts';

const usage = `npm run seeds -- LAYER --seed N            one seed again, with its steps
npm run seeds -- LAYER --count N [options] many seeds
  --from N   the first seed, 1 unless given
  --first    end at the first violation
  --many     in the size of the proof
layers: ${scenarios.map(({ name }) => name).join(', ')}`;

function readOptions() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      seed: { type: 'string' },
      count: { type: 'string' },
      from: { type: 'string', default: '1' },
      first: { type: 'boolean', default: false },
      many: { type: 'boolean', default: false },
    },
  });
  const [name = ''] = positionals;
  const [seed = 1, count = 1, from = 1] = [
    values.seed ?? '1',
    values.count ?? '1',
    values.from,
  ].map(Number);
  const isOneOfTwo = (values.seed === undefined) !== (values.count === undefined);
  if (!isOneOfTwo || ![seed, count, from].every(Number.isSafeInteger)) throw new Error(usage);
  const wanted = values.count === undefined ? Number.POSITIVE_INFINITY : count;
  const runs = values.many ? wanted : undefined;
  const scenario = openScenario(name);
  const isReplay = values.seed !== undefined;
  return { scenario, seed, count, from, runs, isReplay, stopsAtFirst: values.first };
}

type Options = ReturnType<typeof readOptions>;

async function showSeed({ scenario, seed, runs }: Options): Promise<readonly string[]> {
  const { violations, sometimes, trace = [] } = await replaySeed(scenario, seed, runs);
  console.log([...trace, JSON.stringify(sometimes)].join('\n'));
  return violations;
}

async function runMany(options: Options): Promise<readonly string[]> {
  const { scenario, from, count, runs, stopsAtFirst } = options;
  const { perSeed = 1 } = scenario;
  const progress = startProgress(scenario.name, count);
  const report = await runScenario(scenario, {
    ...{ seeds: seedsOf(scenario, from, count), lanes: lanesOf(scenario), runs, stopsAtFirst },
    onProgress: (done) => progress.at(Math.min(count, done * perSeed)),
  });
  progress.end();
  for (const [name, times] of Object.entries(report.sometimes))
    console.log(`${String(times).padStart(8)}  ${name}`);
  if (report.never.length > 0) console.log(`never seen: ${report.never.join(', ')}`);
  console.log(`${report.count} seeds`);
  return report.violations;
}

const options = readOrShowUsage(usage, readOptions);
const cluster = await openCluster();
try {
  const violations = await (options.isReplay ? showSeed(options) : runMany(options));
  console.log(violations.length > 0 ? `VIOLATIONS\n${violations.join('\n')}` : 'no violation');
  process.exitCode = violations.length > 0 ? 1 : 0;
} finally {
  await cluster.stop();
}
