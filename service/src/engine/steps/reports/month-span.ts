// The begin and end of a month, and from when on it includes late movements of closed months. Additions §8.

import type { Database } from '../../../storage/database/database.ts';
import {
  findClosings,
  type MonthClosing,
  type MonthSpan,
  readMonthBounds,
} from '../../../storage/reports/months.ts';

const monthBefore = (month: string): string => {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return number === 1 ? `${year - 1}-12` : `${year}-${String(number - 1).padStart(2, '0')}`;
};
const monthAfter = (month: string): string => {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return number === 12 ? `${year + 1}-01` : `${year}-${String(number + 1).padStart(2, '0')}`;
};

export type FoundMonth = {
  readonly span: MonthSpan;
  readonly timeZone: string;
  readonly isOver: boolean;
  /** Undefined while the month is open. */
  readonly closing: MonthClosing | undefined;
};

/**
 * A month that follows a closed one begins where that one ended, and a month before a closed one
 * ends where that one begins, so that a change of the zone neither drops an hour nor counts one
 * twice.
 */
export async function findMonth(
  database: Database,
  clientId: string,
  { month, timeZone }: { readonly month: string; readonly timeZone: string },
): Promise<FoundMonth> {
  const [closings, bounds] = await Promise.all([
    findClosings(database, clientId),
    readMonthBounds(database, month, timeZone),
  ]);
  const closed = new Map(closings.map((one) => [one.month, one]));
  const closing = closed.get(month);
  const from = closing?.begins_at ?? closed.get(monthBefore(month))?.ends_at ?? bounds.begins_at;
  const to = closing?.ends_at ?? closed.get(monthAfter(month))?.begins_at ?? bounds.ends_at;
  let lateFrom = from;
  for (let at = closed.get(monthBefore(month)); at; at = closed.get(monthBefore(at.month))) {
    lateFrom = at.begins_at;
  }
  return {
    span: { clientId, lateFrom, from, to },
    timeZone: closing?.time_zone ?? timeZone,
    isOver: to <= bounds.now,
    closing,
  };
}
