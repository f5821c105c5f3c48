import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { disabledReason, maxAttempts, pauseAfterFailure } from './webhook-schedule.ts';

const hourMs = 3_600_000;
const plannedMs = [
  5000,
  300_000,
  1_800_000,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
];

const pause = (attempts: number, spread = 0.5, retryAfterSeconds: number | null = null) =>
  pauseAfterFailure({ attempts, spread, retryAfterSeconds });

describe('pauseAfterFailure', () => {
  it('follows the plan of contract §7: ten attempts over about 75.6 hours', () => {
    const planned = Array.from({ length: 9 }, (_, index) => pause(index + 1));
    expect(planned).toEqual(plannedMs);
    expect(maxAttempts).toBe(10);
    expect(pause(10)).toBeNull();
    expect(plannedMs.reduce((sum, ms) => sum + ms, 0) / hourMs).toBeCloseTo(75.6, 1);
  });

  it('spreads each pause over ±20 % and no further', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (attempts, spread) => {
          const ms = pause(attempts, spread) ?? -1;
          const planned = plannedMs[attempts - 1] ?? 0;
          return ms >= planned * 0.8 - 1 && ms <= planned * 1.2 + 1;
        },
      ),
    );
    expect(pause(1, 0)).toBe(4000);
    expect(pause(1, 1)).toBe(6000);
  });

  it('waits for Retry-After, up to 24 hours, and never less than planned', () => {
    expect(pause(1, 0.5, 60)).toBe(60_000);
    expect(pause(1, 0.5, 0)).toBe(5000);
    expect(pause(4, 0.5, 60)).toBe(2 * hourMs);
    expect(pause(1, 0.5, 86_400)).toBe(24 * hourMs);
    expect(pause(1, 0.5, 9_999_999_999)).toBe(24 * hourMs);
  });

  it('gives up after the last attempt whatever Retry-After asks', () => {
    expect(pause(10, 0.5, 60)).toBeNull();
  });
});

describe('disabledBy', () => {
  it('410: at once', () => {
    expect(disabledReason(410, 0)).toBe('gone');
  });

  it('failing for 120 hours, not a moment less', () => {
    expect(disabledReason(500, 120 * hourMs - 1)).toBeNull();
    expect(disabledReason(500, 120 * hourMs)).toBe('failing');
    expect(disabledReason(null, 121 * hourMs)).toBe('failing');
  });
});
