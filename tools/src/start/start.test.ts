// `npm start` as a whole, in the situations of its users. Refusals, and the search for ports, keys
// and roles, are tested beside their functions.

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { startPostgres } from '@svc/service/start/postgres/index';
import { isServerOf } from '@svc/service/start/postgres/processes';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { scaled } from '../machine.ts';
import type { Block } from './block.ts';
import {
  aFolder,
  main,
  otherDatabase,
  query,
  removeFolders,
  start,
  stop,
  stopAll,
} from './start-runs.ts';

const root = join(import.meta.dirname, '../../..');
const hasCurl = ['bash', 'curl'].every((name) => spawnSync(name, ['--version']).status === 0);
const svc = join(root, 'service/src/svc.ts');
const firstPort = 14800;

vi.setConfig({ testTimeout: scaled(120_000), hookTimeout: scaled(60_000) });

afterEach(async () => {
  await stopAll();
});
afterAll(() => {
  removeFolders();
});

const isAnswering = (url: string): Promise<boolean> =>
  fetch(`${url}/healthz`).then(
    (response) => response.ok,
    () => false,
  );

/** Returns 0 when there is none. */
function postmasterOf(folder: string): number {
  const file = join(folder, 'postgres/cluster/data/postmaster.pid');
  return (existsSync(file) && Number.parseInt(readFileSync(file, 'utf8'), 10)) || 0;
}

/** Runs the commands of the README's first payment on the started product. */
function walkOfReadme({ apiUrl, clientId, apiToken }: Block): { err: string; out: string } {
  const page = readFileSync(join(root, 'README.md'), 'utf8');
  const [, walk = ''] =
    /## The first payment, by curl[\s\S]*?```sh\n([\s\S]*?)```/.exec(page) ?? [];
  const script = walk
    .replace('http://localhost:4000', apiUrl)
    .replace('<client id>', clientId)
    .replace('<API token>', apiToken);
  const ran = spawnSync('bash', ['-c', script], { encoding: 'utf8', env: process.env });
  return { err: ran.stderr, out: ran.stdout };
}

/** Returns the statuses of this many session requests without a credential. */
async function askForSessions(apiUrl: string, count: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let n = 0; n < count; n++) {
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: '{}' };
    statuses.push((await fetch(`${apiUrl}/v1/checkouts/sessions`, init)).status);
  }
  return statuses;
}

async function advanceSandbox(sandboxUrl: string, seconds: number): Promise<void> {
  const moved = await fetch(`${sandboxUrl}/_control/clock/advance`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ seconds }),
  });
  expect(moved.status).toBe(200);
}

/** Returns the environments of a start's processes; only Linux shows them. */
function environmentsBelow(pid: number): string[] {
  if (process.platform !== 'linux') return [];
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
  const told = children
    .filter(Boolean)
    .map((child) => readFileSync(`/proc/${child}/environ`, 'utf8'));
  expect(told.some((text) => text.includes('svc_service'))).toBe(true);
  return told;
}

/** Makes every commit wait for a missing standby until `work` has ended. */
async function withoutItsStandby(admin: string, work: () => Promise<void>): Promise<void> {
  const reload = () => query(admin, 'select pg_reload_conf()');
  await query(admin, "alter system set synchronous_standby_names = 'nobody'");
  await reload();
  try {
    await work();
  } finally {
    await query(admin, 'alter system reset synchronous_standby_names');
    await reload();
  }
}

type PaidPayment = { readonly metadata: unknown };

/** The metadata with which `npm start` marks its payment. */
const proof = { isStartProof: 'true' };

/** A developer's endpoint of the demo merchant, on a port of its own. */
async function developerOf({ apiUrl, clientId, apiToken }: Block) {
  const received: string[] = [];
  const server = createHttpServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk;
    });
    request.on('end', () => {
      received.push(body);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const made = await fetch(`${apiUrl}/v1/webhook-endpoints`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${clientId}:${apiToken}`).toString('base64')}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ url: `http://127.0.0.1:${port}/hook` }),
  });
  expect([made.status, await made.text()]).toEqual([201, expect.any(String)]);
  const close = () => new Promise((resolve) => server.close(resolve));
  return { received, close };
}

