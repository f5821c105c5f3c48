// Which passwords are accepted: 12 to 200 characters that are hard to guess. A password is weak
// when little of it is left once common words and known facts about its owner are removed, so that
// a list of words covers their combinations, years and spellings.

import { countCharacters } from '@svc/contract/values/characters';
import { commonPasswords, commonWords } from './common-passwords.ts';

export const passwordLength = { least: 12, most: 200 } as const;

/** The fewest characters that a password must have besides common words. */
const leastOwn = 7;

/** One text for every way to type a password: NFKC, as NIST SP 800-63B §5.1.1.2 requires. */
export const normalizePassword = (text: string): string => text.normalize('NFKC');

const leet: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

const withoutLeet = (text: string): string =>
  text.replace(/[013457@$!]/g, (sign) => leet[sign] ?? sign);

const rows = ['abcdefghijklmnopqrstuvwxyz', '01234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm'];
const reverseText = (text: string): string => [...text].reverse().join('');
const runs = [
  ...rows,
  ...rows.map(reverseText),
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm',
  'qwertzuiop',
  'azertyuiop',
];

/** The number of characters, where runs such as `3456` or `qwer`, and repeats, count as one. */
function ownLength(text: string): number {
  let own = 0;
  for (let at = 0; at < text.length; ) {
    let end = at + 1;
    while (end < text.length && text[end] === text[at]) end++;
    for (const run of runs) {
      let length = 2;
      while (at + length <= text.length && run.includes(text.slice(at, at + length))) length++;
      if (length - 1 >= 4) end = Math.max(end, at + length - 1);
    }
    own += 1;
    at = end;
  }
  return own;
}

/** Whether a short piece is repeated, as in `abcabcabc`. */
const isRepeated = (text: string): boolean => /^(.{1,6}?)\1{1,}.{0,3}$/su.test(text);

const withoutWords = (text: string, words: readonly string[]): string =>
  words.reduce((left, word) => left.replaceAll(word, ''), text);

/** The parts of an address or a name that an attacker would try. */
const partsOf = (about: string): string[] =>
  about
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part.length >= 3)
    .sort((a, b) => b.length - a.length);

/**
 * Whether the password may be chosen. `about`: the owner's address, name and other facts that are
 * no secret.
 */
export function isPasswordStrong(password: string, about: readonly string[]): boolean {
  const text = normalizePassword(password);
  const length = countCharacters(text);
  if (length < passwordLength.least || length > passwordLength.most) return false;
  const lower = text.toLowerCase();
  if (commonPasswords.has(lower) || isRepeated(lower)) return false;
  const known = [...about.flatMap(partsOf), ...commonWords];
  return [lower, withoutLeet(lower)].every(
    (spelling) => ownLength(withoutWords(spelling, known)) >= leastOwn,
  );
}
