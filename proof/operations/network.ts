// The machines of the databases: a network namespace each, joined by a bridge, with names in /etc/hosts and
// folders of their own. Runs in namespaces of mounts, processes and network (proof/kit/machine.ts).

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { machineEnv } from '../kit/machine.ts';

export const run = (
  program: string,
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): string =>
  execFileSync(program, args, {
    ...{ encoding: 'utf8', stdio: 'pipe', timeout: 120_000 },
    ...{ ...options, env: { ...machineEnv, ...options.env } },
  });

export const hosts = ['db1', 'db2', 'db3'] as const;
export type Host = (typeof hosts)[number];

const addressOf = (host: Host): string => `10.66.0.${11 + hosts.indexOf(host)}`;
const linkOf = (host: Host): string => `to-${host}`;

/** pgBackRest writes to the host's own folders alone. */
const hostEnv = { PGBACKREST_LOG_LEVEL_FILE: 'off', PGBACKREST_LOCK_PATH: '/run/locks' };

export type Network = {
  readonly folder: string;
  /** Starts a program on the host as the account `postgres`. */
  start(host: Host, line: string, env?: NodeJS.ProcessEnv): ChildProcess;
  /** Runs a command on the host as the account `postgres` and returns what it printed. */
  on(host: Host, line: string): string;
  /** Sends the signal to each process of the host whose command line contains the words. */
  signal(host: Host, signal: NodeJS.Signals, words?: string): number;
  /** Takes the host's cable out, and puts it back. */
  cut(host: Host): void;
  join(host: Host): void;
};

/** `sizes`: the room on a host's disk, such as `300m`. */
export function openNetwork(folder: string, sizes: Partial<Record<Host, string>> = {}): Network {
  run('mount', ['-t', 'tmpfs', 'tmpfs', '/run']);
  const names = join(folder, 'hosts');
  const lines = ['127.0.0.1 localhost', ...hosts.map((host) => `${addressOf(host)} ${host}`)];
  writeFileSync(names, `${lines.join('\n')}\n`);
  run('mount', ['--bind', names, '/etc/hosts']);
  run('ip', ['link', 'set', 'lo', 'up']);
  run('ip', ['link', 'add', 'between', 'type', 'bridge']);
  run('ip', ['address', 'add', '10.66.0.1/24', 'dev', 'between']);
  run('ip', ['link', 'set', 'between', 'up']);
  for (const host of hosts) addHost(folder, host, sizes[host] ?? '1g');
  const inHost = (host: Host, line: string) => {
    const mounts = ['postgresql', 'etcd', 'pgbackrest']
      .map(
        (name) =>
          `mkdir -p /var/lib/${name} && mount --bind ${folder}/${host}/${name} /var/lib/${name}`,
      )
      .join(' && ');
    const as = 'setpriv --reuid postgres --regid postgres --init-groups --';
    return [
      ...['netns', 'exec', host, 'unshare', '--mount', 'sh', '-c'],
      `${mounts} && mount --bind ${folder}/${host}/run /run && exec ${as} sh -c "$0"`,
      line,
    ];
  };
  return {
    folder,
    start(host, line, env = {}) {
      const log = openSync(join(folder, `${host}.log`), 'a');
      return spawn('ip', inHost(host, `exec ${line}`), {
        ...{ cwd: '/', stdio: ['ignore', log, log], env: { ...machineEnv, ...hostEnv, ...env } },
      });
    },
    on: (host, line) => run('ip', inHost(host, line), { cwd: '/', env: hostEnv }),
    signal(host, signal, words = '') {
      const found = run('ip', ['netns', 'pids', host])
        .split('\n')
        .filter((pid) => pid !== '' && commandOf(pid).includes(words));
      for (const pid of found) kill(Number(pid), signal);
      return found.length;
    },
    cut: (host) => void run('ip', ['link', 'set', linkOf(host), 'down']),
    join: (host) => void run('ip', ['link', 'set', linkOf(host), 'up']),
  };
}

function addHost(folder: string, host: Host, size: string): void {
  const disk = join(folder, host);
  const { uid, gid } = accountOf('postgres');
  mkdirSync(disk);
  run('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', disk]);
  for (const name of ['postgresql', 'etcd', 'pgbackrest', 'run', 'run/postgresql']) {
    mkdirSync(join(disk, name));
    chownSync(join(disk, name), uid, gid);
  }
  run('ip', ['netns', 'add', host]);
  run('ip', ['link', 'add', linkOf(host), 'type', 'veth', 'peer', 'name', 'eth0', 'netns', host]);
  run('ip', ['link', 'set', linkOf(host), 'master', 'between', 'up']);
  for (const line of [
    'link set lo up',
    `address add ${addressOf(host)}/24 dev eth0`,
    'link set eth0 up',
  ]) {
    run('ip', ['-n', host, ...line.split(' ')]);
  }
}

function accountOf(name: string): { uid: number; gid: number } {
  const line = readFileSync('/etc/passwd', 'utf8').match(
    new RegExp(`^${name}:[^:]*:(\\d+):(\\d+):`, 'm'),
  );
  if (!line) throw new Error(`no account ${name}`);
  return { uid: Number(line[1]), gid: Number(line[2]) };
}

function commandOf(pid: string): string {
  const file = `/proc/${pid}/cmdline`;
  return existsSync(file) ? readFileSync(file, 'utf8').replaceAll('\0', ' ') : '';
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}
