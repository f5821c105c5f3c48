// node proof/checkout/main.ts --seed N runs one interleaving again and prints its trace. node
// proof/checkout/main.ts --count N [--seed N] runs that many.

import { parseArgs } from 'node:util';
import { printReplay, printReport } from '../kit/command.ts';
import { replay } from '../kit/replay.ts';
import { openInterleavings, runInterleavings } from './run-interleavings.ts';

const { values } = parseArgs({
  options: { seed: { type: 'string' }, count: { type: 'string' } },
});
const seed = Number(values.seed ?? 1);
if (values.count) printReport(await runInterleavings({ count: Number(values.count), seed }));
else printReplay(await replay(openInterleavings, seed));
