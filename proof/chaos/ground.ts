// Everything real that a proof needs: a database of its own, the sandbox provider, vault and service
// as processes, a merchant with a webhook receiver, and a gate in each connection of the service.

import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { type Sandbox, startSandbox } from '@svc/sandbox';
import { build } from '@svc/tools/start/build';
import { type Child, startChild } from '@svc/tools/start/children';
import type { Keys, Merchant } from '@svc/tools/start/keys';
import { type Account, registerMerchant } from '@svc/tools/start/merchant';
import { root } from '@svc/tools/start/options';
import { plans } from '@svc/tools/start/plans';
import pg from 'pg';
import { freshDatabase, type TestDatabase } from '../../service/test/harness.ts';
import { type Gate, openGate, type Side } from './gate.ts';
import { openReceiver, type Received } from './receiver.ts';

export type Mode = 'guarded' | 'unguarded';
/** Who talks to whom; the service is one end of each. */
export type Link = 'client' | 'provider' | 'vault' | 'database' | 'webhook';

export type GroundOptions = {
  readonly mode?: Mode;
  readonly providerLatencyMs?: number;
  readonly record?: (link: Link, side: Side, bytes: Buffer, connection: number) => void;
  /** Puts a gate between service and database too, so that `record` hears it. */
  readonly gatesDatabase?: boolean;
  readonly env?: Readonly<Record<string, string>>;
};

export type Ground = {
  readonly merchant: Merchant;
  readonly account: Account;
  readonly keys: Keys;
  /** Address of the API as clients use it: through its gate. */
  readonly apiUrl: string;
  readonly formOrigin: string;
  readonly sandbox: Sandbox;
  /** Between clients and the service. */
  readonly front: Gate;
  /** Between the service and the provider. */
  readonly provider: Gate;
  readonly database: TestDatabase;
  /** Reads as the owner of the tables, and takes the locks that stop the service at a statement. */
  readonly owner: pg.Pool;
  /** Genuine deliveries to the merchant, in their order; a forged one fails the proof. */
  readonly received: readonly Received[];
  readonly forged: () => number;
  control<T>(method: string, path: string, body?: object): Promise<T>;
  /** kill -9. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** What service and vault have logged so far. */
  logs(): { service: string; vault: string };
  close(): Promise<void>;
};

// The service beside this file: a copy of both runs the copy, whose faults are planted.
const serviceEntry = relative(root, join(import.meta.dirname, '../../service/src/main.ts'));

const key = () => randomBytes(32).toString('base64');

async function freePort(): Promise<number> {
  const probe = createSocketServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

type Closing = (() => Promise<unknown> | unknown)[];

/** Starts all of it; what was opened is closed again when a part cannot start. */
export async function openGround(options: GroundOptions = {}): Promise<Ground> {
  const closing: Closing = [];
  const close = async () => {
    for (const one of closing.splice(0).reverse()) await one();
  };
  try {
    return await openParts(options, closing, close);
  } catch (error) {
    await close();
    throw error;
  }
}

type Facts = Parameters<typeof plans.service>[0];

async function openParts(
  options: GroundOptions,
  closing: Closing,
  close: () => Promise<void>,
): Promise<Ground> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-proof-'));
  closing.push(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'logs'));
  const [database] = await Promise.all([freshDatabase(), build()]);
  closing.push(() => database.close());
  const owner = new pg.Pool({ connectionString: database.ownerUrl, max: 4 });
  owner.on('error', () => undefined);
  closing.push(() => owner.end());
  const latencyMs = options.providerLatencyMs ?? 0;
  const sandbox = await startSandbox({ mode: options.mode ?? 'guarded', latencyMs });
  closing.push(() => sandbox.close());

  const links = await openLinks({ options, database, sandbox, folder }, closing);
  const { receiver, front, provider } = links;
  const facts: Facts = { ports: links.ports, keys: freshKeys(), folder, database: links.started };
  // Set-up is not the service's traffic; the provider's notices are.
  const { merchant, account } = await registerMerchant({
    ...facts,
    ports: { ...facts.ports, api: front.port, sandbox: sandbox.port },
  });
  receiver.trust(merchant.webhookSecret);
  const service = await startProcesses({ facts, links, sandbox, options }, closing);
  return {
    merchant,
    account,
    keys: facts.keys,
    apiUrl: `http://127.0.0.1:${front.port}`,
    formOrigin: `http://127.0.0.1:${links.ports.cardForm}`,
    sandbox,
    front,
    provider,
    database,
    owner,
    received: receiver.received,
    forged: receiver.forged,
    control: (method, path, body) => control(sandbox.url, { method, path, body }),
    ...service,
    logs: () => ({
      service: readFileSync(join(folder, 'logs/service.log'), 'utf8'),
      vault: readFileSync(join(folder, 'logs/vault.log'), 'utf8'),
    }),
    close,
  };
}

