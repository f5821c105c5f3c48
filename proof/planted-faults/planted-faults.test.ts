// A few of the planted faults; all of them run in `npm run proof`. A suite that misses one proves nothing.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { scaled } from '@svc/tools/machine';
import { root } from '@svc/tools/start/options';
import { describe, expect, it } from 'vitest';
import { runNode } from '../run-vitest.ts';
import { plantedFaults } from './faults.ts';
import { gateTestOf } from './planted-fault.ts';
import { listedName, readTable } from './table.ts';

const main = join(import.meta.dirname, 'main.ts');

describe('planted faults', () => {
  it(
    'one for each kind of suite turns it red, and a harmless change does not',
    async () => {
      const { code, text } = await runNode([main, '--quick']);
      expect(text).toMatch(/SURVIVED .* a comment\n/);
      expect(text).toMatch(/([3-9]) of \d caught\n/);
      expect(code, text).toBe(0);
    },
    scaled(120_000),
  );

  it('every one of them fits the sources of today', () => {
    const misfits = plantedFaults.filter(({ changes }) =>
      changes.some(
        ({ file, from }) => readFileSync(join(root, file), 'utf8').split(from).length !== 2,
      ),
    );
    expect(misfits.map(({ name }) => name)).toEqual([]);
  });

  it('at least nine of ten have a test of npm test that is to catch them', () => {
    const without = plantedFaults.filter((fault) => !gateTestOf(fault));
    expect(without.length * 10).toBeLessThanOrEqual(plantedFaults.length);
  });
});

describe('docs/guides/planted-faults.md', () => {
  const listed = readTable();

  it('lists every fault: else npm run proof -- --only faults', () => {
    expect(listed.map(({ name }) => name).sort()).toEqual(plantedFaults.map(listedName).sort());
  });

  it('the gate has caught at least nine of ten, and the proof the others', () => {
    const levels = listed.map(({ level }) => level);
    expect(levels.filter((level) => level !== 'gate' && level !== 'proof')).toEqual([]);
    expect(levels.filter((level) => level === 'proof').length * 10).toBeLessThanOrEqual(
      levels.length,
    );
  });
});
