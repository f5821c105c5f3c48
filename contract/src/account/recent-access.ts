// Access that was recently created in a person's name. The person reviews it after a password reset,
// because whoever had the password may have created access that survives it. Contract §6.

import { type Static, Type } from 'typebox';
import { row } from '../rows/row.ts';
import { component, input, instant, nullable, oneOf, uuid } from '../rows/schema.ts';

const spec = 'Contract §6, people';

const accessKinds = ['sign_in', 'passkey', 'api_token', 'consent', 'invitation'] as const;

export const RecentAccess = component('RecentAccess', {
  kind: oneOf(accessKinds),
  id: uuid(),
  name: nullable(
    Type.String({
      description:
        'Of a sign-in its User-Agent, of a consent its application, of an invitation the address; else the given name.',
    }),
  ),
  clientId: nullable(uuid()),
  clientName: nullable(Type.String()),
  createdAt: instant(),
  lastUsedAt: nullable(instant()),
  isThisOne: Type.Boolean({ description: 'The sign-in that asks: it is never ended here.' }),
});
export type RecentAccess = Static<typeof RecentAccess>;

export const RecentAccesses = component('RecentAccesses', {
  data: Type.Array(RecentAccess),
});
export type RecentAccesses = Static<typeof RecentAccesses>;

export const listRecentAccess = row({
  spec,
  summary:
    'What the person’s account made in the last 30 days and still stands: sign-ins, passkeys, API tokens, consents, open invitations.',
  call: 'GET /v1/account/recent-access',
  auth: 'person',
  scope: null,
  permission: null,
  limit: 'person',
  input: {},
  answers: { 200: RecentAccesses },
  refuses: [],
  emits: [],
});

export const endRecentAccess = row({
  spec,
  summary: 'Ends what is named of that list, or all of it but this sign-in. Repeatable.',
  call: 'POST /v1/account/recent-access/end',
  auth: 'person',
  scope: null,
  permission: null,
  limit: 'person',
  asksRecentSignIn: true,
  input: {
    body: input(
      {
        all: Type.Optional(Type.Literal(true)),
        items: Type.Optional(
          Type.Array(input({ kind: oneOf(accessKinds), id: uuid() }), {
            minItems: 1,
            maxItems: 100,
            description: 'What is not in the list, somebody else’s included, is passed over.',
          }),
        ),
      },
      { minProperties: 1, maxProperties: 1 },
    ),
  },
  answers: { 200: component('EndedAccess', { ended: Type.Integer() }) },
  refuses: ['last_proof_kept', 'invalid_request'],
  emits: ['api_token.revoked'],
});
