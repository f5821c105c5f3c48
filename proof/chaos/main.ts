// `node proof/chaos/main.ts [--kills N] [--seed S] [--mode guarded|unguarded]`: prints counts and
// violations; exit code 1 when there are any.

import { parseArgs } from 'node:util';
import { describeReport, killDuringCapture } from './kill-during-capture.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    mode: { type: 'string', default: 'guarded' },
  },
});
const report = await killDuringCapture({
  kills: Number(values.kills),
  seed: Number(values.seed),
  mode: values.mode === 'unguarded' ? 'unguarded' : 'guarded',
});
console.log(describeReport(report));
process.exitCode = report.violations.length > 0 ? 1 : 0;
