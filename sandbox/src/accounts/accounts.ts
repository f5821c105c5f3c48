// Accounts and their keys. The same seed and name give the same keys, so that a configured service still
// finds its account after the sandbox's file was deleted. That is the purpose of a seed.

import { ApiError } from '../requests/errors.ts';
import type { Identifiers } from '../state/identifiers.ts';
import type { Store } from '../state/store.ts';

export type Account = { accountId: string; secretKey: string; publishableKey: string };

export const openAccount = (store: Store, ids: Identifiers, name: string): Account => {
  const account = {
    accountId: `acct_${ids.fixed('account', name, 16)}`,
    secretKey: `sk_test_${ids.fixed('secret', name, 32)}`,
    publishableKey: `pk_test_${ids.fixed('publishable', name, 32)}`,
  };
  store.run(
    'insert or ignore into accounts (id, name, secret_key, publishable_key) values (?, ?, ?, ?)',
    account.accountId,
    name,
    account.secretKey,
    account.publishableKey,
  );
  return account;
};

export type Credential = {
  account: string;
  key: 'secret' | 'publishable';
  /** The rights of a restricted key: `payment_intents.write`, `refunds.read` and similar. */
  rights?: readonly string[];
};

/** Makes a key that permits only what its rights name. A right to write includes the right to read. */
export const openRestrictedKey = (
  store: Store,
  ids: Identifiers,
  wish: { account: string; rights: readonly string[] },
): { key: string } => {
  const key = ids.next('rk_test_', 32);
  store.run(
    'insert into restricted_keys (key, account, rights) values (?, ?, ?)',
    key,
    wish.account,
    wish.rights.join(' '),
  );
  return { key };
};

const findRestricted = (store: Store, key: string): Credential | undefined => {
  const row = store.one('select account, rights from restricted_keys where key = ?', key);
  if (!row) return undefined;
  return { account: String(row.account), key: 'secret', rights: String(row.rights).split(' ') };
};

/** Throws 403 when a restricted key lacks the right for the call. */
export const assertRight = (
  { account, rights }: Credential,
  call: { method: string; path: string },
): void => {
  if (!rights) return;
  const resource = call.path.split('/')[1] ?? '';
  const needed = `${resource}.${call.method === 'GET' ? 'read' : 'write'}`;
  if (rights.includes(needed) || rights.includes(`${resource}.write`)) return;
  throw new ApiError(403, {
    type: 'invalid_request_error',
    message:
      'The provided key does not have the required permissions for this endpoint on account ' +
      `'${account}'. Having the '${needed}' permission would allow this request to continue.`,
  });
};

const unauthorised = (message: string, code?: string) =>
  new ApiError(401, { type: 'invalid_request_error', message, ...(code ? { code } : {}) });

const readKey = (header: string | undefined): string => {
  const [scheme = '', value = ''] = (header ?? '').split(' ');
  if (scheme.toLowerCase() === 'bearer') return value;
  if (scheme.toLowerCase() === 'basic') {
    return Buffer.from(value, 'base64').toString().split(':')[0] ?? '';
  }
  return '';
};

/** Reads a test key from Bearer or Basic authentication; throws 401 otherwise. */
export const authenticate = (store: Store, header: string | undefined): Credential => {
  const given = readKey(header);
  if (given === '') {
    throw unauthorised(
      'You did not provide an API key. Provide it in the Authorization header, using Bearer auth ' +
        "(e.g. 'Authorization: Bearer YOUR_SECRET_KEY').",
    );
  }
  const row = store.one(
    'select id, secret_key from accounts where secret_key = ? or publishable_key = ?',
    given,
    given,
  );
  const restricted = row ? undefined : findRestricted(store, given);
  if (restricted) return restricted;
  if (!row)
    throw unauthorised(`Invalid API Key provided: ${given.slice(0, 8)}****${given.slice(-4)}`);
  return {
    account: String(row.id),
    key: row.secret_key === given ? 'secret' : 'publishable',
  };
};

/** Throws 401 `secret_key_required` for a publishable key on a call that browsers may not make. */
export const assertMayCall = (credential: Credential, isPublic: boolean): void => {
  if (credential.key === 'secret' || isPublic) return;
  throw unauthorised(
    'This API call cannot be made with a publishable API key. Please use a secret API key.',
    'secret_key_required',
  );
};
