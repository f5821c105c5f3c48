// `npm test`: what CI runs. Arguments go to vitest (`npm test -- service/src/domain`).
import { join } from 'node:path';
import { systemBrowser, unpackBrowser } from './browser.ts';
import { checksOf } from './checks/index.ts';
import { runAll } from './run-checks.ts';

const root = join(import.meta.dirname, '../..');
const browser = {
  name: 'browser',
  run: async () => {
    // Before the tests, so that no test's time goes by with unpacking.
    if (!systemBrowser()) await unpackBrowser();
    return '';
  },
};

await runAll([...checksOf(root), browser], process.argv.slice(2));
