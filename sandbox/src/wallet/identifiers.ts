// Ids in the wallet's own alphabets, drawn from the sandbox's seed and counter.
import type { Identifiers } from '../identifiers.ts';

const upper = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
/** Payers and merchants: nothing that reads like something else. */
const account = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const lower = '0123456789abcdefghijklmnopqrstuvwxyz';

const spell = (text: string, alphabet: string): string =>
  [...text].map((sign) => alphabet[sign.charCodeAt(0) % alphabet.length]).join('');

/** Orders, captures, refunds, setup tokens. */
export const nextId = (ids: Identifiers): string => spell(ids.next('', 17), upper);

/** Payment tokens, debug ids. */
export const nextToken = (ids: Identifiers, length = 17): string =>
  spell(ids.next('', length), lower);

/** The same for the same name. */
export const accountId = (ids: Identifiers, purpose: string, name: string): string =>
  spell(ids.fixed(purpose, name, 13), account);

/** As customers are numbered where the caller names none. */
export const nextCustomer = (ids: Identifiers): string => ids.next('', 10);
