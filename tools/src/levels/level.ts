// The level that a run of tests belongs to: docs/decisions/tests.md. A run that names its files has none: it runs
// all of their tests, at the counts of the gate.

export type TestLevel = 'gate' | 'proof';

/** Passed from the start of a run to its workers. */
export const levelVariable = 'SVC_TEST_LEVEL';

/** `gate`: what `npm test` runs. `proof`: what `npm run proof` adds to it. */
export const testLevel = (): TestLevel | undefined => {
  const named = process.env[levelVariable];
  return named === 'gate' || named === 'proof' ? named : undefined;
};

/** Returns how often a test tries: `npm run proof` runs each file that calls this at its larger count. */
export const byLevel = (counts: Readonly<Record<TestLevel, number>>): number =>
  counts[testLevel() ?? 'gate'];
