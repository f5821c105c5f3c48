import { scaled } from '@svc/tools/machine';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { expectCover, expectSameTraces } from '../covers/expect-cover.ts';
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
    () => expectCover('checkouts', fixture),
    scaled(120_000),
  );

  it(
    'the same seed gives the same schedule, whatever ran before it',
    () => expectSameTraces('checkouts', fixture),
    scaled(60_000),
  );
});