describe('npm start', () => {
  it('twice at once in an empty folder: one block of JSON, the first payment by curl, limits, a taken port; after kill -9, the sandbox’s clock years ahead: its processes end, the next start keeps merchant, token and payments, proves itself to the demo shop alone, and ends as a whole when its database is killed', async () => {
    const folder = aFolder();
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(firstPort, '127.0.0.1', resolve));
    const given = { SVC_LIMIT_SESSION_CREATE: '5', SVC_LOG_LEVEL: 'debug' };
    const args = ['--data', folder, '--port', String(firstPort)];
    const both = [start(args, given), start(args, given)] as const;
    const [block, other] = await Promise.all(both.map((run) => run.block));
    taken.close();
    if (!block) throw new Error('no block');
    expect(other).toEqual(block);
    // The second start has printed the block of the first one, and ends.
    const second = await Promise.race(both.map((run) => run.ended.then(() => run)));
    const first = both.find((run) => run !== second) ?? second;
    expect(await second.ended).toBe(0);
    expect(await isAnswering(block.apiUrl)).toBe(true);

    expect(block).toMatchObject({
      dashboardUrl: `${block.apiUrl}/dashboard`,
      ownerEmail: 'owner@demo.example',
    });
    expect(block.ownerPassword).toMatch(/^([a-z2-9]{4}-){3}[a-z2-9]{4}$/);
    expect(block.accountUrl).toBe(`${block.apiUrl}/account`);
    expect(block.database).toMatch(/^embedded PostgreSQL/);
    expect(statSync(join(folder, 'keys.json')).mode & 0o777).toBe(0o600);
    for (const name of ['service', 'vault', 'sandbox', 'demo-shop', 'postgres']) {
      expect(statSync(join(folder, `logs/${name}.log`)).mode & 0o777).toBe(0o600);
    }
    for (const told of environmentsBelow(first.child.pid ?? 0)) {
      expect(told.includes('svc_owner')).toBe(false);
    }
    expect(first.said()).toContain('as proof');
    expect(block.apiUrl).toBe(`http://localhost:${firstPort + 1}`);
    expect(first.said()).toContain(`port ${firstPort} is taken, using ${firstPort + 1}`);
    expect(first.said()).toMatch(/npm start does not use .*SVC_LOG_LEVEL/);

    // Bash and curl are not everywhere; the README's commands run where they are.
    if (hasCurl) {
      const { err, out } = walkOfReadme(block);
      expect(err).toBe('');
      expect(out).toContain('"status":"succeeded"');
    }
    expect(await askForSessions(block.apiUrl, 6)).toContain(429);

    const own = await developerOf(block);
    await advanceSandbox(block.sandboxUrl, 5 * 366 * 86_400);
    first.child.kill('SIGKILL');
    await first.ended;
    await expect.poll(() => isAnswering(block.apiUrl), { timeout: scaled(15_000) }).toBe(false);
    const later = start(['--data', folder, '--port', String(firstPort)]);
    const after = await later.block;
    expect(after).toMatchObject({ clientId: block.clientId, apiToken: block.apiToken });
    expect(await isAnswering(after.apiUrl)).toBe(true);
    const credential = Buffer.from(`${after.clientId}:${after.apiToken}`).toString('base64');
    const response = await fetch(`${after.apiUrl}/v1/payments`, {
      headers: { authorization: `Basic ${credential}` },
    });
    const { data } = (await response.json()) as { data: PaidPayment[] };
    const proofs = data.filter(
      ({ metadata }) => JSON.stringify(metadata) === JSON.stringify(proof),
    );
    expect([proofs.length, data.length]).toEqual([2, hasCurl ? 3 : 2]);
    // The developer's endpoint gets the events of an order, and none of the start.
    const { clientId, apiToken, sandboxUrl } = after;
    const env = { ...process.env, SVC_API_URL: after.apiUrl, SVC_SANDBOX_URL: sandboxUrl };
    const credentials = { SVC_CLIENT_ID: clientId, SVC_API_TOKEN: apiToken };
    const bought = spawn(process.execPath, [svc, 'trigger', 'payment.succeeded'], {
      env: { ...env, ...credentials },
      stdio: 'ignore',
    });
    expect(await new Promise((resolve) => bought.once('exit', resolve))).toBe(0);
    await expect.poll(() => own.received.length, { timeout: scaled(20_000) }).toBeGreaterThan(0);
    const heard = own.received.map((body) => JSON.parse(body) as { data: object });
    expect(heard.filter(({ data }) => 'isStartProof' in data)).toEqual([]);
    await own.close();
    process.kill(postmasterOf(folder), 'SIGKILL');
    expect(await later.ended).toBe(1);
    expect(later.said()).toContain('database ended: ');
  });

  it('Ctrl-C while the database comes up: it does not stay behind', async () => {
    const folder = aFolder();
    const run = start(['--data', folder, '--port', String(firstPort)]);
    const read = () => postmasterOf(folder);
    await expect.poll(read, { timeout: scaled(60_000), interval: 5 }).toBeGreaterThan(0);
    const pid = read();
    expect(await stop(run)).toBe(0);
    expect(isServerOf(pid, join(folder, 'postgres/cluster/data'))).toBe(false);
  });

  it('another PostgreSQL, by an address without a host, as of a socket: each part has the role that is its own; without its synchronous standby service and vault are unready; Ctrl-C ends all', async () => {
    const server = await startPostgres({ dataDir: aFolder(), settings: { fsync: 'off' } });
    try {
      const admin = server.url('postgres', 'postgres');
      await query(admin, 'drop database svc');
      await query(admin, 'drop role svc_owner, svc_service, svc_vault');
      const folder = aFolder();
      const run = start(['--data', folder, '--port', String(firstPort)], {
        DATABASE_URL: await otherDatabase(server),
      });
      const block = await run.block;
      expect(block.database).toMatch(/^PostgreSQL \d+ at /);
      const { DATABASE_URL, DATABASE_OWNER_URL } = parseEnv(
        readFileSync(join(folder, 'service.env'), 'utf8'),
      );
      const who = 'select current_user as name';
      expect(await query(DATABASE_URL ?? '', who)).toEqual([{ name: 'svc_service' }]);
      expect(await query(DATABASE_OWNER_URL ?? '', who)).toEqual([{ name: 'svc_owner' }]);
      const ready = () =>
        Promise.all(
          [block.apiUrl, block.cardFormUrl].map(
            async (url) => (await fetch(new URL('/readyz', url))).status,
          ),
        );
      const atOnce = { timeout: scaled(30_000) };
      await expect.poll(ready, atOnce).toEqual([200, 200]);
      await withoutItsStandby(admin, async () => {
        // PostgreSQL takes a reload in later: no commit waits before both parts are unready.
        await expect.poll(ready, atOnce).toEqual([503, 503]);
        const refused = await fetch(`${block.apiUrl}/v1/checkouts/sessions`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            clientId: block.clientId,
            currency: 'EUR',
            deferDataAttachment: true,
          }),
        });
        expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
        expect(await refused.json()).toMatchObject({
          code: 'service_unavailable',
          retryable: true,
        });
      });
      await expect.poll(ready, atOnce).toEqual([200, 200]);
      // The reader of the output has closed it, as with `| head`.
      run.child.stderr?.destroy();
      expect(await stop(run)).toBe(0);
      for (const url of [block.apiUrl, block.cardFormUrl, block.sandboxUrl, block.demoShopUrl]) {
        expect(await isAnswering(url)).toBe(false);
      }
    } finally {
      await server.stop();
    }
  });

  it('ends with 1 and a message without a stack where it cannot begin', async () => {
    const folder = aFolder();
    writeFileSync(join(folder, 'keys.json'), '{ broken');
    for (const [args, text] of [
      [['--port', 'x'], '--port must be a number'],
      [['--data', folder, '--port', String(firstPort)], 'restore the file'],
    ] as const) {
      const ran = spawnSync(process.execPath, [main, ...args], { encoding: 'utf8' });
      expect([ran.status, ran.stderr]).toEqual([1, expect.stringContaining(text)]);
      expect(ran.stderr).not.toMatch(/\n\s+at /);
    }
  });
});
