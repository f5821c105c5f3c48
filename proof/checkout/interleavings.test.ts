import { scaled } from '@svc/tools/machine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCover } from '../covers/cover.ts';
import { runCover } from '../covers/run-cover.ts';
import type { SeedFixture } from '../kit/run-seeds.ts';
import { openInterleavings } from './run-interleavings.ts';

let fixture: SeedFixture;
beforeAll(async () => {
  fixture = await openInterleavings();
}, scaled(60_000));
afterAll(() => fixture.close());

describe('interleavings of a checkout', () => {
  it(
    'the cover: no charge without a settled claim, at most one live payment per session',
    async () => {
      const { violations, never } = await runCover('checkouts', fixture);
      expect(violations).toEqual([]);
      expect(never).toEqual([]);
    },
    scaled(120_000),
  );

  it(
    'the same seed gives the same schedule, whatever ran before it',
    async () => {
      const other = await openInterleavings();
      try {
        for (const seed of readCover({ name: 'checkouts' }).seeds.slice(0, 2)) {
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
