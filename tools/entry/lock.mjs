// A lock between processes: a folder that holds a file. Renaming it into place is a single step.
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
 * Takes the lock, or returns `undefined` while another process holds it. The folder's file names the holders, so
 * that the lock of a killed process can be taken over.
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
        /** Renames the folder before removing it: another process could take a lock that is only half removed. */
        release: () => {
          if (existsSync(folder)) rmSync(aside(folder), { recursive: true, force: true });
        },
        /** Adds another process as a holder: the lock then lasts until both have ended. */
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

/** Returns the lines of the holders when none of these processes runs any more; else undefined. */
function staleLock(folder) {
  try {
    const holders = readFileSync(join(folder, 'holder'), 'utf8');
    return holders.trim().split('\n').some(isHolding) ? undefined : holders;
  } catch {
    return undefined;
  }
}

/**
 * Removes a stale lock: renames it away and compares the holders, because another process may have taken a new
 * lock meanwhile; that one is put back. The inode number would not tell them apart, since file systems reuse it.
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

/** Frees the lock by renaming its folder; returns the new name. */
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
