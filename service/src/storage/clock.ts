// The one clock's shift. Only the sandbox moves it; live mode pins it to zero.

import type { Database } from './database.ts';
import { sql } from './sql.ts';

const setShift = sql<{ now: Date }>(
  'set_clock_shift',
  `update clock_shift set shift = make_interval(secs => $1::double precision / 1000)
   returning clock_timestamp() + shift as now`,
);
const markLive = sql('mark_clock_live', 'update clock_shift set is_live = true where not is_live');

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
