// Starts the server process, or finds the one that already serves these files, and stops it.
import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { canEnter } from './account.ts';
import { programEnvironment } from './binaries.ts';
import { giveOwnership } from './cluster.ts';
import { dataFolder, type Place, shortHash } from './cluster-place.ts';
import { codeOf, messageOf, PostgresTrouble } from './postgres-trouble.ts';
import { isServerOf } from './processes.ts';
import type { Passwords } from './roles.ts';

export type LiveServer = { pid: number; socketDir: string; superuser: pg.Client };
export type Launch = { place: Place; passwords: Passwords; log: string; settings: Settings };
export type Settings = Readonly<Record<string, string>>;

const patienceMs = 30_000;
const socketFile = '.s.PGSQL.5432';

/** Returns a server that accepts our password for these files, starting one if there is none. */
export async function serve(launch: Launch): Promise<LiveServer & { reused: boolean }> {
  const deadline = Date.now() + patienceMs;
  let child: SpawnedServer | undefined;
  let cause: unknown;
  while (Date.now() < deadline) {
    const found = await findLive(launch);
    if (found.live) return { ...found.live, reused: found.live.pid !== child?.pid };
    cause = found.cause;
    if (child && !child.isOver()) await pause(15);
    else if (child) {
      await removeObstacle(launch, child.said());
      child = undefined;
    } else if (found.isBusy) await pause(50);
    else child = spawnServer(launch);
  }
  throw new PostgresTrouble(
    `PostgreSQL in ${launch.place.home} did not answer within ${patienceMs / 1000} s: ` +
      `${messageOf(cause)} (log: ${launch.log})`,
  );
}

/** Disconnects clients at once (SIGINT): on SIGTERM PostgreSQL waits until the last one has left. */
export async function stopServer(pid: number, home: string): Promise<void> {
  const data = dataFolder(home);
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    if (!isServerOf(pid, data)) return;
    process.kill(pid, signal);
    const deadline = Date.now() + 15_000;
    while (Date.now() < deadline) {
      if (!isServerOf(pid, data)) return;
      await pause(10);
    }
  }
  throw new PostgresTrouble(`PostgreSQL (process ${pid}) does not stop`);
}

type Finding = { live?: LiveServer; isBusy?: boolean; cause?: unknown };

/** Connects to find out whether a server runs: a leftover pid file proves nothing. */
async function findLive({ place, passwords }: Launch): Promise<Finding> {
  const noted = readPidFile(place);
  if (!noted) return { cause: new Error('it is not running') };
  const superuser = new pg.Client({
    host: noted.socketDir,
    user: 'postgres',
    password: passwords.postgres,
    database: 'postgres',
    // A timeout that is too short does no harm: the lock file then shows a running server, and it is tried
    // again.
    connectionTimeoutMillis: 1500,
  });
  // Without a listener the loss of this connection would end our process.
  superuser.on('error', () => {});
  try {
    await superuser.connect();
    return { live: { ...noted, superuser } };
  } catch (cause) {
    await superuser.end().catch(() => {});
    const code = codeOf(cause);
    if (code === '28P01') {
      throw new PostgresTrouble(`The server on ${noted.socketDir} is not ours: wrong password`);
    }
    // 57P03: the server is starting up or shutting down.
    return { isBusy: code === '57P03', cause };
  }
}

function readPidFile(place: Place): { pid: number; socketDir: string } | undefined {
  try {
    const file = readFileSync(join(dataFolder(place.home), 'postmaster.pid'), 'utf8');
    const lines = file.split('\n');
    const pid = Number(lines[0]);
    const socketDir = lines[4]?.trim();
    return pid > 0 && socketDir ? { pid, socketDir } : undefined;
  } catch {
    return undefined;
  }
}

type SpawnedServer = { pid: number | undefined; isOver(): boolean; said(): string };

