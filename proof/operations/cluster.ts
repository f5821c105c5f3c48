// PostgreSQL as docs/operating/failover.md has it: the configuration is read from that page, so that it is tried.

import { type ChildProcess, spawn } from 'node:child_process';
import { openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { root } from '@svc/tools/start/options';
import { machineEnv } from '../kit/machine.ts';
import { type Host, hosts, type Network, run } from './network.ts';

const page = join(root, 'docs/operating/failover.md');
const passwords: Readonly<Record<string, string>> = {
  administrator: 'of-postgres',
  replicator: 'of-the-standby',
};

/** Returns a block of the page, with its passwords filled in. */
function blockOf(name: string): string {
  const text = readFileSync(page, 'utf8');
  const [, block] = new RegExp(`^\`\`\`\\w* ${name}\\n([^]*?)^\`\`\`$`, 'm').exec(text) ?? [];
  if (!block) throw new Error(`docs/operating/failover.md has no block ${name}`);
  return block.replace(/<(\w+)>/g, (_, word: string) => passwords[word] ?? '');
}

/** The page shows the file of db1; a line that lists all hosts is the same for each. */
const ofHost = (block: string, host: Host): string =>
  blockOf(block)
    .split('\n')
    .map((line) => (line.includes('db2') ? line : line.replaceAll('db1', host)))
    .join('\n');

/** Starts a program on the machine of the service. */
export function serve(folder: string, program: string, args: readonly string[]): ChildProcess {
  const log = openSync(join(folder, `${program}.log`), 'a');
  return spawn(program, args, { cwd: '/', stdio: ['ignore', log, log], env: machineEnv });
}

/** Waits until it is so; an error counts as no. */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  withinMs = 180_000,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  for (let last: unknown = ''; ; await pause(200)) {
    try {
      if (await isSo()) return;
    } catch (error) {
      last = (error as Error).cause ?? error;
    }
    if (performance.now() > deadline) {
      throw new Error(`not within ${withinMs / 1000} s: ${what} ${last}`);
    }
  }
}

export type Cluster = {
  /** The administrator's address, through HAProxy. */
  readonly adminUrl: string;
  readonly network: Network;
  start(host: Host): void;
  primary(): Promise<Host>;
  /** Waits until every member follows one primary, or the one server answers. */
  whole(): Promise<void>;
  /** Changes settings of all members: `patronictl edit-config`. */
  change(settings: object): Promise<void>;
  /** `patronictl switchover`. */
  switchOver(): Promise<void>;
  /** Puts the database back to a moment, by pgBackRest. */
  restore(to: string): Promise<void>;
};

/** Bytes: under traffic a standby is always a little behind. */
const mostBehind = 1 << 20;

type Member = { readonly role: string; readonly state: string; readonly lag?: number | string };

const ask = (host: Host, path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`http://${host}:8008${path}`, { ...init, signal: AbortSignal.timeout(3000) });

async function primary(): Promise<Host> {
  const answers = await Promise.allSettled(hosts.map((host) => ask(host, '/primary')));
  const found = hosts.filter((_, at) => {
    const answer = answers[at];
    return answer?.status === 'fulfilled' && answer.value.status === 200;
  });
  if (found.length !== 1 || !found[0]) throw new Error(`primaries: ${found.join(', ') || 'none'}`);
  return found[0];
}

const send = async (path: string, method: string, body: object): Promise<void> => {
  const init = { method, body: JSON.stringify(body) };
  const answer = await fetch(`http://${await primary()}:8008${path}`, init);
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
};

const data = '/var/lib/postgresql/15/svc';
const bin = '/usr/lib/postgresql/15/bin';

/** One PostgreSQL on db1, which keeps its log at pgBackRest. */
export async function openSingle(network: Network): Promise<Cluster> {
  const host = 'db1';
  const file = (name: string) => join(network.folder, name);
  for (const name of ['pgbackrest', 'postgresql']) {
    writeFileSync(file(`${name}.conf`), blockOf(name));
  }
  run('mount', ['--bind', file('pgbackrest.conf'), '/etc/pgbackrest.conf']);
  network.on(
    host,
    `set -e; mkdir /run/locks; echo ${passwords.administrator} > /run/word
     ${bin}/initdb -k -E UTF8 -A peer --pwfile=/run/word -D ${data}
     cat ${file('postgresql.conf')} >> ${data}/postgresql.conf
     echo 'host all all samenet scram-sha-256' >> ${data}/pg_hba.conf`,
  );
  const start = () => void network.start(host, `${bin}/postgres -D ${data}`);
  const whole = () =>
    until('the server answers', () => network.on(host, "psql -Atc 'select 1'").trim() === '1');
  start();
  await whole();
  network.on(host, 'pgbackrest --stanza=svc stanza-create && pgbackrest --stanza=svc backup');
  return {
    adminUrl: `postgres://postgres:${passwords.administrator}@${host}:5432/postgres`,
    ...{ network, start, whole, primary: async () => host },
    async restore(to) {
      network.on(host, `${bin}/pg_ctl stop -m fast -D ${data}`);
      const target = `--type=time '--target=${to}' --target-action=promote`;
      network.on(host, `pgbackrest --stanza=svc --delta ${target} restore`);
      start();
      const isOpen = "psql -Atc 'select pg_is_in_recovery()'";
      await until('the server writes again', () => network.on(host, isOpen).trim() === 'f');
    },
    change: () => Promise.reject(new Error('this is no cluster')),
    switchOver: () => Promise.reject(new Error('this is no cluster')),
  };
}

export async function openCluster(network: Network): Promise<Cluster> {
  const fileOf = (host: Host) => join(network.folder, `patroni-${host}.yml`);
  const start = (host: Host): void => {
    const lines = ofHost('etcd', host).trim().split('\n');
    const env = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2)));
    network.start(host, 'etcd', env);
    network.start(host, `patroni ${fileOf(host)}`);
  };
  for (const host of hosts) {
    writeFileSync(fileOf(host), ofHost('patroni', host));
    start(host);
  }
  const proxy = join(network.folder, 'haproxy.cfg');
  writeFileSync(proxy, blockOf('haproxy'));
  serve(network.folder, 'haproxy', ['-db', '-f', proxy]);
  let isSynchronous = true;
  const whole = () =>
    until('every member follows one primary', async () => {
      const { members } = (await (await ask(await primary(), '/cluster')).json()) as {
        members: Member[];
      };
      const isWell = ({ role, state, lag = 0 }: Member) =>
        ['running', 'streaming'].includes(state) && (role === 'leader' || Number(lag) < mostBehind);
      const hasStandby = members.some(({ role }) => role === 'sync_standby');
      return members.length === 3 && members.every(isWell) && hasStandby === isSynchronous;
    });
  await whole();
  return {
    adminUrl: `postgres://postgres:${passwords.administrator}@127.0.0.1:5000/postgres`,
    ...{ network, start, primary, whole },
    async change(settings) {
      const { synchronous_mode: mode } = settings as { synchronous_mode?: boolean };
      isSynchronous = mode ?? isSynchronous;
      await send('/config', 'PATCH', settings);
    },
    switchOver: async () => send('/switchover', 'POST', { leader: await primary() }),
    restore: () => Promise.reject(new Error('the page restores one server')),
  };
}
