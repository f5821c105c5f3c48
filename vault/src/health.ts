// Whether the vault can take requests: its database accepts writes, and it is not shutting down. The service
// asks each minute, and the two tell each other which shared key and which time they have.

import { agreementHeader, mostSkewMs, readTold, type Told } from '@svc/contract/servers/agreement';
import { seenRequest } from '@svc/contract/servers/seen-request';
import { version } from '@svc/contract/version';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type pg from 'pg';
import type { Mode } from './settings.ts';
import { fingerprintOf } from './signatures.ts';

// A session id that no session has. The sweep deletes its row like any other.
const touch = `insert into vault.session_attempts (session_id, attempts)
  values ('00000000-0000-0000-0000-000000000000', 1)
  on conflict (session_id) do update set window_started_at = now()
  returning current_setting('synchronous_standby_names') <> '' as waits`;

// On a full disk a row may still fit into an existing page. This query needs more memory than a function's
// rows may use, so it writes a temporary file next to the tables, which needs free space.
const spill = 'select count(*) from generate_series(1, 20000)';

/**
 * Writes a row as an attempt with a card does and rolls back. Throws the error that such an attempt would
 * meet. When commits wait for a standby, only a commit shows whether there is one.
 */
async function tryWrite(pool: pg.Pool): Promise<void> {
  const client = await pool.connect();
  let isBroken = true;
  try {
    await client.query("begin; set local lock_timeout = 1500; set local work_mem = '64kB'");
    const { rows } = await client.query<{ waits: boolean }>(touch);
    await client.query(spill);
    await client.query(rows[0]?.waits ? 'commit' : 'rollback');
    isBroken = false;
  } finally {
    client.release(isBroken);
  }
}

/** How long a result counts: more frequent requests run no new probe. */
const freshMs = 1000;
/**
 * How long a request waits for the probe, even when the database hangs. The service waits three seconds.
 */
const patienceMs = 2000;

export type Health = {
  /** Whether the database took a write within the last second. */
  isWritable(): Promise<boolean>;
};

export function openHealth(pool: pg.Pool): Health {
  let look: { readonly at: number; readonly took: Promise<boolean>; isOver: boolean } | undefined;
  const beginCheck = () => {
    const took = tryWrite(pool).then(
      () => true,
      () => false,
    );
    const begun = { at: performance.now(), took, isOver: false };
    void took.then(() => {
      begun.isOver = true;
    });
    return begun;
  };
  return {
    isWritable() {
      // While a probe hangs, no second one starts: each would occupy a connection.
      if (!look || (look.isOver && performance.now() - look.at >= freshMs)) look = beginCheck();
      const late = Promise.withResolvers<boolean>();
      const timer = setTimeout(() => late.resolve(false), patienceMs);
      return Promise.race([look.took, late.promise]).finally(() => clearTimeout(timer));
    },
  };
}

const quietMs = 3_600_000;

/**
 * Returns the check of what a service tells. A difference is logged once an hour. It does not make the vault
 * unready: any program of this machine could then close the form. The service is not ready instead.
 */
function openComparison(log: FastifyBaseLogger, key: string): (told: Told) => void {
  const loggedAt = new Map<'key' | 'time', number>();
  const complain = (of: 'key' | 'time', message: string) => {
    const now = performance.now();
    if (now - (loggedAt.get(of) ?? Number.NEGATIVE_INFINITY) < quietMs) return;
    loggedAt.set(of, now);
    log.error(message);
  };
  return (told) => {
    if (told.key !== key) {
      complain(
        'key',
        'the service has another shared key: no card form opens. Give SVC_VAULT_SHARED_KEY of the ' +
          'service and VAULT_SHARED_KEY of the vault one value, and restart both',
      );
    }
    const skewMs = told.time - Date.now();
    if (Math.abs(skewMs) > mostSkewMs) {
      complain(
        'time',
        `the clock of the service is ${Math.round(Math.abs(skewMs) / 1000)} s ${skewMs > 0 ? 'ahead' : 'behind'}: ` +
          'its calls are refused, and payments stay in doubt. Run a time service (chrony, systemd-timesyncd) on both',
      );
    }
  };
}

type HealthWish = { readonly mode: Mode; readonly isDraining: () => boolean };

/** Adds `/healthz` and `/readyz`; with the shared key, as inside, `/readyz` tells and hears key and time. */
export function addHealth(
  app: FastifyInstance,
  health: Health,
  { mode, isDraining, sharedKey }: HealthWish & { readonly sharedKey?: Buffer },
): void {
  const key = sharedKey && fingerprintOf(sharedKey);
  const compare = key && openComparison(app.log, key);
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (request, reply) => {
    const isWritable = await health.isWritable();
    const isReady = isWritable && !isDraining();
    const status = isReady ? 'ready' : isDraining() ? 'stopping' : 'no database';
    const told = readTold(request.headers[agreementHeader]);
    if (told && compare) compare(told);
    const self = { status, version, mode, ...(key && { key, time: Date.now() }) };
    const answer = { ...self, ...seenRequest(request) };
    return reply.code(isReady ? 200 : 503).send(answer);
  });
}
