import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newApiToken } from '../../domain/people/api-token.ts';
import { parseBasic } from './credentials.ts';

// Digits only: a letter in the other case would be the same id.
const clientId = '01865555-1234-7345-9234-123456789012';
const token = newApiToken(randomBytes(32));
const header = (text: string) => `Basic ${Buffer.from(text, 'latin1').toString('base64')}`;
const right = header(`${clientId}:${token}`);

describe('parseBasic', () => {
  it('reads client id, in lower case, and token', () => {
    expect(parseBasic([right])).toEqual({ clientId, token });
    const other = '018f6e5c-b7a2-7c3e-9d41-a0b2c4d6e8f0';
    expect(parseBasic([header(`${other.toUpperCase()}:${token}`)])).toEqual({
      clientId: other,
      token,
    });
  });

  it('one credential has one spelling: every changed character is refused', () => {
    const any = fc.constantFrom(...'ABCabc019+/=-_ \t,:é');
    fc.assert(
      fc.property(fc.nat({ max: right.length - 1 }), any, (at, other) => {
        const changed = right.slice(0, at) + other + right.slice(at + 1);
        const isSameScheme =
          changed.toLowerCase().startsWith('basic ') && changed.slice(6) === right.slice(6);
        fc.pre(!isSameScheme);
        // A changed client id may be another UUID; it never is this one.
        expect(parseBasic([changed])).not.toEqual({ clientId, token });
      }),
      { numRuns: 2000 },
    );
  });

  it('refuses repeated headers, even equal ones, and none', () => {
    expect(parseBasic([right, right])).toBeUndefined();
    expect(parseBasic([])).toBeUndefined();
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => {
        expect(parseBasic([text])).toBeUndefined();
        expect(parseBasic([header(text)])).toBeUndefined();
      }),
    );
  });
});
