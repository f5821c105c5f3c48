// `node proof/gate/main.ts --write [words]`: plants each fault whose name contains the words, also against
// faster tests than its own where that one takes long, writes down what caught it, and chooses which test
// files `npm test` leaves to the proof. Exit code 1 when a fault survives.

import { parseArgs } from 'node:util';
import { startKeeper } from '@svc/tools/test-database/keeper';
import { plantedFaults } from '../planted-faults/faults.ts';
import { describeVerdict, plantAll } from '../planted-faults/run-all.ts';
import { fasterSuites, recordVerdicts } from './choose.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean', default: false } },
});
if (!values.write) throw new Error('node proof/gate/main.ts --write [words of a fault’s name]');
const words = positionals.join(' ');
const chosen = plantedFaults.filter(({ name }) => name.includes(words));
// Ends what the suites have started, however this process ends.
const keeper = startKeeper();
const verdicts = await plantAll(chosen, {
  fasterSuites,
  onVerdict: (verdict) => {
    console.log(describeVerdict(verdict));
    recordVerdicts([verdict]);
  },
});
if (verdicts.some(({ level }) => level === null)) process.exitCode = 1;
keeper.release();
