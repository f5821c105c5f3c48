// Who belongs to a merchant, and how people join: invitations by mail. Contract §6.

import { type Static, Type } from 'typebox';
import { roles } from '../rows/roles.ts';
import { row } from '../rows/row.ts';
import {
  component,
  email,
  givenEmail,
  input,
  instant,
  list,
  nullable,
  oneOf,
  paging,
  text,
  uuid,
} from '../rows/schema.ts';

const role = () => oneOf(roles, 'What a role may do stands in the guide "Members".');

export const Member = component('Member', {
  object: oneOf(['member']),
  userId: uuid(),
  email: Type.String(),
  name: nullable(Type.String()),
  role: role(),
  isYou: Type.Boolean({ description: 'True for the person who asks.' }),
  activeTokens: Type.Integer({ description: 'API tokens that stop when the member is removed.' }),
  createdAt: instant('Since when.'),
});
export type Member = Static<typeof Member>;

export const Invitation = component('Invitation', {
  object: oneOf(['invitation']),
  id: uuid(),
  email: Type.String(),
  role: role(),
  status: oneOf(['open', 'expired', 'replaced', 'revoked', 'accepted']),
  invitedBy: nullable(uuid({ description: 'The person; null for the operator.' })),
  createdAt: instant(),
  expiresAt: instant('When the mailed link expires, after seven days.'),
});
export type Invitation = Static<typeof Invitation>;

const UserId = Type.Object({ userId: uuid({ 'x-code': 'member_not_found' }) });

const EndingTokens = Type.Optional(
  Type.Array(uuid(), {
    maxItems: 20,
    description: 'Ids of the API tokens that stop because the new role has none.',
  }),
);

/** Of DELETE, which carries no body everywhere. */
const AgreedTokens = Type.Object(
  {
    tokenIds: Type.Optional(
      text(1000, {
        pattern: '^[0-9a-fA-F-]{36}(,[0-9a-fA-F-]{36})*$',
        description: 'Ids of the API tokens that stop, separated by commas.',
        'x-code': 'invalid_query',
      }),
    ),
  },
  { additionalProperties: false, 'x-code': 'invalid_query' },
);

export const listMembers = row({
  spec: 'Contract §6, GET /v1/members',
  summary: "Lists the merchant's people.",
  call: 'GET /v1/members',
  auth: 'server',
  scope: 'members:write',
  permission: 'people.write',
  limit: 'client',
  input: { query: paging(['createdAt', 'email'], {}) },
  filters: { role: oneOf(roles), email: givenEmail() },
  answers: { 200: list(Member) },
  refuses: ['invalid_query', 'insufficient_scope', 'merchant_role_required'],
  emits: [],
});

export const updateMember = row({
  spec: 'Contract §6, PATCH /v1/members/{userId}',
  summary:
    'Changes a role. Only owners make owners or change them, and one owner stays. API tokens that stop with the role must be named.',
  call: 'PATCH /v1/members/{userId}',
  auth: 'server',
  scope: 'members:write',
  permission: 'people.write',
  limit: 'client',
  asksRecentSignIn: true,
  input: { path: UserId, body: input({ role: role(), tokenIds: EndingTokens }) },
  answers: { 200: Member },
  refuses: [
    'member_not_found',
    'last_owner',
    'member_has_tokens',
    'invalid_request',
    'insufficient_scope',
    'merchant_role_required',
  ],
  emits: [],
});

export const removeMember = row({
  spec: 'Contract §6, DELETE /v1/members/{userId}',
  summary: 'Removes a member; the API tokens that stop with it must be named.',
  call: 'DELETE /v1/members/{userId}',
  auth: 'server',
  scope: 'members:write',
  permission: 'people.write',
  limit: 'client',
  asksRecentSignIn: true,
  input: { path: UserId, query: AgreedTokens },
  answers: { 204: null },
  refuses: [
    'member_not_found',
    'last_owner',
    'member_has_tokens',
    'invalid_query',
    'insufficient_scope',
    'merchant_role_required',
  ],
  emits: [],
});

export const leaveClient = row({
  spec: 'Contract §6, DELETE /v1/account/memberships/{clientId}',
  summary: 'Leaves a merchant; the API tokens that stop with it must be named.',
  call: 'DELETE /v1/account/memberships/{clientId}',
  auth: 'person',
  scope: null,
  permission: null,
  limit: 'person',
  asksRecentSignIn: true,
  input: {
    path: Type.Object({ clientId: uuid({ 'x-code': 'client_not_found' }) }),
    query: AgreedTokens,
  },
  answers: { 204: null },
  refuses: ['client_not_found', 'last_owner', 'member_has_tokens', 'invalid_query'],
  emits: [],
});

