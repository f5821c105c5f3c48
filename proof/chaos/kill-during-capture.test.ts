// A few kills of each sort; two hundred run in `npm run proof`. Layer Y4.

import { scaled } from '@svc/tools/machine';
import { describe, expect, it } from 'vitest';
import { describeReport } from './chaos-run.ts';
import { killDuringCapture } from './kill-during-capture.ts';

describe('kill -9 during captures, cancels, refunds and purchases', () => {
  it(
    'one effect, one event, every payment settled, every answer true; a process past its lease writes nothing',
    async () => {
      // Three random kills, one before the claim, one before the request, one during the provider's
      // call.
      const report = await killDuringCapture({
        kills: 6,
        seed: 1,
        mode: 'unguarded',
        processes: 2,
      });
      const shown = describeReport(report);
      expect(report.violations, shown).toEqual([]);
      expect(report.sometimes, shown).toMatchObject({ killed: 6, 'stopped past its lease': 1 });
      for (const name of ['captures', 'voids', 'refunds', 'replays', 'samples of transactions']) {
        expect(report.counts[name], `${name}\n${shown}`).toBeGreaterThan(0);
      }
    },
    scaled(90_000),
  );
});
