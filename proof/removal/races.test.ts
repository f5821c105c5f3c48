import { scaled } from '@svc/tools/machine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCover } from '../covers/cover.ts';
import { runCover } from '../covers/run-cover.ts';
import type { SeedFixture } from '../kit/run-seeds.ts';
import { openRaces } from './run-races.ts';

let fixture: SeedFixture;
beforeAll(async () => {
  fixture = await openRaces();
}, scaled(60_000));
afterAll(() => fixture.close());

describe('races of removals', () => {
  it(
    'the cover, with payments, renewals, set-ups, defaults and each other: no card goes under what uses it',
    async () => {
      const { violations, never } = await runCover('removal-races', fixture);
      expect(violations).toEqual([]);
      expect(never).toEqual([]);
    },
    scaled(120_000),
  );

  it(
    'the same seed gives the same schedule, whatever ran before it',
    async () => {
      const other = await openRaces();
      try {
        for (const seed of readCover({ name: 'removal-races' }).seeds.slice(0, 2)) {
          const { trace } = await other.run(seed);
          expect(trace?.length).toBeGreaterThan(10);
          expect((await fixture.run(seed)).trace).toEqual(trace);
        }
      } finally {
        await other.close();
      }
    },
    scaled(60_000),
  );
});
