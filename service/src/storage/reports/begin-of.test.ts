// When days begin in SQL, against a walk over the instants that the zone's own clock shows.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase, newId, type TestDatabase } from '../../../test/harness.ts';
import { sql } from '../database/sql.ts';
import { readBuckets } from './activity.ts';
import { readMonthBounds } from './months.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await freshDatabase();
});
afterAll(() => db?.close());

const hourMs = 3_600_000;

/** The first instant, in steps of half an hour, whose local day it is. */
function firstShown(day: string, zone: string): string {
  const clock = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' });
  const noon = Date.parse(`${day}T12:00:00Z`);
  for (let atMs = noon - 30 * hourMs; atMs < noon + 30 * hourMs; atMs += hourMs / 2) {
    if (clock.format(atMs) === day) return new Date(atMs).toISOString();
  }
  throw new Error(`${zone} has no ${day}`);
}

const beginOf = sql<{ at: Date }>('test.begin_of', 'select begin_of($1, $2, $3) as at');

describe('the first instant whose local day it is', () => {
  it.each([
    ['Atlantic/Azores', '2026-10-25', 'comes twice at midnight'],
    ['America/Havana', '2026-11-01', 'comes twice at midnight'],
    ['Asia/Amman', '2021-10-29', 'comes twice at midnight, east of Greenwich'],
    ['America/St_Johns', '2010-11-07', 'ends for an hour a minute after its midnight'],
    ['Asia/Beirut', '2026-10-25', 'begins after an hour that came twice'],
    ['America/Santiago', '2026-09-06', 'has no midnight'],
    ['Pacific/Apia', '2011-12-31', 'comes after a day left out'],
    ['Australia/Lord_Howe', '2026-04-05', 'has half an hour more'],
    ['Europe/Berlin', '2026-10-25', 'has 25 hours'],
  ])('%s %s, which %s', async (timeZone, day) => {
    const first = firstShown(day, timeZone);
    const from = new Date(Date.parse(first) - 20 * hourMs);
    const to = new Date(Date.parse(first) + 20 * hourMs);
    const span = { clientId: newId(), from, to, timeZone, interval: 'day' } as const;
    const starts = await readBuckets(db.database, span);
    expect(starts.map((at) => at.toISOString())[1]).toBe(first);
    // Each instant of the day belongs to the bucket, the repeated hour too.
    for (let ms = 0; ms < 20 * hourMs; ms += hourMs / 2) {
      const instant = new Date(Date.parse(first) + ms);
      const [row] = await db.database.read(beginOf, ['day', instant, timeZone]);
      expect(row?.at.toISOString(), instant.toISOString()).toBe(first);
    }
  });

  it('a month begins with it', async () => {
    const havana = await readMonthBounds(db.database, '2026-11', 'America/Havana');
    expect(havana.begins_at.toISOString()).toBe('2026-11-01T04:00:00.000Z');
    const before = await readMonthBounds(db.database, '2026-10', 'America/Havana');
    expect(before.ends_at).toEqual(havana.begins_at);
  });
});
