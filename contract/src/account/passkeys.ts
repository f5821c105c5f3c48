// A person's passkeys (WebAuthn level 2), in the JSON forms of browsers:
// `PublicKeyCredential.parse…OptionsFromJSON` reads the options. Bytes are base64url without padding.

import { type Static, Type } from 'typebox';
import { row } from '../rows/row.ts';
import { component, input, instant, nullable, oneOf, text, uuid } from '../rows/schema.ts';

const spec = 'Contract §6, people';
const bytes = (maxLength: number, options: object = {}) =>
  text(maxLength, { pattern: '^[A-Za-z0-9_-]+$', ...options });

const Descriptor = component('PasskeyDescriptor', {
  type: oneOf(['public-key']),
  id: Type.String(),
  transports: Type.Array(Type.String()),
});

export const PasskeyRequest = component('PasskeyRequest', {
  challenge: Type.String({ description: 'To be signed once, within five minutes.' }),
  timeout: Type.Integer(),
  rpId: Type.String(),
  allowCredentials: Type.Array(Descriptor),
  userVerification: oneOf(['required']),
});
export type PasskeyRequest = Static<typeof PasskeyRequest>;

export const PasskeyCreation = component('PasskeyCreation', {
  challenge: Type.String({ description: 'To be signed once, within five minutes.' }),
  timeout: Type.Integer(),
  rp: component('PasskeyParty', { id: Type.String(), name: Type.String() }),
  user: component('PasskeyUser', {
    id: Type.String(),
    name: Type.String(),
    displayName: Type.String(),
  }),
  pubKeyCredParams: Type.Array(
    component('PasskeyAlgorithm', { type: oneOf(['public-key']), alg: Type.Integer() }),
  ),
  excludeCredentials: Type.Array(Descriptor),
  authenticatorSelection: component('PasskeySelection', {
    residentKey: oneOf(['required']),
    requireResidentKey: Type.Boolean(),
    userVerification: oneOf(['required']),
  }),
  attestation: oneOf(['none']),
});
export type PasskeyCreation = Static<typeof PasskeyCreation>;

/** The result of `navigator.credentials.get`. */
export const AssertedPasskey = input({
  id: bytes(1400),
  clientDataJSON: bytes(4000),
  authenticatorData: bytes(4000),
  signature: bytes(2000),
  userHandle: Type.Optional(bytes(100)),
});
export type AssertedPasskey = Static<typeof AssertedPasskey>;

/** The result of `navigator.credentials.create`. */
export const CreatedPasskey = input({
  id: bytes(1400),
  clientDataJSON: bytes(4000),
  attestationObject: bytes(8192),
  transports: Type.Optional(Type.Array(text(30), { maxItems: 10 })),
});
export type CreatedPasskey = Static<typeof CreatedPasskey>;

export const Passkey = component('Passkey', {
  id: uuid(),
  name: Type.String(),
  createdAt: instant(),
  lastUsedAt: nullable(instant()),
});
export type Passkey = Static<typeof Passkey>;

export const createPasskeyOptions = row({
  spec,
  summary: 'Options for navigator.credentials.create: adding a passkey to the account.',
  call: 'POST /v1/account/passkeys/options',
  auth: 'person',
  scope: null,
  permission: null,
  limit: 'person',
  asksRecentSignIn: true,
  input: { body: input({}) },
  answers: { 200: PasskeyCreation },
  refuses: ['invalid_request'],
  emits: [],
});

export const createPasskey = row({
  spec,
  summary: 'Adds the passkey that the browser made, under a name.',
  call: 'POST /v1/account/passkeys',
  auth: 'person',
  scope: null,
  permission: null,
  limit: 'person',
  asksRecentSignIn: true,
  input: { body: input({ name: text(100), passkey: CreatedPasskey }) },
  answers: { 201: Passkey },
  refuses: ['passkey_invalid', 'invalid_request'],
  emits: [],
});

export const listPasskeys = row({
  spec,
  summary: "The person's passkeys, the newest first.",
  call: 'GET /v1/account/passkeys',
  auth: 'person',
  scope: null,
  permission: null,
  limit: 'person',
  input: {},
  answers: { 200: component('Passkeys', { data: Type.Array(Passkey) }) },
  refuses: [],
  emits: [],
});

export const updatePasskey = row({
  spec,
  summary: 'Renames a passkey.',
  call: 'PATCH /v1/account/passkeys/{passkeyId}',
  auth: 'person',
  scope: null,
  permission: null,
  limit: 'person',
  input: { path: Type.Object({ passkeyId: uuid() }), body: input({ name: text(100) }) },
  answers: { 200: Passkey },
  refuses: ['passkey_not_found', 'invalid_request'],
  emits: [],
});

export const deletePasskey = row({
  spec,
  summary: 'Removes a passkey, unless it is the only way to sign in.',
  call: 'DELETE /v1/account/passkeys/{passkeyId}',
  auth: 'person',
  scope: null,
  permission: null,
  limit: 'person',
  asksRecentSignIn: true,
  input: { path: Type.Object({ passkeyId: uuid() }) },
  answers: { 204: null },
  refuses: ['passkey_not_found', 'last_proof_kept', 'invalid_request'],
  emits: [],
});
