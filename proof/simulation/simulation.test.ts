// The simulation in the size of every test run; the soak runs it a hundred times longer.

import { scaled } from '@svc/tools/machine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SeedGround } from '../covers/run-seeds.ts';
import { regressions } from './regressions.ts';
import { openSchedules, runSchedules, type ScheduleReport } from './run-schedules.ts';
import { wantedOfSchedules } from './wanted.ts';

const modes = ['guarded', 'unguarded'] as const;
const withinMs = scaled(300_000);

const grounds: Partial<Record<(typeof modes)[number], SeedGround>> = {};
const groundOf = (mode: (typeof modes)[number]): SeedGround => {
  const ground = grounds[mode];
  if (!ground) throw new Error('not open');
  return ground;
};
beforeAll(async () => {
  for (const mode of modes) grounds[mode] = await openSchedules(mode);
}, scaled(120_000));
afterAll(async () => {
  for (const mode of modes) await grounds[mode]?.close();
});

describe('seeded schedules of the real operations', () => {
  it.each(regressions)('seed $seed, $mode: $showed', async ({ seed, mode }) => {
    expect((await groundOf(mode).run(seed)).violations).toEqual([]);
  });

  const reports: ScheduleReport[] = [];
  it.each(modes)(
    '200 schedules, %s provider: no invariant is broken',
    async (mode) => {
      const report = await runSchedules({ count: 200, seed: 1, mode, onProgress: () => undefined });
      reports.push(report);
      expect(report.violations.join('\n\n')).toBe('');
    },
    withinMs,
  );

  it('every fault and every coincidence was met', () => {
    const never = wantedOfSchedules.filter((name) =>
      reports.every(({ sometimes }) => sometimes[name] === 0),
    );
    expect(never).toEqual([]);
  });

  it(
    'the same seed gives the same trace, whatever ran before it',
    async () => {
      const other = await openSchedules('guarded');
      try {
        for (const seed of [3, 2, 1]) {
          const { trace } = await other.run(seed);
          expect(trace?.length).toBeGreaterThan(10);
          expect((await groundOf('guarded').run(seed)).trace).toEqual(trace);
        }
      } finally {
        await other.close();
      }
    },
    scaled(120_000),
  );
});
