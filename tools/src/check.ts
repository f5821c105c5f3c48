// `npm run check`: types, lint, circles and rooms, dead code, commit subjects and the tests that need neither server nor browser.
import { checkCommits } from './checks/commit-subjects.ts';
import { circles, deadCode, lint, types } from './checks/index.ts';
import { runAll } from './run-checks.ts';

await runAll(
  {
    besideTests: [
      { name: 'types', run: types },
      { name: 'format, lint', run: lint },
      { name: 'dead code', run: deadCode },
      { name: 'circles and rooms', run: circles },
      { name: 'commit subjects', run: checkCommits },
    ],
  },
  ['--project', 'quick', ...process.argv.slice(2)],
);
