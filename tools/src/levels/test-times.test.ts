import { describe, expect, it } from 'vitest';
import type { TestKind } from '../quick-tests.ts';
import { findSlow } from './test-times.ts';

const kindOf = (file: string): TestKind => (file.startsWith('page') ? 'browser' : 'server');
const budget = { kinds: { quick: 10, server: 100, browser: 100 }, files: { 'long.test.ts': 40 } };
const given = { budget, kindOf, factor: 1 };

describe('findSlow', () => {
  it('says nothing up to a fifth above the budget, nor of a long file that the budget names', () => {
    const times = { 'long.test.ts': 108, 'short.test.ts': 12, 'page.test.ts': 11 };
    expect(findSlow(times, given)).toEqual([]);
  });

  it('names a file that takes longer than usual, and what to do', () => {
    expect(findSlow({ 'slow.test.ts': 12.1 }, given)).toEqual([
      expect.stringMatching(
        /^slow\.test\.ts took 12\.1 s, and may take 12 s: make it faster, .*byLevel/,
      ),
    ]);
  });

  it('names a kind whose tests together take too long', () => {
    const times = Object.fromEntries(
      Array.from({ length: 11 }, (_, n) => [`page-${n}.test.ts`, 11]),
    );
    expect(findSlow(times, given)).toEqual([
      expect.stringMatching(/^all tests of the kind "browser" took 121 s, and may take 120 s: /),
    ]);
  });

  it('allows more on a slow machine', () => {
    expect(findSlow({ 'slow.test.ts': 23 }, { ...given, factor: 2 })).toEqual([]);
    expect(findSlow({ 'slow.test.ts': 25 }, { ...given, factor: 2 })).toHaveLength(1);
  });
});
