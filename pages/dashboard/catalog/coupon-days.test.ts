// A coupon's days in words.

import { describe, expect, it } from 'vitest';
import { firstDayIn, firstDayWords, lastDayIn, lastDayWords } from './coupon-days.ts';

const berlin = 'Europe/Berlin';

describe('the days of a coupon', () => {
  it('the last day is the one before the end, and is one of them', () => {
    expect(lastDayWords('2026-12-24T23:00:00.000Z', berlin)).toBe('through 24 Dec 2026');
    expect(lastDayIn('2026-12-24T23:00:00.000Z', berlin)).toBe('2026-12-24');
    expect(lastDayWords('2026-12-25T00:00:00.000Z', 'UTC')).toBe('through 24 Dec 2026');
  });

  it('an end within a day keeps its time', () => {
    expect(lastDayWords('2026-12-24T14:30:00.000Z', berlin)).toBe('until 24 Dec 2026, 15:30');
    expect(lastDayIn('2026-12-24T14:30:00.000Z', berlin)).toBe('2026-12-24');
    // The same instant ends a day in Berlin and falls within a day in UTC.
    expect(lastDayWords('2026-12-24T23:00:00.000Z', 'UTC')).toBe('until 24 Dec 2026, 23:00');
  });

  it('the first day is that of the begin; none has no text', () => {
    expect(firstDayWords('2026-11-30T23:00:00.000Z', berlin)).toBe('from 1 Dec 2026');
    expect(firstDayWords('2026-12-01T08:00:00.000Z', berlin)).toBe('from 1 Dec 2026, 09:00');
    expect(firstDayIn('2026-11-30T23:00:00.000Z', berlin)).toBe('2026-12-01');
    expect([firstDayIn(null, berlin), lastDayIn(null, berlin)]).toEqual(['', '']);
  });

  it('holds where the clock is put back on the last day', () => {
    expect(lastDayWords('2026-10-25T23:00:00.000Z', berlin)).toBe('through 25 Oct 2026');
  });
});
