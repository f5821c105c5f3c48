// The simulation in the size of every test run; the soak runs it a hundred times longer.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { regressions } from './regressions.ts';
import { runSeeds, type ScheduleReport } from './run-schedules.ts';
import { runSchedule } from './schedule.ts';
import { openStage, type Stage } from './stage.ts';

const perMode = 200;
// A minute on an idle core; a machine with other work takes many times as long.
const withinMs = 900_000;
const seeds = Array.from({ length: perMode }, (_, index) => index + 1);
const noProgress = () => undefined;

const stages: Partial<Record<Stage['mode'], Stage>> = {};
const stageOf = (mode: Stage['mode']): Stage => {
  const stage = stages[mode];
  if (!stage) throw new Error('not open');
  return stage;
};
beforeAll(async () => {
  stages.guarded = await openStage('guarded');
  stages.unguarded = await openStage('unguarded');
}, 240_000);
afterAll(async () => {
  await stages.guarded?.close();
  await stages.unguarded?.close();
});

describe('seeded schedules of the real operations', () => {
  it.each(regressions)('seed $seed, $mode: $showed', async ({ seed, mode }) => {
    expect((await runSchedule(stageOf(mode), seed)).violations).toEqual([]);
  });

  it('the same seed gives the same trace, whatever ran before it', async () => {
    const first = await openStage('guarded');
    try {
      for (let seed = 1; seed <= 12; seed++) {
        const { trace } = await runSchedule(first, 13 - seed);
        expect((await runSchedule(stageOf('guarded'), 13 - seed)).trace).toEqual(trace);
      }
    } finally {
      await first.close();
    }
  }, 240_000);

  const reports: ScheduleReport[] = [];
  it.each(['guarded', 'unguarded'] as const)(
    `${perMode} schedules, %s provider: no invariant is broken`,
    async (mode) => {
      const report = await runSeeds(stageOf(mode), seeds, noProgress);
      reports.push(report);
      expect(report.violations.join('\n\n')).toBe('');
    },
    withinMs,
  );

  it('every fault and every coincidence was met', () => {
    const names = Object.keys(reports[0]?.sometimes ?? {});
    const never = names.filter((name) => reports.every(({ sometimes }) => sometimes[name] === 0));
    expect(names.length).toBeGreaterThan(40);
    expect(never).toEqual([]);
  });
});
