// The installation that a break is done to: service, card form, sandbox of the provider and a PostgreSQL of its own, in
// a temporary folder and on free ports. Nothing of it is the user's, and nothing stays.

import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CommandError } from '../../cli/line/command.ts';
import { withClient } from '../../storage/backups/whole-database.ts';
import { migrate } from '../../storage/database/migrate.ts';
import { freePort } from '../free-port.ts';
import { findBinaries } from '../postgres/binaries.ts';
import { homeOf, type Postgres, startPostgres } from '../postgres/index.ts';
import { PostgresTrouble } from '../postgres/postgres-trouble.ts';
import { isAlive } from '../postgres/processes.ts';
import { stopServer } from '../postgres/server.ts';
import type { Shop } from '../stage/checkout.ts';
import { openReceiver, registerMerchant } from '../stage/merchant.ts';
import {
  assertParts,
  buildCardForm,
  type Part,
  type PartName,
  program,
  root,
  startPart,
  surroundings,
} from '../stage/parts.ts';
import type { Booked, Movement } from './judge.ts';

/** Ten times shorter than usual: what a killed process had begun is taken over within the minutes of a break. */
const leaseMs = 3000;
/** So that a kill finds calls to the provider under way. */
const latencyMs = 40;

export type Installation = {
  readonly shop: Shop;
  readonly providerUrl: string;
  readonly version: string;
  /** The payments that the shop was told of, each with the ids of the events that told it. */
  readonly shipped: ReadonlyMap<string, ReadonlySet<string>>;
  kill(name: 'service' | 'sandbox'): Promise<void>;
  start(name: 'service' | 'sandbox'): Promise<void>;
  /** Ends PostgreSQL: in order, or by SIGKILL. `startDatabase` starts it again. */
  endDatabase(by: 'SIGINT' | 'SIGKILL'): Promise<void>;
  startDatabase(): Promise<void>;
  /** Lets every write of PostgreSQL fail, or no more; it may have ended by then. False where that is not possible. */
  refuseWrites(isRefused: boolean): boolean;
  isDatabaseUp(): boolean;
  control<T>(method: string, path: string, body?: object): Promise<T>;
  readLedger(): Promise<readonly Movement[]>;
  readBooks(): Promise<readonly Booked[]>;
  /** How many payments and operations are not decided yet. */
  countInDoubt(): Promise<number>;
  /** Runs a command of `svc` on it. Returns its exit code and the last line that it printed. */
  runCommand(args: readonly string[]): Promise<{ code: number | null; said: string }>;
  close(): Promise<void>;
};

type Opening = { readonly signal: AbortSignal; readonly onLoss: (error: Error) => void };

const key = () => randomBytes(32).toString('base64');

/** Starts everything; closes what it had opened when a part cannot start. */
export async function openInstallation(opening: Opening): Promise<Installation> {
  assertParts(['service', 'vault', 'sandbox']);
  buildCardForm();
  await sweep();
  const folder = mkdtempSync(join(tmpdir(), `svc-break-${process.pid}-`));
  // The account that runs root's PostgreSQL enters it.
  chmodSync(folder, 0o755);
  const closers: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  const close = async () => {
    for (const end of closers.splice(0).reverse()) await end();
  };
  try {
    return { ...(await openParts(folder, opening, closers)), close };
  } catch (error) {
    await close();
    throw error instanceof PostgresTrouble ? new CommandError(error.message) : error;
  }
}

/** Removes what killed runs have left: their processes end by themselves, except for PostgreSQL. */
async function sweep(): Promise<void> {
  for (const name of readdirSync(tmpdir())) {
    const pid = Number(/^svc-break-(\d+)-/.exec(name)?.[1]);
    if (!(pid > 0) || isAlive(pid)) continue;
    const folder = join(tmpdir(), name);
    try {
      const home = homeOf(join(folder, 'postgres')) ?? folder;
      const file = join(home, 'cluster/data/postmaster.pid');
      if (existsSync(file)) await stopServer(Number.parseInt(readFileSync(file, 'utf8'), 10), home);
      for (const each of [home, folder]) rmSync(each, { recursive: true, force: true });
    } catch {
      // It belongs to another user of this machine.
    }
  }
}

