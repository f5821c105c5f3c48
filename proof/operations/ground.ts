// What a fault happens to: databases on hosts of their own, two processes of the service behind nginx, the vault,
// the sandbox as provider, and the operator's receiver of alerts.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { root } from '@svc/tools/start/options';
import { type Fixture, type Mode, openFixture } from '../chaos/fixture.ts';
import { isSigned } from '../chaos/receiver.ts';
import { untilReady } from '../release/purchase.ts';
import { type Cluster, openCluster, openSingle, serve } from './cluster.ts';
import type { Alarm } from './judge.ts';
import { hosts, type Network, openNetwork, run } from './network.ts';

export type Ground = {
  readonly cluster: Cluster;
  readonly network: Network;
  readonly fixture: Fixture;
  readonly alarms: readonly Alarm[];
  /** The addresses of both processes, and that of nginx in front of them. */
  readonly addresses: readonly string[];
  readonly proxy: string;
};

const nginxPort = 4080;
const alertSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

export type GroundPlan = {
  readonly mode: Mode;
  /** How the service finds the primary. */
  readonly by: 'haproxy' | 'list' | 'one server';
};

/** The address of each role: made by the command that the guides name. */
function prepareRoles(folder: string, adminUrl: string): Record<string, string> {
  const keys = join(folder, 'keys');
  mkdirSync(keys);
  run(process.execPath, [join(root, 'deploy/src/prepare.ts'), 'database', keys], {
    env: { DATABASE_ADMIN_URL: adminUrl },
  });
  const files = readdirSync(keys).filter((name) => name.endsWith('-url'));
  return Object.fromEntries(
    files.map((name) => [name.slice(0, -4), readFileSync(join(keys, name), 'utf8')]),
  );
}

type Told = { readonly kind: string; readonly endedAt: string | null };

/** The operator's receiver, which takes what is signed. */
async function openAlarms() {
  const alarms: Alarm[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const { alerts } = JSON.parse(body.toString()) as { alerts: Told[] };
      const isOurs = isSigned(body, String(request.headers['svc-signature']), alertSecret);
      for (const { kind, endedAt } of isOurs ? alerts : []) {
        if (!endedAt) alarms.push({ kind, at: Date.now() });
      }
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { alarms, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

/** The lines of nginx that docs/operating/running.md asks for. */
function startNginx(folder: string, addresses: readonly string[]): void {
  const file = join(folder, 'nginx.conf');
  const servers = addresses.map((url) => `server ${new URL(url).host};`).join(' ');
  writeFileSync(
    file,
    `daemon off; pid ${folder}/nginx.pid; error_log ${folder}/nginx-error.log;
events {}
http {
  access_log off;
  upstream service { ${servers} keepalive 16; }
  server {
    listen 127.0.0.1:${nginxPort};
    location / {
      proxy_pass http://service;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $host:$server_port;
      proxy_set_header X-Forwarded-For $remote_addr;
    }
  }
}
`,
  );
  serve(folder, 'nginx', ['-c', file]);
}

export async function openGround(folder: string, plan: GroundPlan): Promise<Ground> {
  const network = openNetwork(folder);
  const open = plan.by === 'one server' ? openSingle : openCluster;
  const cluster = await open(network);
  const urls = prepareRoles(folder, cluster.adminUrl);
  const listed = (url = '') =>
    plan.by === 'list'
      ? `${url.replace('127.0.0.1:5000', hosts.map((host) => `${host}:5432`).join())}?target_session_attrs=read-write`
      : url;
  const { alarms, url } = await openAlarms();
  const fixture = await openFixture({
    mode: plan.mode,
    processes: 2,
    database: {
      url: listed(urls.svc_service),
      ownerUrl: urls.svc_owner ?? '',
      vaultUrl: listed(urls.svc_vault),
      close: async () => undefined,
    },
    env: {
      // A later version migrates at its start.
      DATABASE_OWNER_URL: listed(urls.svc_owner),
      // What `npm start` and the chaos runs switch off.
      SVC_LEASE_MS: '30000',
      SVC_DRAIN_MS: '5000',
      SVC_TRUSTED_PROXIES: '1',
      SVC_ALERT_URL: url,
      SVC_ALERT_SECRET: alertSecret,
    },
  });
  const addresses = fixture.slots.map((slot) => slot.ownUrl);
  const proxy = `http://127.0.0.1:${nginxPort}`;
  startNginx(folder, addresses);
  await untilReady(`${proxy}/readyz`);
  return { cluster, network, fixture, alarms, addresses, proxy };
}
