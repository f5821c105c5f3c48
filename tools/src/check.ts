// `npm run check`: types, lint, boundaries, dead code and the tests that need no server.
import { deadCode, lint, types } from './checks/index.ts';
import { runAll } from './run-checks.ts';

const fast = ['contract/', 'service/src/domain/', 'libraries/', 'pages/', 'vault/src/form/'];

await runAll(
  [
    { name: 'types', run: types },
    { name: 'format, lint, boundaries', run: lint },
    { name: 'dead code', run: deadCode },
  ],
  [...fast, ...process.argv.slice(2)],
);
