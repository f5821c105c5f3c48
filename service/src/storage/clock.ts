// The one clock, `svc_clock()`, and its shift. Only the sandbox moves it; live mode pins it to zero.

import type { Database, Tx } from './database.ts';
import { sql } from './sql.ts';

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

/** Sets how far `svc_clock()` is ahead of the wall clock; answers what it now says. */
export async function setClockShift(db: Database, shiftMs: number): Promise<Date> {
  const [row] = await db.write(setShift, [shiftMs]);
  if (!row) throw new Error('clock_shift has lost its row');
  return row.now;
}

/** From here on this database refuses a moved clock; fails when it is moved already. */
export async function markClockLive(db: Database): Promise<void> {
  await db.write(markLive, []);
}
