// Races of a revocation, as data: what must happen among a number of them, or they prove too little.

import type { Scenario } from '../kit/scenario.ts';

export const revocations: Scenario = {
  name: 'revocations',
  suite: 'proof/revocation/races.test.ts',
  ...{ scanned: 60, most: 200, isTimed: true },
  wanted: [
    'early: wholly after',
    'early: wholly before',
    'late: wholly after',
    'stalled: wholly after',
    'held up before its claim',
    'token by token',
    'membership by token',
    'membership by oauth',
    'membership by person',
    'role by token',
    'role by oauth',
    'role by person',
    'sign-in by person',
    'consent by oauth',
  ],
};
