// The vault: the card form on its own origin, and tokens that represent cards. `startVault` opens both
// listeners; nothing here reads the environment. Contract §4.
import { readFileSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import { endServing, Hold, SocketGuard, socketRoom } from '@svc/contract/servers/sockets';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import { sweep } from './card-tokens.ts';
import { type DatabaseLimits, migrate, openPool, StartTrouble } from './database.ts';
import { readForm, readProviderForm } from './form-files.ts';
import { addFormRoutes } from './form-routes.ts';
import { addHealth, openHealth } from './health.ts';
import { describeError, type Sink } from './log.ts';
import { openMetrics } from './metrics.ts';
import { openProvider } from './provider.ts';
import { createServer } from './server.ts';
import { addServiceRoutes } from './service-routes.ts';
import type { Settings } from './settings.ts';
import { wipeBodies } from './wiped-bodies.ts';

export type { Settings } from './settings.ts';

export type Vault = {
  /** Origin of the form and of tokenising. */
  readonly url: string;
  /** Base address of the service's signed calls. */
  readonly internalUrl: string;
  /** Reports the vault as not ready, so that a proxy sends no more requests, but keeps serving. */
  drain(): void;
  /**
   * Accepts nothing new and finishes running requests within `mostMs`. Then closes both listeners and the
   * database.
   */
  close(mostMs?: number, lingerMs?: number): Promise<void>;
};

const sweepEveryMs = 15 * 60 * 1000;
const loopback = '127.0.0.1';
/** How long a shutdown may take after the signal: as long as the service waits for calls that it began. */
export const closeMs = 18_000;

async function listen(app: FastifyInstance, host: string, port: number): Promise<string> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    const { code } = error as { code?: unknown };
    const reason =
      code === 'EADDRINUSE'
        ? 'is in use already'
        : code === 'EADDRNOTAVAIL'
          ? 'is no address of this machine'
          : `cannot be opened (${String(code)})`;
    throw new StartTrouble(`${host}:${port} ${reason}.`);
  }
  const { address, port: opened, family } = app.server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${opened}`;
}

/** As many sockets as the service's `SVC_LIMIT_OPEN_ADDRESS` allows, and some spare ones. */
const socketsOfAddress = 216;

/**
 * Limits open sockets. They are not counted per address for the service's calls and behind a proxy, which
 * all come from one address.
 */
function limitSockets({ server }: FastifyInstance, isCounted: boolean): void {
  new SocketGuard(socketRoom(readLimits(), isCounted ? socketsOfAddress : null)).watch(server);
}

function readLimits(): string | undefined {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    // Not on Linux: the default number of descriptors applies.
    return undefined;
  }
}

const toStderr: Sink = process.stderr;

/** Repeats the sweep. A failure is logged, and the next run tries again. */
function startSweeping(app: FastifyInstance, pool: pg.Pool): NodeJS.Timeout {
  const run = async () => {
    try {
      const count = await sweep(pool);
      if (count > 0) app.log.info({ count }, 'swept');
    } catch (error) {
      app.log.error(describeError(error), 'sweep failed');
    }
  };
  void run();
  return setInterval(() => void run(), sweepEveryMs).unref();
}

/** Starts both listeners. Throws `StartTrouble` after closing everything that was opened. */
export async function startVault(
  settings: Settings,
  sink: Sink = toStderr,
  limits?: DatabaseLimits,
): Promise<Vault> {
  const { driver } = settings;
  const form = driver === 'own-vault' ? readForm() : readProviderForm(settings.providerScriptUrl);
  await migrate(settings.databaseUrl, settings.mode);
  const pool = openPool(settings.databaseUrl, limits);
  const provider = openProvider(settings.providerUrl);
  const state = { isDraining: false };
  const isDraining = () => state.isDraining;
  const metrics =
    settings.metrics && openMetrics({ ...settings.metrics, mode: settings.mode, pool });
  const hold = new Hold();
  const shared = { isDraining, hold, ...(metrics && { onAnswer: metrics.countAnswer }) };
  const outside = createServer(sink, { trustedProxies: settings.trustedProxies, ...shared });
  const inside = createServer(sink, shared);
  wipeBodies(outside.server);
  limitSockets(outside, settings.trustedProxies === 0);
  limitSockets(inside, false);
  pool.on('error', (error) => outside.log.error(describeError(error), 'database connection lost'));

  let url = settings.origin ?? '';
  const { key, sharedKey, mode } = settings;
  const origin = () => url;
  addFormRoutes(outside, { pool, provider, key, sharedKey, mode, driver, form, origin });
  addServiceRoutes(inside, { pool, sharedKey });
  const health = openHealth(pool);
  addHealth(outside, health, { mode, isDraining });
  addHealth(inside, health, { mode, isDraining, sharedKey });

  let sweeping: NodeJS.Timeout | undefined;
  const close = async (mostMs = closeMs, lingerMs = 0) => {
    clearInterval(sweeping);
    state.isDraining = true;
    const closeListener = net.Server.prototype.close;
    const finish = () => Promise.all([outside.close(), inside.close(), metrics?.close()]);
    const ending = { closeListener, hold, drainMs: mostMs, lingerMs, finish };
    await endServing([outside.server, inside.server], ending);
    await Promise.all([provider.close(), pool.end()]);
  };
  try {
    const opened = await listen(outside, settings.host, settings.port);
    url ||= opened;
    const internalUrl = await listen(inside, loopback, settings.internalPort);
    await metrics?.serve();
    sweeping = startSweeping(outside, pool);
    const drain = () => {
      state.isDraining = true;
    };
    return { url, internalUrl, drain, close };
  } catch (error) {
    await close();
    throw error;
  }
}
