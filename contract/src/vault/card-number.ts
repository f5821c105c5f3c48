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

const longestPrefix = 4;
const brandsFound = new Map<string, BrandFacts | undefined>();

/** The same for a whole prefix, kept. */
function brandOf(prefix: string): BrandFacts | undefined {
  if (!brandsFound.has(prefix)) brandsFound.set(prefix, findBrand(prefix));
  return brandsFound.get(prefix);
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

// Digits with anything between them that is neither letter nor digit. Letters may touch them.
const runs = /\d(?:[^\p{L}\p{N}]{0,8}\d){12,}/gu;
/** These separators always join digits into one number, however the digits are grouped. */
const plainSeparator = /^[-._/ ]{0,2}$/;

// Random ids in hex hold runs of digits, and one in some thousand would pass as a card number.
const uuids =
  /(?<![0-9a-f])[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}(?![0-9a-f])/gi;
const hexWords = /(?<![\p{L}\p{N}])(?=\d*[a-f])[0-9a-f]{24,}(?![\p{L}\p{N}])/giu;
const providerIds =
  /(?<![\p{L}\p{N}])(?:acct|ch|cus|dp|du|evt|pi|pm|pyr?|re|req|seti|txn)_(?=\d*[A-Za-z])[0-9A-Za-z]{8,}/gu;
const ibans = /(?<![\p{L}\p{N}])[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}(?![\p{L}\p{N}])/gu;

/** True when the check digits are right (ISO 13616-1). */
function isIban(text: string): boolean {
  const signs = text.replaceAll(' ', '');
  const moved = signs.slice(4) + signs.slice(0, 4);
  const digits = moved.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  return BigInt(digits) % 97n === 1n;
}

/** More blanks than may separate two digits of a card number. */
const blanksFor = (id: string): string => ' '.repeat(id.length);

/** Returns the text with blanks in place of UUIDs, long words in hex, ids of the provider and IBANs. */
export const withoutIds = (text: string): string =>
  text
    .replace(uuids, blanksFor)
    .replace(hexWords, blanksFor)
    .replace(providerIds, blanksFor)
    .replace(ibans, (found) => (isIban(found) ? blanksFor(found) : found));

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

// Digits of scripts that NFKC does not convert. The ten of each script stand in a row.
const otherDigits = /(?!\d)\p{Nd}/gu;
const isDigit = /^\p{Nd}/u;
function westernDigit(sign: string): string {
  const code = sign.codePointAt(0) ?? 0;
  let first = code;
  while (isDigit.test(String.fromCodePoint(first - 1))) first--;
  return String((code - first) % 10);
}

// Digits in black and in double circles, which NFKC leaves: in rows from one to nine, then three zeros.
const circledDigits =
  /[\u24f5-\u24fd\u2776-\u277e\u2780-\u2788\u278a-\u2792\u24ff\u{1f10b}\u{1f10c}]/gu;
const circledOnes = [0x24f5, 0x2776, 0x2780, 0x278a];
function circledDigit(sign: string): string {
  const code = sign.codePointAt(0) ?? 0;
  const one = circledOnes.find((first) => code >= first && code < first + 9);
  return one === undefined ? '0' : String(code - one + 1);
}

// NFKC turns full-width digits and unusual spaces into the plain ones.
const toPlain = (text: string): string =>
  text.normalize('NFKC').replace(otherDigits, westernDigit).replace(circledDigits, circledDigit);

// `&#52;` and `&#x34;` of HTML; `\u0034`, `\u{34}` and `\x34` of programs.
const references =
  /&#(?:0*(\d{1,7})|x0*([0-9a-f]{1,6}));?|\\(?:u\{0*([0-9a-f]{1,6})\}|u([0-9a-f]{4})|x([0-9a-f]{2}))/gi;
const isEncoded = /%|&#|\\[ux]/i;

function decodeReferences(text: string): string {
  return text.replace(references, (_, decimal?: string, ...hex: unknown[]) => {
    const written = hex.slice(0, 4).find((one) => typeof one === 'string') as string | undefined;
    const code = decimal === undefined ? Number.parseInt(written ?? '', 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : ' ';
  });
}

const encodedBytes = /(?:%[0-9a-f]{2})+/gi;

/** Undoes percent-encoding, also of text that was encoded up to three times. */
function decodePercent(text: string): string {
  let decoded = text;
  for (let times = 0; times < 3 && decoded.includes('%'); times++) {
    decoded = decoded.replace(encodedBytes, (bytes) => {
      try {
        return decodeURIComponent(bytes);
      } catch {
        // Bytes that are not UTF-8 are neither digits nor letters.
        return bytes.replace(/%(..)/g, (_, hex: string) => {
          const code = Number.parseInt(hex, 16);
          return code < 0x80 ? String.fromCharCode(code) : ' ';
        });
      }
    });
  }
  return decoded;
}

/**
 * Returns true when the text, or what it writes percent-encoded or by the numbers of its characters, holds
 * a card number: a known prefix, its brand's length, and a valid Luhn digit. Letters may touch it, and anything but a letter may separate
 * the groups. With separators other than a dash, dot, slash or up to two blanks, only groups as on a card
 * count, so that lists of other numbers stay allowed. UUIDs, long words in hex, ids of the provider and
 * IBANs stay allowed.
 */
export const containsCardNumber = (text: string): boolean =>
  holdsCardNumber(text) ||
  (isEncoded.test(text) && holdsCardNumber(decodePercent(decodeReferences(text))));

function holdsCardNumber(text: string): boolean {
  const plain = toPlain(text);
  if (plain.search(runs) < 0) return false;
  for (const [run] of withoutIds(plain).matchAll(runs)) {
    if (isCardNumberInside(run)) return true;
  }
  return false;
}

// A stranger's body may be one long run, so no more is looked at than the lengths of the brand at each start.
function isCardNumberInside(run: string): boolean {
  const groups = run.split(/\D+/);
  const separators = run.split(/\d+/);
  const digits = groups.join('');
  const starts: number[] = [0];
  const oddSeparators: number[] = [];
  const groupAt = new Map([[0, 0]]);
  let odd = 0;
  for (const [at, { length }] of groups.entries()) {
    starts.push((starts[at] ?? 0) + length);
    groupAt.set((starts[at] ?? 0) + length, at + 1);
    if (!plainSeparator.test(separators[at] ?? '')) odd++;
    oddSeparators.push(odd);
  }
  return groups.some((_, at) => {
    const start = starts[at] ?? 0;
    const brand = brandOf(digits.slice(start, start + longestPrefix));
    return brand?.lengths.some((length) => {
      const end = groupAt.get(start + length);
      if (end === undefined || !hasLuhnDigit(digits.slice(start, start + length))) return false;
      if (oddSeparators[at] === oddSeparators[end - 1]) return true;
      return isGrouped(
        groups.slice(at, end).map((group) => group.length),
        brand,
      );
    });
  });
}

// For lines of a log: digits and the separators between them may be percent-encoded.
const logDigit = String.raw`(?:\p{Nd}|%(?:25)*3\d)`;
const logRuns = new RegExp(`${logDigit}(?:(?:[-._ ]|%(?:25)*2[0DEde])?${logDigit}){12,}`, 'gu');
const uuidParts = new RegExp(`(${uuids.source})`, 'i');

/**
 * Replaces in a log's line what could be a card number: 13 to 19 digits with a valid Luhn digit, of any
 * issuer, anywhere in a longer run. The digits of a UUID are left.
 */
export function redactCardNumbers(line: string, onRedact: () => string): string {
  if (line.search(logRuns) < 0) return line;
  const redacted = (run: string): string =>
    hasLuhnPart(toPlain(decodePercent(run)).replace(/\D/g, '')) ? onRedact() : run;
  // Every second part is a UUID.
  return line
    .split(uuidParts)
    .map((part, at) => (at % 2 ? part : part.replace(logRuns, redacted)))
    .join('');
}

function hasLuhnPart(digits: string): boolean {
  for (let start = 0; start + 13 <= digits.length; start++) {
    for (let length = 13; length <= 19 && start + length <= digits.length; length++) {
      if (hasLuhnDigit(digits.slice(start, start + length))) return true;
    }
  }
  return false;
}
