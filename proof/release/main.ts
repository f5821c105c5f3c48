// The steps of the layer `release` that need a machine of their own. Started by run-release.ts in namespaces
// of mounts, processes and network, so that ports are free and nothing stays behind. Prints a line of JSON
// for each step.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addToRepository } from '../../deploy/deb.ts';
import { openCompose } from './compose.ts';
import { payOnce, untilReady } from './purchase.ts';

const [folder = '', version = '', next = ''] = process.argv.slice(2);
const root = join(folder, 'root');
const debian = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', DEBIAN_FRONTEND: 'noninteractive' };
const apiUrl = 'http://127.0.0.1:4000';
const sandboxUrl = 'http://127.0.0.1:4002';

const run = (program: string, args: readonly string[], env: NodeJS.ProcessEnv = debian): string =>
  execFileSync(program, args, { encoding: 'utf8', stdio: 'pipe', env });
const inRoot = (line: string): string => run('chroot', [root, 'sh', '-c', line]);

async function step(name: string, work: () => unknown): Promise<void> {
  const from = performance.now();
  const tell = (said: object) =>
    process.stdout.write(
      `${JSON.stringify({ name, ...said, ms: Math.round(performance.now() - from) })}\n`,
    );
  try {
    tell({ saw: (await work()) ?? '' });
  } catch (error) {
    const { stderr, message, cause } = error as Error & { stderr?: string };
    tell({ problem: (stderr || `${message} ${cause ?? ''}`).slice(-2000) });
    process.exit(1);
  }
}

const expectIn = (text: string, wanted: string): string => {
  if (!text.includes(wanted)) throw new Error(`not said: ${wanted}\n${text}`);
  return wanted;
};

/** What a container or a machine has below /dev, /proc and /run. */
function mountAround(): void {
  run('mount', ['--bind', root, root]);
  const tmpfs = (place: string, ...options: string[]) =>
    run('mount', ['-t', 'tmpfs', ...options, 'tmpfs', join(root, place)]);
  run('mount', ['-t', 'proc', 'proc', join(root, 'proc')]);
  tmpfs('dev', '-o', 'mode=755');
  tmpfs('run');
  for (const name of ['null', 'zero', 'full', 'random', 'urandom', 'tty']) {
    writeFileSync(join(root, 'dev', name), '');
    run('mount', ['--bind', `/dev/${name}`, join(root, 'dev', name)]);
  }
  mkdirSync(join(root, 'dev/shm'));
  tmpfs('dev/shm', '-o', 'mode=1777');
  inRoot('cd /dev; ln -s /proc/self/fd fd; ln -s fd/0 stdin; ln -s fd/1 stdout; ln -s fd/2 stderr');
  inRoot('install -d -m 2775 -o postgres -g postgres /run/postgresql');
}

/** Adds packages of a version to the repository of the machine, signed by a key made for this run. */
function publish(of: string): void {
  process.env.GNUPGHOME = join(folder, 'gpg');
  mkdirSync(process.env.GNUPGHOME, { recursive: true, mode: 0o700 });
  const env = { ...debian, GNUPGHOME: process.env.GNUPGHOME };
  const listed = () => /^fpr:+(\w+):/m.exec(run('gpg', ['--list-keys', '--with-colons'], env))?.[1];
  if (!listed()) {
    const about = ['--quick-gen-key', 'Svc release', 'default', 'default', 'never'];
    run('gpg', ['--batch', '--quiet', '--passphrase', '', ...about], env);
  }
  const key = listed() ?? '';
  const debs = ['svc-common', 'svc-vault', 'svc'].map((name) => `${name}_${of}_amd64.deb`);
  addToRepository(
    join(root, 'srv/apt'),
    debs.map((name) => join(folder, name)),
    key,
  );
  writeFileSync(
    join(root, 'usr/share/keyrings/svc.gpg'),
    execFileSync('gpg', ['--export', key], { env }),
  );
  const line = 'deb [signed-by=/usr/share/keyrings/svc.gpg] file:/srv/apt stable main\n';
  writeFileSync(join(root, 'etc/apt/sources.list'), line);
}

const started: ChildProcess[] = [];

/** Starts a unit as it is written. */
function start(unit: string): void {
  const log = openSync(join(folder, `${unit}.log`), 'a');
  const line = [root, 'sh', '/root/start-unit.sh', unit];
  started.push(spawn('chroot', line, { env: debian, stdio: ['ignore', log, log] }));
}

/** Ends what the units have started, as systemd does. */
async function stopServing(): Promise<void> {
  const ends = started.map((child) => child.exitCode === null && once(child, 'exit'));
  for (const child of started) child.kill('SIGTERM');
  await Promise.all(ends);
  started.length = 0;
}

const pay = (svc: (args: readonly string[]) => string, place: { out: string; in: string }) =>
  payOnce({
    ...{ apiUrl, sandboxUrl, svc },
    put(name, text) {
      writeFileSync(join(place.out, name), text);
      return `${place.in}/${name}`;
    },
  }).then((status) => expectIn(status, 'succeeded'));

