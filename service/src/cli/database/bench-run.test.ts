// Runs of svc bench beside the server of the tests, and what is left after each kind of end.

import { scaled } from '@svc/tools/machine';
import { describe, expect, it } from 'vitest';
import { benchTest, longBench, processesOf, shortBench } from '../../../test/bench-command.ts';
import type { BenchRun, BenchStep } from '../line/command.ts';

const test = benchTest();
/** A busy machine takes long to start what a bench starts. */
const patient = { timeout: scaled(60_000) };

describe.runIf(process.platform === 'linux')('svc bench', () => {
  it(
    'killed: its processes end by themselves, and the next run drops its database and leaves nothing',
    async () => {
      const killed = test.start(longBench);
      await expect.poll(() => processesOf(killed.mark).length, patient).toBe(4);
      killed.child.kill('SIGKILL');
      await expect.poll(() => processesOf(killed.mark), patient).toEqual([]);
      const sessions = "select from pg_stat_activity where datname like 'svc\\_bench\\_%'";
      await expect.poll(() => test.asAdmin(sessions), patient).toEqual([]);
      expect(await test.listScratch()).toHaveLength(1);

      const { ended, mark } = test.start([...shortBench, '--json']);
      const { code, out, err } = await ended;
      expect([code <= 1, err]).toEqual([true, '']);
      const { about, steps, growth } = JSON.parse(out) as BenchRun & {
        about: BenchRun['about'];
        steps: BenchStep[];
        growth: { databaseBytes: number; logBytes: number };
      };
      expect(about).toMatchObject({ processes: 1, isDurable: false });
      expect(about.warmedUpBy).toBeGreaterThan(0);
      const [{ rateAsked, purchases, failed, captureMs, cpuMs }] = steps as [BenchStep];
      // A busy machine sheds some of them.
      const refused = Object.values(failed).reduce((sum, count) => sum + count, 0);
      expect([rateAsked, purchases > 0, purchases + refused]).toEqual([10, true, 20]);
      expect(captureMs?.p50).toBeGreaterThan(0);
      expect(captureMs?.p99).toBeGreaterThanOrEqual(captureMs?.p95 ?? Number.NaN);
      for (const each of ['service', 'database', 'load'] as const) {
        expect([each, (cpuMs[each] ?? -1) > 0]).toEqual([each, true]);
      }
      expect(growth.databaseBytes).toBeGreaterThan(4000);
      expect(growth.logBytes).toBeGreaterThan(4000);
      expect([await test.listScratch(), processesOf(mark)]).toEqual([[], []]);
      expect(await test.asAdmin('select from payments', test.ownerUrl())).toEqual([]);
    },
    scaled(180_000),
  );

  it(
    'Ctrl-C amid the purchases: 130, and nothing is left',
    async () => {
      const { child, ended, mark, said } = test.start(longBench);
      await expect.poll(said, patient).toContain('warmed up by');
      child.kill('SIGINT');
      expect(await ended).toMatchObject({
        ...{ code: 130, out: '' },
        err: expect.stringMatching(/\nsvc bench: broken off\n$/),
      });
      expect([await test.listScratch(), processesOf(mark)]).toEqual([[], []]);
    },
    scaled(120_000),
  );
});
