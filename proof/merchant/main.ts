// node proof/merchant/main.ts [--count N] [--seed N] runs this many simulated merchants.

import { parseArgs } from 'node:util';
import { runMerchants } from './run-merchants.ts';

const { values } = parseArgs({
  options: { seed: { type: 'string' }, count: { type: 'string' } },
});
const report = await runMerchants({
  count: Number(values.count ?? 10),
  seed: Number(values.seed ?? 1),
});
console.log(JSON.stringify(report, null, 2));
if (report.violations.length > 0) process.exitCode = 1;