run('ip', ['link', 'set', 'lo', 'up']);
run('tar', ['-xf', join(folder, 'base.tar'), '-C', root, '--exclude=./dev/*']);
mountAround();

await step('apt-get install svc svc-vault', () => {
  publish('0.0.9');
  inRoot('apt-get update -qq && apt-get install -y -qq svc svc-vault');
  return inRoot('du -smc /usr/lib/svc | tail -1').trim();
});
await step('units: systemd-analyze verify and security', () => {
  inRoot('systemd-analyze verify /lib/systemd/system/svc*.service');
  const levels = inRoot(`for unit in svc svc-vault svc-migrate svc-sandbox; do
    systemd-analyze security --offline=yes --threshold=30 /lib/systemd/system/$unit.service | tail -1; done`);
  return levels.match(/\d\.\d/g)?.join(' ');
});
await step('svc prepare database, units started, one purchase', async () => {
  inRoot('pg_ctlcluster 15 main start && svc prepare database');
  writeFileSync(
    join(root, 'root/start-unit.sh'),
    readFileSync(join(import.meta.dirname, 'start-unit.sh')),
  );
  inRoot('sh /root/start-unit.sh svc-migrate');
  for (const unit of ['svc-sandbox', 'svc-vault', 'svc']) start(unit);
  await untilReady(`${apiUrl}/readyz`);
  await untilReady(`${apiUrl}/guides/webhooks`);
  return pay((args) => run('chroot', [root, 'svc', ...args]), {
    out: join(root, 'tmp'),
    in: '/tmp',
  });
});
await step('upgrade: keys and settings stay, the payment is there', async () => {
  const kept = 'cat /etc/svc/keys/* /etc/svc/*.env';
  const before = inRoot(kept);
  publish(version);
  inRoot('apt-get update -qq && apt-get install -y -qq svc svc-vault');
  if (inRoot(kept) !== before) throw new Error('keys or settings have changed');
  await stopServing();
  inRoot('sh /root/start-unit.sh svc-migrate');
  for (const unit of ['svc-sandbox', 'svc-vault', 'svc']) start(unit);
  await untilReady(`${apiUrl}/readyz`);
  return run('chroot', [root, 'svc', 'audit']).trim().split('\n').at(-1);
});
await step('downgrade is refused in a sentence', () => {
  run('cp', [
    ...['svc-common', 'svc-vault', 'svc'].map((name) => join(folder, `${name}_0.0.9_amd64.deb`)),
    join(root, 'srv'),
  ]);
  const said = inRoot('apt-get install -y -qq --allow-downgrades /srv/*.deb 2>&1 || true');
  return expectIn(said, `svc-common 0.0.9 does not replace ${version}`);
});
await step('svc bench: a few purchases beside the installation', () => {
  const said = inRoot('svc bench --provider sandbox --rate 5 --seconds 3 || [ $? = 1 ]');
  return expectIn(said, ' of the database, ');
});
await step('svc break: an installation of its own, with the PostgreSQL of Debian', () => {
  const said = inRoot('svc break --minutes 1');
  expectIn(said, 'Everything agrees');
  const other = 'SVC_MODE=live setpriv --reuid 65534 --clear-groups svc break 2>&1';
  const live = inRoot(`${other} || [ $? = 2 ]`);
  return expectIn(live, 'installation_not_sandbox');
});
await step('svc backup, an empty database, svc restore: the payment is there', async () => {
  inRoot('install -d -o postgres /srv/backups && svc backup /srv/backups');
  await stopServing();
  inRoot("su postgres -c 'dropdb svc' && svc prepare database");
  // The doctor finds that nothing serves, and asks whose copy it is.
  const said = inRoot('svc restore /srv/backups/*.tar || [ $? = 1 ]');
  expectIn(said, 'restored: every table has its rows');
  expectIn(said, 'svc installation keep');
  return expectIn(inRoot('svc audit'), 'over 1 payment: 0 violations');
});
await step('purge keeps the keys and leaves nothing else', async () => {
  const said = inRoot('apt-get purge -y -qq svc svc-vault svc-common');
  inRoot('! ls /etc/svc /usr/lib/svc 2>/dev/null');
  return expectIn(said, 'are kept in /var/backups/svc-keys-');
});

const podman = [
  '--root',
  join(folder, 'storage'),
  '--runroot',
  join(folder, 'run'),
  '--storage-driver',
  'vfs',
];
const rootless = [
  ...['--runtime', 'crun', '--cgroups=disabled', '--network', 'host', '--no-healthcheck'],
  ...['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1024:1024'],
  ...[
    '--read-only',
    '--read-only-tmpfs=false',
    '--cap-drop=all',
    '--security-opt',
    'no-new-privileges',
  ],
];
const contain = (
  mode: readonly string[],
  args: readonly string[],
  env: Record<string, string> = {},
) => {
  const given = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
  const volume = ['-v', `${join(folder, 'keys')}:/keys`, '-v', `${join(folder, 'state')}:/state`];
  return [
    ...podman,
    'run',
    ...mode,
    ...rootless,
    ...volume,
    ...given,
    `localhost/svc:${version}`,
    ...args,
  ];
};
const contained = (args: readonly string[], env?: Record<string, string>) =>
  run('podman', contain(['--rm'], args, env));
