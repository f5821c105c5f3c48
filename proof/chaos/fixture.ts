// The fixture of a chaos proof, with real parts: a database, the sandbox provider, vault and
// service as processes, a merchant with a webhook receiver, and a proxy in each connection of the
// service.

import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '@svc/sandbox';
import { build } from '@svc/tools/start/build';
import type { Keys, Merchant } from '@svc/tools/start/keys';
import { type Account, registerMerchant } from '@svc/tools/start/merchant';
import { plans } from '@svc/tools/start/plans';
import pg from 'pg';
import { freshDatabase } from '../../service/test/harness.ts';
import { freePort } from './free-port.ts';
import { openReceiver, type ReceivedEvent } from './receiver.ts';
import { openSlot, type Slot, serviceEntry } from './slots.ts';
import {
  type Direction,
  openStoppingProxy,
  type Place,
  type StoppingProxy,
} from './stopping-proxy.ts';

export type Mode = 'guarded' | 'unguarded';
/** The other end of a connection of the service. */
export type Link = 'client' | 'provider' | 'vault' | 'database' | 'webhook';

type GroundDatabase = {
  readonly url: string;
  readonly ownerUrl: string;
  readonly vaultUrl: string;
  close(): Promise<void>;
};

export type GroundOptions = {
  readonly mode?: Mode;
  /** The database, which is closed with the fixture; a clone on the test server by default. */
  readonly database?: GroundDatabase;
  /** The number of service processes; one by default. */
  readonly processes?: number;
  readonly providerLatencyMs?: number;
  readonly record?: (link: Link, side: Direction, bytes: Buffer, connection: number) => void;
  /** Puts a proxy between service and database too, so that `record` gets its bytes. */
  readonly gatesDatabase?: boolean;
  readonly env?: Readonly<Record<string, string>>;
};

export type Fixture = {
  readonly merchant: Merchant;
  readonly account: Account;
  readonly keys: Keys;
  readonly slots: readonly [Slot, ...Slot[]];
  readonly vault: Slot;
  /** The address of the first process's API, through its proxy. */
  readonly apiUrl: string;
  readonly formOrigin: string;
  readonly sandbox: Sandbox;
  /** The proxy between the service and the provider. */
  readonly provider: StoppingProxy;
  readonly database: GroundDatabase;
  /** The environment with which a process of the service starts. */
  readonly serviceEnv: Readonly<Record<string, string>>;
  /**
   * Connections as the owner of the tables: they read, and take the locks that stop the service at
   * a statement.
   */
  readonly owner: pg.Pool;
  /** Valid deliveries to the merchant, in their order; a forged one fails the proof. */
  readonly received: readonly ReceivedEvent[];
  readonly forged: () => number;
  /** Errors of processes that ended by themselves. */
  readonly deaths: readonly string[];
  control<T>(method: string, path: string, body?: object): Promise<T>;
  /** Returns what service and vault have logged so far. */
  logs(): { service: string; vault: string };
  close(): Promise<void>;
};

const key = () => randomBytes(32).toString('base64');

type CloseSteps = (() => Promise<unknown> | unknown)[];

/** Starts everything; when a part cannot start, closes what was opened. */
export async function openFixture(options: GroundOptions = {}): Promise<Fixture> {
  const closing: CloseSteps = [];
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

type ServicePlan = Parameters<typeof plans.service>[0];

async function openParts(
  options: GroundOptions,
  closing: CloseSteps,
  close: () => Promise<void>,
): Promise<Fixture> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-proof-'));
  closing.push(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'logs'));
  const given = options.database;
  if (given) closing.push(() => given.close());
  const [database] = await Promise.all([given ?? freshDatabase(), build()]);
  if (!given) closing.push(() => database.close());
  const owner = new pg.Pool({ connectionString: database.ownerUrl, max: 4 });
  owner.on('error', () => undefined);
  closing.push(() => owner.end());
  const latencyMs = options.providerLatencyMs ?? 0;
  const mode = options.mode ?? 'guarded';
  const sandbox = await startSandbox({ mode, latencyMs, limits: null });
  closing.push(() => sandbox.close());

  const links = await openLinks({ options, database, sandbox, folder }, closing);
  const { receiver, fronts, provider } = links;
  const facts: ServicePlan = {
    ports: links.ports,
    keys: freshKeys(),
    folder,
    database: links.started,
  };
  // The set-up does not go through the proxies, but the provider's notices do.
  const { merchant, account } = await registerMerchant({
    ...facts,
    driver: 'own-vault',
    ports: { ...facts.ports, api: links.notices.port, sandbox: sandbox.port },
  });
  receiver.trust(merchant.webhookSecret);
  const service = await startProcesses({ facts, links, sandbox, options }, closing);
  links.direct(() => service.slots.findIndex((slot) => slot.isUp()));
  return {
    merchant,
    account,
    keys: facts.keys,
    apiUrl: `http://127.0.0.1:${fronts[0]?.gate.port}`,
    formOrigin: `http://127.0.0.1:${links.ports.cardForm}`,
    sandbox,
    provider,
    database,
    owner,
    received: receiver.received,
    forged: receiver.forged,
    control: (method, path, body) => control(sandbox.url, { method, path, body }),
    ...service,
    logs: () => {
      const read = (name: string) => readFileSync(join(folder, `logs/${name}.log`), 'utf8');
      return {
        service: service.slots.map(({ name }) => read(name)).join(''),
        vault: read('vault'),
      };
    },
    close,
  };
}

