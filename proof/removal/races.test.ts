import { describe, expect, it } from 'vitest';
import { replayRace, runRaces } from './run-races.ts';
import { wantedOfRaces } from './wanted.ts';

describe('races of removals', () => {
  it('200 with payments, renewals, set-ups, defaults and each other: no card goes under what uses it', async () => {
    const { violations, sometimes } = await runRaces({ count: 200, seed: 1 });
    expect(violations).toEqual([]);
    for (const what of wantedOfRaces) expect(sometimes[what], what).toBeGreaterThan(0);
  }, 300_000);

  it('the same seed gives the same schedule', async () => {
    for (const seed of [3, 14]) {
      const [once, again] = [await replayRace(seed), await replayRace(seed)];
      expect(once.trace.length).toBeGreaterThan(10);
      expect(again.trace).toEqual(once.trace);
    }
  }, 60_000);
});