const freshKeys = (): Keys => ({
  serviceKey: key(),
  vaultKey: key(),
  sharedKey: key(),
  sandboxKey: key(),
  databasePasswords: { svc_owner: '', svc_service: '', svc_vault: '' },
  merchant: null,
});

type Parts = {
  readonly options: GroundOptions;
  readonly database: TestDatabase;
  readonly sandbox: Sandbox;
  readonly folder: string;
};

/** Ports and gates; in `ports` the sandbox is behind its gate, as the service shall see it. */
async function openLinks({ options, database, sandbox, folder }: Parts, closing: Closing) {
  const record = (link: Link) => (side: Side, bytes: Buffer, connection: number) =>
    options.record?.(link, side, bytes, connection);
  const gate = async (link: Link, to: number) => {
    const opened = await openGate({ to: { port: to, host: '127.0.0.1' }, record: record(link) });
    closing.push(() => opened.close());
    return opened;
  };
  const [api, cardForm, vaultInternal] = await Promise.all([freePort(), freePort(), freePort()]);
  const front = await gate('client', api);
  const provider = await gate('provider', sandbox.port);
  const vault = await gate('vault', vaultInternal);
  const receiver = await openReceiver(record('webhook'));
  closing.push(() => receiver.close());
  const serviceUrl = options.gatesDatabase
    ? await throughGate(database.url, { folder: join(folder, 'pg'), closing }, record('database'))
    : database.url;
  return {
    front,
    provider,
    vault,
    receiver,
    ports: { api, cardForm, vaultInternal, demoShop: receiver.port, sandbox: provider.port },
    started: {
      label: 'test',
      ownerUrl: database.ownerUrl,
      serviceUrl,
      vaultUrl: database.vaultUrl,
      stop: async () => undefined,
    },
  };
}

type Starting = {
  readonly facts: Facts;
  readonly links: Awaited<ReturnType<typeof openLinks>>;
  readonly sandbox: Sandbox;
  readonly options: GroundOptions;
};

async function startProcesses({ facts, links, sandbox, options }: Starting, closing: Closing) {
  const { ports } = facts;
  const run = (plan: ReturnType<typeof plans.service>) =>
    startChild({
      ...plan,
      folder: facts.folder,
      onExit: (name, why) => console.error(`${name} ended: ${why}`),
    });
  const ofVault = plans.vault({ ...facts, ports: { ...ports, sandbox: sandbox.port } });
  const ofService = plans.service({
    ...facts,
    ports: { ...ports, vaultInternal: links.vault.port },
  });
  const plan = {
    ...ofService,
    entry: serviceEntry,
    env: { ...ofService.env, SVC_LEASE_MS: '1000', SVC_LIMITS: 'off', ...options.env },
  };
  const vault = await run(ofVault);
  closing.push(() => vault.stop('SIGTERM'));
  let service: Child | undefined = await run(plan);
  const kill = async () => {
    const running = service;
    service = undefined;
    await running?.stop('SIGKILL');
  };
  closing.push(kill);
  const start = async () => {
    service = await run(plan);
  };
  return { kill, start };
}

async function control<T>(
  base: string,
  { method, path, body }: { method: string; path: string; body: object | undefined },
): Promise<T> {
  const response = await fetch(`${base}/_control${path}`, {
    method,
    ...(body
      ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
      : {}),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text) as T;
}

/** The database's address through a gate: a socket file in a folder of its own, or a port. */
async function throughGate(
  address: string,
  { folder, closing }: { folder: string; closing: Closing },
  record: (side: Side, bytes: Buffer, connection: number) => void,
): Promise<string> {
  const { host, port } = new pg.Client({ connectionString: address });
  const isFile = host.startsWith('/');
  const file = `.s.PGSQL.${port}`;
  if (isFile) mkdirSync(folder);
  const gate = await openGate({
    to: isFile ? { path: join(host, file) } : { host, port },
    ...(isFile ? { at: { path: join(folder, file) } } : {}),
    record,
  });
  closing.push(() => gate.close());
  if (isFile) return address.replace(encodeURIComponent(host), encodeURIComponent(folder));
  const url = new URL(address);
  url.host = `127.0.0.1:${gate.port}`;
  return url.href;
}
