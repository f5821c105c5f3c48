// Reliability E5 to E7 for the receiving side: a merchant with an inbox, whatever happens to its
// deliveries and its processes. The cover runs here; a hundred merchants in `npm run proof`, a
// thousand in the soak.

import { describeCover } from '../covers/expect-cover.ts';

describeCover('merchants behind an inbox', 'merchants', {
  guarantee: 'end in the exact state of the service, each event applied once and in order',
});
