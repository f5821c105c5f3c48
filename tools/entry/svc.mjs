// A command of `svc` where packages may be missing: installs them, then gives way to service/src/svc.ts.
import { become, install } from './install.mjs';

try {
  await install({ say: (line) => console.error(`  ${line}`) });
  become('service/src/svc.ts', process.argv.slice(2));
} catch (error) {
  console.error(error.message);
  process.exitCode = 2;
}
