// `npm run bench` from a bare clone: installs what is missing, then gives way to main.ts on the Node
// that runs the sources.
import { become, install } from '../../tools/entry/install.mjs';

try {
  await install({ say: (line) => console.error(line) });
  become('proof/bench/main.ts', process.argv.slice(2));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
