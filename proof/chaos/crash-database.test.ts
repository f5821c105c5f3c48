// Two crashes of the database; two dozen run in `npm run proof`. Layer Y5.

import { scaled } from '@svc/tools/machine';
import { describe, expect, it } from 'vitest';
import { describeReport } from './chaos-run.ts';
import { crashDatabase } from './crash-database.ts';

describe('an immediate stop of the database under load', () => {
  it(
    'nothing answered is lost, no process follows, all are ready again',
    async () => {
      const report = await crashDatabase({ crashes: 2, seed: 1, mode: 'unguarded' });
      const shown = describeReport(report);
      expect(report.violations, shown).toEqual([]);
      expect(report.sometimes, shown).toMatchObject({ 'the database crashed': 2 });
      for (const name of ['not ready without a database', 'ready again']) {
        expect(report.sometimes[name], `${name}\n${shown}`).toBeGreaterThan(1);
      }
      expect(report.counts.captures, shown).toBeGreaterThan(0);
    },
    scaled(90_000),
  );
});
