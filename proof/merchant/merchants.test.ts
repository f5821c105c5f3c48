// Reliability E5 to E7 for the receiving side: a merchant with an inbox, whatever happens to its
// deliveries and its processes. The cover runs here; a hundred merchants in `npm run proof`, a
// thousand in the soak.

import { scaled } from '@svc/tools/machine';
import { describe, it } from 'vitest';
import { expectCover } from '../covers/expect-cover.ts';

describe('merchants behind an inbox', () => {
  it(
    'end in the exact state of the service, each event applied once and in order',
    () => expectCover('merchants'),
    scaled(120_000),
  );
});
