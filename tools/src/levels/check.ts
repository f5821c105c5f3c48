// `npm run check`: types, lint, circles and rooms, dead code, commit subjects and the tests that need neither server nor browser.
import { checkCommits } from '../checks/commit-subjects.ts';
import { circles, deadCode, lint, types } from '../checks/index.ts';
import { runAll } from './run-checks.ts';
import { checkTimes } from './test-times.ts';

const args = process.argv.slice(2);
const times = { name: 'test-seconds', run: async (root: string) => checkTimes(root).join('\n') };

await runAll(
  {
    besideTests: [
      { name: 'types', run: types },
      { name: 'format, lint', run: lint },
      { name: 'dead code', run: deadCode },
      { name: 'circles and rooms', run: circles },
      { name: 'commit subjects', run: checkCommits },
    ],
    last: args.length > 0 ? [] : [times],
  },
  ['--project', 'quick', ...args],
);
