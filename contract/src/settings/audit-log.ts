// Who did what, when and from where, with the values before and after. Contract §6.

import { type Static, Type } from 'typebox';
import { row } from '../rows/row.ts';
import {
  component,
  givenInstant,
  instant,
  list,
  nullable,
  oneOf,
  paging,
  text,
  uuid,
} from '../rows/schema.ts';

const actorKinds = [
  ...(['api_token', 'oauth', 'person', 'customer', 'operator', 'system', 'anonymous'] as const),
] as const;

const facts = (description: string) =>
  Type.Unsafe<Record<string, unknown> | null>({
    type: ['object', 'null'],
    additionalProperties: true,
    description,
  });

export const AuditEntry = component('AuditEntry', {
  id: uuid(),
  object: oneOf(['audit_entry']),
  clientId: nullable(
    uuid({ description: "The merchant; null in the log of a person's own account." }),
  ),
  action: Type.String({ description: 'What was done, such as `product.updated`.' }),
  actor: Type.Object({
    kind: oneOf(
      actorKinds,
      '`customer`: on the customer’s page, by a link. `operator`: a command on the machine of the service. `system`: the service by itself.',
    ),
    userId: nullable(
      uuid({
        description:
          'The person who acted or who owns the token; for a customer, the creator of the link, null if the service mailed it.',
      }),
    ),
    email: nullable(Type.String()),
    customerId: nullable(uuid({ description: 'The customer who acted on the customer’s page.' })),
    credentialId: nullable(
      Type.String({
        description:
          'Id of the API token, of the application’s consent, of the sign-in, or of the link to the customer’s page.',
      }),
    ),
    tokenName: nullable(Type.String({ description: 'Name of the API token.' })),
    applicationId: nullable(Type.String({ description: 'The OAuth application that acted.' })),
    applicationName: nullable(Type.String()),
  }),
  resource: Type.Object({ type: Type.String(), id: Type.String() }),
  userId: nullable(uuid({ description: 'The person whose account or membership was changed.' })),
  before: facts('The former values, without secrets; null: there were none.'),
  after: facts('The new values, without secrets; null: there are none.'),
  requestId: nullable(Type.String()),
  address: nullable(
    Type.String({ description: 'Network address of the caller; for IPv6, its /64.' }),
  ),
  userAgent: nullable(Type.String()),
  createdAt: instant(),
});
export type AuditEntry = Static<typeof AuditEntry>;

const filters = {
  action: text(100),
  actorKind: oneOf(actorKinds),
  actorUserId: uuid(),
  actorCustomerId: uuid(),
  resourceType: text(100),
  resourceId: text(200),
  createdAt: givenInstant(),
};

export const listAuditEntries = row({
  spec: 'Contract §6, GET /v1/audit-entries',
  summary: 'Lists who did what, newest first: changes of settings and people, and moves of money.',
  call: 'GET /v1/audit-entries',
  auth: 'server',
  scope: 'audit:read',
  permission: 'audit.read',
  limit: 'client',
  input: { query: paging(['createdAt'], {}) },
  filters,
  answers: { 200: list(AuditEntry) },
  refuses: ['invalid_query', 'insufficient_scope', 'merchant_role_required'],
  emits: [],
});

export const listAccountAuditEntries = row({
  spec: 'Contract §6, GET /v1/account/audit-entries',
  summary: "Lists what happened to the signed-in person's own account, newest first.",
  call: 'GET /v1/account/audit-entries',
  auth: 'person',
  scope: null,
  permission: null,
  limit: 'person',
  input: { query: paging(['createdAt'], {}) },
  filters,
  answers: { 200: list(AuditEntry) },
  refuses: ['invalid_query'],
  emits: [],
});
