// The memory behind `Idempotency-Key`: it stores the first response byte for byte, per account, for 24
// hours of the sandbox's clock. A body with a card is compared by a digest that does not include the
// number.
import { createHash } from 'node:crypto';
import { ApiError } from '../requests/errors.ts';
import type { RawValue, RawValues } from '../requests/form.ts';
import type { Clock } from './clock.ts';
import type { Store } from './store.ts';

const memoryMs = 24 * 3_600_000;
const maxKey = 255;

export type StoredResponse = { status: number; body: string; request: string };
export type KeyedCall = { account: string; key: string; fingerprint: string };

export type IdempotencyMemory = {
  /** Returns the first response for the key; 400 `idempotency_error` when that was for other parameters. */
  find: (call: KeyedCall) => StoredResponse | undefined;
  keep: (call: KeyedCall, answer: StoredResponse) => void;
  /** Returns whether the key still has a response, for any parameters. */
  knows: (account: string, key: string) => boolean;
  /** Deletes the key, for every account unless one is given. Returns how many responses were deleted. */
  forget: (key: string, account?: string) => number;
  forgetOld: () => void;
};

export const assertKeyLength = (key: string): void => {
  if (key.length <= maxKey) return;
  throw new ApiError(400, {
    type: 'invalid_request_error',
    message: `Idempotency keys can be at most ${maxKey} characters long.`,
  });
};

const canonical = (value: RawValue, path: string): unknown => {
  if (typeof value === 'string') {
    // A card number could be found from its digest by trying all numbers: the last four digits replace it.
    if (path.endsWith('.card.number')) return value.slice(-4);
    return path.endsWith('.card.cvc') ? 'given' : value;
  }
  return Object.keys(value)
    .sort()
    .map((name) => [name, canonical(value[name] ?? '', `${path}.${name}`)]);
};

/** Returns the same text for the same call, whatever the order of its parameters. */
export const fingerprintOf = (method: string, path: string, values: RawValues): string =>
  createHash('sha256')
    .update(JSON.stringify([method, path, canonical(values, '')]))
    .digest('base64url');

export const createMemory = (store: Store, clock: Clock): IdempotencyMemory => ({
  knows: (account, key) => {
    const row = store.one('select at from remembered where account = ? and key = ?', account, key);
    return row !== undefined && Number(row.at) > clock.nowMs() - memoryMs;
  },
  forget: (key, account) =>
    account === undefined
      ? store.all('delete from remembered where key = ? returning at', key).length
      : store.all('delete from remembered where key = ? and account = ? returning at', key, account)
          .length,
  find: ({ account, key, fingerprint }) => {
    const row = store.one('select * from remembered where account = ? and key = ?', account, key);
    if (!row || Number(row.at) <= clock.nowMs() - memoryMs) return undefined;
    if (row.fingerprint !== fingerprint) {
      throw new ApiError(400, {
        type: 'idempotency_error',
        message:
          'Keys for idempotent requests can only be used with the same parameters they were first ' +
          `used with. Try using a key other than '${key}' if you meant to execute a different ` +
          'request.',
      });
    }
    return { status: Number(row.status), body: String(row.body), request: String(row.request) };
  },
  keep: ({ account, key, fingerprint }, answer) => {
    store.run(
      `insert or replace into remembered (account, key, fingerprint, status, body, at, request)
       values (?, ?, ?, ?, ?, ?, ?)`,
      account,
      key,
      fingerprint,
      answer.status,
      answer.body,
      clock.nowMs(),
      answer.request,
    );
  },
  forgetOld: () => store.run('delete from remembered where at <= ?', clock.nowMs() - memoryMs),
});
