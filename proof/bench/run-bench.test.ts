// The whole bench in a minute: every row is filled, and every capture of it is a payment with its event.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openClosers } from './load/closers.ts';
import { readOptions } from './options.ts';
import { canMeasure } from './processor.ts';
import type { BenchResult } from './report.ts';
import { report } from './report.ts';
import { runBench } from './run-bench.ts';

describe.runIf(canMeasure)('npm run bench, in small', () => {
  const closers = openClosers();
  const said: string[] = [];
  let result: BenchResult;
  beforeAll(async () => {
    const options = readOptions(['--quick', '--rounds', '1']);
    // Has a test of its own, because it needs a browser and everything that `npm start` starts.
    const measured = options.only.filter((name) => name !== 'page');
    const only = [...measured, 'smallest'] as const;
    const counts = { starts: 1, captures: 100, deliveries: 200, burst: 40, purchaseSeconds: 1 };
    const small = { segmentMs: 250, warmMs: 150, ...counts };
    result = await runBench({ ...options, ...small, only }, closers, (line) => said.push(line));
    // Far more than two quiet cores need, so that a busy machine is no failure.
  }, 240_000);
  afterAll(() => closers.close());

  it('fills every row', () => {
    expect(result.measures.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        ...['capture-32', 'capture-128', 'capture-sandbox'],
        ...['session', 'session-128', 'shell', 'shell-128', 'read', 'auth'],
      ]),
    );
    for (const { name, rounds } of result.measures) {
      expect(rounds, name).toHaveLength(1);
      const limits = rounds.map(({ limit }) => limit);
      for (const sample of [...limits, ...rounds.map(({ ours }) => ours)]) {
        expect(sample.failed, `${name}: ${sample.firstFailure}`).toBe(0);
        // pgbench stops after a second, whatever it has done; the others finish what they have
        // begun.
        if (name === 'capture-pgbench' && !limits.includes(sample)) continue;
        expect(sample.succeeded, name).toBeGreaterThan(0);
        expect(sample.perSecond, name).toBeGreaterThan(0);
      }
    }
    // Counted in ticks of 10 ms, of which a short run on a busy machine may see none.
    const used = result.measures.flatMap(({ rounds }) => rounds.map(({ ours }) => ours.postgresUs));
    expect(Math.max(...used)).toBeGreaterThan(0);
    expect(result.starts).toEqual([{ oursMs: expect.any(Number), bareMs: expect.any(Number) }]);
    expect(result.memoryMb?.afterLoad).toBeGreaterThan(0);
    expect(said).toContainEqual(expect.stringContaining('round 1/1'));
    expect(result.latency).toHaveLength(3);
    for (const added of result.latency.flatMap(({ rounds }) => rounds.flatMap(Object.values))) {
      expect(added.answered).toBeGreaterThan(0);
      expect(added.addedP50Ms).toBeGreaterThan(0);
    }
    expect(result.memory.at(-1)?.captures).toBe(100);
    expect(report(result)).toMatch(/check of the token: \d+\.\d\d of the rate without, [+-]\d/);
    expect(report(result)).toMatch(/capture, 128 in flight +[\d ]+\d +[\d ]+\d +\d+\.\d\d/);
  });

  it.each(['stub', 'sandbox'] as const)(
    'every capture of ours at the %s is a succeeded payment with its event',
    (kind) => {
      const found = result.audits[kind];
      const answered = found?.answered;
      expect(answered).toBeGreaterThan(0);
      const all = { captured: answered, events: answered, operations: answered, asked: answered };
      expect(found).toMatchObject(all);
    },
  );

  it('burst: each captured once, none refused, buyers pay beside it', () => {
    const [round] = result.burst;
    expect(round).toMatchObject({ captures: 40, captured: 40, failed: 0, refused: 0 });
    expect(round?.allMs).toBeGreaterThan(0);
    expect(round?.beside.bought).toBeGreaterThan(0);
    expect(report(result)).toContain('captured 100.0 %, the last after');
  });

  it('smallest: purchases within the limits of CPU and memory, or why there are none', () => {
    const { smallest } = result;
    if (smallest && 'skipped' in smallest) return expect(smallest.skipped).toContain('need root');
    const [round] = smallest?.rounds ?? [];
    expect(round).toMatchObject({ rateAsked: 20, failed: {} });
    expect(round?.captureMs?.p99).toBeGreaterThan(0);
    expect(round?.mostMb).toBeLessThanOrEqual(512);
    expect(report(result)).toContain('20 whole purchases a second');
  });

  it('deliveries: each row filled, each delivery recorded once', () => {
    const { rates, lateMs = [], dead } = result.deliveries ?? {};
    expect(rates?.[0]?.ours).toBeGreaterThan(0);
    expect(rates?.[0]?.loop).toBeGreaterThan(0);
    expect(lateMs).toHaveLength(200);
    expect(Math.min(...lateMs)).toBeGreaterThan(0);
    expect(dead?.[0]?.beside).toBeGreaterThan(0);
    expect(report(result)).toContain('not compared with pg-boss, graphile-worker: not found');
  });
});

it.runIf(canMeasure)(
  'npm run bench -- growth: each question, write and comparison at each size',
  async () => {
    const main = new URL('./dashboard/main.ts', import.meta.url).pathname;
    const sizes = ['--rows', '200', '--rows', '400'];
    const args = ['growth', ...sizes, '--quick', '--times', '2', '--only', 'totals'];
    const { stdout } = await promisify(execFile)(process.execPath, [main, ...args]);
    expect(stdout).toMatch(/^totals of a month +\d+\.\d +\d+\.\d +\d+\.\d +\d+\.\d +\d+\.\d\d/m);
    for (const rows of [200, 400]) {
      expect(stdout).toContain(`${rows} purchases, reconcile, second run`);
      for (const name of ['capture, one at a time', 'session, 32 in flight']) {
        expect(stdout).toMatch(new RegExp(`^${name} +${rows}  p50 +\\d`, 'm'));
      }
    }
  },
  240_000,
);
