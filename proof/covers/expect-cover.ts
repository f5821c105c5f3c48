// What the tests of the random layers expect of their covers.

import { expect } from 'vitest';
import type { SeedFixture } from '../kit/run-seeds.ts';
import { runScenario, type ScenarioReport } from '../kit/scenario.ts';
import { readCover } from './cover.ts';
import { findScenario } from './scenarios.ts';

/** Runs every seed of the cover on the current sources, up to the first violation. */
export function runCover(name: string, fixture?: SeedFixture): Promise<ScenarioReport> {
  const { seeds } = readCover({ name });
  return runScenario(findScenario(name), {
    ...{ seeds, size: 'few', stopsAtFirst: true },
    ...(fixture && { fixture }),
  });
}

/** Expects that no seed of the cover violates a guarantee, and that every counter is met. */
export async function expectCover(name: string, fixture?: SeedFixture): Promise<void> {
  const { violations, never } = await runCover(name, fixture);
  expect(violations).toEqual([]);
  expect(never).toEqual([]);
}

/** Expects that the first seeds have the same traces on a new fixture as on one that has run others. */
export async function expectSameTraces(name: string, fixture: SeedFixture): Promise<void> {
  const other = await findScenario(name).open('few');
  try {
    for (const seed of readCover({ name }).seeds.slice(0, 2)) {
      const { trace } = await other.run(seed);
      expect(trace?.length).toBeGreaterThan(10);
      expect((await fixture.run(seed)).trace).toEqual(trace);
    }
  } finally {
    await other.close();
  }
}
