export type Change = { readonly file: string; readonly from: string; readonly to: string };

/** A test of `npm test`. */
export type GateTest = {
  /** Test file, relative to the project. */
  readonly suite: string;
  /** In the title of a failing test, or at the beginning of a violation that it tells of. */
  readonly caughtBy: RegExp;
};

export type PlantedFault = {
  readonly name: string;
  readonly changes: readonly Change[];
  /**
   * Test file that is run, relative to the project; or `chaos` and one of its layers, or
   * `simulation` and a kind of provider; or `removals` or `removal races`.
   */
  readonly suite: string;
  /** In the title of a failing test, or in a violation. */
  readonly caughtBy: RegExp;
  /** The test of `npm test` that catches it as well, where `suite` belongs to the proof alone. */
  readonly inGate?: GateTest;
  /** Also planted in `npm test`. */
  readonly isQuick?: true;
};

/** The files in which `npm test` runs the covers of what is no test file itself. */
const covers: Readonly<Record<string, string>> = {
  'simulation guarded': 'proof/simulation/simulation.test.ts',
  'simulation unguarded': 'proof/simulation/simulation.test.ts',
  removals: 'proof/removal/removals.test.ts',
  'removal races': 'proof/removal/races.test.ts',
};

/** Which test of `npm test` turns red on the fault; undefined where the proof alone shows it. */
export function gateTestOf({ suite, caughtBy, inGate }: PlantedFault): GateTest | undefined {
  if (inGate) return inGate;
  const file = suite.endsWith('.test.ts') ? suite : covers[suite];
  return file ? { suite: file, caughtBy } : undefined;
}

export const isCover = ({ suite }: GateTest): boolean => Object.values(covers).includes(suite);
