// Which test files `npm test` leaves to `npm run proof`, and which tests catch each planted fault.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A test, or a violation in a random layer, that shows a planted fault. */
export type Catch = {
  /** A test file relative to the project; or a layer that only the proof runs, as `chaos crashes`. */
  readonly file: string;
  readonly test: string;
  /** How long the file took with the fault. */
  readonly seconds: number;
};

export type Choice = {
  /** The test files that the proof alone runs, relative to the project. */
  readonly proof: readonly string[];
  /** Each planted fault, with what caught it, the fastest first. */
  readonly faults: Readonly<Record<string, readonly Catch[]>>;
};

const file = join(import.meta.dirname, 'choice.json');

export const readChoice = (): Choice => JSON.parse(readFileSync(file, 'utf8')) as Choice;

/** Returns whether `npm test` runs what caught the fault. */
export const isInGate = ({ proof }: Choice, { file: suite }: Catch): boolean =>
  suite.endsWith('.test.ts') && !proof.includes(suite);
