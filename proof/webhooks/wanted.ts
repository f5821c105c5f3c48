// What has to happen among so many deliveries, or they prove less than they say.

import { faults } from './tempers.ts';

/** Also among the few of `npm test`. */
export const wantedOfFew: readonly string[] = [
  ...faults.filter((fault) => fault !== 'gone').map((fault) => `answered: ${fault}`),
  'answered: ok',
  'a worker was killed',
  'an attempt that lost its lease is kept',
  'attempt: address_refused',
  'attempt: connection_reset',
  'attempt: timeout',
  'committed late',
  'delivery: dead',
  'delivery: delivered',
  'rolled back',
  'sent, not recorded, sent again',
];

export const wantedOfDeliveries: readonly string[] = [
  ...wantedOfFew,
  'a commit without an answer',
  'answered: gone',
  'attempt: bad_answer',
  'attempt: gone',
  'attempt: redirect_refused',
  'attempt: tls_error',
  'delivery: cancelled',
  'endpoint: failing',
  'endpoint: gone',
  'more than four at once at a quick endpoint',
  'spoke TLS to one who does not',
  'the database crashed',
  'told: webhook_endpoint.disabled',
  'told: webhook_endpoint.failing',
];
