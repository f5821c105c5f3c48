import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  base32,
  codeOf,
  parseCode,
  parseRecoveryCode,
  stepBytes,
  stepsAt,
  totpUri,
  writeRecoveryCode,
} from './totp.ts';

const secret = Buffer.from('12345678901234567890');
const codeAt = (step: number) =>
  codeOf(createHmac('sha1', secret).update(stepBytes(step)).digest());

describe('codes', () => {
  it('are those of RFC 4226, appendix D', () => {
    const counters = Array.from({ length: 10 }, (_, n) => codeAt(n));
    expect(counters).toEqual(
      '755224 287082 359152 969429 338314 254676 287922 162583 399871 520489'.split(' '),
    );
  });

  // Appendix B has eight digits, of which six are the last.
  it.each([
    [59, '94287082'],
    [1111111109, '07081804'],
    [1111111111, '14050471'],
    [1234567890, '89005924'],
    [2000000000, '69279037'],
    [20000000000, '65353130'],
  ])('are those of RFC 6238, appendix B, at second %i', (second, shown) => {
    const [current = 0] = stepsAt(new Date(second * 1000));
    expect(codeAt(current)).toBe(shown.slice(2));
  });

  it('of one step before and after now are good, and no others', () => {
    expect(stepsAt(new Date(30_000 * 100)).sort((a, b) => a - b)).toEqual([99, 100, 101]);
    expect(stepsAt(new Date(30_000 * 101 - 1)).sort((a, b) => a - b)).toEqual([99, 100, 101]);
  });

  it('are read as people type them, and nothing else is', () => {
    expect(parseCode('123 456')).toBe('123456');
    expect(parseCode('123-456')).toBe('123456');
    for (const typed of ['', '12345', '1234567', '12345a', '１２３４５６']) {
      expect(parseCode(typed)).toBeUndefined();
    }
  });
});

describe('base32', () => {
  it('is that of RFC 4648, without padding', () => {
    const texts = ['', 'f', 'fo', 'foo', 'foob', 'fooba', 'foobar'];
    expect(texts.map((text) => base32(Buffer.from(text)))).toEqual([
      '',
      'MY',
      'MZXQ',
      'MZXW6',
      'MZXW6YQ',
      'MZXW6YTB',
      'MZXW6YTBOI',
    ]);
  });
});

describe('totpUri', () => {
  it('names issuer and account so that no character of them is read as syntax', () => {
    const named = { issuer: 'A & B', account: 'a+b@x.example', secret: 'GEZDGNBV' };
    const uri = new URL(totpUri(named));
    expect(decodeURIComponent(uri.pathname)).toBe('/A & B:a+b@x.example');
    expect(Object.fromEntries(uri.searchParams)).toEqual({
      secret: 'GEZDGNBV',
      issuer: 'A & B',
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    });
  });
});

describe('recovery codes', () => {
  it('carry 80 bits and are read in any case and spacing', () => {
    const code = writeRecoveryCode(Buffer.from('00112233445566778899', 'hex'));
    expect(code).toMatch(/^([a-z2-7]{4}-){3}[a-z2-7]{4}$/);
    expect(parseRecoveryCode(code.toUpperCase().replaceAll('-', ' '))).toBe(
      code.replaceAll('-', ''),
    );
    expect(parseRecoveryCode(`${code}a`)).toBeUndefined();
    expect(parseRecoveryCode(code.replace(/.$/, '1'))).toBeUndefined();
  });
});