/** Returns the newest PostgreSQL that Debian has installed; undefined where there is none. */
function systemBinaries(): string | undefined {
  const place = '/usr/lib/postgresql';
  if (!existsSync(place)) return undefined;
  const [newest] = readdirSync(place)
    .filter((name) => existsSync(join(place, name, 'bin/initdb')))
    .sort((one, other) => Number(other) - Number(one));
  return newest && join(place, newest);
}

/** Throws CommandError where this machine has no PostgreSQL. */
function findPostgres(): string {
  try {
    return findBinaries(root);
  } catch (error) {
    const found = systemBinaries();
    if (found) return found;
    throw new CommandError(
      `postgres_missing: ${(error as Error).message.split('. ')[0]}, and /usr/lib/postgresql has none: a break ` +
        'stops and kills a PostgreSQL of its own. Debian: apt-get install postgresql. Nothing was started',
    );
  }
}

/** A PostgreSQL that comes back after each end. */
async function openDatabase(folder: string, closers: (() => unknown)[]) {
  const options = {
    ...{ dataDir: join(folder, 'postgres'), binaries: findPostgres() },
    log: join(folder, 'postgres.log'),
  };
  const started: Postgres[] = [];
  const pidNow = () => started.at(-1)?.pid ?? 0;
  const start = async () => {
    const one = await startPostgres(options);
    started.push(one);
    return one;
  };
  // A second Ctrl-C waits for nothing.
  const onExit = () => void (isAlive(pidNow()) && process.kill(pidNow(), 'SIGQUIT'));
  process.once('exit', onExit);
  closers.push(async () => {
    for (const one of started) await one.stop().catch(() => undefined);
    process.off('exit', onExit);
    const home = started[0]?.home;
    if (home) rmSync(home, { recursive: true, force: true });
  });
  const first = await start();
  return {
    first,
    start: async () => void (await start()),
    isUp: () => isAlive(pidNow()),
    async end(by: 'SIGINT' | 'SIGKILL') {
      process.kill(pidNow(), by);
      while (isAlive(pidNow())) await pause(20);
    },
    refuseWrites: (isRefused: boolean) => refuseWrites(pidNow(), isRefused),
  };
}

/** A limit of the size of files, which the server and its new processes inherit: a write beyond it fails. */
function refuseWrites(server: number, isRefused: boolean): boolean {
  const [own, children] = [`/proc/${server}`, `/proc/${server}/task/${server}/children`];
  if (!existsSync(children)) return false;
  // As the server's account: root of a container may lack the right to it.
  const { uid, gid } = statSync(own);
  const limit = `--fsize=${isRefused ? 0 : 'unlimited'}:`;
  const set = (pid: string) =>
    spawnSync('prlimit', ['--pid', pid, limit], { uid, gid }).status === 0;
  // Its other processes may have ended meanwhile.
  readFileSync(children, 'utf8').trim().split(' ').forEach(set);
  return set(String(server));
}

type Settings = Readonly<Record<string, string>>;

