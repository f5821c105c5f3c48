// node proof/revocation/main.ts [--count N] [--seed N] runs this many races of revocations.

import { parseArgs } from 'node:util';
import { printReport } from '../kit/command.ts';
import { runRevocations } from './run-revocations.ts';

const { values } = parseArgs({
  options: { seed: { type: 'string' }, count: { type: 'string' } },
});
printReport(
  await runRevocations({
    count: Number(values.count ?? 1),
    seed: Number(values.seed ?? 1),
  }),
);
