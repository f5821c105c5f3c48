export type Change = { readonly file: string; readonly from: string; readonly to: string };

export type PlantedFault = {
  readonly name: string;
  readonly changes: readonly Change[];
  /**
   * Test file that is run, relative to the project; or `chaos` and one of its layers, or
   * `simulation` and a kind of provider; or `removals` or `removal races`.
   */
  readonly suite: string;
  /** In the title of a failing test, or in a violation of the chaos run. */
  readonly caughtBy: RegExp;
  /** Also planted in `npm test`. */
  readonly isQuick?: true;
};
