import { describe, expect, it } from 'vitest';
import { escapeControls, isOneLine, isPlainText, isVisible, oneLine } from './plain-text.ts';

const steering = {
  ESC: '\u001b',
  NUL: '\0',
  BEL: '\u0007',
  DEL: '\u007f',
  CSI: '\u009b',
  OSC: '\u009d',
  'right-to-left override': '\u202e',
  'left-to-right embedding': '\u202a',
  'right-to-left isolate': '\u2067',
  'line separator': '\u2028',
};

describe.each(Object.entries(steering))('%s', (_, sign) => {
  it('is in no text, and is printed as its number', () => {
    expect([isOneLine(`a${sign}b`), isPlainText(`a${sign}b`)]).toEqual([false, false]);
    const escaped = escapeControls(JSON.stringify({ name: `a${sign}b` }));
    expect(isOneLine(escaped)).toBe(true);
    expect(JSON.parse(escaped)).toEqual({ name: `a${sign}b` });
    expect(oneLine(`a${sign}b`)).toBe('a b');
  });
});

it('line breaks and tabs are in a text of lines, and in no name', () => {
  for (const sign of ['\n', '\t', '\r\n']) {
    expect([isOneLine(`a${sign}b`), isPlainText(`a${sign}b`)]).toEqual([false, true]);
    expect(escapeControls(`a${sign}b`)).toBe(`a${sign}b`);
  }
  expect(oneLine(' a\r\nb ')).toBe('a b');
  // Alone, a carriage return moves to the beginning of the line, and later text overwrites it.
  expect(escapeControls('paid\rfree')).toBe('paid\\u000dfree');
});

it('every script stays as it is', () => {
  const joined = ['👩‍👩‍👧', 'Café 👩‍🍳', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', 'نشر کتاب‌ها', 'Blumen\u00adhaus', 'Zoë\u200dX'];
  for (const name of ['José', 'עברית\u200f', 'العربية', 'हिन्दी', ...joined]) {
    expect([isOneLine(name), isVisible(name)]).toEqual([true, true]);
    for (const shown of [escapeControls, oneLine]) expect(shown(name)).toBe(name);
  }
});

it('a text of blanks and invisible characters alone shows nothing', () => {
  for (const text of ['', ' ', '\u200b\u200d', '\u2800', '\u3164', '\u00ad']) {
    expect(isVisible(text)).toBe(false);
  }
});
