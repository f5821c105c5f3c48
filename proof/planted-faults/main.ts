// `node proof/planted-faults/main.ts [words]`: plants each fault whose name contains the words, and
// prints whether it was caught. Exit code 1 when one survives.

import { plantedFaults } from './faults.ts';
import { describeVerdict, plantAll } from './run-all.ts';

const words = process.argv.slice(2).join(' ');
const chosen = plantedFaults.filter(({ name }) => name.includes(words));
if (chosen.length === 0) throw new Error(`no fault is called "${words}"`);
const verdicts = await plantAll(chosen, (verdict) => console.log(describeVerdict(verdict)));
const survivors = verdicts.filter((verdict) => !verdict.isCaught);
console.log(`${verdicts.length - survivors.length} of ${verdicts.length} caught`);
process.exitCode = survivors.length > 0 ? 1 : 0;
