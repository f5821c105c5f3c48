import { describeDatabase, tryWrite } from '../../../storage/database/health.ts';
import { isMigrated } from '../../../storage/database/migrate.ts';
import { isUnavailable } from '../../is-unavailable.ts';
import type { Ports, VaultLook } from '../../ports.ts';

export type Health = {
  readonly database: { readonly version: string; readonly name: string } | null;
  readonly isMigrated: boolean;
  /** Whether the database accepted a write: it is not read-only, not full, and has its standby. */
  readonly isWritable: boolean;
  readonly vault: VaultLook['state'];
};

type HealthPorts = Pick<Ports, 'database' | 'vault'>;

/**
 * Checks what a request needs: a database that accepts writes and has this version's tables, and
 * the vault.
 */
async function checkHealth(ports: HealthPorts): Promise<Health> {
  const [about, isWritable, { state: vault }] = await Promise.all([
    describe(ports),
    unlessUnavailable(
      tryWrite(ports.database).then(() => true),
      false,
    ),
    ports.vault.look(),
  ]);
  return { ...about, isWritable, vault };
}

const describe = (ports: HealthPorts): Promise<Pick<Health, 'database' | 'isMigrated'>> =>
  unlessUnavailable(
    Promise.all([describeDatabase(ports.database), isMigrated(ports.database)]).then(
      ([database, migrated]) => ({ database, isMigrated: migrated }),
    ),
    { database: null, isMigrated: false },
  );

async function unlessUnavailable<T>(work: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    return otherwise;
  }
}

const nothing: Health = {
  database: null,
  isMigrated: false,
  isWritable: false,
  vault: 'unreachable',
};
/** How long a check is cached, in milliseconds, so that frequent callers cost nothing more. */
const freshMs = 1000;
/** The longest that a caller waits, in milliseconds, however long the database hangs. */
const patienceMs = 4000;

/**
 * Returns the health of the last second. When the check takes too long, everything is reported as
 * missing.
 */
export function openHealth(ports: HealthPorts, nowMs: () => number): () => Promise<Health> {
  let look:
    | { readonly atMs: number; readonly health: Promise<Health>; isOver: boolean }
    | undefined;
  const beginReading = () => {
    const begun = { atMs: nowMs(), health: checkHealth(ports), isOver: false };
    const end = () => {
      begun.isOver = true;
    };
    begun.health.then(end, end);
    return begun;
  };
  return () => {
    // While a check hangs no other is started: each would take a connection.
    if (!look || (look.isOver && nowMs() - look.atMs >= freshMs)) look = beginReading();
    const { promise: late, resolve } = Promise.withResolvers<Health>();
    const timer = setTimeout(() => resolve(nothing), patienceMs);
    return Promise.race([look.health, late]).finally(() => clearTimeout(timer));
  };
}
