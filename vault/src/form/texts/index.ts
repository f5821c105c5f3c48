// The form's languages. A page may ask for any BCP 47 tag and gets the closest language.
import { arabic } from './arabic.ts';
import { chinese } from './chinese.ts';
import { danish } from './danish.ts';
import { dutch } from './dutch.ts';
import { english } from './english.ts';
import { french } from './french.ts';
import { german } from './german.ts';
import { hebrew } from './hebrew.ts';
import { italian } from './italian.ts';
import { japanese } from './japanese.ts';
import type { Texts } from './keys.ts';
import { korean } from './korean.ts';
import { polish } from './polish.ts';
import { portuguese } from './portuguese.ts';
import { spanish } from './spanish.ts';
import { swedish } from './swedish.ts';
import { turkish } from './turkish.ts';

const languages: Readonly<Record<string, Texts>> = {
  en: english,
  de: german,
  fr: french,
  es: spanish,
  it: italian,
  pt: portuguese,
  nl: dutch,
  pl: polish,
  sv: swedish,
  da: danish,
  tr: turkish,
  ja: japanese,
  zh: chinese,
  ko: korean,
  ar: arabic,
  he: hebrew,
};

export const languageCodes: readonly string[] = Object.keys(languages);

const rightToLeft: readonly string[] = ['ar', 'he'];

export type Language = {
  readonly code: string;
  readonly direction: 'ltr' | 'rtl';
  readonly texts: Texts;
};

const older: Readonly<Record<string, string>> = { iw: 'he' };

/** Returns the texts of the first wanted tag that has any; undefined when none has. */
export function findLanguage(tags: readonly string[]): Language | undefined {
  for (const tag of tags) {
    const base = tag.toLowerCase().split(/[-_]/)[0] ?? '';
    const code = older[base] ?? base;
    const texts = Object.hasOwn(languages, code) ? languages[code] : undefined;
    if (texts) {
      return { code, direction: rightToLeft.includes(code) ? 'rtl' : 'ltr', texts };
    }
  }
  return undefined;
}

export const fallbackLanguage: Language = { code: 'en', direction: 'ltr', texts: english };
