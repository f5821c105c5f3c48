// Who uses the server now. Several processes may share one (two starts at once, a test run beside
// another), so the last one to leave stops it, also one that only found it running.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { birthOf } from './processes.ts';

/** Notes that this process uses the server. Each call is one use. */
export function hold(home: string): { release(): boolean } {
  const folder = join(home, 'holders');
  mkdirSync(folder, { recursive: true });
  const mine = join(folder, `${process.pid}.${process.hrtime.bigint()}`);
  writeFileSync(mine, birthOf(process.pid) ?? '');
  return {
    /** Gives up the use; true when nobody else uses the server. */
    release() {
      rmSync(mine, { force: true });
      return others(folder) === 0;
    },
  };
}

function others(folder: string): number {
  let living = 0;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    try {
      if (birthOf(Number.parseInt(name, 10)) === readFileSync(path, 'utf8')) living++;
      else rmSync(path, { force: true });
    } catch {
      // Gone in between.
    }
  }
  return living;
}
