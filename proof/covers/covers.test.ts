// The covers are up to date: each knows the counters and the planted faults of its layer, and no others.

import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runSeeds, type SeedRun, seedsFrom } from '../kit/run-seeds.ts';
import {
  describeFailure,
  type OpenScenario,
  replaySeed,
  runScenario,
  seedsOf,
} from '../kit/scenario.ts';
import { plantedFaults } from '../planted-faults/faults.ts';
import { type Cover, chooseSeeds, demandedOf, findStale, readCover } from './cover.ts';
import { faultsOf, findScenario, isCaughtBy, scenarios } from './scenarios.ts';

describe('each cover', () => {
  it.each(scenarios)('$name: meets what its layer must, and holds its planted faults', (layer) => {
    expect(
      findStale(readCover(layer), demandedOf(layer)),
      `write it afresh: node proof/covers/main.ts --write ${layer.name}`,
    ).toEqual([]);
  });

  it('has a layer, and each layer one', () => {
    const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.json'));
    expect(files.sort()).toEqual(scenarios.map(({ name }) => `${name}.json`).sort());
  });

  it('every planted fault of a random layer is in one', () => {
    const random =
      /^(simulation |detachments$|detachment races$|proof\/(model|checkout|merchant|revocation|webhooks)\/)/;
    const known = new Set(scenarios.flatMap((layer) => faultsOf(layer)));
    const homeless = plantedFaults.filter((one) => random.test(one.suite) && !known.has(one));
    expect(homeless.map(({ name }) => name)).toEqual([]);
  });
});

describe('staleIn', () => {
  const cover: Cover = { seeds: [3, 8], counters: { won: 5, lost: 9 }, faults: { slip: 8 } };
  const demanded = { counters: ['won', 'lost'], faults: ['slip'], leastMet: 5 };

  it('a cover of today is not stale', () => {
    expect(findStale(cover, demanded)).toEqual([]);
  });

  it.each([
    ['a new counter', { ...demanded, counters: ['won', 'lost', 'drawn'] }, 'counter "drawn"'],
    ['a counter that is gone', { ...demanded, counters: ['won'] }, '"lost", which is gone'],
    ['a new planted fault', { ...demanded, faults: ['slip', 'trip'] }, 'planted fault "trip"'],
    ['a planted fault that is gone', { ...demanded, faults: [] }, '"slip", which is gone'],
  ])('%s makes it stale', (_, today, says) => {
    expect(findStale(cover, today)).toEqual([expect.stringContaining(says)]);
  });

  it.each([
    ['a counter met too seldom', { ...cover, counters: { won: 4, lost: 9 } }, '"won" 4 times'],
    ['a seed of a fault that is not run', { ...cover, seeds: [3] }, 'does not run seed 8'],
  ])('%s is said', (_, written, says) => {
    expect(findStale(written, demanded)).toEqual([expect.stringContaining(says)]);
  });

  it('a counter planted in a real layer is seen', () => {
    const layer = findScenario('checkouts');
    const wanted = [...layer.wanted, 'a comet fell on the page'];
    expect(findStale(readCover(layer), demandedOf({ ...layer, wanted }))).toEqual([
      'does not know the counter "a comet fell on the page"',
    ]);
  });
});

describe('chooseSeeds', () => {
  it('takes the seed that brings most until each counter is met often enough', () => {
    const met = [
      { seed: 1, seconds: 1, sometimes: { won: 3 } },
      { seed: 2, seconds: 1, sometimes: { won: 3, lost: 4 } },
      { seed: 3, seconds: 1, sometimes: { won: 9, lost: 4 } },
      { seed: 4, seconds: 1, sometimes: { other: 80 } },
    ];
    expect(chooseSeeds(met, { wanted: ['won', 'lost'], leastMet: 5 })).toEqual({
      seeds: [3, 2],
      counters: { lost: 8, won: 12 },
    });
  });

  it('says how often a counter is met that all seeds together meet too seldom', () => {
    const met = [{ seed: 7, seconds: 1, sometimes: { won: 2 } }];
    const { seeds, counters } = chooseSeeds(met, { wanted: ['won', 'lost'], leastMet: 3 });
    expect(seeds).toEqual([7]);
    expect(counters).toEqual({ won: 2, lost: 0 });
  });

  it('takes several fast seeds before a slow one that brings more', () => {
    const met = [
      { seed: 1, seconds: 30, sometimes: { won: 2, lost: 2 } },
      { seed: 2, seconds: 1, sometimes: { won: 2 } },
      { seed: 3, seconds: 1, sometimes: { lost: 2 } },
    ];
    const { seeds } = chooseSeeds(met, { wanted: ['won', 'lost'], leastMet: 2 });
    expect(seeds).toEqual([2, 3]);
  });
});

