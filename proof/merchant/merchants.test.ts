// Reliability E5 to E7 from the other end: a merchant behind an inbox, whatever befalls its deliveries
// and its processes. A thousand of them run in the soak.

import { describe, expect, it } from 'vitest';
import { runMerchants } from './run-merchants.ts';
import { wantedOfMerchants } from './wanted.ts';

describe('merchants behind an inbox', () => {
  it('end in the exact state of the service, each event applied once and in order', async () => {
    const { count, violations, sometimes } = await runMerchants({ count: 100, seed: 1 });
    expect(violations).toEqual([]);
    expect(count).toBe(100);
    // Ten stretches of life are too few for every deed; of faults there are hundreds.
    const faults = wantedOfMerchants.filter((what) => !what.startsWith('did: '));
    expect(Object.keys(sometimes)).toEqual(expect.arrayContaining(faults));
  }, 180_000);
});
