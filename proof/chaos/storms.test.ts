// The short form of the soak's storms. Layer Y6.

import { describe, expect, it } from 'vitest';
import { describeReport } from './chaos-run.ts';
import { rage, wantedOfStorms } from './storms.ts';
import { untilMet } from './until-met.ts';

// Far more than it takes on two quiet cores: a busy machine is no violation.
const withinMs = 400_000;

describe('storms at two processes of the service', () => {
  it(
    'one effect, one original, true answers for all; too many get 503 with Retry-After, never 500',
    async () => {
      const times = {
        'one key, 100 callers': 14,
        'one key, two bodies, 100 callers': 6,
        'capture against cancel, 20 callers': 60,
        'partial refunds, 50 at once': 2,
        'one session, 20 callers': 5,
        'more callers than can be served': 1,
        'a database that gives no connection': 1,
      };
      const { reports, unmet } = await untilMet(wantedOfStorms, (seed) =>
        rage({ seed, mode: 'unguarded', times }),
      );
      const shown = reports.map(describeReport).join('\n');
      for (const { violations } of reports) expect(violations, shown).toEqual([]);
      expect(unmet, shown).toEqual([]);
    },
    withinMs,
  );
});
