// The calls of a person's own account.

import type { OwnMembership, SignInSession } from '@svc/contract/account';
import type { Account } from '@svc/contract/account-shapes';
import type { Consent } from '@svc/contract/applications';
import type { AuditEntry } from '@svc/contract/audit-log';
import type { NewAuthenticator, RecoveryCodes } from '@svc/contract/authenticator';
import type { CreatedPasskey, Passkey, PasskeyCreation } from '@svc/contract/passkeys';
import type { RecentAccess, RecentAccesses } from '@svc/contract/recent-access';
import type { ListPage } from './calls.ts';
import { call } from './calls.ts';

type DataList<T> = { readonly data: readonly T[] };

const dataOf = <T>({ data }: DataList<T>): readonly T[] => data;
const part = encodeURIComponent;

export const readAccount = () => call<Account>('GET', '/v1/account');
export const renamePerson = (name: string) =>
  call<Account>('PATCH', '/v1/account', { body: { name: name || null } });
export const listMemberships = () =>
  call<DataList<OwnMembership>>('GET', '/v1/account/memberships').then(dataOf);

export const changePassword = (password: string) =>
  call<null>('PUT', '/v1/account/password', { body: { password } });

export const createAuthenticator = () =>
  call<NewAuthenticator>('POST', '/v1/account/authenticator', { body: {} });
export const confirmAuthenticator = (code: string) =>
  call<RecoveryCodes>('POST', '/v1/account/authenticator/confirm', { body: { code } });
export const removeAuthenticator = () => call<null>('DELETE', '/v1/account/authenticator');
export const createRecoveryCodes = () =>
  call<RecoveryCodes>('POST', '/v1/account/recovery-codes', { body: {} });

export const passkeyCreation = () =>
  call<PasskeyCreation>('POST', '/v1/account/passkeys/options', { body: {} });
export const addPasskey = (name: string, passkey: CreatedPasskey) =>
  call<Passkey>('POST', '/v1/account/passkeys', { body: { name, passkey } });
export const listPasskeys = () =>
  call<DataList<Passkey>>('GET', '/v1/account/passkeys').then(dataOf);
export const renamePasskey = (id: string, name: string) =>
  call<Passkey>('PATCH', `/v1/account/passkeys/${part(id)}`, { body: { name } });
export const removePasskey = (id: string) =>
  call<null>('DELETE', `/v1/account/passkeys/${part(id)}`);

export const listSignIns = () =>
  call<DataList<SignInSession>>('GET', '/v1/account/sign-ins').then(dataOf);
export const endSignIn = (id: string) => call<null>('DELETE', `/v1/account/sign-ins/${part(id)}`);
export const endOtherSignIns = () =>
  call<null>('POST', '/v1/account/sign-ins/end-others', { body: {} });

export const listRecentAccess = () =>
  call<RecentAccesses>('GET', '/v1/account/recent-access').then(dataOf);
export const endRecentAccess = (
  meant: { items: readonly Pick<RecentAccess, 'kind' | 'id'>[] } | { all: true },
) => call<{ ended: number }>('POST', '/v1/account/recent-access/end', { body: meant });

export const listConsents = () =>
  call<DataList<Consent>>('GET', '/v1/account/applications').then(dataOf);
export const revokeConsent = (id: string) =>
  call<null>('DELETE', `/v1/account/applications/${part(id)}`);

export const listAccountEntries = (query: string) =>
  call<ListPage<AuditEntry>>('GET', `/v1/account/audit-entries?${query}`);
