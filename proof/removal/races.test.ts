import { describe, expect, it } from 'vitest';
import { replayRace, runRaces } from './run-races.ts';

/** What has to happen among so many, or they prove less than they say. */
const mustHappen = [
  'default: 200',
  'default: payment_method_not_found',
  'pay: 200 success',
  'pay: payment_method_not_found',
  'remove: 204',
  'remove: payment_method_deletion_failed',
  'remove: payment_method_has_active_payment',
  'remove: payment_method_in_use',
  'remove pending: 204',
  'remove pending: payment_method_has_active_payment',
  'renew: came by',
  'setup: 200 success',
  'worker: came by',
];

describe('races of removals', () => {
  it('200 with payments, renewals, set-ups, defaults and each other: no card goes under what uses it', async () => {
    const { violations, sometimes } = await runRaces({ count: 200, seed: 1 });
    expect(violations).toEqual([]);
    for (const what of mustHappen) expect(sometimes[what], what).toBeGreaterThan(0);
  }, 300_000);

  it('the same seed gives the same schedule', async () => {
    for (const seed of [3, 14]) {
      const [once, again] = [await replayRace(seed), await replayRace(seed)];
      expect(once.trace.length).toBeGreaterThan(10);
      expect(again.trace).toEqual(once.trace);
    }
  }, 60_000);
});
