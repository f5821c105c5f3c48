// What must happen among a number of races, or they prove too little.

export const wantedOfRevocations: readonly string[] = [
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
];
