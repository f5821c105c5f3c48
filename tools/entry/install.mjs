// Makes a bare clone ready: the packages of the lock file, then the Node that runs the sources.
// Runs on Node 20 without a single dependency.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { compileCache } from './compile-cache.mjs';
import { takeLock } from './lock.mjs';

const parent = process.ppid;
const root = resolve(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '../..');

/** Seconds since `from`, as in a ticked line. */
const seconds = (from) => `${((Date.now() - from) / 1000).toFixed(1)} s`;

/**
 * Installs what the lock file names unless that was done already. Safe twice at once: the second
 * waits for the first; and after a kill: the stamp that says "done" is written last.
 *
 * @param {{ folder?: string, say?: (line: string) => void, npm?: string[] }} options
 */
export async function install({ folder = root, say = () => {}, npm = npmCommand() } = {}) {
  if (isInstalled(folder)) return;
  const held = await lock(join(folder, '.cache'), say);
  try {
    if (isInstalled(folder)) return;
    const from = Date.now();
    say('installing packages (npm ci), once');
    const stamp = stampOf(folder);
    rmSync(join(folder, 'node_modules', stampName), { force: true });
    await runNpm(npm, { folder, onStart: held.add });
    writeFileSync(join(folder, 'node_modules', stampName), stamp);
    say(`packages installed in ${seconds(from)}`);
  } finally {
    held.release();
  }
}

const stampName = '.svc-installed';

function isInstalled(folder) {
  try {
    const stamp = join(folder, 'node_modules', stampName);
    if (existsSync(stamp) && readFileSync(stamp, 'utf8') === stampOf(folder)) return true;
    // A developer's own `npm install` leaves no stamp of ours, but npm's list of what it did.
    return isListed(folder);
  } catch {
    return false;
  }
}

/** Another lock file or another platform (a folder shared with a container) means: again. */
function stampOf(folder) {
  const hash = createHash('sha256').update(readFileSync(join(folder, 'package-lock.json')));
  return `${hash.digest('hex')} ${process.platform} ${process.arch}\n`;
}

/** Whether npm's own list, which it writes last, holds all that the lock file wants here. */
function isListed(folder) {
  const read = (path) => JSON.parse(readFileSync(join(folder, path), 'utf8')).packages;
  const installed = read('node_modules/.package-lock.json');
  return Object.entries(read('package-lock.json')).every(([path, wanted]) => {
    if (!path.includes('node_modules/') || isForeign(wanted)) return true;
    const found = installed[path];
    return found !== undefined && found.version === wanted.version && found.link === wanted.link;
  });
}

function isForeign({ os, cpu, libc, optional }) {
  // What names no platform came with an optional package that may itself be left out here.
  const isForHere = !libc && os?.includes(process.platform) && cpu?.includes(process.arch);
  return optional && !isForHere;
}

/** The npm that came with us, without a shell; npm names itself to what it runs. */
function npmCommand() {
  const self = process.env.npm_execpath;
  if (self && /npm-cli\.c?js$/.test(self)) return [process.execPath, self];
  return [process.platform === 'win32' ? 'npm.cmd' : 'npm'];
}

function runNpm([program, ...before], { folder, onStart }) {
  return new Promise((done, fail) => {
    const args = [...before, 'ci', '--ignore-scripts', '--no-audit', '--no-fund'];
    // A surrounding `npm --json …` or `--silent` must not decide how the installation speaks.
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^npm_config_(json|loglevel)$/i.test(name)),
    );
    // The install must not be told "production": the tools are development dependencies.
    delete env.NODE_ENV;
    // npm keeps what it compiles in the shared temporary folder, unless a folder is named.
    Object.assign(env, compileCache(folder));
    const child = spawn(program, args, {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: program.endsWith('.cmd'),
    });
    if (child.pid) onStart(child.pid);
    let said = '';
    child.stdout.on('data', (chunk) => {
      said += chunk;
    });
    child.stderr.on('data', (chunk) => {
      said += chunk;
    });
    child.once('error', (error) => fail(new Error(`npm could not be run: ${error.message}`)));
    child.once('close', (code, signal) => {
      if (code === 0) return done();
      fail(new Error(`npm ci failed (${signal ?? `exit code ${code}`}):\n${readable(said)}`));
    });
  });
}

function readable(said) {
  const lines = said.split('\n').map((line) => line.replace(/^npm (error|ERR!) ?/, ''));
  const kept = lines.filter((line) => line.trim() && !/^npm (warn|notice)/i.test(line));
  return kept.map((line) => `  ${line}`).join('\n');
}

async function lock(parent, say) {
  mkdirSync(parent, { recursive: true });
  for (let waits = false; ; await pause(200)) {
    const held = takeLock(join(parent, 'install.lock'));
    if (held) return held;
    if (!waits) say('another process is installing the packages: waiting for it');
    waits = true;
  }
}

/** The Node that can run the sources: the one of the packages, else this one if new enough. */
function findNode(folder = root) {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const packaged = join(folder, 'node_modules/.bin', name);
  if (existsSync(packaged) && spawnSync(packaged, ['-v']).status === 0) return packaged;
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 18)) return process.execPath;
  throw new Error(
    `Node ${process.versions.node} is too old to run the sources, and there is no packaged one ` +
      `for ${process.platform} ${process.arch}. Install Node 22.18 or later.`,
  );
}

/**
 * Runs a source file on that Node in place of this process: same arguments, same streams, its
 * signals and its exit code.
 */
export function become(script, args, folder = root) {
  const bin = join(folder, 'node_modules/.bin');
  const env = { ...process.env };
  const path = Object.keys(env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
  const separator = process.platform === 'win32' ? ';' : ':';
  env[path] = [bin, ...(env[path] ?? '').split(separator).filter((at) => at !== bin)].join(
    separator,
  );
  const child = spawn(
    findNode(folder),
    ['--import', new URL('tie.mjs', import.meta.url).href, join(folder, script), ...args],
    {
      // Sources are compiled once and kept: a later start is twice as fast.
      env: { ...env, ...compileCache(folder), SVC_TIED_TO: String(process.pid) },
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      // A group of its own: a Ctrl-C on the terminal reaches only us, and we pass it on, once.
      detached: process.platform !== 'win32',
    },
  );
  passOnSignals(child);
  if (process.env.npm_lifecycle_event) endWithShell(child);
  child.once('error', (error) => {
    console.error(error.message);
    process.exit(1);
  });
  child.once('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    for (const name of passed) process.removeAllListeners(name);
    process.kill(process.pid, signal);
    // Should the signal not end us, this must still not look like success.
    setTimeout(() => process.exit(1), 1000);
  });
}

const passed = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** On Ctrl-C both the terminal and npm send the signal: those within a moment are one. */
function passOnSignals(child) {
  const last = new Map();
  for (const signal of passed) {
    process.on(signal, () => {
      const now = performance.now();
      if (now - (last.get(signal) ?? -1000) < 300) return;
      last.set(signal, now);
      child.kill(signal);
    });
  }
}

/** npm ends its shell by a signal, which passes nothing on: without it nobody waits for us any more. */
function endWithShell(child) {
  const look = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(look);
    child.kill('SIGTERM');
  }, 300);
  look.unref();
}
