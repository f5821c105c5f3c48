// `npm run bench` from a bare clone: installs what is missing, then gives way to main.ts on the Node
// that runs the sources. `npm run bench -- dashboard` measures the reads of a large merchant, and `-- growth` the same
// beside a small one.
import { become, install } from '../../tools/entry/install.mjs';

try {
  await install({ say: (line) => console.error(line) });
  const isDashboard = ['dashboard', 'growth'].includes(process.argv[2]);
  become(`proof/bench/${isDashboard ? 'dashboard/' : ''}main.ts`, process.argv.slice(2));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
