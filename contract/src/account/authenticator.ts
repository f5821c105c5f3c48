// A person's second factor: an authenticator's codes (TOTP, RFC 6238), and recovery codes for when the
// authenticator is lost. Each secret is in one response and nowhere else.

import { type Static, Type } from 'typebox';
import { row } from '../rows/row.ts';
import { component, input, text } from '../rows/schema.ts';

const spec = 'Contract §6, people';

export const NewAuthenticator = component('NewAuthenticator', {
  secret: Type.String({ description: 'Base32, for typing it in.' }),
  uri: Type.String({ description: 'otpauth:// for the QR code.' }),
});
export type NewAuthenticator = Static<typeof NewAuthenticator>;

const RecoveryCodes = component('RecoveryCodes', {
  recoveryCodes: Type.Array(Type.String(), {
    description: 'Ten codes, each valid once. They are never shown again.',
  }),
});
export type RecoveryCodes = Static<typeof RecoveryCodes>;

export const createAuthenticator = row({
  spec,
  summary: 'Makes the secret of an authenticator, which is on once a right code was sent.',
  call: 'POST /v1/account/authenticator',
  auth: 'person',
  scope: null,
  permission: null,
  limit: 'person',
  asksRecentSignIn: true,
  input: { body: input({}) },
  answers: { 201: NewAuthenticator },
  refuses: ['totp_already_on', 'invalid_request'],
  emits: [],
});

export const confirmAuthenticator = row({
  spec,
  summary: 'Switches the authenticator on with a code of it; answers the recovery codes.',
  call: 'POST /v1/account/authenticator/confirm',
  auth: 'person',
  scope: null,
  permission: null,
  limit: 'sign-in',
  asksRecentSignIn: true,
  input: { body: input({ code: text(20) }) },
  answers: { 200: RecoveryCodes },
  refuses: [
    'totp_not_on',
    'totp_already_on',
    'totp_code_invalid',
    'rate_limited',
    'invalid_request',
  ],
  emits: [],
});

export const deleteAuthenticator = row({
  spec,
  summary: 'Switches the authenticator off and forgets the recovery codes.',
  call: 'DELETE /v1/account/authenticator',
  auth: 'person',
  scope: null,
  permission: null,
  limit: 'person',
  asksRecentSignIn: true,
  input: {},
  answers: { 204: null },
  refuses: ['totp_not_on'],
  emits: [],
});

export const createRecoveryCodes = row({
  spec,
  summary: 'Makes ten new recovery codes; the former ones stop working.',
  call: 'POST /v1/account/recovery-codes',
  auth: 'person',
  scope: null,
  permission: null,
  limit: 'person',
  asksRecentSignIn: true,
  input: { body: input({}) },
  answers: { 201: RecoveryCodes },
  refuses: ['totp_not_on', 'invalid_request'],
  emits: [],
});
