// `svc bench`: a whole installation on a scratch database of the installation's own server, and purchases at it.
// Nothing of the installation is read but its mode, and nothing of it is written. docs/operating/sizes.md

import { randomBytes } from 'node:crypto';
import { availableParallelism, totalmem } from 'node:os';
import { type Bench, type BenchRun, type BenchStep, CommandError } from '../../cli/line/command.ts';
import {
  actingAs,
  type DatabaseSize,
  describeServer,
  findStoredMode,
  inScratchDatabase,
  measureDatabase,
  placeRoles,
} from '../../storage/backups/scratch-database.ts';
import { atDatabase, withClient } from '../../storage/backups/whole-database.ts';
import { migrate } from '../../storage/database/migrate.ts';
import { freePort } from '../free-port.ts';
import { openReceiver, registerMerchant } from '../stage/merchant.ts';
import {
  assertParts,
  buildCardForm,
  findServer,
  type Part,
  type PartName,
  readCpu,
  startPart,
} from '../stage/parts.ts';
import { type Buying, type Load, openBuying } from './purchases.ts';

type Env = Readonly<Record<string, string | undefined>>;
type Settings = { readonly adminUrl: string; readonly database: string };

/** Settings of the service that decide how much it carries: the bench's service has the installation's. */
const kept = ['SVC_PROCESSES', 'SVC_POOL_SIZE', 'SVC_LOG_LEVEL', 'SVC_MAX_IN_FLIGHT'] as const;
const prefix = 'svc_bench';
/** Some thousands of calls bring V8's code to its speed. */
const warmUpPurchases = 1500;

/** Throws CommandError for settings of a live installation, and where a part is not installed. */
export function openBench({ adminUrl, database }: Settings, env: Env): Bench {
  if (env.SVC_MODE === 'live') refuseLive('these settings are');
  assertParts(['service', 'vault', 'sandbox']);
  buildCardForm();
  return async ({ warmUpSeconds, signal }, work) => {
    const mode = await withClient(atDatabase(adminUrl, database), findStoredMode);
    if (mode === 'live') refuseLive(`the database ${database} is`);
    const id = randomBytes(6).toString('hex');
    const run = inScratchDatabase(adminUrl, { prefix, id }, async (url, client) => {
      await placeRoles(client);
      const closers: (() => unknown)[] = [];
      try {
        const stage = await setStage({ url, env, signal, closers });
        const warmedUpBy = (await stage.buying.warmUp(warmUpSeconds, warmUpPurchases)).purchases;
        const measure = () => measureDatabase(client);
        const from = await measure();
        const server = findServer(from.backend, `${prefix}_${id}`);
        const about = aboutOf(await describeServer(client), env, warmedUpBy);
        return await work({ about, ...measures(stage, { from, measure, server }) });
      } finally {
        for (const close of closers.reverse()) await close();
      }
    });
    return run.catch((error: { code?: string }) => {
      throw roleTrouble(error.code) ?? error;
    });
  };
}

function refuseLive(what: string): never {
  throw new CommandError(
    `installation_live: ${what} of a live installation: a load would take CPU and disk from payments of real ` +
      'people. Measure before it goes live, or on another machine like it. Nothing was started',
  );
}

function roleTrouble(code: string | undefined): CommandError | undefined {
  if (code === '42501') {
    return new CommandError(
      'role_not_granted: the administrator may not act as the roles of the service: ' +
        'grant svc_owner, svc_service, svc_vault to it, or name a superuser in DATABASE_ADMIN_URL',
    );
  }
  // An undefined role, as an object and as the value of a setting.
  if (code !== '42704' && code !== '22023') return undefined;
  return new CommandError(
    'roles_missing: the server has not the roles svc_owner, svc_service and svc_vault: svc prepare database makes them',
  );
}

type Stage = {
  readonly buying: Buying;
  readonly pids: Readonly<Record<PartName, number>>;
  /** Rejects when a part ends that should run. */
  readonly lost: Promise<never>;
};

type Setting = {
  readonly url: string;
  readonly env: Env;
  readonly signal: AbortSignal;
  /** What ends the stage, called in reverse. */
  readonly closers: (() => unknown)[];
};

