// Authentication: an app's id and secret give an access token that is valid for nine hours, which every
// other call carries. The same seed and account name give the same app.
import type { Core } from '../core/core.ts';
import type { Identifiers } from '../state/identifiers.ts';
import type { Store } from '../state/store.ts';
import { WalletError } from './errors.ts';
import { accountId } from './identifiers.ts';

export type WalletAccount = { clientId: string; clientSecret: string; merchantId: string };

const tokenSeconds = 32_400;

const tables = [
  `create table if not exists wallet_accounts (
    account text primary key, client_id text not null unique, client_secret text not null,
    merchant_id text not null
  ) without rowid`,
  `create table if not exists wallet_tokens (
    token text primary key, account text not null, expires_at integer not null
  ) without rowid`,
];

export const prepareAccounts = (store: Store): void => {
  for (const table of tables) store.run(table);
};

/** Returns the wallet's part of a sandbox account, made on first use. */
export const openWalletAccount = (
  store: Store,
  ids: Identifiers,
  of: { account: string; name: string },
): WalletAccount => {
  const made = {
    clientId: `A${ids.fixed('wallet client', of.name, 60)}`,
    clientSecret: `E${ids.fixed('wallet secret', of.name, 60)}`,
    merchantId: accountId(ids, 'wallet merchant', of.name),
  };
  store.run(
    `insert or ignore into wallet_accounts (account, client_id, client_secret, merchant_id)
     values (?, ?, ?, ?)`,
    of.account,
    made.clientId,
    made.clientSecret,
    made.merchantId,
  );
  return made;
};

export const merchantOf = (store: Store, account: string): string =>
  String(
    store.one('select merchant_id from wallet_accounts where account = ?', account)?.merchant_id,
  );

const readBasic = (header: string | undefined): [string, string] => {
  const [scheme = '', value = ''] = (header ?? '').split(' ');
  if (scheme.toLowerCase() !== 'basic') return ['', ''];
  const [id = '', secret = ''] = Buffer.from(value, 'base64').toString().split(':');
  return [id, secret];
};

/** The error of an OAuth refusal, which has a shape of its own. */
export class OauthError extends Error {
  readonly status: number;
  readonly body: object;

  constructor(status: number, error: string) {
    super(error);
    this.status = status;
    this.body = { error, error_description: `The request was refused: ${error}.` };
  }
}

/** Returns an access token for an app's id and secret. */
export const grantToken = (core: Core, header: string | undefined, form: string): object => {
  if (new URLSearchParams(form).get('grant_type') !== 'client_credentials') {
    throw new OauthError(400, 'unsupported_grant_type');
  }
  const [id, secret] = readBasic(header);
  const row = core.store.one('select * from wallet_accounts where client_id = ?', id);
  if (!row || row.client_secret !== secret) throw new OauthError(401, 'invalid_client');
  const token = core.ids.next('A21AA', 60);
  core.store.run('delete from wallet_tokens where expires_at <= ?', core.clock.nowMs());
  core.store.run(
    'insert into wallet_tokens (token, account, expires_at) values (?, ?, ?)',
    token,
    String(row.account),
    core.clock.nowMs() + tokenSeconds * 1000,
  );
  return {
    scope: 'https://uri.paypal.com/services/payments/payment',
    access_token: token,
    token_type: 'Bearer',
    app_id: `APP-${String(row.merchant_id)}`,
    expires_in: tokenSeconds,
    nonce: `${new Date(core.clock.nowMs()).toISOString()}${core.ids.next('', 12)}`,
  };
};

/** Returns the account of an access token; undefined when it is missing, unknown or expired. */
export const findCaller = (core: Core, header: string | undefined): string | undefined => {
  const [scheme = '', token = ''] = (header ?? '').split(' ');
  if (scheme.toLowerCase() !== 'bearer') return undefined;
  const row = core.store.one(
    'select account from wallet_tokens where token = ? and expires_at > ?',
    token,
    core.clock.nowMs(),
  );
  return row && String(row.account);
};

export const authenticate = (core: Core, header: string | undefined): string => {
  const account = findCaller(core, header);
  if (account === undefined) throw new WalletError(401);
  return account;
};
