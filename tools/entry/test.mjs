// `npm test`: what CI runs. Installs what is missing, then gives way to tools/src/levels/test.ts.
import { become, install } from './install.mjs';

try {
  await install({ say: (line) => console.log(line) });
  become('tools/src/levels/test.ts', process.argv.slice(2));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
