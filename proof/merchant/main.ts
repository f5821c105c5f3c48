// node proof/merchant/main.ts [--count N] [--seed N] runs this many simulated merchants.

import { parseArgs } from 'node:util';
import { printReport } from '../kit/command.ts';
import { runMerchants } from './run-merchants.ts';

const { values } = parseArgs({
  options: { seed: { type: 'string' }, count: { type: 'string' } },
});
printReport(
  await runMerchants({
    count: Number(values.count ?? 10),
    seed: Number(values.seed ?? 1),
  }),
);
