// The simulation: seeds that were red once, and the cover of each kind of provider. Two hundred schedules
// of each kind run in `npm run proof`.

import { scaled } from '@svc/tools/machine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectSameTraces, runCover } from '../covers/expect-cover.ts';
import type { SeedFixture } from '../kit/run-seeds.ts';
import type { ScenarioReport } from '../kit/scenario.ts';
import { regressions } from './regressions.ts';
import { openSchedules } from './schedule.ts';

const modes = ['guarded', 'unguarded'] as const;
const withinMs = scaled(120_000);

const fixtures: Partial<Record<(typeof modes)[number], SeedFixture>> = {};
const fixtureOf = (mode: (typeof modes)[number]): SeedFixture => {
  const fixture = fixtures[mode];
  if (!fixture) throw new Error('not open');
  return fixture;
};
beforeAll(async () => {
  for (const mode of modes) fixtures[mode] = await openSchedules(mode);
}, scaled(120_000));
afterAll(async () => {
  for (const mode of modes) await fixtures[mode]?.close();
});

describe('seeded schedules of the real operations', () => {
  it.each(regressions)('seed $seed, $mode: $showed', async ({ seed, mode }) => {
    expect((await fixtureOf(mode).run(seed)).violations).toEqual([]);
  });

  describe.each(modes)('%s provider', (mode) => {
    let report: ScenarioReport;

    it(
      'the seeds of the cover: no invariant is broken',
      async () => {
        report = await runCover(`schedules-${mode}`, fixtureOf(mode));
        expect(report.violations.join('\n\n')).toBe('');
      },
      withinMs,
    );

    it('every fault and every coincidence was met', () => {
      expect(report.never).toEqual([]);
    });
  });

  it(
    'the same seed gives the same trace, whatever ran before it',
    () => expectSameTraces('schedules-guarded', fixtureOf('guarded')),
    scaled(120_000),
  );
});
