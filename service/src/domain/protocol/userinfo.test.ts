import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasUserinfo } from './userinfo.ts';

describe('hasUserinfo', () => {
  it.each([
    'https://@host/',
    'https://:@host/',
    'https://a@host/',
    'https://a:b@host:8443/hook',
    'https:@host/',
    'https:\\\\@host/',
    'https:////@host/',
    'https:/\t/@\nhost/',
    ' https://@host/',
  ])('%j has', (url) => {
    expect(URL.canParse(url)).toBe(true);
    expect(hasUserinfo(url)).toBe(true);
  });

  it.each([
    'https://host/',
    'https://host/@a',
    'https://host/a:b@c',
    'https://host?to=a@b',
    'https://host#@',
    'https://host\\@a',
    'https://[::1]:3000/@',
  ])('%j has not', (url) => {
    expect(hasUserinfo(url)).toBe(false);
  });

  it('misses none that parsing finds', () => {
    const piece = fc.constantFrom('@', ':', '/', '\\', '?', '#', 'a', '\t', ' ', '8', '%40');
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => `https:${pieces.join('')}`);
    fc.assert(
      fc.property(text, (given) => {
        const url = URL.parse(given);
        if (url?.username || url?.password) expect(hasUserinfo(given)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});