async function setStage({ url, env, signal, closers }: Setting): Promise<Stage> {
  const { promise: lost, reject: onLoss } = Promise.withResolvers<never>();
  lost.catch(() => undefined);
  const start = async (name: PartName, of: Readonly<Record<string, string>>): Promise<Part> => {
    const part = await startPart(name, { env: of, signal, onLoss });
    closers.push(part.stop);
    return part;
  };
  const key = () => randomBytes(32).toString('base64');
  const [serviceKey, sharedKey] = [key(), key()];
  const sandbox = await start('sandbox', { SANDBOX_PORT: '0', SANDBOX_LIMITS: 'off' });
  const providerUrl = sandbox.ready.url ?? '';
  await migrate(actingAs(url, 'svc_owner'));
  const vault = await start('vault', {
    ...{ VAULT_MODE: 'sandbox', VAULT_DRIVER: 'own-vault', VAULT_PORT: '0' },
    ...{ VAULT_INTERNAL_PORT: '0', VAULT_PROVIDER_URL: providerUrl },
    ...{ VAULT_DATABASE_URL: actingAs(url, 'svc_vault'), VAULT_KEY: key() },
    VAULT_SHARED_KEY: sharedKey,
  });
  const apiUrl = `http://127.0.0.1:${await freePort()}`;
  const serviceUrl = actingAs(url, 'svc_service');
  const receiver = await openReceiver();
  closers.push(receiver.close);
  const wanted = { serviceUrl, apiUrl, providerUrl, webhookUrl: receiver.url };
  const merchant = await registerMerchant({ ...wanted, kek: Buffer.from(serviceKey, 'base64') });
  const service = await start('service', {
    ...{ SVC_MODE: 'sandbox', SVC_HOST: '127.0.0.1', SVC_PORT: new URL(apiUrl).port },
    ...{ DATABASE_URL: serviceUrl, SVC_KEY: serviceKey, SVC_VAULT_SHARED_KEY: sharedKey },
    SVC_VAULT_ORIGIN: vault.ready.url ?? '',
    SVC_VAULT_INTERNAL_URL: vault.ready.internalUrl ?? '',
    ...{ SVC_PROVIDER_URL: providerUrl, SVC_LIMITS: 'off' },
    ...Object.fromEntries(kept.flatMap((name) => (env[name] ? [[name, env[name]]] : []))),
  });
  const buying = openBuying({ apiUrl, ...merchant }, signal);
  closers.push(buying.close);
  return { buying, lost, pids: { service: service.pid, vault: vault.pid, sandbox: sandbox.pid } };
}

const aboutOf = (
  server: Readonly<Record<string, string>>,
  env: Env,
  warmedUpBy: number,
): BenchRun['about'] => ({
  server: server.server_version ?? '',
  sharedBuffers: server.shared_buffers ?? '',
  isDurable: server.fsync === 'on' && server.full_page_writes === 'on',
  hasSynchronousStandby: Boolean(server.synchronous_standby_names),
  cpus: availableParallelism(),
  memoryBytes: totalmem(),
  processes: Number(env.SVC_PROCESSES || 1),
  warmedUpBy,
});

type Measuring = {
  readonly from: DatabaseSize;
  /** The server's first process, where it is seen on this machine. */
  readonly server: number | null;
  measure(): Promise<DatabaseSize>;
};

function measures(
  { buying, pids, lost }: Stage,
  { from, server, measure }: Measuring,
): Pick<BenchRun, 'step' | 'growth'> {
  let made = 0;
  const readAll = () => readCpu([pids.service, pids.vault, pids.sandbox, server ?? 0]);
  return {
    async step(rate, seconds) {
      const [before, loadBefore] = [readAll(), process.cpuUsage()];
      const load = await Promise.race([buying.atRate(rate, seconds), lost]);
      const [after, used] = [readAll(), process.cpuUsage(loadBefore)];
      made += load.purchases;
      const each = (ms: number) => (load.purchases === 0 ? null : ms / load.purchases);
      const of = (at: number) =>
        before && after ? each((after[at] ?? 0) - (before[at] ?? 0)) : null;
      const cpuMs = {
        ...{ service: of(0), cardForm: of(1), provider: of(2) },
        database: server === null ? null : of(3),
        load: each((used.user + used.system) / 1000),
      };
      return { ...resultOf(load, { rate, seconds }), cpuMs };
    },
    async growth() {
      if (made === 0) return null;
      const now = await measure();
      return {
        databaseBytes: (now.bytes - from.bytes) / made,
        logBytes: (now.logBytes - from.logBytes) / made,
      };
    },
  };
}

function resultOf(
  { purchases, failed, captureMs, tookMs }: Load,
  { rate, seconds }: { readonly rate: number; readonly seconds: number },
): Omit<BenchStep, 'cpuMs'> {
  const at = (share: number) => captureMs[Math.ceil(captureMs.length * share) - 1] ?? 0;
  return {
    rateAsked: rate,
    rateReached: purchases / Math.max(seconds, tookMs / 1000),
    ...{ purchases, failed },
    captureMs: purchases === 0 ? null : { p50: at(0.5), p95: at(0.95), p99: at(0.99) },
  };
}
