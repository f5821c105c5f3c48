// What must happen among a number of deliveries, or they prove too little.

import { faults } from './receiver-behaviour.ts';

/** What must also happen among the few deliveries of `npm test`, however busy the machine is. */
export const wantedOfFew: readonly string[] = [
  'a worker was killed',
  'answered: broken',
  'answered: ok',
  'attempt: address_refused',
  'committed late',
  'delivery: delivered',
];

export const wantedOfDeliveries: readonly string[] = [
  ...wantedOfFew,
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
];
