// `npm test`, which CI runs. Arguments go to vitest (`npm test -- service/src/domain`), but for two:
// `--changed [COMMIT]` runs what the edits since a commit can reach, `--write-times` makes the times of this
// run the budget of the later ones.
import { join } from 'node:path';
import { systemBrowser, unpackBrowser } from '../browser.ts';
import { checks } from '../checks/index.ts';
import { readChanges, testsReachedBy } from './changed-tests.ts';
import { levelVariable } from './level.ts';
import { runAll } from './run-checks.ts';
import { checkTimes, writeBudget } from './test-times.ts';

const root = join(import.meta.dirname, '../../..');
const browser = {
  name: 'browser',
  run: async () => {
    // Before the tests, so that unpacking takes no test's time.
    if (!systemBrowser()) await unpackBrowser();
    return '';
  },
};
const times = { name: 'test-seconds', run: async (at: string) => checkTimes(at).join('\n') };

const args = process.argv.slice(2);
const changed = args.indexOf('--changed');
if (changed >= 0) await runChanged(args[changed + 1]);
else if (args.some((arg) => !arg.startsWith('-'))) await run(args);
else await runGate(args);

async function runChanged(commit: string | undefined): Promise<void> {
  const reached = testsReachedBy(root, await readChanges(root, commit));
  if (!reached) {
    console.log('every test may depend on what changed');
    return runGate([]);
  }
  console.log(`${reached.length} test files can see what changed`);
  process.env[levelVariable] = 'gate';
  await run(reached.length > 0 ? ['--passWithNoTests', ...reached] : null);
}

/** Runs every test of the gate; a run that names its files leaves nothing of them out. */
async function runGate(given: readonly string[]): Promise<void> {
  process.env[levelVariable] = 'gate';
  const writes = given.includes('--write-times');
  await run(
    given.filter((arg) => arg !== '--write-times'),
    writes ? [] : [times],
  );
  if (writes) writeBudget(root);
}

function run(tests: readonly string[] | null, last: readonly (typeof times)[] = []): Promise<void> {
  return runAll({ first: [browser], besideTests: checks, last }, tests);
}
