import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cleanWords,
  givenUpAfterMs,
  isPlainAddress,
  pauseAfterFailedMail,
  quotedName,
} from './mail.ts';

describe('cleanWords', () => {
  it('a subject is one line, whatever a name holds', () => {
    void fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (name) => {
        const { subject } = cleanWords({ subject: `Join ${name}\r\nBcc: eve@x.test`, text: '' });
        expect(subject).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
        expect(subject.length).toBeLessThanOrEqual(150);
      }),
    );
  });

  it('a name stays set apart from the words around it', () => {
    const set = 'الإيصال \u206812\u2069 من \u2068Café\u2069';
    expect(cleanWords({ subject: set, text: set })).toEqual({ subject: set, text: `${set}\n` });
    expect(quotedName('a\u2068b\u2069')).toBe('a b');
  });

  it('a text keeps its lines and loses other control characters', () => {
    expect(cleanWords({ subject: 's', text: 'a\r\nb\rc\u0000\u001b[31md\n\n' }).text).toBe(
      'a\nb\nc[31md\n',
    );
  });
});

describe('quotedName', () => {
  it.each(['Café 👩‍🍳 Köln', 'Shop 🏴󠁧󠁢󠁥󠁮󠁧󠁿', 'نشر کتاب‌ها', 'Blumen\u00adhaus'])(
    'leaves %s whole',
    (name) => {
      expect(quotedName(name)).toBe(name);
      const { subject, text } = cleanWords({ subject: `Your receipt from ${name}`, text: name });
      expect([subject, text]).toEqual([`Your receipt from ${name}`, `${name}\n`]);
    },
  );

  it('is cut between characters that a reader sees', () => {
    expect(quotedName(`${'x'.repeat(77)}👩‍🍳👩‍🍳`)).toBe(`${'x'.repeat(77)}…`);
    const long = cleanWords({ subject: `${'x'.repeat(149)}👩‍🍳`, text: '' });
    expect(long.subject).toBe('x'.repeat(149));
  });

  it('is short and on one line', () => {
    expect(quotedName(' Blue\nBikes\u202e ')).toBe('Blue Bikes');
    expect(quotedName('x'.repeat(200))).toHaveLength(80);
  });
});

describe('pauseAfterFailedMail', () => {
  it('grows, and ends before three days', () => {
    let ageMs = 0;
    const pauses: number[] = [];
    for (let attempts = 1; ; attempts++) {
      const pauseMs = pauseAfterFailedMail({ attempts, ageMs });
      if (pauseMs === null) break;
      expect(pauseMs).toBeGreaterThanOrEqual(pauses.at(-1) ?? 0);
      pauses.push(pauseMs);
      ageMs += pauseMs;
    }
    expect(ageMs).toBeLessThan(givenUpAfterMs);
    expect(ageMs).toBeGreaterThan(givenUpAfterMs / 2);
    expect(pauses[0]).toBe(60_000);
  });
});

describe('isPlainAddress', () => {
  it.each(['a@b.example', "o'hara+x@b.example", 'ü@bücher.example'])('%s is one', (text) => {
    expect(isPlainAddress(text)).toBe(true);
  });

  it.each([
    'a',
    'a@',
    '@b',
    'a@b@c',
    'a@b, c@d',
    'a@b;c',
    'a b@c',
    'a@b\r\nx',
    '<a@b>',
    '"a"@b',
    'a(b)@c',
  ])('%j is none', (text) => {
    expect(isPlainAddress(text)).toBe(false);
  });
});
