// The service's clock, `svc_clock()`, its shift, and the mode of the database. Only the sandbox
// moves the clock; test and live mode pin the shift to zero.

import type { Mode } from '@svc/contract/servers/modes';
import { type Database, everyClient, type Tx } from './database.ts';
import { sql } from './sql.ts';

// A transaction that has read the clock blocks this lock until it ends, and a transaction that
// reads the clock next waits for it.
const lockClock = sql('clock.lock', 'lock table clock_shift in access exclusive mode');
const findAhead = sql(
  'clock.find_ahead',
  `select from clock_shift s where s.shift > make_interval(secs => $1::double precision / 1000)
     and exists (select from clients c where exists (select from events e where e.client_id = c.id
       and e.created_at > clock_timestamp() + make_interval(secs => $1::double precision / 1000)))`,
);
const setShift = sql<{ now: Date }>(
  'set_clock_shift',
  `update clock_shift set shift = make_interval(secs => $1::double precision / 1000)
   returning clock_timestamp() + shift as now`,
);

const read = sql<{ now: Date }>('clock.read', 'select svc_clock() as now');

/**
 * Returns the service's clock. It is a statement of its own: run it after the lock, never in the
 * same statement.
 */
export async function readClock(tx: Tx): Promise<Date> {
  const [row] = await tx.query(read, []);
  return (row as { now: Date }).now;
}

/**
 * Returns the time before a provider is called: a change made after it is newer than the provider's
 * answer.
 */
export async function readAskingTime(database: Database): Promise<Date> {
  const [row] = await database.read(read, []);
  return (row as { now: Date }).now;
}

/**
 * Sets how far `svc_clock()` is ahead of the wall clock; returns the new time. Readers of events
 * order them by time, so the move has a moment of its own: no transaction sees both times, and none
 * that read the clock before commits after the move. Returns undefined, and moves nothing, when an
 * event would lie in the future: the next event would sort before it, behind readers who have
 * already passed it.
 */
export async function setClockShift(db: Database, shiftMs: number): Promise<Date | undefined> {
  return db.transaction(
    everyClient,
    async (tx) => {
      await tx.query(lockClock, []);
      if ((await tx.query(findAhead, [shiftMs])).length > 0) return;
      const [row] = await tx.query(setShift, [shiftMs]);
      if (!row) throw new Error('clock_shift has lost its row');
      return row.now;
    },
    // Shorter than the lock timeout of other statements: while this one waits, all of them queue behind it.
    ['lock_timeout = 1500'],
  );
}

type ModeRow = {
  mode: Mode | null;
  is_moved: boolean;
  live_clients: number;
  other_clients: number;
};

const findModeRow = sql<ModeRow>(
  'mode.find',
  `select s.mode, s.shift <> '0' as is_moved,
     (select count(*)::int from clients where is_live) as live_clients,
     (select count(*)::int from clients where not is_live) as other_clients
   from clock_shift s`,
);
const lockMode = sql('mode.lock', 'select from clock_shift for update');
const setMode = sql(
  'mode.set',
  `update clock_shift set mode = $1::text, is_live = $1::text = 'live' where mode is null`,
);

/** Returns the mode that the first start stored; null before that. */
export async function findMode(database: Database): Promise<Mode | null> {
  const [row] = await database.read(findModeRow, []);
  return row?.mode ?? null;
}

/** Why a database without a mode cannot take the wanted mode. */
export type ModeConflict = 'clock_moved' | 'live_clients' | 'other_clients';

/**
 * Stores the mode when none is stored yet. Returns the mode that the database now has, or why it
 * cannot take this one: its clock was moved, or its merchants are of another kind.
 */
export function claimMode(db: Database, mode: Mode): Promise<Mode | ModeConflict> {
  return db.transaction(everyClient, async (tx) => {
    await tx.query(lockMode, []);
    const [row] = await tx.query(findModeRow, []);
    if (!row) throw new Error('clock_shift has lost its row');
    if (row.mode !== null) return row.mode;
    if (mode !== 'sandbox' && row.is_moved) return 'clock_moved';
    if (mode !== 'live' && row.live_clients > 0) return 'live_clients';
    if (mode === 'live' && row.other_clients > 0) return 'other_clients';
    await tx.query(setMode, [mode]);
    return mode;
  });
}
