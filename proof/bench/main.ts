// `npm run bench` measures the product's rates as a share of what PostgreSQL allows on this
// machine.

import { writeFileSync } from 'node:fs';
import { openClosers } from './load/closers.ts';
import { readOptions, usage } from './options.ts';
import { canMeasure } from './processor.ts';
import { report } from './report.ts';
import { runBench } from './run-bench.ts';

const closers = openClosers();
let isStopping = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (isStopping) process.exit(1);
    isStopping = true;
    console.error('\nstopping');
    void closers.close().then(() => process.exit(signal === 'SIGINT' ? 130 : 143));
  });
}

if (process.argv.includes('--help')) {
  console.log(usage);
  process.exit(0);
}
try {
  const options = readOptions(process.argv.slice(2));
  if (!canMeasure) throw new Error('The bench reads /proc and runs on Linux only.');
  const began = performance.now();
  const print = (line: string) =>
    console.log(`${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${line}`);
  const result = await runBench(options, closers, print);
  console.log(`\n${report(result)}`);
  if (options.jsonFile) writeFileSync(options.jsonFile, `${JSON.stringify(result, null, 2)}\n`);
} catch (error) {
  // A failure that the stop itself causes is not reported.
  if (!isStopping) {
    console.error(`bench: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}
if (!isStopping) {
  isStopping = true;
  await closers.close();
}
