// `npm run check`: types, lint, boundaries, dead code and the tests that need neither server nor browser.
import { deadCode, lint, types } from './checks/index.ts';
import { runAll } from './run-checks.ts';

await runAll(
  [
    { name: 'types', run: types },
    { name: 'format, lint, boundaries', run: lint },
    { name: 'dead code', run: deadCode },
  ],
  ['--project', 'quick', ...process.argv.slice(2)],
);
