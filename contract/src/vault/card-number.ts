// Card numbers as text: brands, lengths, and the Luhn digit. The card form formats and checks numbers with
// it, and the service refuses card numbers in API bodies.

export type Brand = 'visa' | 'mastercard' | 'amex' | 'discover' | 'jcb' | 'diners' | 'unionpay';

export type BrandFacts = {
  readonly brand: Brand;
  readonly name: string;
  readonly prefixes: readonly (readonly [from: number, to: number])[];
  readonly lengths: readonly number[];
  readonly groups: readonly number[];
  readonly cvcLength: 3 | 4;
};

/** Known issuer prefixes. A range is compared with as many digits as its bounds have. */
export const brands: readonly BrandFacts[] = [
  {
    brand: 'amex',
    name: 'American Express',
    prefixes: [
      [34, 34],
      [37, 37],
    ],
    lengths: [15],
    groups: [4, 6, 5],
    cvcLength: 4,
  },
  {
    brand: 'visa',
    name: 'Visa',
    prefixes: [[4, 4]],
    lengths: [13, 16, 19],
    groups: [4, 4, 4, 4, 3],
    cvcLength: 3,
  },
  {
    brand: 'mastercard',
    name: 'Mastercard',
    prefixes: [
      [51, 55],
      [2221, 2720],
    ],
    lengths: [16],
    groups: [4, 4, 4, 4],
    cvcLength: 3,
  },
  {
    brand: 'discover',
    name: 'Discover',
    prefixes: [
      [6011, 6011],
      [644, 649],
      [65, 65],
    ],
    lengths: [16, 19],
    groups: [4, 4, 4, 4, 3],
    cvcLength: 3,
  },
  {
    brand: 'jcb',
    name: 'JCB',
    prefixes: [[3528, 3589]],
    lengths: [16, 19],
    groups: [4, 4, 4, 4, 3],
    cvcLength: 3,
  },
  {
    brand: 'diners',
    name: 'Diners Club',
    prefixes: [
      [300, 305],
      [309, 309],
      [36, 36],
      [38, 39],
    ],
    lengths: [14, 16, 19],
    groups: [4, 6, 4],
    cvcLength: 3,
  },
  {
    brand: 'unionpay',
    name: 'UnionPay',
    prefixes: [
      [62, 62],
      [81, 81],
    ],
    lengths: [16, 17, 18, 19],
    groups: [4, 4, 4, 4, 3],
    cvcLength: 3,
  },
];

/** The brand of the digits typed so far; undefined when they fit no known brand. */
export function findBrand(digits: string): BrandFacts | undefined {
  return brands.find(({ prefixes }) =>
    prefixes.some(([from, to]) => {
      const width = String(from).length;
      const start = Number(digits.slice(0, width));
      return digits.length >= width && start >= from && start <= to;
    }),
  );
}

/** True when the last digit is the right Luhn digit (ISO/IEC 7812-1, Annex B). */
export function hasLuhnDigit(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 48;
    const twice = digit * 2;
    sum += i % 2 === 0 ? digit : twice > 9 ? twice - 9 : twice;
  }
  return digits.length > 0 && sum % 10 === 0;
}

// Digits with anything between them that is neither letter nor digit, and not part of a longer word:
// identifiers that merely contain digits (UUIDs, order numbers with letters) stay allowed.
const runs =
  /(?<![0-9A-Za-z])(?<![0-9A-Za-z][-._])\d(?:[^\p{L}\p{N}]{0,8}\d){12,}(?![0-9A-Za-z])(?![-._][0-9A-Za-z])/gu;
const parts = /(\d+)(\D*)/g;
/** These separators always join digits into one number, however the digits are grouped. */
const plainSeparator = /^[-._/ ]{0,2}$/;

// About one UUID in some hundred million has only digits, and some of those would pass as a card number.
const digitUuids =
  /(?<![0-9A-Za-z])\d{8}-\d{4}-[1-8]\d{3}-[89]\d{3}-\d{12}(?![0-9A-Za-z]|[-._][0-9A-Za-z])/g;

const isCardNumber = (digits: string): boolean =>
  findBrand(digits)?.lengths.includes(digits.length) === true && hasLuhnDigit(digits);

/**
 * True for groups as people and cards write a number: those of its brand, or equal ones with a shorter last
 * group.
 */
function isGrouped(sizes: readonly number[], brand: BrandFacts | undefined): boolean {
  const [first = 0] = sizes;
  const last = sizes.at(-1) ?? 0;
  if (sizes.slice(0, -1).every((size) => size === first) && last <= first) return true;
  return sizes.every((size, at) => size === brand?.groups[at]);
}

// Digits of scripts that NFKC does not convert. The last bits of their code points give the value.
const otherDigits = /[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u09e6-\u09ef]/g;
const westernDigit = (sign: string): string =>
  String((sign.charCodeAt(0) & 15) - (sign.charCodeAt(0) < 0x0900 ? 0 : 6));

/**
 * Returns true when the text holds a card number: delimited, with a known prefix, its brand's length, and a
 * valid Luhn digit. Anything but a letter may separate the groups. With separators other than a dash, dot,
 * slash or up to two blanks, only groups as on a card count, so that lists of other numbers stay allowed.
 */
export function containsCardNumber(text: string): boolean {
  // NFKC turns full-width digits and unusual spaces into the plain ones.
  const plain = text.normalize('NFKC').replace(otherDigits, westernDigit);
  for (const [run] of plain.replace(digitUuids, 'id').matchAll(runs)) {
    const groups = [...run.matchAll(parts)].map(([, digits = '', after = '']) => ({
      digits,
      isPlain: plainSeparator.test(after),
    }));
    for (let start = 0; start < groups.length; start++) {
      if (beginsCardNumber(groups, start)) return true;
    }
  }
  return false;
}

type Group = { readonly digits: string; readonly isPlain: boolean };

function beginsCardNumber(groups: readonly Group[], start: number): boolean {
  const sizes: number[] = [];
  let digits = '';
  let isPlain = true;
  for (let at = start; at < groups.length && digits.length < 19; at++) {
    const group = groups[at] as Group;
    digits += group.digits;
    sizes.push(group.digits.length);
    if (isCardNumber(digits) && (isPlain || isGrouped(sizes, findBrand(digits)))) return true;
    isPlain &&= group.isPlain;
  }
  return false;
}