export const createInvitation = row({
  spec: 'Contract §6, POST /v1/invitations',
  summary: 'Mails a one-time link to join. Inviting again makes a new link and ends the old one.',
  call: 'POST /v1/invitations',
  auth: 'server',
  scope: 'members:write',
  permission: 'people.write',
  limit: 'client',
  createsOnce: true,
  asksRecentSignIn: true,
  input: { body: input({ email: email({ maxLength: 254 }), role: role() }) },
  answers: { 201: Invitation },
  refuses: [
    'already_a_member',
    'rate_limited',
    'invalid_request',
    'insufficient_scope',
    'merchant_role_required',
  ],
  emits: [],
});

export const listInvitations = row({
  spec: 'Contract §6, GET /v1/invitations',
  summary: 'Lists invitations, open and ended.',
  call: 'GET /v1/invitations',
  auth: 'server',
  scope: 'members:write',
  permission: 'people.write',
  limit: 'client',
  input: { query: paging(['createdAt'], {}) },
  filters: { email: givenEmail(), role: oneOf(roles) },
  answers: { 200: list(Invitation) },
  refuses: ['invalid_query', 'insufficient_scope', 'merchant_role_required'],
  emits: [],
});

export const deleteInvitation = row({
  spec: 'Contract §6, DELETE /v1/invitations/{invitationId}',
  summary: 'Withdraws an open invitation; its link stops working at once. Repeatable.',
  call: 'DELETE /v1/invitations/{invitationId}',
  auth: 'server',
  scope: 'members:write',
  permission: 'people.write',
  limit: 'client',
  asksRecentSignIn: true,
  input: { path: Type.Object({ invitationId: uuid({ 'x-code': 'invitation_not_found' }) }) },
  answers: { 204: null },
  refuses: ['invitation_not_found', 'insufficient_scope', 'merchant_role_required'],
  emits: [],
});

export const OpenedInvitation = component('OpenedInvitation', {
  merchantName: Type.String(),
  livemode: Type.Boolean(),
  role: role(),
  email: Type.String({ description: 'The address to which the link was mailed.' }),
  invitedBy: nullable(
    Type.String({ description: 'Address of the person who invites; null: the operator.' }),
  ),
  expiresAt: instant(),
  isYours: Type.Boolean({ description: 'True where the browser is signed in with that address.' }),
});
export type OpenedInvitation = Static<typeof OpenedInvitation>;

/** The secret behind the `#` of the link. */
const link = () => text(200, { description: 'The part of the mailed link after the #.' });

export const lookAtInvitation = row({
  spec: 'Contract §6, POST /v1/invitation/look',
  summary:
    'Reads the invitation of a mailed link. Used, expired and unknown links get the same answer.',
  call: 'POST /v1/invitation/look',
  auth: 'visitor',
  scope: null,
  permission: null,
  limit: 'sign-in',
  input: { body: input({ link: link() }) },
  answers: { 200: OpenedInvitation },
  refuses: ['link_not_found', 'invalid_request'],
  emits: [],
});

const AcceptedInvitation = component('AcceptedInvitation', {
  clientId: uuid(),
  merchantName: Type.String(),
  role: role(),
});

export const acceptInvitation = row({
  spec: 'Contract §6, POST /v1/invitation/accept',
  summary: 'Joins the merchant: signed in with that address, or as a new person with a password.',
  call: 'POST /v1/invitation/accept',
  auth: 'visitor',
  scope: null,
  permission: null,
  limit: 'sign-in',
  setsSignIn: true,
  input: {
    body: input({
      link: link(),
      name: Type.Optional(text(100, { description: 'Of a new person.' })),
      password: Type.Optional(
        text(1000, { description: 'Of a new person; 12 to 200 characters.' }),
      ),
    }),
  },
  answers: { 200: AcceptedInvitation },
  refuses: [
    'link_not_found',
    'sign_in_required',
    'account_exists',
    'already_a_member',
    'password_too_weak',
    'invalid_request',
  ],
  emits: [],
});

export const SandboxMail = component('SandboxMail', {
  id: uuid(),
  to: Type.String(),
  kind: Type.String(),
  subject: Type.String(),
  text: Type.String(),
  createdAt: instant(),
});
export type SandboxMail = Static<typeof SandboxMail>;

export const listSandboxMails = row({
  spec: 'Contract §6, GET /v1/sandbox/mails',
  summary: 'Shows mails that a sandbox without SMTP did not send, to this machine alone.',
  call: 'GET /v1/sandbox/mails',
  auth: 'visitor',
  scope: null,
  permission: null,
  limit: 'sign-in',
  input: {},
  answers: { 200: Type.Object({ data: Type.Array(SandboxMail) }) },
  refuses: ['route_not_found'],
  emits: [],
});
