// node proof/checkout/main.ts --seed N runs one interleaving again and prints its trace. node
// proof/checkout/main.ts --count N [--seed N] runs that many.

import { parseArgs } from 'node:util';
import { replay, runInterleavings } from './run-interleavings.ts';

const { values } = parseArgs({
  options: { seed: { type: 'string' }, count: { type: 'string' } },
});
const seed = Number(values.seed ?? 1);
if (values.count) {
  const report = await runInterleavings({ count: Number(values.count), seed });
  console.log(JSON.stringify(report, null, 2));
  if (report.violations.length > 0) process.exitCode = 1;
} else {
  const { trace, violations } = await replay(seed);
  console.log(trace.join('\n'));
  console.log(violations.length > 0 ? violations.join('\n') : 'no violation');
  if (violations.length > 0) process.exitCode = 1;
}
