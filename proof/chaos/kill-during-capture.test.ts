// The short form of the soak's chaos, ten kills against each kind of provider. Layer Y4.

import { describe, expect, it } from 'vitest';
import type { Mode } from './ground.ts';
import { describeReport, killDuringCapture } from './kill-during-capture.ts';
import { points } from './kills.ts';

const withinMs = 120_000;

describe('kill -9 during captures', () => {
  it.concurrent.each<Mode>(['guarded', 'unguarded'])(
    '%s provider: one capture, one event, every payment settled, every answer true',
    async (mode) => {
      const seed = Date.now() % 1_000_000;
      const report = await killDuringCapture({ kills: 10, seed, mode });
      const shown = describeReport(report);
      expect(report.violations, shown).toEqual([]);
      expect(report.counts.captures, shown).toBeGreaterThan(5);
      expect(report.counts.replays, shown).toBeGreaterThan(5);
      for (const point of points) expect(report.sometimes[point], shown).toBeGreaterThan(0);
    },
    withinMs,
  );
});
