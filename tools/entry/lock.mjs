// One process at a time, by a folder: making one with something in it is a single step.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/**
 * Takes the lock, or gives `undefined` while another process holds it. Inside stands who holds it,
 * so that the lock of one who was killed is taken over.
 *
 * @param {string} folder its parent must exist
 */
export function takeLock(folder) {
  const draft = `${folder}.${process.pid}`;
  for (;;) {
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(draft);
    writeFileSync(join(draft, 'holder'), lineOf(process.pid));
    try {
      // Renaming onto a folder that is not empty fails: so the lock never stands without a holder.
      renameSync(draft, folder);
      return {
        /** In one step as well: a lock emptied where it stands could be taken before it is gone. */
        release: () => {
          if (existsSync(folder)) rmSync(aside(folder), { recursive: true, force: true });
        },
        /** Holds it for that process too, when this one ends before it. */
        add: (pid) => appendFileSync(join(folder, 'holder'), lineOf(pid)),
      };
    } catch (error) {
      rmSync(draft, { recursive: true, force: true });
      if (!existsSync(folder)) {
        if (['ENOENT', 'ENOTEMPTY', 'EEXIST', 'EPERM'].includes(error.code)) continue;
        throw error;
      }
    }
    const stale = staleLock(folder);
    if (stale === undefined) return undefined;
    takeAway(folder, stale);
  }
}

/** What the lock says of its holders, when every one of them is gone. */
function staleLock(folder) {
  try {
    const holders = readFileSync(join(folder, 'holder'), 'utf8');
    return holders.trim().split('\n').some(isHolding) ? undefined : holders;
  } catch {
    return undefined;
  }
}

/**
 * By renaming first; what turns out to be another one's fresh lock is put back. Told by its holders:
 * a file system gives the number of a removed folder to the next one that is made.
 */
function takeAway(folder, stale) {
  try {
    const taken = aside(folder);
    const holders = readFileSync(join(taken, 'holder'), 'utf8');
    if (holders === stale) rmSync(taken, { recursive: true, force: true });
    else renameSync(taken, folder);
  } catch {
    // Another one was faster.
  }
}

/** Frees the lock; what it held stands under the name that comes back. */
function aside(folder) {
  const name = `${folder}.aside.${process.pid}`;
  renameSync(folder, name);
  return name;
}

const lineOf = (pid) => `${pid} ${birthOf(pid)}\n`;

function isHolding(line) {
  const [pid, birth] = line.split(' ');
  return birthOf(Number(pid)) === birth;
}

/** Tells a process from a later one with the same number; `gone` when there is none. */
function birthOf(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error.code !== 'EPERM') return 'gone';
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? 'gone' : rest[18];
  } catch {
    return 'alive';
  }
}
