// One storm of each kind; two hundred and forty run in `npm run proof`. Layer Y6.

import { scaled } from '@svc/tools/machine';
import { describe, expect, it } from 'vitest';
import { describeReport } from './chaos-run.ts';
import { runStorms, stormNames } from './storms.ts';

describe('storms at two processes of the service', () => {
  it(
    'one effect, one original, true answers for all; too many get 503 with Retry-After, never 500',
    async () => {
      const times = Object.fromEntries(stormNames.map((name) => [name, 1]));
      const report = await runStorms({ seed: 1, mode: 'unguarded', times });
      const shown = describeReport(report);
      expect(report.violations, shown).toEqual([]);
      for (const name of [
        ...stormNames,
        'refused for another body',
        'refund refused for want of money',
        'refused for want of a connection',
      ]) {
        expect(report.sometimes[name], `${name}\n${shown}`).toBeGreaterThan(0);
      }
    },
    scaled(90_000),
  );
});
