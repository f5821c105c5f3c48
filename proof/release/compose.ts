// The compose file, started by podman-compose. PostgreSQL's and Caddy's own images cannot be fetched here: one made
// of Debian's packages stands in for both. And every container has the network of this run's namespace, because
// bridges need rights that the machine of the tests does not give: the podman that podman-compose calls is a script
// that says so. Images, commands, settings, volumes and rights are those of the file.

import { execFileSync } from 'node:child_process';
import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { payOnce, untilReady } from './purchase.ts';

const deploy = join(import.meta.dirname, '../../deploy');
const standIn = 'localhost/debian:release';
const node = ['/svc/bin/node', '/svc/deploy/src/run.ts'];

/** What PostgreSQL's own image does at its start. */
const entry = `[ "$1" = caddy ] && exec "$@"
set -e
data=/var/lib/postgresql/data
bin=$(echo /usr/lib/postgresql/*/bin)
as="setpriv --reuid postgres --regid postgres --init-groups"
mkdir -p /run/postgresql; chown postgres: $data /run/postgresql
if [ ! -s $data/PG_VERSION ]; then
  install -o postgres -m 400 "$POSTGRES_PASSWORD_FILE" /tmp/word
  $as $bin/initdb -D $data -U postgres -A scram-sha-256 --pwfile=/tmp/word
fi
exec $as $bin/postgres -D $data`;

/** The podman of this machine: without networks, control groups and timers. */
const wrapper = (podman: readonly string[]): string => `#!/bin/bash
case "$1" in
network) exit 0 ;;
run | create)
  words=("$1"); shift
  while [ $# -gt 0 ]; do
    case "$1" in
    --net | --network | --network-alias | -p) shift ;;
    *) words+=("$1") ;;
    esac
    shift
  done
  set -- "\${words[0]}" --network host --cgroups=disabled --no-healthcheck \\
    --ulimit nofile=1024:1024 --ulimit nproc=1024:1024 "\${words[@]:1}" ;;
esac
exec podman ${podman.join(' ')} --runtime crun "$@"
`;

type Place = {
  readonly folder: string;
  /** Flags of podman that name its storage. */
  readonly podman: readonly string[];
  readonly env: NodeJS.ProcessEnv;
};

export function openCompose({ folder, podman, env }: Place) {
  const place = join(folder, 'compose');
  mkdirSync(place);
  for (const name of ['compose.yaml', 'Caddyfile'])
    copyFileSync(join(deploy, name), join(place, name));
  writeFileSync(join(place, '.env'), 'DOMAIN=localhost\nEMAIL=ops@shop.example\n');
  writeFileSync(join(place, 'podman'), wrapper(podman), { mode: 0o755 });
  const hosts = join(place, 'hosts');
  writeFileSync(hosts, '127.0.0.1 localhost card.localhost database service\n');
  const run = (program: string, args: readonly string[], more: NodeJS.ProcessEnv = {}): string =>
    execFileSync(program, args, {
      ...{ cwd: place, encoding: 'utf8', stdio: 'pipe', env: { ...env, ...more } },
    });
  run('mount', ['--bind', hosts, '/etc/hosts']);
  const changes = [
    `ENTRYPOINT ${JSON.stringify(['/bin/sh', '-c', entry, 'entry'])}`,
    ...['XDG_DATA_HOME=/data', 'XDG_CONFIG_HOME=/tmp'].map((each) => `ENV ${each}`),
  ].flatMap((change) => ['--change', change]);
  run('podman', [...podman, 'import', ...changes, join(folder, 'base.tar'), standIn]);
  const compose = (image: string, ...args: readonly string[]) =>
    run('podman-compose', ['-p', 'svc', '--podman-path', join(place, 'podman'), ...args], {
      ...{ SVC_IMAGE: image, POSTGRES_IMAGE: standIn, CADDY_IMAGE: standIn },
    });
  const volume = (name: string): string =>
    run('podman', [...podman, 'volume', 'inspect', '-f', '{{.Mountpoint}}', `svc_${name}`]).trim();
  const svc = (args: readonly string[]): string =>
    run('podman', [...podman, 'exec', 'svc_service_1', ...node, ...args]);
  /** Starts everything and waits for the service behind its proxy. */
  const up = async (image: string, ...flags: readonly string[]): Promise<void> => {
    compose(image, 'up', '-d', ...flags);
    await trustCaddy(() => volume('certificates'));
    await untilReady('https://localhost/readyz');
    await untilReady('https://card.localhost/readyz');
  };
  return {
    ...{ svc, up },
    down: (image: string): string => compose(image, 'down', '-t', '20'),
    pay: (): Promise<string> =>
      payOnce({
        ...{ apiUrl: 'https://localhost', sandboxUrl: 'http://127.0.0.1:4002', svc },
        put(name, text) {
          const file = join(volume('keys'), name);
          writeFileSync(file, text);
          chownSync(file, 10_001, 10_001);
          return `/keys/${name}`;
        },
      }),
    /** Makes a backup as docs/operating/installing.md describes: `svc backup`, with pg_dump of the database's image. */
    backup(image: string): string {
      const mounts = ['-v', 'svc_keys:/keys:ro', '-v', `${place}:/backups`];
      const release = ['--mount', `type=image,source=${image},destination=/release`];
      const settings = ['-e', 'DATABASE_ADMIN_URL_FILE=/keys/admin-url'];
      const program = ['--entrypoint', '/release/svc/bin/svc', standIn, 'backup', '/backups'];
      return run(join(place, 'podman'), [
        'run',
        '--rm',
        ...mounts,
        ...release,
        ...settings,
        ...program,
      ]);
    },
    log: (): string =>
      run('sh', [
        '-c',
        `for each in $(podman ${podman.join(' ')} ps -aq); do
        podman ${podman.join(' ')} logs --tail 5 $each 2>&1; done`,
      ]),
  };
}

/** Takes the authority that Caddy has made for local names. */
async function trustCaddy(certificates: () => string): Promise<void> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const file = join(certificates(), 'caddy/pki/authorities/local/root.crt');
    if (existsSync(file)) {
      setDefaultCACertificates([...getCACertificates(), readFileSync(file, 'utf8')]);
      return;
    }
    if (performance.now() > deadline) throw new Error('Caddy has made no authority');
    await pause(200);
  }
}