async function openParts(folder: string, opening: Opening, closers: (() => unknown)[]) {
  const { first: postgres, ...database } = await openDatabase(folder, closers);
  const [apiPort, providerPort] = [await freePort(), await freePort()];
  const apiUrl = `http://127.0.0.1:${apiPort}`;
  const providerUrl = `http://127.0.0.1:${providerPort}`;
  const [serviceKey, sharedKey] = [key(), key()];
  const running = new Map<PartName, Part>();
  // Nothing of it is kept, so nothing has to end in order.
  closers.push(() => Promise.all([...running.values()].map((part) => part.kill())));
  const start = async (name: PartName, env: Settings): Promise<Part> => {
    const part = await startPart(name, { ...opening, env });
    running.set(name, part);
    return part;
  };
  const sandboxEnv = {
    ...{ SANDBOX_PORT: String(providerPort), SANDBOX_FILE: join(folder, 'provider.sqlite') },
    ...{ SANDBOX_LIMITS: 'off', SANDBOX_LATENCY_MS: String(latencyMs) },
    // It executes every new key: a capture that is sent as a new one is money moved twice, and stands in the ledger.
    SANDBOX_MODE: 'unguarded',
  };
  await start('sandbox', sandboxEnv);
  await migrate(postgres.url('svc_owner'));
  const vault = await start('vault', {
    ...{ VAULT_MODE: 'sandbox', VAULT_DRIVER: 'own-vault', VAULT_PORT: '0' },
    ...{ VAULT_INTERNAL_PORT: '0', VAULT_PROVIDER_URL: providerUrl, VAULT_KEY: key() },
    ...{ VAULT_DATABASE_URL: postgres.url('svc_vault'), VAULT_SHARED_KEY: sharedKey },
  });
  const shipped = new Map<string, Set<string>>();
  const receiver = await openReceiver((text) => ship(shipped, text));
  closers.push(receiver.close);
  const serviceUrl = postgres.url('svc_service');
  const merchant = await registerMerchant({
    ...{ serviceUrl, apiUrl, providerUrl, webhookUrl: receiver.url },
    kek: Buffer.from(serviceKey, 'base64'),
  });
  const serviceEnv = {
    ...{ SVC_MODE: 'sandbox', SVC_HOST: '127.0.0.1', SVC_PORT: String(apiPort) },
    ...{ DATABASE_URL: serviceUrl, SVC_KEY: serviceKey, SVC_VAULT_SHARED_KEY: sharedKey },
    SVC_VAULT_ORIGIN: vault.ready.url ?? '',
    SVC_VAULT_INTERNAL_URL: vault.ready.internalUrl ?? '',
    ...{ SVC_PROVIDER_URL: providerUrl, SVC_LIMITS: 'off', SVC_LEASE_MS: String(leaseMs) },
  };
  await start('service', serviceEnv);
  const envs = { service: serviceEnv, sandbox: sandboxEnv };
  return {
    ...{ shop: { apiUrl, ...merchant }, providerUrl, version: postgres.version, shipped },
    kill: async (name: keyof typeof envs) => running.get(name)?.kill(),
    start: async (name: keyof typeof envs) => void (await start(name, envs[name])),
    endDatabase: database.end,
    startDatabase: database.start,
    ...{ isDatabaseUp: database.isUp, refuseWrites: database.refuseWrites },
    runCommand: (args: readonly string[]) => runCommand(args, serviceEnv),
    ...readers(providerUrl, postgres.url('postgres')),
  };
}

/** The shop ships when it hears of a purchase, each event once. */
function ship(shipped: Map<string, Set<string>>, text: string): void {
  type Told = { id: string; type: string; data: { object: { paymentId: string } } };
  const { id, type, data } = JSON.parse(text) as Told;
  if (type !== 'item.purchased') return;
  const { paymentId } = data.object;
  shipped.set(paymentId, (shipped.get(paymentId) ?? new Set()).add(id));
}

const booksSql = `select session_id as "sessionId", currency, captured_minor::int as "capturedMinor",
  refunded_minor::int as "refundedMinor" from payments where type = 'purchase'`;
const inDoubtSql = `select ((select count(*) from payments where status in ('pending', 'processing', 'unknown'))
  + (select count(*) from payment_operations where state not in ('succeeded', 'failed')))::int as count`;

function readers(providerUrl: string, adminUrl: string) {
  const read = <T>(text: string): Promise<T[]> =>
    withClient(adminUrl, async (client) => (await client.query(text)).rows as T[]);
  const control = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const response = await fetch(`${providerUrl}/_control${path}`, {
      method,
      ...(body && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    });
    if (response.ok) return (await response.json()) as T;
    throw new Error(`the sandbox answered ${method} ${path}: ${await response.text()}`);
  };
  return {
    control,
    readLedger: async () => (await control<{ entries: Movement[] }>('GET', '/ledger')).entries,
    readBooks: () => read<Booked>(booksSql),
    countInDoubt: async () => (await read<{ count: number }>(inDoubtSql))[0]?.count ?? 0,
  };
}

function runCommand(args: readonly string[], env: Settings) {
  return new Promise<{ code: number | null; said: string }>((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...args], {
      ...{ cwd: root, env: { ...surroundings(), ...env } },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    for (const stream of [child.stderr, child.stdout]) {
      stream.on('data', (part: Buffer) => {
        text += part;
      });
    }
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, said: text.trimEnd().split('\n').at(-1) ?? '' }));
  });
}
