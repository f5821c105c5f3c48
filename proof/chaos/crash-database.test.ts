// The short form of the soak's database crashes, against each kind of provider. Layer Y5.

import { describe, expect, it } from 'vitest';
import { describeReport } from './chaos-run.ts';
import { crashDatabase, wantedOfCrashes } from './crash-database.ts';
import type { Mode } from './ground.ts';
import { untilMet } from './until-met.ts';

// Far more than it takes on two quiet cores: a busy machine is no violation.
const withinMs = 400_000;

describe('an immediate stop of the database under load', () => {
  it.concurrent.each<Mode>(['guarded', 'unguarded'])(
    '%s provider: nothing answered is lost, no process follows, all are ready again',
    async (mode) => {
      const { reports, unmet } = await untilMet(wantedOfCrashes, (seed) =>
        crashDatabase({ crashes: 6, seed, mode }),
      );
      const shown = reports.map(describeReport).join('\n');
      for (const { violations, counts } of reports) {
        expect(violations, shown).toEqual([]);
        expect(counts.captures, shown).toBeGreaterThan(5);
      }
      expect(unmet, shown).toEqual([]);
    },
    withinMs,
  );
});
