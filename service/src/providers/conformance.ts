// The requirements on every provider adapter, run against the provider's sandbox. The test titles
// are the rows of the classification (Reliability §4.3). Operations can rely on an adapter that
// passes: it never throws, never reports an open outcome as refused, and sends keys unchanged.

import { afterAll, afterEach, beforeAll, describe, expect, vi } from 'vitest';
import {
  describeAuthorize,
  describeGuardedAuthorize,
  describeTroubledAuthorize,
} from './conformance/authorize.ts';
import { openBenchCalls, type ProviderFixture } from './conformance/bench.ts';
import {
  describeCapture,
  describeEnd,
  describeGuardedEnds,
  describeLostEnd,
  describeRetrieve,
  holdEnds,
} from './conformance/holds.ts';
import { describeSaved } from './conformance/saved.ts';

/**
 * Declares the suite for one adapter. `isGuarded` means that the provider refuses by state, as real
 * ones do; a provider that executes every new key reveals mistakes with keys that the guard would
 * hide.
 */
export function describeProvider(
  name: string,
  open: () => Promise<ProviderFixture>,
  { isGuarded }: { isGuarded: boolean },
): void {
  describe(name, () => {
    let bench: ProviderFixture;
    beforeAll(async () => {
      bench = await open();
      // The first call of a cold process may take longer than a test waits.
      const warmUpProvider = async () =>
        expect(await bench.provider.retrieve('pi_none')).toMatchObject({ kind: 'missing' });
      await vi.waitFor(warmUpProvider, { timeout: 20_000 });
    }, 30_000);
    afterEach(() => bench.clearFaults());
    afterAll(() => bench?.close());
    const openCalls = () => openBenchCalls(bench);

    describe('authorize', () => {
      describeAuthorize(openCalls);
      describeTroubledAuthorize(openCalls);
      if (isGuarded) describeGuardedAuthorize(openCalls);
    });
    describe('authorize with a card that is kept', () => describeSaved(openCalls));
    describe.each(holdEnds)('%s', (kind, end) => {
      describeEnd(openCalls, kind, end);
      describeLostEnd(openCalls, kind, end);
    });
    describe('capture', () => describeCapture(openCalls));
    if (isGuarded)
      describe('capture and cancel, refused by state', () => describeGuardedEnds(openCalls));
    describe('retrieve', () => describeRetrieve(openCalls));
  });
}
