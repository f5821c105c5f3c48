import { describe, expect, it } from 'vitest';
import type { TestKind } from '../quick-tests.ts';
import { findSlow } from './test-times.ts';

const kindOf = (file: string): TestKind => (file.startsWith('page') ? 'browser' : 'server');
const files = { 'long.test.ts': 40, 'other.test.ts': 30, 'third.test.ts': 20, 'last.test.ts': 10 };
const budget = { kinds: { quick: 10, server: 100, browser: 100 }, files };
const given = { budget, kindOf };

describe('findSlow', () => {
  it('says nothing up to a fifth above the budget of a kind, nor of a new file of usual length', () => {
    const times = { ...files, 'long.test.ts': 49 };
    expect(findSlow({ ...times, 'new.test.ts': 11, 'page.test.ts': 11 }, given)).toEqual([]);
  });

  it('names a new file that takes longer than usual, and what to do', () => {
    expect(findSlow({ ...files, 'slow.test.ts': 12.1 }, given)).toEqual([
      expect.stringMatching(
        /^slow\.test\.ts took 12\.1 s, and may take 12 s: make it faster, .*byLevel/,
      ),
    ]);
  });

  it('names a kind whose tests together take too long', () => {
    const pages = Array.from({ length: 11 }, (_, n) => [`page-${n}.test.ts`, 11]);
    expect(findSlow({ ...files, ...Object.fromEntries(pages) }, given)).toEqual([
      expect.stringMatching(/^all tests of the kind "browser" took 121 s, and may take 120 s: /),
    ]);
  });

  it('names a kind where one of the known files grew', () => {
    expect(findSlow({ ...files, 'long.test.ts': 70 }, given)).toEqual([
      expect.stringMatching(/^all tests of the kind "server" took 130 s, and may take 120 s: /),
    ]);
  });

  it('allows more where a slow machine or a neighbour slowed most files', () => {
    const times = {
      'long.test.ts': 81,
      'other.test.ts': 60,
      'third.test.ts': 38,
      'last.test.ts': 18,
    };
    expect(findSlow({ ...times, 'slow.test.ts': 23 }, given)).toEqual([]);
    expect(findSlow({ ...times, 'slow.test.ts': 25 }, given)).toHaveLength(1);
  });
});
