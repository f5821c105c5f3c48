// Which processes use the server. Several may share one (two starts at once, a test run beside another), so
// the last one to leave stops it, even if it only found it running.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { processIdentity } from './processes.ts';

/** Records that this process uses the server. Each call counts as one use. */
export function registerHolder(home: string): { release(): boolean } {
  const folder = join(home, 'holders');
  mkdirSync(folder, { recursive: true });
  const mine = join(folder, `${process.pid}.${process.hrtime.bigint()}`);
  writeFileSync(mine, processIdentity(process.pid) ?? '');
  return {
    /** Ends this use. Returns true when nobody else uses the server. */
    release() {
      rmSync(mine, { force: true });
      return countOthers(folder) === 0;
    },
  };
}

function countOthers(folder: string): number {
  let living = 0;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    try {
      if (processIdentity(Number.parseInt(name, 10)) === readFileSync(path, 'utf8')) living++;
      else rmSync(path, { force: true });
    } catch {
      // The file was removed meanwhile.
    }
  }
  return living;
}
