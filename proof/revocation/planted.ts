// Faults at the claim that let a credential move money after it was revoked. Reliability N4, §3.6.

import type { PlantedFault } from '../planting/planted-fault.ts';

const standing = 'service/src/storage/credentials/credential-check.test.ts';
const races = 'proof/revocation/races.test.ts';
const batches = 'service/src/storage/payments/hold-fast-path.test.ts';

const condition = 'service/src/storage/credentials/credential-check.ts';
const statements = 'service/src/storage/payments/hold-fast-path-sql.ts';

const atOnce = {
  file: statements,
  from: `and \${hasCredential}\n`,
  to: '\n',
};
const longWay = {
  file: condition,
  from: 'if (isUnderway || isOwn) return null;',
  to: 'if (isUnderway || isOwn || clientId) return null;',
};

export const revocationFaults: readonly PlantedFault[] = [
  {
    name: 'a claim at once does not look at its credential',
    changes: [atOnce],
    suite: standing,
    caughtBy: /403 merchant_role_required once the role is member/,
  },
  {
    name: 'a claim at once does not look at its credential, found by racing',
    changes: [atOnce],
    suite: races,
    caughtBy: /wholly before or wholly after/,
  },
  {
    name: 'a claim in a batch does not look at its credential',
    changes: [atOnce],
    suite: batches,
    caughtBy: /in a batch: nothing is claimed, .* for a credential that was revoked/,
  },
  {
    name: 'the long way does not look at the credential',
    changes: [longWay],
    suite: standing,
    caughtBy: /401 for another person’s, another client’s and none/,
  },
  {
    name: 'a request is refused after it has moved money itself',
    changes: [
      { file: condition, from: 'if (isUnderway || isOwn) return null;', to: 'void isOwn;' },
    ],
    suite: standing,
    caughtBy: /what the request itself wrote before is not refused half-way/,
  },
];
