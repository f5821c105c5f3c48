// What `npm test` leaves out is written down, and is up to date.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@svc/tools/start/options';
import { describe, expect, it } from 'vitest';
import { plantedFaults } from '../planted-faults/faults.ts';
import { candidates } from './candidates.ts';
import { isInGate, readChoice } from './choice.ts';
import { chooseProof, listCatches } from './choose.ts';

const choice = readChoice();
const afresh = 'write it afresh: node proof/gate/main.ts --write';

describe('proof/gate/choice.json', () => {
  it('is what follows from the candidates and from what catches each planted fault', () => {
    expect(choice.proof, afresh).toEqual(chooseProof(candidates, choice.faults));
    const gone = candidates.filter(({ file }) => !existsSync(join(root, file)));
    expect(gone.map(({ file }) => file)).toEqual([]);
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

describe('chooseProof', () => {
  const caught = (file: string, seconds: number) => ({ file, test: 'it', seconds });
  const [slow, fast, other] = ['slow.test.ts', 'fast.test.ts', 'other.test.ts'];
  const all = [{ file: slow }, { file: fast }];

  it('leaves a candidate to the proof when another test catches its faults', () => {
    const faults = { slip: [caught(other, 2), caught(slow, 40)], trip: [caught('chaos kills', 9)] };
    expect(chooseProof(all, faults)).toEqual([fast, slow]);
  });

  it('keeps the cheapest candidates that catch what nothing else catches', () => {
    const faults = { slip: [caught(fast, 3), caught(slow, 40)], trip: [caught(slow, 40)] };
    expect(chooseProof(all, { slip: faults.slip })).toEqual([slow]);
    expect(chooseProof(all, faults)).toEqual([]);
  });

  it('keeps a candidate that stays for another reason', () => {
    expect(chooseProof([{ file: slow, stays: 'it must' }, { file: fast }], {})).toEqual([fast]);
  });
});

describe('listCatches', () => {
  it('names the gate where one of its tests catches the fault, and the fastest of those', () => {
    const caught = (file: string, seconds: number) => ({ file, test: `${file} it`, seconds });
    const faults = {
      slip: [caught('left.test.ts', 1), caught('kept.test.ts', 2), caught('slow.test.ts', 3)],
      trip: [caught('chaos kills', 9)],
      drift: [],
    };
    expect(
      listCatches({ proof: ['left.test.ts'], faults }).map(({ name, level, suite }) => [
        ...[name, level, suite],
      ]),
    ).toEqual([
      ['slip', 'gate', 'kept.test.ts'],
      ['trip', 'proof', 'chaos kills'],
      ['drift', null, ''],
    ]);
  });
});
