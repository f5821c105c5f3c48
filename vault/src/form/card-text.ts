// The text of the card fields while a person types: extracts digits, groups them by brand, and keeps the
// caret in place. Pure functions, so that every keystroke can be tested without a browser.
import { type BrandFacts, findBrand } from '@svc/contract/vault/card-number';

/** The displayed text and the position of the caret in it. */
export type EditedText = { readonly text: string; readonly caret: number };

/** What the browser reports after a keystroke: its `InputEvent.inputType` and the new state. */
export type Edit = {
  readonly text: string;
  readonly caret: number;
  /** The text before the keystroke. */
  readonly previous: string;
  readonly inputType: string;
};

const zeros = [0x30, 0x660, 0x6f0, 0x966, 0xff10];

/** Returns the ASCII digits of any text. Arabic, Persian, Devanagari and full-width digits count too. */
export function digitsOf(text: string): string {
  let digits = '';
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const zero = zeros.find((start) => code >= start && code <= start + 9);
    if (zero !== undefined) digits += String(code - zero);
  }
  return digits;
}

const unknownGroups = [4, 4, 4, 4, 3];
const longestNumber = 19;

/** The length of the brand's longest number; 19 while the brand is unknown (ISO/IEC 7812-1). */
export const maxDigits = (brand: BrandFacts | undefined): number =>
  brand ? Math.max(...brand.lengths) : longestNumber;

/** Groups digits as they are printed on the card: 4-4-4-4, for American Express 4-6-5. */
export function groupNumber(digits: string): string {
  const brand = findBrand(digits);
  const kept = digits.slice(0, maxDigits(brand));
  const groups: string[] = [];
  let start = 0;
  for (const width of brand?.groups ?? unknownGroups) {
    if (start < kept.length) groups.push(kept.slice(start, start + width));
    start += width;
  }
  if (start < kept.length) groups.push(kept.slice(start));
  return groups.join(' ');
}

const caretAfter = (text: string, digitCount: number): number => {
  if (digitCount === 0) return 0;
  let seen = 0;
  for (let i = 0; i < text.length; i++) {
    if (/[0-9]/.test(text[i] ?? '')) seen++;
    if (seen === digitCount) return i + 1;
  }
  return text.length;
};

/**
 * Returns the digits and the digit position after an edit. Deleting only a separator deletes the digit
 * beside it: the key would otherwise have no effect, because the separator is inserted again at once.
 */
function applyEdit(edit: Edit): { digits: string; position: number } {
  const digits = digitsOf(edit.text);
  const position = digitsOf(edit.text.slice(0, edit.caret)).length;
  const isUnchanged = digits === digitsOf(edit.previous) && edit.text !== edit.previous;
  if (isUnchanged && edit.inputType === 'deleteContentBackward' && position > 0) {
    return {
      digits: digits.slice(0, position - 1) + digits.slice(position),
      position: position - 1,
    };
  }
  if (isUnchanged && edit.inputType === 'deleteContentForward') {
    return { digits: digits.slice(0, position) + digits.slice(position + 1), position };
  }
  return { digits, position };
}

/** The number field after a keystroke or a paste. */
export function editNumber(edit: Edit): EditedText {
  const { digits, position } = applyEdit(edit);
  const text = groupNumber(digits);
  return { text, caret: caretAfter(text, position) };
}

/** The CVC field after a keystroke or a paste. */
export function editCvc(edit: Edit, brand: BrandFacts | undefined): EditedText {
  const { digits, position } = applyEdit(edit);
  const text = digits.slice(0, brand?.cvcLength ?? 4);
  return { text, caret: Math.min(position, text.length) };
}

const expiryText = (month: string, year: string) => `${month} / ${year}`;

/** Reads `2027-01`, as some password stores paste it. */
const readYearFirst = (text: string): string | undefined => {
  const match = /^\s*20(\d\d)\D+(\d{1,2})\s*$/.exec(text);
  return match ? expiryText((match[2] ?? '').padStart(2, '0'), match[1] ?? '') : undefined;
};

/** Formats `1/27`, `0127`, `01/2027` and `1 27` as `01 / 27`. Incomplete dates stay incomplete. */
export function formatExpiry(typed: string): string {
  const text = [...typed].map((c) => digitsOf(c) || c).join('');
  const yearFirst = readYearFirst(text);
  if (yearFirst !== undefined) return yearFirst;
  const split = /^\D*(\d{1,2})\D+(\d*)/.exec(text);
  let month = split ? (split[1] ?? '').padStart(2, '0') : digitsOf(text).slice(0, 2);
  let year = split ? (split[2] ?? '') : digitsOf(text).slice(2);
  if (!split && Number(month) > 1 && month.length === 1) month = `0${month}`;
  // Without a separator, 13 to 19 can only be January followed by the first digit of a year.
  if (!split && Number(month) > 12 && month.startsWith('1')) {
    year = month.slice(1) + year;
    month = '01';
  }
  if (month.length < 2) return month;
  if (year.length >= 4 && year.startsWith('20')) year = year.slice(2, 4);
  else if (!year.startsWith('20')) year = year.slice(0, 2);
  return expiryText(month, year.slice(0, 4));
}

/** The expiry field after a keystroke or a paste. */
export function editExpiry(edit: Edit): EditedText {
  const isDeletion = edit.inputType.startsWith('delete');
  if (!isDeletion) {
    const text = formatExpiry(edit.text);
    const isAtEnd = edit.caret >= edit.text.length;
    const position = digitsOf(edit.text.slice(0, edit.caret)).length;
    return { text, caret: isAtEnd ? text.length : caretAfter(text, position) };
  }
  // A deletion must neither restore the separator that was just removed nor pad the month.
  const { digits, position } = applyEdit(edit);
  const text =
    digits.length > 2 ? expiryText(digits.slice(0, 2), digits.slice(2, 6)) : digits.slice(0, 2);
  return { text, caret: caretAfter(text, position) };
}

/** Returns month and four-digit year of a complete expiry text; undefined while it is incomplete. */
export function parseExpiry(text: string): { month: number; year: number } | undefined {
  const match = /^(\d\d) \/ (\d\d)$/.exec(formatExpiry(text));
  const month = Number(match?.[1]);
  if (!match || month < 1 || month > 12) return undefined;
  return { month, year: 2000 + Number(match[2]) };
}
