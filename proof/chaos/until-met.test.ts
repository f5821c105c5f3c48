import { describe, expect, it } from 'vitest';
import type { ChaosReport } from './chaos-run.ts';
import { untilMet } from './until-met.ts';

type Shown = { readonly met?: Record<string, number>; readonly violations?: readonly string[] };

/** Each run ends as told, the last way from then on. */
const over = (...shown: readonly Shown[]) => {
  let asked = 0;
  return untilMet(['killed', 'frozen'], async (seed): Promise<ChaosReport> => {
    const { met = {}, violations = [] } = shown[Math.min(asked, shown.length - 1)] ?? {};
    asked += 1;
    const fixed = {
      mode: 'guarded',
      seconds: 1,
      chaosSeconds: 1,
      counts: {},
      commands: null,
    } as const;
    return { ...fixed, seed, sometimes: met, violations };
  });
};

describe('a short run', () => {
  it('is over with the first when that met everything', async () => {
    const { reports, unmet } = await over({ met: { killed: 3, frozen: 1 } });
    expect([reports.length, unmet]).toEqual([1, []]);
  });

  it('goes on with another seed for what is missing, counting what was met before', async () => {
    const { reports, unmet } = await over({ met: { killed: 3 } }, { met: { frozen: 1 } });
    expect([reports.length, unmet]).toEqual([2, []]);
    expect(reports[1]?.seed).toBe((reports[0]?.seed ?? 0) + 1);
  });

  it('says what three runs have not met', async () => {
    const { reports, unmet } = await over({ met: { killed: 3, frozen: 0 } });
    expect([reports.length, unmet]).toEqual([3, ['frozen']]);
  });

  it('ends with the first violation: another run must not hide it', async () => {
    const { reports } = await over({ violations: ['twice'] }, { met: { killed: 1, frozen: 1 } });
    expect(reports.map(({ violations }) => violations)).toEqual([['twice']]);
  });
});
