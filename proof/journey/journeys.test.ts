// Every journey, one after the other, on one product that `npm start` has started. Some move the clock
// of the sandbox, which would end the sessions of others beside them.

import { describe } from 'vitest';
import { startJourneyOn } from './fixture.ts';

startJourneyOn(14700);

const journeys: Readonly<Record<string, () => Promise<unknown>>> = {
  'demo shop': () => import('./demo-shop.ts'),
  'saved cards': () => import('./saved-cards.ts'),
  coupons: () => import('./coupons.ts'),
  'two phases': () => import('./two-phases.ts'),
  wallet: () => import('./wallet.ts'),
  'browser library': () => import('./browser-library.ts'),
  'customer page': () => import('./customer-page.ts'),
  examples: () => import('./examples.ts'),
  seller: () => import('./seller.ts'),
};

// Each module declares its tests when it is loaded.
for (const [name, load] of Object.entries(journeys))
  describe(name, async () => void (await load()));
