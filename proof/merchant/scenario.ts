// Merchants behind an inbox, as data: what must happen among a number of them, or they prove too little.

import type { Scenario } from '../kit/scenario.ts';

export const merchants: Scenario = {
  name: 'merchants',
  suite: 'proof/merchant/merchants.test.ts',
  // A seed is the first one of ten merchants.
  ...{ scanned: 12, most: 60, perSeed: 10, isTimed: true },
  wanted: [
    'a handler threw',
    'did: cancel',
    'did: capture',
    'did: decline',
    'did: hold',
    'did: purchase',
    'did: refund',
    'did: detachment of a card',
    'did: renewal',
    'did: subscription',
    'died after its commit',
    'died before its commit',
    'network: doubled',
    'network: inVain',
    'network: late',
    'network: lost',
    'network: swallowed',
    'walk: applied',
  ],
};
