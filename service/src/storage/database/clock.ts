// The one clock, `svc_clock()`, and its shift. Only the sandbox moves it; live mode pins it to zero.

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
const markLive = sql('mark_clock_live', 'update clock_shift set is_live = true where not is_live');

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

/** From here on this database refuses a moved clock; fails when it is moved already. */
export async function markClockLive(db: Database): Promise<void> {
  await db.write(markLive, []);
}
