// A program that needs a machine of its own runs in namespaces of mounts, processes and network: its ports
// are free, it may mount and cut, and nothing of it stays behind.

import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** Returns why such a program cannot run here; undefined when it can. */
export const machineMissing = (): string | undefined =>
  process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')
    ? undefined
    : 'it needs root on Debian';

export const machineEnv = {
  PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
  DEBIAN_FRONTEND: 'noninteractive',
};

/** Whether this package of Debian is there. */
export const isInstalled = (name: string): boolean =>
  spawnSync('dpkg', ['-s', name], { env: machineEnv }).status === 0;

type Options = {
  readonly main: string;
  readonly args: readonly string[];
  /** Gets each line of JSON that the program prints. */
  readonly told: (line: string) => void;
  readonly signal?: AbortSignal;
};

/** Resolves with the end of what it said on stderr when it failed, else with undefined. */
export async function runInMachine({ main, args, told, signal }: Options) {
  const apart = ['--mount', '--net', '--pid', '--fork', '--mount-proc', '--kill-child'];
  // The first process of the namespace takes in what others leave: a shell ends these, node does not.
  // It also gets the pipe that tells the program when this process has ended.
  const shell = ['sh', '-c', 'exec 3<&0; "$@" <&3 & wait $!', 'sh'];
  const child = spawn('unshare', [...apart, ...shell, process.execPath, main, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // unshare does not heed SIGTERM; what it has started ends with it.
  const stop = () => void child.kill('SIGKILL');
  signal?.addEventListener('abort', stop);
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said = `${said}${chunk}`.slice(-2000);
  });
  createInterface(child.stdout).on('line', (line) => {
    if (line.startsWith('{')) told(line);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  signal?.removeEventListener('abort', stop);
  return code === 0 ? undefined : said || `ended with ${code}`;
}
