// The requirements on every provider adapter, run against the provider's sandbox. The test titles
// are the rows of the classification (Reliability §4.3). Operations can rely on an adapter that
// passes: it never throws, never reports an open outcome as refused, and sends keys unchanged.

import { afterAll, afterEach, beforeAll, describe, expect, vi } from 'vitest';
import {
  describeAuthorize,
  describeGuardedAuthorize,
  describeTroubledAuthorize,
} from './conformance/authorize.ts';
import { asking, type ProviderBench } from './conformance/bench.ts';
import {
  describeCapture,
  describeEnd,
  describeGuardedEnds,
  describeLostEnd,
  describeRetrieve,
  ends,
} from './conformance/holds.ts';
import { describeSaved } from './conformance/saved.ts';

/**
 * Declares the suite for one adapter. `isGuarded` means that the provider refuses by state, as real
 * ones do; a provider that executes every new key reveals mistakes with keys that the guard would
 * hide.
 */
export function describeProvider(
  name: string,
  open: () => Promise<ProviderBench>,
  { isGuarded }: { isGuarded: boolean },
): void {
  describe(name, () => {
    let bench: ProviderBench;
    beforeAll(async () => {
      bench = await open();
      // The first call of a cold process may take longer than a test waits.
      const warmUp = async () =>
        expect(await bench.provider.retrieve('pi_none')).toMatchObject({ kind: 'missing' });
      await vi.waitFor(warmUp, { timeout: 20_000 });
    }, 30_000);
    afterEach(() => bench.clearFaults());
    afterAll(() => bench?.close());
    const ask = () => asking(bench);

    describe('authorize', () => {
      describeAuthorize(ask);
      describeTroubledAuthorize(ask);
      if (isGuarded) describeGuardedAuthorize(ask);
    });
    describe('authorize with a card that is kept', () => describeSaved(ask));
    describe.each(ends)('%s', (kind, end) => {
      describeEnd(ask, kind, end);
      describeLostEnd(ask, kind, end);
    });
    describe('capture', () => describeCapture(ask));
    if (isGuarded) describe('capture and cancel, refused by state', () => describeGuardedEnds(ask));
    describe('retrieve', () => describeRetrieve(ask));
  });
}
