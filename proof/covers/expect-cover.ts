// What the tests of the random layers expect of their covers.

import { scaled } from '@svc/tools/machine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SeedFixture } from '../kit/run-seeds.ts';
import { runScenario, type ScenarioReport } from '../kit/scenario.ts';
import { readCover } from './cover.ts';
import { openScenario } from './fixtures.ts';

/** Runs every seed of the cover on the current sources, up to the first violation. */
export function runCover(name: string, fixture?: SeedFixture): Promise<ScenarioReport> {
  const { seeds } = readCover({ name });
  return runScenario(openScenario(name), {
    ...{ seeds, stopsAtFirst: true },
    ...(fixture && { fixture }),
  });
}

/** Describes a layer by its cover: no seed violates a guarantee, and every counter is met. */
export function describeCover(about: string, name: string, given: CoverTests): void {
  describe(about, () => {
    let fixture: SeedFixture;
    beforeAll(async () => {
      fixture = await openScenario(name).open();
    }, scaled(60_000));
    afterAll(() => fixture.close());

    it(
      given.guarantee,
      async () => {
        const { violations, never } = await runCover(name, fixture);
        expect(violations).toEqual([]);
        expect(never).toEqual([]);
      },
      scaled(120_000),
    );

    if (given.repeats)
      it(
        'the same seed gives the same schedule, whatever ran before it',
        () => expectSameTraces(name, fixture),
        scaled(60_000),
      );

    it.each(given.regressions ?? [])('seed %i: %s', async (seed) => {
      expect((await fixture.run(seed)).violations).toEqual([]);
    });
  });
}

type CoverTests = {
  readonly guarantee: string;
  /** True when a seed gives the same steps again. */
  readonly repeats?: boolean;
  /** Seeds that once showed a violation, and what they showed. */
  readonly regressions?: readonly (readonly [seed: number, showed: string])[];
};

/**
 * Expects that the first seeds, backwards, have the same traces on a new fixture as on one that has
 * run others.
 */
export async function expectSameTraces(name: string, fixture: SeedFixture): Promise<void> {
  const other = await openScenario(name).open();
  try {
    for (const seed of readCover({ name }).seeds.slice(0, 3).reverse()) {
      const { trace } = await other.run(seed);
      expect(trace?.length).toBeGreaterThan(10);
      expect((await fixture.run(seed)).trace).toEqual(trace);
    }
  } finally {
    await other.close();
  }
}
