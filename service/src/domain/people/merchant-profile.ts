// A merchant's profile for buyers: which values are accepted, and how they are stored. Contract §3, Merchant.

import { isEmail } from '@svc/contract/rows/schema';
import { isOneLine, isPlainText, isVisible } from '@svc/contract/servers/plain-text';
import { countCharacters } from '@svc/contract/values/characters';
import { type ReadAddress, readHttpsAddress, readImageAddress } from '../protocol/addresses.ts';

/** What the hosted pages show of the merchant. */
export type ShownProfile = {
  readonly businessName: string | null;
  readonly logoUrl: string | null;
  readonly supportEmail: string | null;
  readonly termsUrl: string | null;
  /** `#rrggbb` in lower case. */
  readonly brandColor: string | null;
};

export type MerchantProfile = ShownProfile & {
  /** The seller's postal address on receipts: lines without blanks at their ends. */
  readonly businessAddress: string | null;
  /** The seller's number at the tax office, on receipts. */
  readonly taxNumber: string | null;
};

const profileNames = [
  'businessName',
  'logoUrl',
  'supportEmail',
  'termsUrl',
  'brandColor',
  'businessAddress',
  'taxNumber',
] as const satisfies readonly (keyof MerchantProfile)[];

export type ProfileName = (typeof profileNames)[number];
export type ProfileProblem = {
  readonly path: ProfileName;
  readonly code: string;
  readonly message: string;
};

/** The value as it is stored, or what is wrong with it. */
type ReadValue = ReadAddress;

const maxUrlLength = 1000;

/** Letters of any script; invisible characters alone, such as zero-width ones, are no name. */
function readName(text: string): ReadValue {
  const isShort = countCharacters(text) <= 100;
  if (isShort && isVisible(text) && text === text.trim()) return { value: text };
  return { problem: 'Give 1 to 100 characters, without blanks at the ends.' };
}

/** The reading, where its value is short enough to be stored. */
const ofLength =
  (read: (text: string) => ReadValue) =>
  (text: string): ReadValue => {
    const found = read(text);
    const isLong = 'value' in found && found.value.length > maxUrlLength;
    return isLong ? { problem: 'The address is too long.' } : found;
  };

const readEmail = (text: string): ReadValue =>
  isEmail(text)
    ? { value: text }
    : { problem: 'Give an email address, such as help@shop.example.' };

const readColor = (text: string): ReadValue =>
  /^#[0-9a-f]{6}$/i.test(text)
    ? { value: text.toLowerCase() }
    : { problem: 'Give the colour as #rrggbb, such as #0a7d4f.' };

const mostAddressLines = 8;

/** Returns the lines without blanks at their ends, and without empty lines around them. */
function readLines(text: string): ReadValue {
  const lines = text.split(/\r\n?|\n/).map((line) => line.trim());
  const value = lines.join('\n').trim();
  const isShort = countCharacters(value) <= 500 && value.split('\n').length <= mostAddressLines;
  if (isShort && isVisible(value) && !value.includes('\t')) return { value };
  return { problem: `Give 1 to ${mostAddressLines} lines of 500 characters in all.` };
}

/** Every country writes such numbers in its own way, and some put letters in. */
const readTaxNumber = (text: string): ReadValue =>
  /^[\p{L}\p{N}][\p{L}\p{N} ./-]{0,38}[\p{L}\p{N}]$/u.test(text) && /\p{N}/u.test(text)
    ? { value: text }
    : {
        problem:
          'Give 2 to 40 letters, digits, blanks, dots, dashes and slashes, with a digit, such as DE123456789.',
      };

type Reader = {
  readonly code: string;
  readonly read: (text: string) => ReadValue;
  readonly hasLines?: true;
};

const readers: Readonly<Record<ProfileName, Reader>> = {
  businessName: { code: 'business_name_invalid', read: readName },
  logoUrl: { code: 'logo_url_invalid', read: ofLength(readImageAddress) },
  supportEmail: { code: 'support_email_invalid', read: readEmail },
  termsUrl: { code: 'terms_url_invalid', read: ofLength(readHttpsAddress) },
  brandColor: { code: 'brand_color_invalid', read: readColor },
  businessAddress: { code: 'business_address_invalid', read: readLines, hasLines: true },
  taxNumber: { code: 'tax_number_invalid', read: readTaxNumber },
};

/** The given fields of a profile; null removes a value. */
export type ProfileWish = {
  readonly [Name in ProfileName]?: string | null | undefined;
};

/** The given fields as they are stored, and a problem for each that is not accepted. */
export function parseProfile(wish: ProfileWish): {
  readonly changes: Partial<MerchantProfile>;
  readonly problems: readonly ProfileProblem[];
} {
  const changes: Partial<Record<ProfileName, string | null>> = {};
  const problems: ProfileProblem[] = [];
  for (const path of profileNames) {
    const given = wish[path];
    if (given === undefined) continue;
    const reader = readers[path];
    const { code } = reader;
    const result = given === null ? { value: null } : readText(given, reader);
    if ('value' in result) changes[path] = result.value;
    else problems.push({ path, code, message: result.problem });
  }
  return { changes, problems };
}

function readText(text: string, { read, hasLines }: Reader): ReadValue {
  if ((hasLines ? isPlainText(text) : isOneLine(text)) && text.isWellFormed()) return read(text);
  const breaks = hasLines ? '' : ', line breaks';
  return { problem: `Leave out control characters${breaks} and direction overrides.` };
}

/** The name that buyers see. It is never a host name, because every client has a name. */
export const shownName = (client: {
  readonly name: string;
  readonly businessName: string | null;
}): string => client.businessName ?? client.name;

/**
 * An image's address as a source of a Content-Security-Policy: this one path and no other; null for
 * an address that cannot be in one. A query is not part of a source, and `;` and `,` would end it.
 * CSP3 §2.3.1.
 */
export function imageSource(imageUrl: string | null): string | null {
  const read = imageUrl === null ? null : readImageAddress(imageUrl);
  if (read === null || 'problem' in read) return null;
  const { origin, pathname } = new URL(read.value);
  return origin + pathname.replaceAll(';', '%3B').replaceAll(',', '%2C');
}
