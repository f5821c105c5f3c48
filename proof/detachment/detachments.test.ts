import { scaled } from '@svc/tools/machine';
import { describe, expect, it } from 'vitest';
import { expectCover } from '../covers/expect-cover.ts';
import { replaySeed } from '../kit/scenario.ts';
import { detachments } from './scenario.ts';

describe('detachments with faults after every step', () => {
  it(
    'the cover: nothing depends on a removed card, a failure leaves it as it was, repeats end in 204',
    () => expectCover('detachments'),
    scaled(120_000),
  );

  it.each([80847, 82845])(
    'seed %i: who takes over while the default is given back verifies again',
    async (seed) => {
      expect((await replaySeed(detachments, seed)).violations).toEqual([]);
    },
    scaled(60_000),
  );
});
