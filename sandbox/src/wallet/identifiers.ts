// Ids in the wallet's own alphabets, derived from the sandbox's seed and counter.
import type { Identifiers } from '../state/identifiers.ts';

const upperAlphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
/** For payers and merchants: without characters that look alike. */
const account = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const lowerAlphabet = '0123456789abcdefghijklmnopqrstuvwxyz';

const spellText = (text: string, alphabet: string): string =>
  [...text].map((sign) => alphabet[sign.charCodeAt(0) % alphabet.length]).join('');

/** Ids of orders, captures, refunds and setup tokens. */
export const nextId = (ids: Identifiers): string => spellText(ids.next('', 17), upperAlphabet);

/** Ids of payment tokens, and debug ids. */
export const nextToken = (ids: Identifiers, length = 17): string =>
  spellText(ids.next('', length), lowerAlphabet);

/** Returns the same id for the same name. */
export const accountId = (ids: Identifiers, purpose: string, name: string): string =>
  spellText(ids.fixed(purpose, name, 13), account);

/** The id of a customer whom the caller did not name. */
export const nextCustomer = (ids: Identifiers): string => ids.next('', 10);