const freshKeys = (): Keys => ({
  serviceKey: key(),
  vaultKey: key(),
  sharedKey: key(),
  sandboxKey: key(),
  sandboxSeed: key(),
  databasePasswords: { svc_owner: '', svc_service: '', svc_vault: '' },
  ownerPassword: '',
  merchant: null,
});

type Parts = {
  readonly options: GroundOptions;
  readonly database: GroundDatabase;
  readonly sandbox: Sandbox;
  readonly folder: string;
};

const onLoopback = (port: number): Place => ({ port, host: '127.0.0.1' });

/**
 * Opens ports and proxies. In `ports`, the sandbox's address is that of its proxy, as the service
 * sees it.
 */
async function openLinks({ options, database, sandbox, folder }: Parts, closing: CloseSteps) {
  const record = (link: Link) => (side: Direction, bytes: Buffer, connection: number) =>
    options.record?.(link, side, bytes, connection);
  const openLinkProxy = async (link: Link, to: Place | (() => Place)) => {
    const opened = await openStoppingProxy({ to, record: record(link) });
    closing.push(() => opened.close());
    return opened;
  };
  const count = options.processes ?? 1;
  const [cardForm, vaultInternal] = await Promise.all([freePort(), freePort()]);
  const fronts: { api: number; gate: StoppingProxy }[] = [];
  for (let slot = 0; slot < count; slot++) {
    const api = await freePort();
    fronts.push({ api, gate: await openLinkProxy('client', onLoopback(api)) });
  }
  // The provider's notices go to a process that runs, as with a load balancer.
  let choose = () => 0;
  const notices = await openLinkProxy('client', () =>
    onLoopback(fronts[Math.max(0, choose())]?.api ?? 0),
  );
  const provider = await openLinkProxy('provider', onLoopback(sandbox.port));
  const vault = await openLinkProxy('vault', onLoopback(vaultInternal));
  const receiver = await openReceiver(record('webhook'));
  closing.push(() => receiver.close());
  const serviceUrl = options.gatesDatabase
    ? await proxyDatabase(database.url, { folder: join(folder, 'pg'), closing }, record('database'))
    : database.url;
  return {
    fronts,
    notices,
    provider,
    vault,
    receiver,
    direct: (chosen: () => number) => {
      choose = chosen;
    },
    ports: {
      api: fronts[0]?.api ?? 0,
      cardForm,
      vaultInternal,
      demoShop: receiver.port,
      sandbox: provider.port,
    },
    started: {
      label: 'test',
      ownerUrl: database.ownerUrl,
      serviceUrl,
      vaultUrl: database.vaultUrl,
      watch: () => undefined,
      stop: async () => undefined,
    },
  };
}

type StartParts = {
  readonly facts: ServicePlan;
  readonly links: Awaited<ReturnType<typeof openLinks>>;
  readonly sandbox: Sandbox;
  readonly options: GroundOptions;
};

async function startProcesses({ facts, links, sandbox, options }: StartParts, closing: CloseSteps) {
  const { ports, folder } = facts;
  const deaths: string[] = [];
  const onDeath = (name: string) => (why: string) => void deaths.push(`${name} ended: ${why}`);
  const vault = openSlot({
    plan: { ...plans.vault({ ...facts, ports: { ...ports, sandbox: sandbox.port } }), folder },
    front: links.vault,
    onDeath: onDeath('vault'),
  });
  closing.push(() => vault.kill());
  await vault.start();
  const envOf = (api: number) => ({
    ...plans.service({ ...facts, ports: { ...ports, api, vaultInternal: links.vault.port } }).env,
    // One address for all processes, as behind a load balancer: it is part of the provider's
    // requests, and the provider refuses a key that is repeated with other content.
    SVC_BASE_URL: `http://localhost:${ports.api}`,
    SVC_LEASE_MS: '1000',
    SVC_LIMITS: 'off',
    ...options.env,
  });
  const slots = links.fronts.map(({ api, gate }, index) => {
    const name = index === 0 ? 'service' : `service-${index + 1}`;
    return openSlot({
      plan: { name, entry: serviceEntry, env: envOf(api), folder },
      front: gate,
      onDeath: onDeath(name),
    });
  }) as [Slot, ...Slot[]];
  closing.push(() => Promise.all(slots.map((slot) => slot.kill())));
  // The first process applies the missing migrations.
  await slots[0].start();
  await Promise.all(slots.slice(1).map((slot) => slot.start()));
  return { slots, vault, deaths, serviceEnv: envOf(ports.api) };
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

/**
 * Returns the database's address through a proxy: a socket file in a folder of its own, or a port.
 */
async function proxyDatabase(
  address: string,
  { folder, closing }: { folder: string; closing: CloseSteps },
  record: (side: Direction, bytes: Buffer, connection: number) => void,
): Promise<string> {
  const { host, port } = new pg.Client({ connectionString: address });
  const isFile = host.startsWith('/');
  const file = `.s.PGSQL.${port}`;
  if (isFile) mkdirSync(folder);
  const gate = await openStoppingProxy({
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
