// The short form of the soak's kills, against each kind of provider. Layer Y4.

import { describe, expect, it } from 'vitest';
import { describeReport } from './chaos-run.ts';
import type { Mode } from './ground.ts';
import { killDuringCapture, wantedOfKills } from './kill-during-capture.ts';

// Far more than it takes on two quiet cores: a busy machine is no violation.
const withinMs = 400_000;

describe('kill -9 during captures, cancels, refunds and purchases', () => {
  it.concurrent.each<Mode>(['guarded', 'unguarded'])(
    '%s provider: one effect, one event, every payment settled, every answer true',
    async (mode) => {
      const seed = Date.now() % 1_000_000;
      const report = await killDuringCapture({ kills: 12, seed, mode, processes: 2 });
      const shown = describeReport(report);
      expect(report.violations, shown).toEqual([]);
      for (const name of ['captures', 'voids', 'refunds', 'replays', 'samples of transactions']) {
        expect(report.counts[name], `${name}\n${shown}`).toBeGreaterThan(5);
      }
      for (const name of wantedOfKills) expect(report.sometimes[name], shown).toBeGreaterThan(0);
    },
    withinMs,
  );
});
