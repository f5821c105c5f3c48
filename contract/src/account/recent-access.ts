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
        'The User-Agent of a sign-in, the application of a consent, the address of an invitation; otherwise the name that the person gave.',
    }),
  ),
  clientId: nullable(uuid()),
  clientName: nullable(Type.String()),
  createdAt: instant(),
  lastUsedAt: nullable(instant()),
  isThisOne: Type.Boolean({
    description: 'True for the sign-in that makes this call, which cannot be ended here.',
  }),
});
export type RecentAccess = Static<typeof RecentAccess>;

export const RecentAccesses = component('RecentAccesses', {
  data: Type.Array(RecentAccess),
});
export type RecentAccesses = Static<typeof RecentAccesses>;

export const listRecentAccess = row({
  spec,
  summary:
    'Lists the valid sign-ins, passkeys, API tokens, consents and open invitations that the account made in the last 30 days.',
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
  summary: 'Ends the named entries of that list, or all but this sign-in. Repeatable.',
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
            description: 'Ids that are not in the list are ignored.',
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
