// `node proof/planted-faults/main.ts [words]`: plants each fault whose name contains the words, and
// prints which level catches it. `--quick`: one for each kind of suite, and a change that breaks nothing,
// as `npm test` does. Exit code 1 when a fault survives, or when the harmless change does not.

import { parseArgs } from 'node:util';
import { startKeeper } from '@svc/tools/test-database/keeper';
import type { PlantedFault } from '../planting/planted-fault.ts';
import { plantedFaults } from './faults.ts';
import { describeVerdict, plantAll } from './run-all.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false } },
});
const words = positionals.join(' ');
const chosen = plantedFaults.filter(({ name, isQuick }) =>
  values.quick ? isQuick : name.includes(words),
);
const [first] = chosen;
if (!first) throw new Error(`no fault is called "${words}"`);
const harmless: PlantedFault = {
  ...first,
  name: 'a comment',
  changes: first.changes.slice(0, 1).map(({ file, from }) => ({
    ...{ file, from, to: `/* Nothing. */ ${from}` },
  })),
};
// Ends what the suites have started, however this process ends.
const keeper = startKeeper();
const stopping = new AbortController();
process.once('SIGINT', () => stopping.abort());

const verdicts = await plantAll(values.quick ? [...chosen, harmless] : chosen, {
  onVerdict: (verdict) => console.log(describeVerdict(verdict)),
  signal: stopping.signal,
});
const survivors = verdicts.filter(({ level }) => level === null).map(({ fault }) => fault.name);
console.log(`${verdicts.length - survivors.length} of ${verdicts.length} caught`);
const expected = values.quick ? [harmless.name] : [];
keeper.release();
process.exit(survivors.join() === expected.join() ? 0 : 1);
