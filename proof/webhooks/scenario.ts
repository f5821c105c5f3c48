// Deliveries with faults, as data: what must happen among a number of them, or they prove too little.

import type { Scenario } from '../kit/scenario.ts';
import { faults } from './receiver-behaviour.ts';

/** What must also happen among the few deliveries of `npm test`, however busy the machine is. */
const wantedOfCover = [
  'a worker was killed',
  'answered: broken',
  'answered: ok',
  'attempt: address_refused',
  'committed late',
  'delivery: delivered',
];

/** Each event goes to five endpoints, and some also to endpoints that fail. */
export const eventsOfSeed = 2500;
export const eventsOfCoverSeed = 150;

export const deliveries: Scenario = {
  name: 'deliveries',
  suite: 'proof/webhooks/deliveries.test.ts',
  ...{ scanned: 3, most: 20, lanes: 1, perSeed: eventsOfSeed, isTimed: true },
  wantedOfCover,
  wanted: [
    ...wantedOfCover,
    ...faults.map((fault) => `answered: ${fault}`),
    'a commit without an answer',
    'an attempt that lost its lease is kept',
    'attempt: bad_answer',
    'attempt: connection_reset',
    'attempt: gone',
    'attempt: redirect_refused',
    'attempt: timeout',
    'attempt: tls_error',
    'delivery: cancelled',
    'delivery: dead',
    'endpoint: failing',
    'endpoint: gone',
    'logged: a lease was lost',
    'more than four at once at a quick endpoint',
    'rolled back',
    'sent, not recorded, sent again',
    'the database crashed',
    'told: webhook_endpoint.disabled',
    'told: webhook_endpoint.failing',
  ],
};
