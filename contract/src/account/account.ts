// A person's own account: signing in, proving one's identity, and the signed-in browsers. Only our own
// pages make these calls, with the sign-in cookie. Contract §6.

import { type Static, Type } from 'typebox';
import { permissions, roles } from '../rows/roles.ts';
import { row } from '../rows/row.ts';
import { component, input, instant, nullable, oneOf, text, uuid } from '../rows/schema.ts';
import { Account, SignInStep } from './account-shapes.ts';
import { AssertedPasskey, PasskeyRequest } from './passkeys.ts';

const spec = 'Contract §6, people';
/** Only looked up: an address that was stored under an earlier rule still signs in. */
const typedEmail = () => text(254, { pattern: '^[^\\s@]+@[^\\s@]+$' });
/**
 * A sign-in does not check the length of a password: whatever was typed is compared with the stored one.
 */
const typedPassword = () => text(1000);

export const signIn = row({
  spec,
  summary: 'Signs a browser in with address and password; a second factor may be asked next.',
  call: 'POST /v1/account/sign-in',
  auth: 'visitor',
  scope: null,
  permission: null,
  limit: 'sign-in',
  setsSignIn: true,
  input: { body: input({ email: typedEmail(), password: typedPassword() }) },
  answers: { 200: SignInStep },
  refuses: ['sign_in_failed', 'rate_limited', 'invalid_request'],
  emits: [],
});

/** The second factor: the authenticator's code, or a recovery code for when the authenticator is lost. */
const secondProof = {
  code: Type.Optional(text(20, { description: 'Six digits of the authenticator.' })),
  recoveryCode: Type.Optional(text(40, { description: 'One of the ten recovery codes.' })),
};

export const signInSecondFactor = row({
  spec,
  summary: 'Finishes signing in with a code of the authenticator or a recovery code.',
  call: 'POST /v1/account/sign-in/second-factor',
  auth: 'visitor',
  scope: null,
  permission: null,
  limit: 'sign-in',
  setsSignIn: true,
  input: { body: input(secondProof, { minProperties: 1, maxProperties: 1 }) },
  answers: { 200: SignInStep },
  refuses: ['sign_in_required', 'totp_code_invalid', 'rate_limited', 'invalid_request'],
  emits: [],
});

export const createPasskeySignIn = row({
  spec,
  summary: 'Options for navigator.credentials.get: signing in with a passkey, without an address.',
  call: 'POST /v1/account/sign-in/passkey-options',
  auth: 'visitor',
  scope: null,
  permission: null,
  limit: 'sign-in',
  input: { body: input({}) },
  answers: { 200: PasskeyRequest },
  refuses: ['invalid_request'],
  emits: [],
});

export const signInWithPasskey = row({
  spec,
  summary: 'Signs a browser in with a passkey; no second factor is asked.',
  call: 'POST /v1/account/sign-in/passkey',
  auth: 'visitor',
  scope: null,
  permission: null,
  limit: 'sign-in',
  setsSignIn: true,
  input: { body: AssertedPasskey },
  answers: { 200: SignInStep },
  refuses: ['sign_in_failed', 'invalid_request'],
  emits: [],
});

export const signOut = row({
  spec,
  summary: 'Ends the sign-in of this browser; repeatable.',
  call: 'POST /v1/account/sign-out',
  auth: 'visitor',
  scope: null,
  permission: null,
  limit: 'person',
  setsSignIn: true,
  input: { body: input({}) },
  answers: { 204: null },
  refuses: ['invalid_request'],
  emits: [],
});

const ConfirmedSignIn = component('ConfirmedSignIn', {
  provenAt: instant('When the person last proved the identity.'),
});
export type ConfirmedSignIn = Static<typeof ConfirmedSignIn>;

export const confirmSignIn = row({
  spec,
  summary:
    'Proves the identity of the person again: with a passkey, or with the password and, where one is on, a code of the authenticator.',
  call: 'POST /v1/account/confirm',
  auth: 'person',
  scope: null,
  permission: null,
  limit: 'sign-in',
  setsSignIn: true,
  input: {
    body: input({
      password: Type.Optional(typedPassword()),
      ...secondProof,
      passkey: Type.Optional(AssertedPasskey),
    }),
  },
  answers: { 200: ConfirmedSignIn },
  refuses: [
    'sign_in_failed',
    'second_factor_required',
    'totp_code_invalid',
    'rate_limited',
    'invalid_request',
  ],
  emits: [],
});

export const createPasskeyConfirmation = row({
  spec,
  summary: 'Options for navigator.credentials.get: confirming with one of the person’s passkeys.',
  call: 'POST /v1/account/confirm/passkey-options',
  auth: 'person',
  scope: null,
  permission: null,
  limit: 'sign-in',
  input: { body: input({}) },
  answers: { 200: PasskeyRequest },
  refuses: ['passkey_not_found', 'invalid_request'],
  emits: [],
});

