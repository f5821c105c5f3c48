import { describe, expect, it } from 'vitest';
import { localeFrom } from './accept-language.ts';

describe('localeFrom', () => {
  it.each([
    ['de', 'de'],
    ['de-AT, en;q=0.8', 'de-AT'],
    ['en;q=0.5, pt-br;q=0.9', 'pt-BR'],
    ['sv-SE, sv;q=0.9, fr;q=0.8', 'fr'],
    ['zh-Hant-TW, ja', 'ja'],
    ['ar-EG-u-nu-latn', 'ar-EG'],
    ['en-US@posix', 'en'],
    ['de;q=0, es', 'es'],
    ['it;q=nonsense, nl;q=0.1', 'nl'],
    ['PL', 'pl'],
  ])('%s is %s', (header, locale) => {
    expect(localeFrom(header)).toBe(locale);
  });

  it.each(['', '*', 'sv, fi', 'de;q=0', ',;,', 'x'.repeat(40), `de,${'en,'.repeat(300)}`])(
    'none of %j',
    (header) => {
      expect(localeFrom(header)).toBeNull();
    },
  );

  it('names nothing but language and region, so that what is stored is short', () => {
    for (const odd of ['de-1996-x-private', 'de-Latn-DE-u-co-phonebk', 'de_CH']) {
      expect(localeFrom(odd)).toMatch(/^de(-[A-Z]{2})?$/);
    }
  });
});
