import { scaled } from '@svc/tools/machine';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { expectCover, expectSameTraces } from '../covers/expect-cover.ts';
import type { SeedFixture } from '../kit/run-seeds.ts';
import { openRaces } from './run-races.ts';

let fixture: SeedFixture;
beforeAll(async () => {
  fixture = await openRaces();
}, scaled(60_000));
afterAll(() => fixture.close());

describe('races of detachments', () => {
  it(
    'the cover, with payments, renewals, set-ups, defaults and each other: no card goes under what uses it',
    () => expectCover('detachment-races', fixture),
    scaled(120_000),
  );

  it(
    'the same seed gives the same schedule, whatever ran before it',
    () => expectSameTraces('detachment-races', fixture),
    scaled(60_000),
  );
});
