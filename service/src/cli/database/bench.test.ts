// Tests of svc bench: a short run on the server of the tests, what is left after each kind of end, what is refused,
// and which rates are tried.

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scaled } from '@svc/tools/machine';
import { bareEnvironment } from '@svc/tools/test-database/bare-environment';
import { testCluster } from '@svc/tools/test-database/index';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runOn } from '../../../test/command-line.ts';
import { freshDatabase, type TestDatabase } from '../../../test/harness.ts';
import type { Ports } from '../../engine/ports.ts';
import { assertParts } from '../../start/bench/parts.ts';
import type { BenchRun, BenchStep } from '../line/command.ts';

const entry = join(import.meta.dirname, '../../svc.ts');
let db: TestDatabase;
let adminUrl = '';
beforeAll(async () => {
  db = await freshDatabase();
  adminUrl = (await testCluster()).url('postgres', 'postgres');
});
afterAll(() => db?.close());

async function asAdmin(text: string, url = adminUrl): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

const started: ReturnType<typeof spawn>[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

/** Starts the command; its processes inherit the mark. */
function start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const mark = `BENCH_TEST=${randomUUID()}`;
  const [name = '', value = ''] = mark.split('=');
  const child = spawn(process.execPath, [entry, 'bench', ...args], {
    cwd: tmpdir(),
    env: {
      ...bareEnvironment(),
      ...{ DATABASE_URL: db.url, DATABASE_ADMIN_URL: adminUrl, [name]: value, ...env },
    },
  });
  started.push(child);
  let [out, err] = ['', ''];
  child.stdout.on('data', (part) => {
    out += part;
  });
  child.stderr.on('data', (part) => {
    err += part;
  });
  const ended = once(child, 'close').then(([code]) => ({ code: code as number, out, err }));
  return { child, mark, ended, said: () => err };
}

/** The processes that run with this mark in their environment. */
const processesOf = (mark: string): string[] =>
  readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(mark);
    } catch {
      return false;
    }
  });

const listScratch = () =>
  asAdmin("select datname from pg_database where datname like 'svc\\_bench\\_%'");
const long = ['--provider', 'sandbox', '--rate', '5', '--seconds', '60'];
const short = ['--provider', 'sandbox', '--rate', '10', '--seconds', '2'];
/** A busy machine takes long to start what a bench starts. */
const patient = { timeout: scaled(60_000) };
const onLinux = process.platform === 'linux';

describe.runIf(onLinux)('svc bench', () => {
  it(
    'killed: its processes end by themselves, and the next run drops its database and leaves nothing',
    async () => {
      const killed = start(long);
      await expect.poll(() => processesOf(killed.mark).length, patient).toBe(4);
      killed.child.kill('SIGKILL');
      await expect.poll(() => processesOf(killed.mark), patient).toEqual([]);
      const sessions = "select from pg_stat_activity where datname like 'svc\\_bench\\_%'";
      await expect.poll(() => asAdmin(sessions), patient).toEqual([]);
      expect(await listScratch()).toHaveLength(1);

      const { ended, mark } = start([...short, '--json']);
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
      expect([await listScratch(), processesOf(mark)]).toEqual([[], []]);
      expect(await asAdmin('select from payments', db.ownerUrl)).toEqual([]);
    },
    scaled(180_000),
  );

  it(
    'Ctrl-C amid the purchases: 130, and nothing is left',
    async () => {
      const { child, ended, mark, said } = start(long);
      await expect.poll(said, patient).toContain('warmed up by');
      child.kill('SIGINT');
      expect(await ended).toMatchObject({
        ...{ code: 130, out: '' },
        err: expect.stringMatching(/\nsvc bench: broken off\n$/),
      });
      expect([await listScratch(), processesOf(mark)]).toEqual([[], []]);
    },
    scaled(120_000),
  );

  it('installation_live: live settings, and a database of live mode whatever the settings say', async () => {
    const bySetting = await start(short, { SVC_MODE: 'live' }).ended;
    expect(bySetting).toMatchObject({ code: 2, out: '' });
    expect(bySetting.err).toMatch(/^svc bench: installation_live: these settings are of a live /);
    const live = await freshDatabase();
    try {
      await asAdmin("update clock_shift set mode = 'live', is_live = true", live.ownerUrl);
      const { code, err } = await start(short, { DATABASE_URL: live.url }).ended;
      expect([code, err]).toEqual([
        2,
        expect.stringMatching(/installation_live: the database \w+ is/),
      ]);
    } finally {
      await live.close();
    }
    expect(await listScratch()).toEqual([]);
  });

  it('no_scratch_database: a role that may make no database', async () => {
    const { code, err } = await start(short, { DATABASE_ADMIN_URL: db.ownerUrl }).ended;
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
