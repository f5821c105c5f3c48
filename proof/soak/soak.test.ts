// Proof and soak: what they are asked for, how they share out their work, and what they report.

import { describe, expect, it } from 'vitest';
import { layers, planTasks } from './layers.ts';
import { readOptions } from './options.ts';
import { describeShortRun, estimateDuration, problemsOf, table } from './report.ts';
import type { LayerReport } from './run-layer.ts';

const layerOf = (wanted: string) => {
  const found = layers.find(({ name }) => name === wanted);
  if (!found) throw new Error(wanted);
  return found;
};

describe('readOptions', () => {
  it('the long counts by default; a scale for all, a count for one', () => {
    expect(readOptions('soak', [], 5)).toMatchObject({
      seed: 5,
      minutes: null,
      counts: { schedules: 20_000, kills: 2000, crashes: 200 },
    });
    const { counts, only } = readOptions(
      'soak',
      ['--scale', '0.1', '--kills', '7', '--only', 'kills'],
      1,
    );
    expect(counts).toMatchObject({ schedules: 2000, kills: 7, crashes: 20 });
    expect(only).toEqual(['kills']);
    expect(readOptions('proof', ['release', 'operations'], 5).only).toEqual([
      'release',
      'operations',
    ]);
  });

  it('the proof: enough of every layer that each counter has to be seen', () => {
    const { counts } = readOptions('proof', [], 5);
    expect(counts).toMatchObject({ schedules: 2000, kills: 200, crashes: 24 });
    for (const { name, byDefault } of layers.filter(({ name }) => name !== 'properties')) {
      expect(counts[name], name).toBeGreaterThanOrEqual(byDefault.soak / 10);
    }
  });

  it.each([['--only', 'kils'], ['kils'], ['--kills', 'many'], ['--kill', '3']])(
    '%s %s is refused with the usage',
    (...args) => {
      expect(() => readOptions('soak', args, 1)).toThrow(/--crashes +database crashes \(200\)/);
    },
  );
});

describe('planTasks', () => {
  it('both kinds of provider, half each, every seed once', () => {
    const tasks = planTasks(layerOf('kills'), 601, 10).flat();
    expect(tasks.map(({ mode, count, seed }) => [mode, count, seed])).toEqual([
      ['guarded', 250, 10],
      ['guarded', 51, 260],
      ['unguarded', 250, 10],
      ['unguarded', 50, 260],
    ]);
  });

  it('side by side: a task of each kind at a time', () => {
    const rows = planTasks(layerOf('schedules'), 1500, 1);
    expect(rows.map((row) => row.map(({ mode, count }) => `${mode} ${count}`))).toEqual([
      ['guarded 500', 'unguarded 500'],
      ['guarded 250', 'unguarded 250'],
    ]);
  });
});

describe('the report', () => {
  const report: LayerReport = {
    ...{ layer: 'kills', id: 'Y4', counts: 'kills', wanted: 200, done: 199, seconds: 4.5 },
    ...{ violations: ['M1 twice'], never: ['takeovers'], sometimes: { takeovers: 0 } },
    commands: ['svc audit: 32 invariants over 4 payments: 0 violations'],
    notRun: undefined,
  };

  it('a violation and a counter at zero are problems', () => {
    expect(problemsOf(report)).toEqual(['Y4 kills: M1 twice', 'Y4 kills: never seen: takeovers']);
  });

  it('too few to come across a counter: said so, and no problem; a violation is one at any count', () => {
    const short = { ...report, wanted: 199, done: 199 };
    expect(problemsOf(short)).toEqual(['Y4 kills: M1 twice']);
    expect(describeShortRun(short)).toBe(
      'Y4: 199 kills are too few to judge, 200 are enough; not seen: takeovers',
    );
    expect(describeShortRun(report)).toBeUndefined();
    expect(describeShortRun({ ...short, never: [] })).toBeUndefined();
  });

  it('what the machine could not run is told as not run, and is no problem', () => {
    const nothing = {
      ...report,
      layer: 'browsers',
      id: 'B',
      counts: 'test files in other browsers',
    } as const;
    const absent = {
      ...nothing,
      wanted: 40,
      done: 0,
      violations: [],
      never: [],
      notRun: 'no Firefox here',
    };
    expect(problemsOf(absent)).toEqual([]);
    expect(describeShortRun(absent)).toBe(
      'B: 40 test files in other browsers were not run: no Firefox here',
    );
    expect(table([absent])).toMatch(/\nB +test files in other browsers +0 +40 /);
  });

  it('shows what was reached, and what the commands said', () => {
    expect(table([report])).toMatch(
      /^layer +what +done +of .*\nY4 +kills +199 +200 +1 +1 +4\.5\nY4 svc/,
    );
  });

  it('estimates in words', () => {
    expect(estimateDuration([{ layer: layerOf('kills'), count: 30 }])).toBe('30 s');
    expect(estimateDuration([{ layer: layerOf('kills'), count: 18_000 }])).toBe('5.0 h');
  });
});