export const getAccount = row({
  spec,
  summary: 'The signed-in person, the proofs that are set up, and this sign-in.',
  call: 'GET /v1/account',
  auth: 'person',
  scope: null,
  permission: null,
  limit: 'person',
  input: {},
  answers: { 200: Account },
  refuses: [],
  emits: [],
});

export const updateAccount = row({
  spec,
  summary: "Changes the person's name.",
  call: 'PATCH /v1/account',
  auth: 'person',
  scope: null,
  permission: null,
  limit: 'person',
  input: { body: input({ name: nullable(text(100)) }) },
  answers: { 200: Account },
  refuses: ['invalid_request'],
  emits: [],
});

export const changePassword = row({
  spec,
  summary: 'Sets the password and ends every other sign-in.',
  call: 'PUT /v1/account/password',
  auth: 'person',
  scope: null,
  permission: null,
  limit: 'sign-in',
  asksRecentSignIn: true,
  input: { body: input({ password: typedPassword() }) },
  answers: { 204: null },
  refuses: ['password_too_weak', 'invalid_request'],
  emits: [],
});

export const requestPasswordReset = row({
  spec,
  summary:
    'Mails a one-time link to set a new password, to an address or in place of a used or expired link. The answer never tells whether the account exists.',
  call: 'POST /v1/account/password-reset',
  auth: 'visitor',
  scope: null,
  permission: null,
  limit: 'sign-in',
  input: {
    body: input({
      email: Type.Optional(typedEmail()),
      link: Type.Optional(
        text(200, { description: 'A used or expired link, in place of the address.' }),
      ),
    }),
  },
  answers: { 202: null },
  refuses: ['invalid_request'],
  emits: [],
});

export const resetPassword = row({
  spec,
  summary: 'Sets the password by a mailed link, once, and ends every sign-in of the person.',
  call: 'POST /v1/account/password-reset/complete',
  auth: 'visitor',
  scope: null,
  permission: null,
  limit: 'sign-in',
  setsSignIn: true,
  input: { body: input({ link: text(200), password: typedPassword() }) },
  answers: { 204: null },
  refuses: ['link_not_found', 'password_too_weak', 'invalid_request'],
  emits: [],
});

export const SignInSession = component('SignInSession', {
  id: uuid(),
  method: oneOf(['password', 'password_totp', 'password_recovery_code', 'passkey', 'link']),
  address: nullable(Type.String({ description: 'Network address that it was opened from.' })),
  userAgent: nullable(Type.String()),
  createdAt: instant(),
  lastSeenAt: instant('Exact to five minutes.'),
  expiresAt: instant('Each use moves it to 12 hours later, up to 30 days after signing in.'),
  isThisOne: Type.Boolean(),
});
export type SignInSession = Static<typeof SignInSession>;

export const listSignIns = row({
  spec,
  summary: 'Where the person is signed in, the latest seen first.',
  call: 'GET /v1/account/sign-ins',
  auth: 'person',
  scope: null,
  permission: null,
  limit: 'person',
  input: {},
  answers: { 200: component('SignInSessions', { data: Type.Array(SignInSession) }) },
  refuses: [],
  emits: [],
});

export const endSignIn = row({
  spec,
  summary: "Ends one of the person's sign-ins.",
  call: 'DELETE /v1/account/sign-ins/{signInId}',
  auth: 'person',
  scope: null,
  permission: null,
  limit: 'person',
  input: { path: Type.Object({ signInId: uuid() }) },
  answers: { 204: null },
  refuses: ['sign_in_not_found', 'invalid_request'],
  emits: [],
});

export const endOtherSignIns = row({
  spec,
  summary: 'Ends every sign-in of the person but this one.',
  call: 'POST /v1/account/sign-ins/end-others',
  auth: 'person',
  scope: null,
  permission: null,
  limit: 'person',
  input: { body: input({}) },
  answers: { 204: null },
  refuses: ['invalid_request'],
  emits: [],
});

export const OwnMembership = component('OwnMembership', {
  clientId: uuid(),
  name: Type.String(),
  role: oneOf(roles),
  permissions: Type.Array(oneOf(permissions), {
    description: 'The permissions of the role, which the service checks at each call.',
  }),
  owners: Type.Array(Type.String(), {
    description: 'Up to five owners, by name or else address, who can give a higher role.',
  }),
  livemode: Type.Boolean(),
  timeZone: Type.String({ description: 'The merchant’s time zone, which its days follow.' }),
});
export type OwnMembership = Static<typeof OwnMembership>;

export const listMemberships = row({
  spec,
  summary: 'The merchants that the person belongs to, by name.',
  call: 'GET /v1/account/memberships',
  auth: 'person',
  scope: null,
  permission: null,
  limit: 'person',
  input: {},
  answers: { 200: component('OwnMemberships', { data: Type.Array(OwnMembership) }) },
  refuses: [],
  emits: [],
});
