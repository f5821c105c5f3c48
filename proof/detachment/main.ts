// node proof/detachment/main.ts [--races] --seed N runs one detachment, or one race, again. node
// proof/detachment/main.ts [--races] --count N [--seed N] [--first] runs this many; `--first` stops at
// the first violation and prints how many seeds that took.

import { parseArgs } from 'node:util';
import { printReplay, printReport } from '../kit/command.ts';
import { replay } from '../kit/replay.ts';
import { openDetachments, runDetachments } from './run-detachments.ts';
import { openRaces, runRaces } from './run-races.ts';

const { values } = parseArgs({
  options: {
    races: { type: 'boolean', default: false },
    seed: { type: 'string' },
    count: { type: 'string' },
    first: { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed ?? 1);
const run = values.races ? runRaces : runDetachments;
if (values.count && values.first) {
  let done = 0;
  const onProgress = () => {
    done += 1;
  };
  const options = { count: Number(values.count), seed, stopsAtFirst: true, onProgress };
  const { violations } = await run(options);
  console.log(`after ${done} seeds`);
  if (violations.length > 0) {
    console.log(`VIOLATIONS\n${violations.map((text) => text.split('\n')[0]).join('\n')}`);
    process.exitCode = 1;
  }
} else if (values.count) printReport(await run({ count: Number(values.count), seed }));
else printReplay(await replay(values.races ? openRaces : openDetachments, seed));
