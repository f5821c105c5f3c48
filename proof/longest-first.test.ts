import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@svc/tools/start/options';
import { describe, expect, it } from 'vitest';
import { longFiles, placeOf } from './longest-first.ts';

describe('the order of the test files', () => {
  it('what takes minutes comes first, and what is named is there', () => {
    const files = ['tools/src/start/start.test.ts', 'a.test.ts', 'proof/journey/journeys.test.ts'];
    expect(files.sort((a, b) => placeOf(a) - placeOf(b)).at(-1)).toBe('a.test.ts');
    expect(longFiles.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});
