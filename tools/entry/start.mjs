// `npm start`: from a bare clone to a running svc. Installs what is missing, then gives way to
// tools/src/start/main.ts.
import { become, install } from './install.mjs';

const args = process.argv.slice(2);
const from = Date.now();
// With --json, standard output is for the one line at the end.
const out = args.includes('--json') ? process.stderr : process.stdout;
const say = args.includes('--quiet')
  ? () => {}
  : (line) => out.write(`  ${out.isTTY ? '\x1b[2m' : ''}${line}${out.isTTY ? '\x1b[0m' : ''}\n`);

try {
  await install({ say });
  process.env.SVC_STARTED_AT ??= String(from);
  become('tools/src/start/main.ts', args);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
