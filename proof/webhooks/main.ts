// node proof/webhooks/main.ts [--count N] [--seed N] [--crashes] runs deliveries with faults.

import { parseArgs } from 'node:util';
import { runDeliveries } from './run-deliveries.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    count: { type: 'string' },
    crashes: { type: 'boolean' },
  },
});
const startedAt = performance.now();
const report = await runDeliveries({
  count: Number(values.count ?? 800),
  seed: Number(values.seed ?? 1),
  crashes: values.crashes ?? false,
  onProgress: (done) => process.stderr.write(`\r${done} events`),
});
const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
console.log(`\n${JSON.stringify({ ...report, seconds }, null, 2)}`);
if (report.violations.length > 0) process.exitCode = 1;
