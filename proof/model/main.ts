// `npm run model -- --layer pure|api [--runs N] [--seed S]`: random commands against the reference
// model. With `--path` and `--replay`, as a failing run prints them, it shows that one run again.

import { parseArgs } from 'node:util';
import { startProgress } from '../chaos/progress.ts';
import { runApiModel, runPureModel } from './run-models.ts';

const usage = 'npm run model -- --layer pure|api [--runs N] [--seed S] [--path P --replay R]';

const { values } = parseArgs({
  options: {
    layer: { type: 'string', default: 'pure' },
    runs: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    path: { type: 'string' },
    replay: { type: 'string', default: '' },
  },
});
const { layer, path } = values;
const seed = Number(values.seed);
const isReplay = path !== undefined;
const runs = Number(values.runs ?? (isReplay ? 500 : layer === 'pure' ? 20_000 : 200));
if (!/^(pure|api)$/.test(layer) || !Number.isInteger(runs) || runs < 1 || !Number.isInteger(seed)) {
  throw new Error(usage);
}

const run = layer === 'pure' ? runPureModel : runApiModel;
const progress = startProgress(`${layer} model`, runs);
const replay = isReplay ? { path, replayPath: values.replay } : undefined;
const found = await run({ runs, seed, onProgress: progress.at }, replay);
progress.end();
const counted = Object.entries(found.sometimes).sort(([one], [other]) => one.localeCompare(other));
console.log(counted.map(([name, times]) => `${String(times).padStart(9)}  ${name}`).join('\n'));
console.log(`${found.runs} runs, seed ${seed}`);
console.log(
  found.violations.length === 0 ? 'no violation' : `VIOLATIONS\n${found.violations.join('\n')}`,
);
process.exitCode = found.violations.length > 0 ? 1 : 0;
