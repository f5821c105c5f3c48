// OAuth clients that merchants create, and the access that people granted to applications. Contract §6.

import { type Static, Type } from 'typebox';
import { row } from '../rows/row.ts';
import {
  component,
  input,
  instant,
  list,
  nullable,
  oneOf,
  paging,
  text,
  uuid,
} from '../rows/schema.ts';
import { scopes } from '../rows/scopes.ts';

const kinds = ['confidential', 'public'] as const;

const shown = {
  object: oneOf(['application']),
  id: uuid({ description: 'The `client_id` of OAuth.' }),
  name: Type.String(),
  uri: nullable(Type.String()),
  kind: oneOf(kinds, 'Confidential: it keeps a secret on a server. Public: it cannot keep one.'),
  redirectUris: Type.Array(Type.String()),
  scopes: Type.Array(oneOf(scopes), {
    description: 'The scopes that it may ask for; people grant some or all of them.',
  }),
  version: Type.Integer(),
  createdAt: instant(),
  updatedAt: instant(),
};

export const Application = component('Application', shown);
export type Application = Static<typeof Application>;

const ApplicationWithSecret = component('ApplicationWithSecret', {
  ...shown,
  secret: nullable(
    Type.String({
      description: 'The `client_secret` of OAuth, in this answer and never again. Null if public.',
    }),
  ),
});
export type ApplicationWithSecret = Static<typeof ApplicationWithSecret>;

const ApplicationId = Type.Object({ id: uuid({ 'x-code': 'application_not_found' }) });

const name = () => text(100, { description: 'The name that people see on the consent page.' });
const uri = () =>
  nullable(Type.String({ maxLength: 500, description: 'An https address about it.' }));
const redirectUris = () =>
  Type.Array(text(2000), {
    maxItems: 20,
    description:
      'https addresses, http ones on a loopback address (the port is free), or private schemes with a dot. Compared exactly. None: it signs in as a device only.',
  });
const mostScopes = () => Type.Array(oneOf(scopes), { minItems: 1, maxItems: scopes.length });

export const createApplication = row({
  spec: 'Contract §6, POST /v1/applications',
  summary: 'Makes an OAuth application; only this response holds the secret of a confidential one.',
  call: 'POST /v1/applications',
  auth: 'server',
  scope: 'members:write',
  permission: 'people.write',
  limit: 'client',
  asksRecentSignIn: true,
  input: {
    body: input({
      name: name(),
      uri: Type.Optional(uri()),
      kind: oneOf(kinds),
      redirectUris: redirectUris(),
      scopes: mostScopes(),
    }),
  },
  answers: { 201: ApplicationWithSecret },
  refuses: ['invalid_request', 'insufficient_scope', 'merchant_role_required'],
  emits: [],
});

export const listApplications = row({
  spec: 'Contract §6, GET /v1/applications',
  summary: "Lists the merchant's OAuth applications.",
  call: 'GET /v1/applications',
  auth: 'server',
  scope: 'members:write',
  permission: 'people.write',
  limit: 'client',
  input: { query: paging(['createdAt', 'name'], {}) },
  filters: { name: Type.String() },
  answers: { 200: list(Application) },
  refuses: ['invalid_query', 'insufficient_scope', 'merchant_role_required'],
  emits: [],
});

export const getApplication = row({
  spec: 'Contract §6, GET /v1/applications/{id}',
  summary: 'Reads one OAuth application.',
  call: 'GET /v1/applications/{id}',
  auth: 'server',
  scope: 'members:write',
  permission: 'people.write',
  limit: 'client',
  input: { path: ApplicationId },
  answers: { 200: Application },
  refuses: ['application_not_found', 'insufficient_scope', 'merchant_role_required'],
  emits: [],
});

export const updateApplication = row({
  spec: 'Contract §6, PATCH /v1/applications/{id}',
  summary: 'Changes an OAuth application; removed scopes stop working for its tokens at once.',
  call: 'PATCH /v1/applications/{id}',
  auth: 'server',
  scope: 'members:write',
  permission: 'people.write',
  limit: 'client',
  asksRecentSignIn: true,
  input: {
    path: ApplicationId,
    body: input({
      name: Type.Optional(name()),
      uri: Type.Optional(uri()),
      redirectUris: Type.Optional(redirectUris()),
      scopes: Type.Optional(mostScopes()),
      version: Type.Optional(
        Type.Integer({
          minimum: 1,
          description:
            'The version that you read; the change is refused when there is a newer one.',
        }),
      ),
    }),
  },
  answers: { 200: Application },
  refuses: [
    'invalid_request',
    'application_not_found',
    'version_conflict',
    'insufficient_scope',
    'merchant_role_required',
  ],
  emits: [],
});

export const deleteApplication = row({
  spec: 'Contract §6, DELETE /v1/applications/{id}',
  summary: 'Removes an OAuth application; its tokens stop working at once.',
  call: 'DELETE /v1/applications/{id}',
  auth: 'server',
  scope: 'members:write',
  permission: 'people.write',
  limit: 'client',
  asksRecentSignIn: true,
  input: { path: ApplicationId },
  answers: { 204: null },
  refuses: ['application_not_found', 'insufficient_scope', 'merchant_role_required'],
  emits: [],
});

export const rotateApplicationSecret = row({
  spec: 'Contract §6, POST /v1/applications/{id}/rotate-secret',
  summary: 'Gives a confidential application a new secret; the former one stops working at once.',
  call: 'POST /v1/applications/{id}/rotate-secret',
  auth: 'server',
  scope: 'members:write',
  permission: 'people.write',
  limit: 'client',
  asksRecentSignIn: true,
  input: { path: ApplicationId, body: input({}) },
  answers: { 200: ApplicationWithSecret },
  refuses: [
    'application_not_found',
    'invalid_request',
    'insufficient_scope',
    'merchant_role_required',
  ],
  emits: [],
});

export const Consent = component('Consent', {
  object: oneOf(['consent']),
  id: uuid(),
  applicationId: Type.String({
    description: 'The `client_id` of OAuth: a UUID, or the address of its metadata document.',
  }),
  applicationName: Type.String({ description: 'The application’s name when you gave it access.' }),
  clientId: uuid({ description: 'The merchant that it acts for.' }),
  clientName: Type.String(),
  scopes: Type.Array(oneOf(scopes)),
  createdAt: instant(),
  lastUsedAt: instant('When it last fetched a token.'),
});
export type Consent = Static<typeof Consent>;

export const listConsents = row({
  spec: 'Contract §6, GET /v1/account/applications',
  summary: 'Lists the applications that you gave access, newest first.',
  call: 'GET /v1/account/applications',
  auth: 'person',
  scope: null,
  permission: null,
  limit: 'person',
  input: {},
  answers: { 200: Type.Object({ data: Type.Array(Consent) }) },
  refuses: [],
  emits: [],
});

export const revokeConsent = row({
  spec: 'Contract §6, DELETE /v1/account/applications/{id}',
  summary: 'Revokes the access of an application; its tokens stop working at once.',
  call: 'DELETE /v1/account/applications/{id}',
  auth: 'person',
  scope: null,
  permission: null,
  limit: 'person',
  input: { path: Type.Object({ id: uuid({ 'x-code': 'consent_not_found' }) }) },
  answers: { 204: null },
  refuses: ['consent_not_found'],
  emits: [],
});
