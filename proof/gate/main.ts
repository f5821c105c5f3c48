// `node proof/gate/main.ts` prints which level catches each planted fault, as written down; with words, the faults whose
// names contain them. `node proof/gate/main.ts --write [words]`: plants each fault whose name contains the words, also against
// faster tests than its own where that one takes long, writes down what caught it, and chooses which test
// files `npm test` leaves to the proof. Exit code 1 when a fault survives.

import { parseArgs } from 'node:util';
import { startKeeper } from '@svc/tools/test-database/keeper';
import { plantedFaults } from '../planted-faults/faults.ts';
import { describeVerdict, plantAll } from '../planted-faults/run-all.ts';
import { faultTable } from '../planted-faults/table.ts';
import { readChoice } from './choice.ts';
import { fasterSuites, listCatches, recordVerdicts } from './choose.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean', default: false } },
});
const words = positionals.join(' ');
if (values.write) await plantAndWrite();
else console.log(faultTable(listCatches(readChoice()).filter(({ name }) => name.includes(words))));

async function plantAndWrite(): Promise<void> {
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
}
