// node proof/revocation/main.ts [--count N] [--seed N] runs this many races of revocations.

import { parseArgs } from 'node:util';
import { runRevocations } from './run-revocations.ts';

const { values } = parseArgs({
  options: { seed: { type: 'string' }, count: { type: 'string' } },
});
const report = await runRevocations({
  count: Number(values.count ?? 1),
  seed: Number(values.seed ?? 1),
});
console.log(JSON.stringify(report, null, 2));
if (report.violations.length > 0) process.exitCode = 1;