function spawnServer({ place, log, settings }: Launch): SpawnedServer {
  const out = openSync(log, 'a', 0o600);
  const from = statSync(log).size;
  const socketDir = makeSocketFolder(place);
  const all = { ...defaultSettings(), ...settings, unix_socket_directories: `"${socketDir}"` };
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  // Detached: otherwise Ctrl-C would also stop the database, before the service has finished its requests.
  const child: ChildProcess = spawn(
    join(place.native, 'bin/postgres'),
    ['-D', dataFolder(place.home), ...flags],
    {
      ...place.account,
      cwd: place.home,
      env: programEnvironment(),
      stdio: ['ignore', out, out],
      detached: true,
    },
  );
  closeSync(out);
  let over: string | undefined;
  child.once('error', (error) => {
    over = messageOf(error);
  });
  child.once('exit', (code, signal) => {
    over ??= `ended (${code ?? signal})`;
  });
  child.unref();
  return {
    pid: child.pid,
    isOver: () => over !== undefined,
    said: () => `${readFileSync(log).subarray(from).toString('utf8').trim()}\n${over}`,
  };
}

/**
 * Handles the end of a server that was started here: removes what blocked it, or throws with its message.
 */
async function removeObstacle({ place, log }: Launch, said: string): Promise<void> {
  const file = /lock file "([^"]+)" (?:already exists|is empty)/.exec(said)?.[1];
  if (file) {
    const path = file.includes('/') ? file : join(dataFolder(place.home), file);
    const owner = existsSync(path) ? Math.abs(Number.parseInt(readFileSync(path, 'utf8'), 10)) : 0;
    // The number in a leftover file may belong to another process by now, which PostgreSQL cannot know.
    if (!isServerOf(owner, dataFolder(place.home))) rmSync(path, { force: true });
    await pause(30);
    return;
  }
  if (/pre-existing shared memory block/.test(said)) {
    // The child processes of a killed server are still ending.
    await pause(100);
    return;
  }
  throw new PostgresTrouble(`PostgreSQL could not start (log: ${log}):\n${said}`);
}

/** Puts the socket into the home folder if its path fits: at most 103 bytes (macOS; 107 on Linux). */
function makeSocketFolder(place: Place): string {
  const near = join(place.home, 'socket');
  const wanted = isPathShortEnough(near)
    ? near
    : join(temporaryFolder(place), `svc-${shortHash(place.home)}`);
  const owner = place.account.uid ?? process.getuid?.();
  if (isFolder(wanted)) {
    giveOwnership(place, ...(lstatSync(wanted).uid === process.getuid?.() ? [wanted] : []));
    if (lstatSync(wanted).uid === owner) {
      chmodSync(wanted, 0o700);
      return wanted;
    }
  }
  // Somebody else has taken this name in a folder that is open to all.
  const own = mkdtempSync(join(temporaryFolder(place), 'svc-'));
  giveOwnership(place, own);
  return own;
}

/** Makes the folder if nothing is there. Returns false when somebody has put a file or a link there. */
function isFolder(path: string): boolean {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return lstatSync(path).isDirectory();
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function temporaryFolder({ account }: Place): string {
  const folder = tmpdir();
  return canEnter(folder, account) && isPathShortEnough(join(folder, 'svc-0123456789ab'))
    ? folder
    : '/tmp';
}

function isPathShortEnough(folder: string): boolean {
  return Buffer.byteLength(join(folder, socketFile)) <= 103 && !folder.includes('"');
}

/** Settings for a small machine. Each may be overridden. */
function defaultSettings(): Settings {
  const mebibytes = Math.floor(totalmem() / 2 ** 20);
  return {
    listen_addresses: '',
    unix_socket_permissions: '0700',
    max_connections: '100',
    shared_buffers: `${Math.min(1024, Math.max(32, Math.floor(mebibytes / 4)))}MB`,
    synchronous_commit: 'on',
    max_wal_size: '4GB',
    // Reduces full-page images in the write-ahead log.
    checkpoint_timeout: '15min',
    wal_compression: 'on',
    // Statements are short: compiling them would cost more than it saves.
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_min_messages: 'warning',
    // The text of a failed statement may contain personal data.
    log_min_error_statement: 'panic',
    cluster_name: 'svc',
  };
}
