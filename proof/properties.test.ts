// All tests with random values use one seed: the default, or the one that the soak names.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { propertyFiles, runProperties } from './soak/run-properties.ts';
import { propertySeed } from './vitest/properties.ts';

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(root, 'proof/soak/trial-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A test file that prints the values that it got. */
const trial = `
  import { writeFileSync } from 'node:fs';
  import fc from 'fast-check';
  import { expect, it } from 'vitest';
  it('sees numbers', () => {
    const seen = [];
    fc.assert(fc.property(fc.nat(), (one) => { seen.push(one); }), { numRuns: 5 });
    expect(seen).toHaveLength(5);
    writeFileSync(import.meta.filename + '.seen', seen.join());
  });
  it('finds a large one', () => {
    fc.assert(fc.property(fc.nat(), (one) => { expect(one).toBeLessThan(100); }));
  });
`;

describe('the seed of a run', () => {
  it('gives the same values again, another one others, and what fails is said with it', async () => {
    const file = join(folder, 'trial.test.ts');
    writeFileSync(file, trial);
    const runSeed = async (seed: number) => {
      const { signal } = new AbortController();
      const { violations } = await runProperties({ seed, files: [file], signal });
      expect(violations).toEqual([
        expect.stringMatching(
          `^${propertySeed}=${seed} npm test -- proof/soak/trial-.*: finds a large one$`,
        ),
      ]);
      return readFileSync(`${file}.seen`, 'utf8');
    };
    const [first, second, again] = [await runSeed(5), await runSeed(6), await runSeed(5)];
    expect(again).toBe(first);
    expect(second).not.toBe(first);
  });

  it('broken off: none was run', async () => {
    const files = propertyFiles();
    expect(files).toContain('proof/properties.test.ts');
    const options = { seed: 1, files, signal: AbortSignal.abort() };
    expect(await runProperties(options)).toEqual({ runs: 0, violations: [], sometimes: {} });
  });
});
