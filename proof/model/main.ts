// `npm run model -- --layer pure|api [--runs N] [--seed S]` runs random commands against the
// reference model. With `--path` and `--replay`, as a failing run prints them, it runs that one
// again.

import { parseArgs } from 'node:util';
import { startProgress } from '../kit/progress.ts';
import { readOrShowUsage } from '../kit/read-or-show-usage.ts';
import { runApiModel, runPureModel } from './run-models.ts';

const usage = 'npm run model -- --layer pure|api [--runs N] [--seed S] [--path P --replay R]';

function readOptions() {
  const { values } = parseArgs({
    options: {
      layer: { type: 'string', default: 'pure' },
      runs: { type: 'string' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      path: { type: 'string' },
      replay: { type: 'string', default: '' },
    },
  });
  const { layer, path, replay } = values;
  const seed = Number(values.seed);
  const runs = Number(
    values.runs ?? (path === undefined ? (layer === 'pure' ? 20_000 : 200) : 500),
  );
  const isLayer = /^(pure|api)$/.test(layer);
  if (!isLayer || !Number.isInteger(runs) || runs < 1 || !Number.isInteger(seed)) {
    throw new Error(usage);
  }
  return { layer, path, replay, seed, runs };
}

const { layer, path, seed, runs, ...options } = readOrShowUsage(usage, readOptions);
const run = layer === 'pure' ? runPureModel : runApiModel;
const progress = startProgress(`${layer} model`, runs);
const replay = path === undefined ? undefined : { path, replayPath: options.replay };
const found = await run({ runs, seed, onProgress: progress.at }, replay);
progress.end();
const counted = Object.entries(found.sometimes).sort(([one], [other]) => one.localeCompare(other));
console.log(counted.map(([name, times]) => `${String(times).padStart(9)}  ${name}`).join('\n'));
console.log(`${found.runs} runs, seed ${seed}`);
console.log(
  found.violations.length === 0 ? 'no violation' : `VIOLATIONS\n${found.violations.join('\n')}`,
);
process.exitCode = found.violations.length > 0 ? 1 : 0;
