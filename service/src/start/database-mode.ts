// A database belongs to one mode from its first start: sandbox, test or live.

import type { Mode } from '@svc/contract/servers/modes';
import { claimMode, findMode, type ModeConflict } from '../storage/database/clock.ts';
import type { Database } from '../storage/database/database.ts';
import { CannotStart } from './migrate-database.ts';

const conflicts: Readonly<Record<ModeConflict, (mode: Mode) => string>> = {
  clock_moved: (mode) =>
    `the clock of this database was moved: it is a sandbox, not for ${mode} mode`,
  live_clients: (mode) =>
    `this database has merchants of live mode, and SVC_MODE is ${mode}: set SVC_MODE=live, or name another database`,
  other_clients: () =>
    'this database has merchants of sandbox or test mode: live mode needs a database of its own',
};

const isConflict = (said: Mode | ModeConflict): said is ModeConflict =>
  Object.hasOwn(conflicts, said);

const otherMode = (wanted: Mode, stored: Mode): string =>
  `this database is of ${stored} mode, and SVC_MODE is ${wanted}: set SVC_MODE=${stored}, or name another database`;

/** Stores the mode at the first start, and refuses a database of another one. Throws CannotStart. */
export async function assertMode(
  { mode }: { readonly mode: Mode },
  database: Database,
): Promise<void> {
  const said = await claimMode(database, mode);
  if (said === mode) return;
  throw new CannotStart(isConflict(said) ? conflicts[said](mode) : otherMode(mode, said));
}

/**
 * Checks the mode for a command, which stores nothing: returns undefined, or the message that
 * refuses the database.
 */
export async function faultOfMode(
  { mode }: { readonly mode: Mode },
  database: Database,
): Promise<string | undefined> {
  const stored = await findMode(database);
  return stored === null || stored === mode ? undefined : otherMode(mode, stored);
}
