import { crc32 as zipCrc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crc32, newApiToken, parseApiToken } from './api-token.ts';

const random = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes));

describe('newApiToken', () => {
  it('Contract §6 format: has 53 characters, 256 bits of which are the random ones', () => {
    fc.assert(
      fc.property(random, random, (one, other) => {
        const token = newApiToken(one);
        expect(token).toMatch(/^svc_[0-9A-Za-z]{49}$/);
        expect(token === newApiToken(other)).toBe(one.equals(other));
      }),
    );
  });

  it('holds the smallest and the largest value', () => {
    expect(newApiToken(Buffer.alloc(32))).toMatch(/^svc_0{43}/);
    expect(parseApiToken(newApiToken(Buffer.alloc(32, 255)))).toBeDefined();
  });

  it('takes 32 bytes and nothing else', () => {
    expect(() => newApiToken(Buffer.alloc(31))).toThrow();
  });
});

describe('parseApiToken', () => {
  it('accepts every token that was made', () => {
    fc.assert(
      fc.property(random, (bytes) => {
        const token = newApiToken(bytes);
        expect(parseApiToken(token)).toBe(token);
      }),
    );
  });

  it('refuses a token with any one character changed', () => {
    const digit = fc.constantFrom(...'0123456789ABCXYZabcxyz');
    fc.assert(
      fc.property(random, fc.nat({ max: 48 }), digit, (bytes, place, other) => {
        const token = newApiToken(bytes);
        const at = 'svc_'.length + place;
        fc.pre(token[at] !== other);
        expect(parseApiToken(token.slice(0, at) + other + token.slice(at + 1))).toBeUndefined();
      }),
    );
  });

  const token = newApiToken(Buffer.alloc(32, 7));
  it.each([
    '',
    'svc_',
    token.slice(0, -1),
    `${token}0`,
    `${token}\n`,
    ` ${token}`,
    token.toUpperCase(),
    token.replace('svc_', 'svc-'),
    `svc_whsec_${token.slice(10)}`,
    token.replace('svc_', 'SVC_'),
    'svc_'.padEnd(53, 'é'),
    'svc_'.padEnd(53, '0'),
  ])('refuses %j', (text) => {
    expect(parseApiToken(text)).toBeUndefined();
  });
});

describe('crc32', () => {
  it('is the checksum of zip', () => {
    expect(crc32('123456789')).toBe(0xcbf43926);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), (text) => {
        expect(crc32(text)).toBe(zipCrc32(text));
      }),
    );
  });
});
