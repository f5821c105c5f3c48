// `node proof/chaos/main.ts [--layer kills|crashes|storms] [--count N] [--seed S]
// [--mode guarded|unguarded]`: one chaos layer by itself; prints counts and violations, exit code 1
// when there are any. Ctrl-C ends it early, and judges what was reached.

import { parseArgs } from 'node:util';
import { startProgress } from '../kit/progress.ts';
import { describeReport } from './chaos-run.ts';
import { crashDatabase } from './crash-database.ts';
import { killDuringCapture } from './kill-during-capture.ts';
import { runStorms, shareStorms } from './storms.ts';

const { values } = parseArgs({
  options: {
    layer: { type: 'string', default: 'kills' },
    count: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    mode: { type: 'string', default: 'guarded' },
  },
});
const stopping = new AbortController();
process.once('SIGINT', () => stopping.abort());

const count = Number(values.count);
const times = shareStorms(count);
const total = values.layer === 'storms' ? Object.values(times).reduce((a, b) => a + b) : count;
const progress = startProgress(values.layer, total);
const common = {
  seed: Number(values.seed),
  mode: values.mode === 'unguarded' ? ('unguarded' as const) : ('guarded' as const),
  runsCommands: true,
  signal: stopping.signal,
};
const report =
  values.layer === 'storms'
    ? await runStorms({ ...common, times, onStorm: progress.at })
    : values.layer === 'crashes'
      ? await crashDatabase({ ...common, crashes: count, onCrash: progress.at })
      : await killDuringCapture({ ...common, kills: count, onKill: progress.at });
progress.end();
console.log(describeReport(report));
process.exitCode = report.violations.length > 0 ? 1 : 0;
