// `npm test`, which CI runs. Arguments go to vitest (`npm test -- service/src/domain`).
import { join } from 'node:path';
import { systemBrowser, unpackBrowser } from './browser.ts';
import { checksOf } from './checks/index.ts';
import { levelVariable } from './level.ts';
import { runAll } from './run-checks.ts';

const root = join(import.meta.dirname, '../..');
const browser = {
  name: 'browser',
  run: async () => {
    // Before the tests, so that unpacking takes no test's time.
    if (!systemBrowser()) await unpackBrowser();
    return '';
  },
};

const args = process.argv.slice(2);
// A run that names its files runs them whole.
if (args.every((arg) => arg.startsWith('-'))) process.env[levelVariable] = 'gate';
await runAll(checksOf(root), args, [browser]);
