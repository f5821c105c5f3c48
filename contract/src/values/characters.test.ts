import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { countCharacters, cutText, firstGrapheme } from './characters.ts';

const cook = '👩‍🍳';
const flag = '🏴󠁧󠁢󠁥󠁮󠁧󠁿';
const graphemes = (text: string) =>
  [...new Intl.Segmenter().segment(text)].map((one) => one.segment);

it('counts code points, as JSON Schema and PostgreSQL do', () => {
  expect(['', 'abc', '🫘', cook, 'e\u0301'].map(countCharacters)).toEqual([0, 3, 1, 3, 2]);
});

it('cuts between graphemes, with its end counted', () => {
  expect(cutText('Café', 4, '…')).toBe('Café');
  expect(cutText('Cafés', 4, '…')).toBe('Caf…');
  expect(cutText(`ab${cook}c`, 5)).toBe(`ab${cook}`);
  expect(cutText(`ab${cook}c`, 4)).toBe('ab');
  expect(cutText(`Shop ${flag}!`, 10, '…')).toBe('Shop …');
  expect(cutText(`${'🫘'.repeat(9)}`, 9, '…')).toBe('🫘'.repeat(9));
});

it('any text is cut to a beginning of whole graphemes that is no longer than asked', () => {
  const parts = fc.array(fc.constantFrom(cook, flag, 'e\u0301', 'نشر‌ها', 'a', ' ', '🫘'), {
    maxLength: 12,
  });
  void fc.assert(
    fc.property(parts, fc.integer({ min: 8, max: 30 }), (given, most) => {
      const text = given.join('');
      const cut = cutText(text, most);
      expect(countCharacters(cut)).toBeLessThanOrEqual(most);
      const whole = graphemes(cut);
      expect(graphemes(text).slice(0, whole.length)).toEqual(whole);
      const next = graphemes(text)[whole.length];
      if (next) expect(countCharacters(cut + next)).toBeGreaterThan(most);
    }),
  );
});

it('one letter with more marks than fit is still cut', () => {
  expect(countCharacters(cutText(`a${'\u0301'.repeat(500)}`, 100, '…'))).toBe(100);
});

it('the first character is the one that a reader sees', () => {
  expect([`${cook}a`, 'e\u0301a', '', 'Ada'].map(firstGrapheme)).toEqual([
    cook,
    'e\u0301',
    '',
    'A',
  ]);
});
