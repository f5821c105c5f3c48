// The processes of a bench or a break: service, card form and stand-in of the provider, as a release starts them, and
// the CPU time that they and the database take.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError } from '../../cli/line/command.ts';

export const root: string = join(import.meta.dirname, '../../../..');
/** The one program of a release; a checkout has it too. It gives each process the flags of Node that it runs with. */
export const program: string = join(root, 'deploy/src/run.ts');

export type PartName = 'service' | 'vault' | 'sandbox';
export type Part = {
  readonly pid: number;
  /** What it printed when it was ready. */
  readonly ready: Readonly<Record<string, string>>;
  stop(): Promise<void>;
  /** Sends SIGKILL; resolves when it has ended. */
  kill(): Promise<void>;
};

const words: Readonly<Record<PartName, string>> = {
  service: 'the service',
  vault: 'the card form',
  sandbox: 'the stand-in of the provider',
};

/** Throws CommandError where the installation lacks a part, as Debian's package `svc` alone does. */
export function assertParts(names: readonly PartName[], folder: string = root): void {
  for (const name of names) {
    if (existsSync(join(folder, name, 'src/main.ts'))) continue;
    const how = name === 'vault' ? ' (Debian: apt-get install svc-vault)' : '';
    throw new CommandError(
      `part_missing: ${words[name]} is not installed beside this command${how}`,
    );
  }
}

/** Builds the card form of a checkout, where no start has built it yet; a release has it. */
export function buildCardForm(): void {
  const builder = join(root, 'vault/build.ts');
  if (!existsSync(builder)) return;
  const { status, stderr } = spawnSync(process.execPath, [builder], { encoding: 'utf8' });
  if (status !== 0) throw new CommandError(`card_form_not_built: ${stderr.trim().split('\n')[0]}`);
}

// A command that is killed cannot stop its processes: each ends when it is no longer the command's child. The command
// may be gone before this is read. Further processes of the service end with the first one.
const tie = `data:text/javascript,${encodeURIComponent(
  `import of from 'node:cluster';of.isWorker||setInterval(()=>process.ppid===${process.pid}||process.exit(1),500).unref()`,
)}`;

const settingOfOurs = /^(SVC|VAULT|SANDBOX|DATABASE)_/;

/** The environment of a process: what the machine gives, and none of the installation's settings. */
export const surroundings = (): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !settingOfOurs.test(name))),
  NODE_OPTIONS: `--import=${tie}`,
});

type Plan = {
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Called when it ends while it should run. */
  readonly onLoss: (error: CommandError) => void;
};

/** Starts a process and returns when it is ready. Throws CommandError with its last words. */
export async function startPart(name: PartName, { env, signal, onLoss }: Plan): Promise<Part> {
  signal.throwIfAborted();
  const child = spawn(process.execPath, [program, name], {
    cwd: root,
    env: { ...surroundings(), ...env },
    // A group of its own: a Ctrl-C of the terminal reaches the command alone, which stops its parts in order.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const onExit = () => void child.kill('SIGKILL');
  process.once('exit', onExit);
  let [isStopping, said] = [false, ''];
  child.stderr?.on('data', (chunk: Buffer) => {
    said = (said + chunk).slice(-1500);
  });
  const ended = new Promise<string>((resolve) => {
    child.once('close', (code, by) => resolve(by ?? `exit code ${code}`));
    child.once('error', (error) => resolve(error.message));
  });
  const lost = (reason: string) =>
    new CommandError(`part_ended: ${words[name]} ended (${reason}): ${said.trim() || 'no words'}`);
  const end = async (by: 'SIGTERM' | 'SIGKILL') => {
    isStopping = true;
    if (child.exitCode === null && child.signalCode === null) child.kill(by);
    await ended;
    process.off('exit', onExit);
  };
  const [stop, kill] = [() => end('SIGTERM'), () => end('SIGKILL')];
  const onAbort = () => void child.kill('SIGTERM');
  signal.addEventListener('abort', onAbort);
  try {
    const first = await Promise.race([firstLine(child), ended.then(lost)]);
    signal.throwIfAborted();
    if (first instanceof CommandError) throw first;
    void ended.then((reason) => isStopping || onLoss(lost(reason)));
    return { pid: child.pid ?? 0, ready: JSON.parse(first), stop, kill };
  } catch (error) {
    await stop();
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function firstLine({ stdout }: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    stdout?.on('data', (chunk: Buffer) => {
      if (text.includes('\n')) return;
      text += chunk;
      if (text.includes('\n')) resolve(text.split('\n')[0] ?? '');
    });
  });
}

type Process = { readonly parent: number; readonly ms: number };

/** The tick of the times in /proc, USER_HZ: 100 a second on every machine that Node runs on. */
const tickMs = 10;

function readProcess(pid: number | string): Process | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name, in brackets, may contain anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    // Its own time, and that of its children that have ended: fields 14 to 17.
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return { parent: Number(fields[1]), ms: ticks * tickMs };
  } catch {
    return undefined;
  }
}

/** Returns the CPU time in ms of each process with all that it started; null where the system does not tell. */
export function readCpu(pids: readonly number[]): readonly number[] | null {
  if (!existsSync('/proc/self/stat')) return null;
  const all = new Map<number, Process>();
  for (const name of readdirSync('/proc')) {
    const found = /^\d+$/.test(name) ? readProcess(name) : undefined;
    if (found) all.set(Number(name), found);
  }
  const isBelow = (pid: number, top: number): boolean => {
    for (let at = pid; at > 0; at = all.get(at)?.parent ?? 0) if (at === top) return true;
    return false;
  };
  return pids.map((top) =>
    [...all].reduce((sum, [pid, { ms }]) => sum + (isBelow(pid, top) ? ms : 0), 0),
  );
}

/**
 * Returns the server's first process where a session of it, on a database of that name, is seen on this machine; a
 * server elsewhere, or in another container, is not.
 */
export function findServer(backend: number, database: string): number | null {
  try {
    const title = readFileSync(`/proc/${backend}/cmdline`, 'latin1');
    return title.includes(database) ? (readProcess(backend)?.parent ?? null) : null;
  } catch {
    return null;
  }
}
