// Tests of svc bench: what is refused, and which rates are tried. Its runs: bench-run.test.ts.

import { describe, expect, it } from 'vitest';
import { benchTest, shortBench } from '../../../test/bench-command.ts';
import { runOn } from '../../../test/command-line.ts';
import { freshDatabase } from '../../../test/harness.ts';
import type { Ports } from '../../engine/ports.ts';
import { assertParts } from '../../start/stage/parts.ts';
import type { BenchRun } from '../line/command.ts';

const test = benchTest();

describe.runIf(process.platform === 'linux')('svc bench', () => {
  it('installation_live: live settings, and a database of live mode whatever the settings say', async () => {
    const bySetting = await test.start(shortBench, { SVC_MODE: 'live' }).ended;
    expect(bySetting).toMatchObject({ code: 2, out: '' });
    expect(bySetting.err).toMatch(/^svc bench: installation_live: these settings are of a live /);
    const live = await freshDatabase();
    try {
      await test.asAdmin("update clock_shift set mode = 'live', is_live = true", live.ownerUrl);
      const { code, err } = await test.start(shortBench, { DATABASE_URL: live.url }).ended;
      expect([code, err]).toEqual([
        2,
        expect.stringMatching(/installation_live: the database \w+ is/),
      ]);
    } finally {
      await live.close();
    }
  });

  it('no_scratch_database: a role that may make no database', async () => {
    const { code, err } = await test.start(shortBench, { DATABASE_ADMIN_URL: test.ownerUrl() })
      .ended;
    expect([code, err]).toEqual([2, expect.stringMatching(/^svc bench: no_scratch_database: /)]);
  });
});

describe('svc bench, its arguments', () => {
  it.each([
    [['--rate', '5'], /say whom it may call: --provider sandbox/],
    [['--provider', 'cardprovider'], /provider_not_sandbox: a load is never sent to cardprovider/],
    [['--provider', 'sandbox', '--rate', '2000', '--seconds', '60'], /at most 60000 purchases/],
    [['--provider', 'sandbox', '--seconds', '0'], /--seconds is a number from 1 to 600/],
  ])('%j is refused before anything is started', async (args, said) => {
    const ran = await runOn({} as Ports, ['bench', ...args]);
    expect(ran).toMatchObject({ code: 2, out: '', err: expect.stringMatching(said) });
  });

  it('part_missing: an installation without the card form', () => {
    expect(() => assertParts(['vault'], '/nonexistent')).toThrow(
      'part_missing: the card form is not installed beside this command (Debian: apt-get install svc-vault)',
    );
  });
});

/** A machine that keeps rates up to the given one; at a higher one its captures take 40 ms. */
async function climbOn(most: number, args: readonly string[] = []) {
  const asked: number[] = [];
  const run: BenchRun = {
    about: {
      ...{ server: '18.4', sharedBuffers: '1GB', isDurable: true, hasSynchronousStandby: false },
      ...{ cpus: 2, memoryBytes: 2 ** 32, processes: 1, warmedUpBy: 1500 },
    },
    async step(rate, seconds) {
      asked.push(rate);
      const p99 = rate > most ? 40 : 8;
      return {
        ...{ rateAsked: rate, rateReached: rate, purchases: rate * seconds, failed: {} },
        captureMs: { p50: 4, p95: 6, p99 },
        cpuMs: { service: 2.5, cardForm: 0.5, database: 2, provider: 1, load: 1 },
      };
    },
    growth: async () => ({ databaseBytes: 14_000, logBytes: 20_000 }),
  };
  const ran = await runOn({} as Ports, ['bench', '--provider', 'sandbox', ...args], {
    bench: () => (_, work) => work(run),
  });
  return { ...ran, asked };
}

describe('svc bench, its rates', () => {
  it('doubles the rate until it is not kept, then halves the gap twice', async () => {
    const { asked, code, out } = await climbOn(110);
    expect(asked).toEqual([20, 40, 80, 160, 120, 100]);
    expect(code).toBe(0);
    expect(out).toMatch(/^100 +100\.0 +4\.0 +6\.0 +8\.0 +0 +2\.50 +0\.50 +2\.00 +121\.0 GB$/m);
    expect(out).toContain('a payment: 14.0 kB of the database, 20.0 kB of its log\n');
    expect(out).toContain('highest rate kept with p99 under 25 ms: 100 a second\n');
    expect(out).not.toContain('only');
  });

  it('goes below the first rate where that is too much, and exits with 1 where none is kept', async () => {
    expect(await climbOn(6)).toMatchObject({ asked: [20, 10, 5], code: 0 });
    expect(await climbOn(1)).toMatchObject({ asked: [20, 10, 5], code: 1 });
  });

  it('begins no rate that would take it over 60000 purchases', async () => {
    const { asked } = await climbOn(2000, ['--seconds', '60']);
    expect(asked).toEqual([20, 40, 80, 160, 320]);
  });

  it('one rate: 0 where it is kept, else 1', async () => {
    expect(await climbOn(40, ['--rate', '40'])).toMatchObject({ asked: [40], code: 0 });
    expect(await climbOn(39, ['--rate', '40'])).toMatchObject({ asked: [40], code: 1 });
  });

  it('says where too few purchases were made for a figure', async () => {
    const { out } = await climbOn(40, ['--rate', '40', '--seconds', '20']);
    expect(out).toContain('only 800 purchases: a payment takes less than is said here\n');
  });
});
