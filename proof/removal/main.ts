// node proof/removal/main.ts --seed N: shows one removal again.
// node proof/removal/main.ts --count N [--seed N]: runs so many.

import { parseArgs } from 'node:util';
import { replay, runRemovals } from './run-removals.ts';

const { values } = parseArgs({
  options: { seed: { type: 'string' }, count: { type: 'string' } },
});
const seed = Number(values.seed ?? 1);
if (values.count) {
  const report = await runRemovals({ count: Number(values.count), seed });
  console.log(JSON.stringify(report, null, 2));
  if (report.violations.length > 0) process.exitCode = 1;
} else {
  const violations = await replay(seed);
  console.log(violations.length > 0 ? violations.join('\n') : 'no violation');
  if (violations.length > 0) process.exitCode = 1;
}
