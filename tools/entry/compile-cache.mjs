// Where Node keeps what it has compiled. Whoever can write there runs code in every process that reads
// it, so the folder must belong to this user alone. Node's own default is the shared temporary folder.
import { chmodSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Environment for a child process: `NODE_COMPILE_CACHE` with the folder that the environment `given`
 * names, else with `<folder>/.cache/compile`; `NODE_DISABLE_COMPILE_CACHE` where another user owns
 * that folder or may write to it.
 *
 * @param {string} folder the project's
 * @param {Readonly<Record<string, string | undefined>>} given
 * @returns {Record<string, string>}
 */
export function compileCache(folder, given = process.env) {
  const named = given.NODE_COMPILE_CACHE;
  const cache = named || join(folder, '.cache/compile');
  try {
    if (named ? isClosed(make(cache)) : isOurs(cache)) return { NODE_COMPILE_CACHE: cache };
  } catch {
    // A project that this user may not write to: its sources are compiled at each start.
  }
  return { NODE_COMPILE_CACHE: '', NODE_DISABLE_COMPILE_CACHE: '1' };
}

/** Makes the project's folder and closes it; what others could have put into it is removed. */
function isOurs(cache) {
  const parent = dirname(make(cache));
  if (!isOwned(parent) || !isOwned(cache)) return false;
  if (!isClosed(parent) || !isClosed(cache)) {
    chmodSync(parent, 0o755);
    rmSync(cache, { recursive: true });
    make(cache);
  }
  chmodSync(cache, 0o700);
  return isClosed(cache);
}

function make(path) {
  // The account of a database that root starts must be able to pass through to a folder beside this one.
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return path;
}

/** Whether the path is a real folder, not a link, owned by this process's user. Windows reports no owner. */
function isOwned(path) {
  const found = lstatSync(path);
  return found.isDirectory() && (!process.getuid || found.uid === process.getuid());
}

const isClosed = (path) =>
  isOwned(path) && (process.platform === 'win32' || (lstatSync(path).mode & 0o022) === 0);
