// What `npm test` leaves out is written down, and is up to date.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@svc/tools/start/options';
import { describe, expect, it } from 'vitest';
import { plantedFaults } from '../planted-faults/faults.ts';
import { isInGate, readChoice } from './choice.ts';

const choice = readChoice();
const afresh = 'mend proof/gate/choice.json';

describe('proof/gate/choice.json', () => {
  it('leaves only files to the proof that exist', () => {
    expect(
      choice.proof.filter((file) => !existsSync(join(root, file))),
      afresh,
    ).toEqual([]);
  });

  it('knows what catches each planted fault, in files that exist', () => {
    expect(Object.keys(choice.faults).sort(), afresh).toEqual(
      plantedFaults.map(({ name }) => name).sort(),
    );
    const files = Object.values(choice.faults).flatMap((catches) =>
      catches.map(({ file }) => file),
    );
    const gone = files.filter((file) => file.endsWith('.test.ts') && !existsSync(join(root, file)));
    expect(gone, afresh).toEqual([]);
  });

  it('at least nine of ten planted faults are caught by npm test, the others by the proof', () => {
    const all = Object.entries(choice.faults);
    expect(all.filter(([, catches]) => catches.length === 0)).toEqual([]);
    const ofProof = all.filter(([, catches]) => !catches.some((one) => isInGate(choice, one)));
    expect(ofProof.length * 10, String(ofProof.map(([name]) => name))).toBeLessThanOrEqual(
      all.length,
    );
  });
});
