// Which test files `npm test` leaves to `npm run proof`, and which tests catch each planted fault.
// `proof/gate/main.ts` writes it.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Catch } from '../planting/planted-fault.ts';

export type Choice = {
  /** The test files that the proof alone runs, relative to the project. */
  readonly proof: readonly string[];
  /** Each planted fault, with what caught it, the fastest first. */
  readonly faults: Readonly<Record<string, readonly Catch[]>>;
};

const file = join(import.meta.dirname, 'choice.json');

export const readChoice = (): Choice => JSON.parse(readFileSync(file, 'utf8')) as Choice;

/** Writes one line for each file and each catch, so that a difference can be read. */
export function writeChoice({ proof, faults }: Choice): void {
  const list = (lines: readonly string[], depth: string): string =>
    lines.map((line) => `\n${depth}${line}`).join(',');
  const caught = Object.entries(faults).map(([name, catches]) => {
    const lines = list(
      catches.map((one) => JSON.stringify(one)),
      '      ',
    );
    return `${JSON.stringify(name)}: [${lines}\n    ]`;
  });
  const files = list(
    proof.map((one) => JSON.stringify(one)),
    '    ',
  );
  const about = 'Written by node proof/gate/main.ts --write';
  writeFileSync(
    file,
    `{\n  "about": "${about}",\n  "proof": [${files}\n  ],\n  "faults": {${list(caught, '    ')}\n  }\n}\n`,
  );
}

/** Returns whether `npm test` runs what caught the fault. */
export const isInGate = ({ proof }: Choice, { file: suite }: Catch): boolean =>
  suite.endsWith('.test.ts') && !proof.includes(suite);
