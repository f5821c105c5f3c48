// Contract §10: process 6 a minute, 20 an hour, then a pause of 30 minutes.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AttemptLimits, countCall, type SessionCalls } from './attempt-limits.ts';

const limits: AttemptLimits = {
  processPerMinute: 6,
  processPerHour: 20,
  processPauseMinutes: 30,
  sessionDeclines: 5,
  setupsPerHour: 10,
  tokensPerHour: 60,
};
const start = Date.parse('2026-05-01T12:00:00.000Z');
const timeAt = (seconds: number) => new Date(start + seconds * 1000);
const none: SessionCalls = { calledAt: [], pausedUntil: null };

/** Returns the wait for each call at these seconds; null when the call is accepted. */
function waits(seconds: readonly number[]): (number | null)[] {
  let calls = none;
  return seconds.map((second) => {
    const counted = countCall(calls, limits, timeAt(second));
    calls = counted.calls;
    return counted.waitSeconds;
  });
}

describe('countCall', () => {
  it('the sixth within a minute passes, the seventh waits for the first to be a minute old', () => {
    expect(waits([0, 1, 2, 3, 4, 5, 6])).toEqual([null, null, null, null, null, null, 54]);
    expect(waits([0, 1, 2, 3, 4, 5, 59, 60])).toEqual([
      null,
      null,
      null,
      null,
      null,
      null,
      1,
      null,
    ]);
  });

  it('the twentieth within an hour passes, the next one starts a pause of half an hour', () => {
    const slow = Array.from({ length: 20 }, (_, n) => n * 100);
    expect(waits([...slow, 2000]).slice(-2)).toEqual([null, 1800]);
    expect(waits([...slow, 2000, 2001, 3799]).slice(-2)).toEqual([1799, 1]);
    // The pause is the whole penalty: afterwards a new hour starts.
    expect(waits([...slow, 2000, 3800]).at(-1)).toBeNull();
  });

  it('refused calls are not counted', () => {
    expect(waits([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 60, 61, 62]).slice(-3)).toEqual([
      null,
      null,
      null,
    ]);
  });

  it('whatever the times: never more than 6 in a minute nor 20 in an hour', () => {
    const times = fc.array(fc.integer({ min: 0, max: 7200 }), { maxLength: 120 });
    fc.assert(
      fc.property(times, (given) => {
        const sorted = given.toSorted((a, b) => a - b);
        const passed = sorted.filter((_, n) => waits(sorted.slice(0, n + 1)).at(-1) === null);
        for (const [n, second] of passed.entries()) {
          const passedWithin = (window: number) =>
            passed.slice(0, n + 1).filter((other) => other > second - window).length;
          expect(passedWithin(60)).toBeLessThanOrEqual(6);
          expect(passedWithin(3600)).toBeLessThanOrEqual(20 + 20);
        }
      }),
      { numRuns: 40 },
    );
  });
});
