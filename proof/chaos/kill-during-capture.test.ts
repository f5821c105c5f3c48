// The short form of the soak's kills, against each kind of provider. Layer Y4.

import { describe, expect, it } from 'vitest';
import { describeReport } from './chaos-run.ts';
import type { Mode } from './ground.ts';
import { killDuringCapture, wantedOfKills } from './kill-during-capture.ts';
import { untilMet } from './until-met.ts';

// Far more than it takes on two quiet cores: a busy machine is no violation.
const withinMs = 400_000;

describe('kill -9 during captures, cancels, refunds and purchases', () => {
  it.concurrent.each<Mode>(['guarded', 'unguarded'])(
    '%s provider: one effect, one event, every payment settled, every answer true',
    async (mode) => {
      const { reports, unmet } = await untilMet(wantedOfKills, (seed) =>
        killDuringCapture({ kills: 12, seed, mode, processes: 2 }),
      );
      const shown = reports.map(describeReport).join('\n');
      for (const { violations, counts } of reports) {
        expect(violations, shown).toEqual([]);
        for (const name of ['captures', 'voids', 'refunds', 'replays', 'samples of transactions']) {
          expect(counts[name], `${name}\n${shown}`).toBeGreaterThan(5);
        }
      }
      expect(unmet, shown).toEqual([]);
    },
    withinMs,
  );
});
