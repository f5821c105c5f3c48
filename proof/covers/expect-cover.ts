// What the tests of the random layers expect of their covers.

import { expect } from 'vitest';
import type { SeedFixture } from '../kit/run-seeds.ts';
import { readCover } from './cover.ts';
import { runCover } from './run-cover.ts';

/** Expects that no seed of the cover violates a guarantee, and that every counter is met. */
export async function expectCover(name: string, fixture?: SeedFixture): Promise<void> {
  const { violations, never } = await runCover(name, fixture);
  expect(violations).toEqual([]);
  expect(never).toEqual([]);
}

type Traced = { readonly fixture: SeedFixture; readonly open: () => Promise<SeedFixture> };

/** Expects that the first seeds have the same traces on a new fixture as on one that has run others. */
export async function expectSameTraces(name: string, { fixture, open }: Traced): Promise<void> {
  const other = await open();
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
