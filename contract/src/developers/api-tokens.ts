// API tokens: the passwords of Client Basic, made by people for their own programs. Spec: API tokens.
// Contract §6.

import { type Static, Type } from 'typebox';
import { row } from '../rows/row.ts';
import { component, givenInstant, input, instant, nullable, oneOf, uuid } from '../rows/schema.ts';
import { scopes } from '../rows/scopes.ts';

/**
 * `mcp` is left out because it would permit nothing: API tokens never create API tokens. Spec:
 * Authentication 5.
 */
export const tokenScopes = scopes.filter((scope) => scope !== 'mcp');

const shown = {
  id: uuid(),
  name: Type.String(),
  description: nullable(Type.String()),
  createdAt: instant(),
  lastUsedAt: nullable(
    instant('When a program last authenticated with it, to the hour; null before the first time.'),
  ),
  expiresAt: nullable(instant('When the token stops working; null: it does not expire.')),
  scopes: nullable(
    Type.Array(oneOf(tokenScopes), {
      description: 'All that it may do; null: whatever the present role of its owner allows.',
    }),
  ),
};

export const ApiToken = component('ApiToken', shown);
export type ApiToken = Static<typeof ApiToken>;

export const ApiTokenWithValue = component('ApiTokenWithValue', {
  ...shown,
  token: Type.String({
    description: 'The password for Client Basic, `svc_…`. Shown in this answer and never again.',
  }),
});
export type ApiTokenWithValue = Static<typeof ApiTokenWithValue>;

const TokenId = Type.Object({ id: uuid({ 'x-code': 'api_token_not_found' }) });

export const createApiToken = row({
  spec: 'Spec 4.4, POST /v1/api-tokens',
  summary: 'Makes an API token of the acting person for the selected merchant.',
  call: 'POST /v1/api-tokens',
  auth: 'bearer',
  scope: 'mcp',
  permission: 'tokens.own',
  limit: 'client',
  asksRecentSignIn: true,
  input: {
    body: input({
      name: Type.String({
        maxLength: 1000,
        description: 'Trimmed; then 1 to 100 characters.',
        'x-trimmed': true,
      }),
      description: Type.Optional(nullable(Type.String({ maxLength: 255 }))),
      expiresAt: Type.Optional(
        nullable(givenInstant('A time in the future; absent: the token does not expire.')),
      ),
      scopes: Type.Optional(
        nullable(
          Type.Array(oneOf(tokenScopes), {
            minItems: 1,
            maxItems: tokenScopes.length,
            description:
              'Limits the token to these scopes. Absent: all that its owner’s role allows.',
          }),
        ),
      ),
    }),
  },
  answers: { 201: ApiTokenWithValue },
  refuses: ['invalid_request', 'api_token_limit_reached', 'rate_limited', 'insufficient_scope'],
  emits: ['api_token.created'],
});

export const listApiTokens = row({
  spec: 'Spec 4.4, GET /v1/api-tokens',
  summary:
    'Lists the active API tokens of the acting person for the selected merchant, oldest first.',
  call: 'GET /v1/api-tokens',
  auth: 'bearer',
  scope: 'mcp',
  permission: 'tokens.own',
  limit: 'client',
  input: {},
  answers: { 200: Type.Object({ data: Type.Array(ApiToken) }) },
  refuses: ['insufficient_scope'],
  emits: [],
});

export const getApiToken = row({
  spec: 'Spec 4.4, GET /v1/api-tokens/:id',
  summary: 'Reads one active API token of the acting person; never its value.',
  call: 'GET /v1/api-tokens/{id}',
  auth: 'bearer',
  scope: 'mcp',
  permission: 'tokens.own',
  limit: 'client',
  input: { path: TokenId },
  answers: { 200: ApiToken },
  refuses: ['api_token_not_found', 'insufficient_scope'],
  emits: [],
});

export const deleteApiToken = row({
  spec: 'Spec 4.4, DELETE /v1/api-tokens/:id',
  summary: 'Revokes an API token of the acting person at once, in every process. Repeatable.',
  call: 'DELETE /v1/api-tokens/{id}',
  auth: 'bearer',
  scope: 'mcp',
  permission: 'tokens.own',
  limit: 'client',
  asksRecentSignIn: true,
  input: { path: TokenId },
  answers: { 204: null },
  refuses: ['api_token_not_found', 'insufficient_scope'],
  emits: ['api_token.revoked'],
});

export const rotateApiToken = row({
  spec: 'Contract §6, POST /v1/api-tokens/{id}/rotate',
  summary: 'Gives an API token a new value; the old value works until the overlap has passed.',
  call: 'POST /v1/api-tokens/{id}/rotate',
  auth: 'bearer',
  scope: 'mcp',
  permission: 'tokens.own',
  limit: 'client',
  asksRecentSignIn: true,
  input: {
    path: TokenId,
    body: input({
      overlapSeconds: Type.Integer({
        minimum: 0,
        maximum: 604_800,
        description: 'How long the old value still authenticates; 0: it stops at once.',
      }),
    }),
  },
  answers: { 200: ApiTokenWithValue },
  refuses: ['invalid_request', 'api_token_not_found', 'insufficient_scope'],
  emits: [],
});