describe('isCaughtBy', () => {
  const fault = { name: 'a', changes: [], suite: 'x.test.ts' };

  it('by its rules where its title names them, by any violation where it does not', () => {
    const ofRules = { ...fault, caughtBy: /E8, E9: are attempted/ };
    expect(isCaughtBy(ofRules, 'seed 4: E9 twice at once')).toBe(true);
    expect(isCaughtBy(ofRules, 'seed 4: E7 out of order')).toBe(false);
    expect(isCaughtBy({ ...fault, caughtBy: /no charge/ }, 'M12: asked')).toBe(true);
  });

  it('by its words where its suite is no test file', () => {
    const ofWords = { ...fault, suite: 'detachments', caughtBy: /^P5: / };
    expect(isCaughtBy(ofWords, 'P5: detached')).toBe(true);
    expect(isCaughtBy(ofWords, 'P2: detached')).toBe(false);
  });
});

describe('runSeeds', () => {
  const calm: SeedRun = { violations: [], sometimes: { won: 1 } };
  const fixtureOf = (run: (seed: number) => Promise<SeedRun>, closed: string[] = []) => ({
    run,
    judge: async () => ['after all of them'],
    close: async () => void closed.push('closed'),
  });

  it('adds up what the seeds met and judges what they left', async () => {
    const closed: string[] = [];
    const report = await runSeeds(async () => fixtureOf(async () => calm, closed), {
      ...{ seeds: seedsFrom(4, 3, 10), lanes: 2 },
    });
    expect(report).toEqual({
      count: 3,
      violations: ['after all of them', 'after all of them'],
      sometimes: { won: 3 },
    });
    expect(closed).toHaveLength(2);
  });

  it('ends at the first violation where one is enough', async () => {
    const run = async (seed: number) => (seed === 2 ? { ...calm, violations: ['M1 twice'] } : calm);
    const options = { seeds: seedsFrom(1, 9), stopsAtFirst: true };
    const { count, violations } = await runSeeds(async () => fixtureOf(run), options);
    expect([count, violations[0]]).toEqual([2, 'seed 2: M1 twice']);
  });

  it('a seed that throws is a violation, and nothing goes on on its fixture', async () => {
    const closed: string[] = [];
    const run = () => Promise.reject(new Error('no rest'));
    const report = await runSeeds(async () => fixtureOf(run, closed), { seeds: [5, 6] });
    expect(report.violations[0]).toMatch(/^seed 5: it threw Error: no rest/);
    expect([report.count, closed]).toEqual([1, ['closed']]);
  });
});

describe('runScenario', () => {
  const opened: (number | undefined)[] = [];
  const scenario: OpenScenario = {
    ...{ name: 'tosses', suite: 'tosses', scanned: 1, most: 1, perSeed: 10 },
    ...{ wanted: ['won', 'lost', 'drawn'], wantedOfCover: ['won', 'lost'] },
    async open(runs) {
      opened.push(runs);
      const run = async (seed: number) => ({ violations: [], sometimes: { won: seed } });
      return { run, close: async () => undefined };
    },
  };

  it('names the counters that a cover, or many seeds, have not met', async () => {
    const seeds = seedsOf(scenario, 5, 25);
    expect(seeds).toEqual([5, 15, 25]);
    const cover = await runScenario(scenario, { seeds });
    const many = await runScenario(scenario, { seeds, runs: 25 });
    expect([cover.never, many.never]).toEqual([['lost'], ['lost', 'drawn']]);
    expect(opened).toEqual([undefined, 25]);
  });

  it('a failing seed is told with its steps and the command that runs it again', () => {
    const run = { violations: ['M1 twice'], trace: ['a: won'], sometimes: {}, runs: 25 };
    expect(describeFailure(scenario, 15, run)).toBe(
      'tosses, seed 15\n  M1 twice\n  a: won\n  replay: npm run seeds -- tosses --seed 15 --many\n',
    );
  });

  it('a seed that throws when it is run again is a violation', async () => {
    const run = () => Promise.reject(new Error('no rest'));
    const open = async () => ({ run, close: async () => undefined });
    const { violations } = await replaySeed({ ...scenario, open }, 7);
    expect(violations[0]).toMatch(/^it threw Error: no rest/);
  });
});
