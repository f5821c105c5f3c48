// The one clock, `svc_clock()`, its shift, and the mode of the database. Only the sandbox moves the
// clock; test and live mode pin it to zero.

import type { Mode } from '@svc/contract/modes';
import { type Database, everyClient, type Tx } from './database.ts';
import { sql } from './sql.ts';

// Whoever has read the clock holds this off until its transaction ends, and whoever reads it next
// waits for it.
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

/** The service's clock, read in a statement of its own: after the lock, never with it. */
export async function readClock(tx: Tx): Promise<Date> {
  const [row] = await tx.query(read, []);
  return (row as { now: Date }).now;
}

/** The time before a provider is asked: what changed since then is newer than its answer. */
export async function readAskingTime(database: Database): Promise<Date> {
  const [row] = await database.read(read, []);
  return (row as { now: Date }).now;
}

/**
 * Sets how far `svc_clock()` is ahead of the wall clock; answers what it now says. Readers of events
 * go by their time, so the move has a moment of its own: no transaction sees both times, none that
 * took the time before commits after it. Undefined, and nothing is moved, where an event would lie in
 * the future: what is written next would stand before it, behind whoever has read it.
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
    // Less than others wait for their locks: all of them wait behind this one.
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

/** The mode that the first start stored; null before it. */
export async function findMode(database: Database): Promise<Mode | null> {
  const [row] = await database.read(findModeRow, []);
  return row?.mode ?? null;
}

/** Why a database without a mode yet cannot be of the wanted one. */
export type ModeConflict = 'clock_moved' | 'live_clients' | 'other_clients';

/**
 * Stores the mode where none is stored yet. Answers the mode that the database has from then on, or why
 * it cannot have this one: its clock was moved, or its merchants are of another kind.
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
