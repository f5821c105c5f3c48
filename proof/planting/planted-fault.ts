export type Change = { readonly file: string; readonly from: string; readonly to: string };

/** The changes of a fault that is one change of one file. */
export const oneChange = (file: string, from: string, to: string): Change[] => [{ file, from, to }];

/** A test of `npm test`. */
export type GateTest = {
  /** The test file, relative to the project. */
  readonly suite: string;
  /** Matches the title of a failing test, or the beginning of a violation in its message. */
  readonly caughtBy: RegExp;
};

export type PlantedFault = {
  readonly name: string;
  readonly changes: readonly Change[];
  /**
   * The test file that is run, relative to the project; or `chaos` and one of its layers, or
   * `simulation` and a kind of provider; or `detachments` or `detachment races`.
   */
  readonly suite: string;
  /** Matches the title of a failing test, or a violation. */
  readonly caughtBy: RegExp;
  /** The test of `npm test` that also catches the fault, when `suite` runs only in the proof. */
  readonly inGate?: GateTest;
  /** True when `npm test` also plants the fault. */
  readonly isQuick?: true;
};

/** A test, or a violation in a random layer, that shows a planted fault. */
export type Catch = {
  /** A test file relative to the project; or a layer that only the proof runs, as `chaos crashes`. */
  readonly file: string;
  readonly test: string;
  /** How long the file took with the fault. */
  readonly seconds: number;
};

/** The test files that run the covers of layers that are not test files themselves. */
const covers: Readonly<Record<string, string>> = {
  'simulation guarded': 'proof/simulation/simulation.test.ts',
  'simulation unguarded': 'proof/simulation/simulation.test.ts',
  detachments: 'proof/detachment/detachments.test.ts',
  'detachment races': 'proof/detachment/races.test.ts',
};

/**
 * Returns the test of `npm test` that fails with the fault; undefined when only the proof shows the
 * fault.
 */
export function gateTestOf({ suite, caughtBy, inGate }: PlantedFault): GateTest | undefined {
  if (inGate) return inGate;
  const file = suite.endsWith('.test.ts') ? suite : covers[suite];
  return file ? { suite: file, caughtBy } : undefined;
}

export const isCover = ({ suite }: GateTest): boolean => Object.values(covers).includes(suite);
