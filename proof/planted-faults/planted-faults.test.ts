// A few of the planted faults; the layer `faults` of the proof plants all of them.

import { join } from 'node:path';
import { scaled } from '@svc/tools/machine';
import { expect, it } from 'vitest';
import { runNode } from '../vitest/run-vitest.ts';

it(
  'one for each kind of suite turns it red, and a harmless change does not',
  async () => {
    const { code, text } = await runNode([join(import.meta.dirname, 'main.ts'), '--quick']);
    expect(text).toMatch(/SURVIVED .* a comment\n/);
    expect(text).toMatch(/([3-9]) of \d caught\n/);
    expect(code, text).toBe(0);
  },
  scaled(120_000),
);
