// Ids in the real provider's format, derived from the seed and a counter, so that the same seed and calls
// give the same ids. Without a seed the file stores a random one: otherwise the keys and webhook secrets of
// every sandbox would be the same.
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { findFact, type Store, saveFact } from './store.ts';

export type Identifiers = {
  /** Returns `prefix` followed by letters and digits. Each id is used only once per file. */
  next: (prefix: string, length?: number) => string;
  /** Returns the same id for the same name, for keys and card fingerprints. */
  fixed: (purpose: string, name: string, length: number) => string;
};

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Ids are reserved in blocks, with one write per block. A killed process loses the rest of its block. */
const block = 1000;

const spellBytes = (bytes: Buffer, length: number): string => {
  let text = '';
  for (const byte of bytes.subarray(0, length)) text += alphabet[byte % alphabet.length];
  return text;
};

/**
 * Returns the seed that the file stores. A file with accounts but no seed is older and uses the seed of
 * that time.
 */
const keptSeed = (store: Store): string => {
  const known = findFact(store, 'seed');
  if (known !== undefined) return known;
  const isOld = store.one('select 1 as is_old from accounts limit 1') !== undefined;
  const seed = isOld ? 'sandbox' : randomBytes(32).toString('hex');
  saveFact(store, 'seed', seed);
  return seed;
};

export const createIdentifiers = (store: Store, given: string | undefined): Identifiers => {
  const seed = given ?? keptSeed(store);
  let next = 0;
  let reserved = 0;
  const drawNumber = (): number => {
    if (next >= reserved) {
      next = Math.max(next, Number(findFact(store, 'next_id') ?? '0'));
      reserved = next + block;
      saveFact(store, 'next_id', String(reserved));
    }
    next += 1;
    return next;
  };
  return {
    next: (prefix, length = 24) => {
      const digest = createHash('sha256').update(`${seed}:${prefix}:${drawNumber()}`).digest();
      return prefix + spellBytes(digest, length);
    },
    fixed: (purpose, name, length) =>
      spellBytes(createHmac('sha512', seed).update(`${purpose}:${name}`).digest(), length),
  };
};