const serving: string[] = [];
const serve = (name: string, env: Record<string, string>) => {
  run('podman', contain(['-d', '--name', name], [name], env));
  serving.push(name);
};

await step('image: size, user, no shell', () => {
  run('sh', ['-c', 'umount -l /sys/fs/cgroup; mount -t cgroup2 none /sys/fs/cgroup']);
  const [image] = JSON.parse(run('podman', [...podman, 'image', 'inspect', `svc:${version}`]));
  const { Size: size, Config: config } = image as { Size: number; Config: { User: string } };
  if (size > 150e6) throw new Error(`${size} bytes`);
  if (config.User !== '10001:10001') throw new Error(`user ${config.User}`);
  let shell = '';
  try {
    shell = run('podman', [
      ...podman,
      'run',
      '--rm',
      ...rootless,
      '--entrypoint',
      '/bin/sh',
      `svc:${version}`,
      '-c',
      'echo',
    ]);
  } catch {
    return `${(size / 1e6).toFixed(0)} MB`;
  }
  throw new Error(`a shell answered: ${shell}`);
});
await step('image: keys and database prepared, migrated, one purchase', async () => {
  for (const name of ['keys', 'state']) {
    mkdirSync(join(folder, name));
    run('chown', ['10001:10001', join(folder, name)]);
  }
  inRoot(`su postgres -c "psql -qc \\"alter role postgres password 'x'\\" -c 'drop database svc'"`);
  contained(['prepare', 'keys', '/keys']);
  const admin = { DATABASE_ADMIN_URL: 'postgres://postgres:x@127.0.0.1:5432/postgres' };
  contained(['prepare', 'database', '/keys'], admin);
  const owner = { DATABASE_OWNER_URL_FILE: '/keys/svc_owner-url' };
  const settings = {
    ...{ DATABASE_URL_FILE: '/keys/svc_service-url', SVC_KEY_FILE: '/keys/svc-key' },
    ...{ SVC_VAULT_SHARED_KEY_FILE: '/keys/shared-key', SVC_PROVIDER_URL: sandboxUrl },
    ...{
      SVC_VAULT_ORIGIN: 'http://127.0.0.1:4001',
      SVC_VAULT_INTERNAL_URL: 'http://127.0.0.1:4004',
    },
  };
  contained(['migrate'], { ...settings, ...owner });
  serve('sandbox', { SANDBOX_PORT: '4002', SANDBOX_FILE: '/state/sandbox.sqlite' });
  serve('vault', {
    ...{ VAULT_PORT: '4001', VAULT_INTERNAL_PORT: '4004', VAULT_PROVIDER_URL: sandboxUrl },
    ...{ VAULT_DATABASE_URL_FILE: '/keys/svc_vault-url', VAULT_KEY_FILE: '/keys/vault-key' },
    ...{ VAULT_SHARED_KEY_FILE: '/keys/shared-key', VAULT_ORIGIN: 'http://127.0.0.1:4001' },
  });
  serve('service', settings);
  await untilReady(`${apiUrl}/readyz`);
  await untilReady(`${apiUrl}/guides/webhooks`);
  return pay((args) => contained(args, settings), { out: join(folder, 'state'), in: '/state' });
});
await step('image: each process is healthy by the command of its health check', () => {
  const health = ['/svc/bin/node', '/svc/deploy/src/run.ts', 'health'];
  for (const name of serving) run('podman', [...podman, 'exec', name, ...health]);
  run('podman', [...podman, 'stop', '-t', '20', ...serving]);
  return serving.join(' ');
});

const images = { now: `localhost/svc:${version}`, next: `localhost/svc:${next}` };
let compose: ReturnType<typeof openCompose> | undefined;
await step('compose: up from nothing, one purchase through Caddy', async () => {
  inRoot('pg_ctlcluster 15 main stop -m fast');
  compose = openCompose({ folder, podman, env: debian });
  await compose.up(images.now);
  return expectIn(await compose.pay(), 'succeeded');
});
await step('compose: the next image, down and up: nothing is lost', async () => {
  if (!compose) throw new Error('it is not up');
  await compose.up(images.next, '--force-recreate');
  expectIn(compose.svc(['--version']), next);
  compose.down(images.next);
  await compose.up(images.next);
  return expectIn(compose.svc(['audit']), 'over 1 payment: 0 violations');
});
await step('compose: svc backup with the database image', () => {
  const said = compose?.backup(images.next) ?? '';
  compose?.down(images.next);
  return expectIn(said, 'every table has its rows');
});
