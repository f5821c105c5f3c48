// What a merchant's people are mailed about, and what each person chose. Additions §6, Notifications.

import { type Static, Type } from 'typebox';
import { may, mayApproveRefunds, type Permission, type Role } from '../rows/roles.ts';
import { row } from '../rows/row.ts';
import { component, input, oneOf, uuid } from '../rows/schema.ts';

/** `mail`: within minutes. `daily`: in the digest of the next morning. */
export const notificationChoices = ['mail', 'daily', 'off'] as const;
export type NotificationChoice = (typeof notificationChoices)[number];

type Kind = {
  readonly title: string;
  /** The permission without which a person is not offered the kind. */
  readonly permission: Permission;
  readonly choices: readonly NotificationChoice[];
  /** The choice of a person who has chosen nothing, by role; `off` for roles that are not listed. */
  readonly defaults: Readonly<Partial<Record<Role, NotificationChoice>>>;
};

const leaders = { owner: 'mail', admin: 'mail' } as const;

const table = {
  hold_expiring: {
    title: 'A hold expires within 24 hours',
    permission: 'records.read',
    choices: notificationChoices,
    defaults: { ...leaders, support: 'mail' },
  },
  dispute_opened: {
    title: 'A dispute is opened',
    permission: 'records.read',
    choices: notificationChoices,
    defaults: { ...leaders, finance: 'mail' },
  },
  dispute_due: {
    title: 'The answer to a dispute is due in 3 days, and in 1 day',
    permission: 'records.read',
    choices: notificationChoices,
    defaults: { ...leaders, finance: 'mail' },
  },
  dispute_decided: {
    title: 'A dispute is decided',
    permission: 'records.read',
    choices: notificationChoices,
    defaults: { ...leaders, finance: 'mail' },
  },
  fraud_warning: {
    title: 'A bank reports a payment as fraud',
    permission: 'records.read',
    choices: notificationChoices,
    defaults: { ...leaders, finance: 'mail' },
  },
  review_opened: {
    title: 'The provider puts a payment under review',
    permission: 'records.read',
    choices: notificationChoices,
    defaults: { owner: 'daily', support: 'mail' },
  },
  refund_failed: {
    title: 'A refund failed',
    permission: 'records.read',
    choices: notificationChoices,
    defaults: { owner: 'daily', support: 'mail' },
  },
  refund_to_approve: {
    title: 'A refund waits for approval',
    permission: 'refunds.approve',
    choices: notificationChoices,
    defaults: { ...leaders, finance: 'mail' },
  },
  endpoint_failing: {
    title: 'A webhook endpoint fails for 1 hour and for 24 hours, is disabled, or has recovered',
    permission: 'developers.use',
    choices: notificationChoices,
    defaults: { ...leaders, member: 'mail' },
  },
  renewal_failed: {
    title: 'The renewal of a subscription failed for good',
    permission: 'records.read',
    choices: notificationChoices,
    defaults: { owner: 'daily', support: 'mail' },
  },
  card_removed: {
    title: 'The card of a subscription was removed at the provider',
    permission: 'records.read',
    choices: notificationChoices,
    defaults: { owner: 'daily', support: 'mail' },
  },
  payment_differs: {
    title: 'A payment differs from the provider’s records',
    permission: 'records.read',
    choices: notificationChoices,
    defaults: { ...leaders, finance: 'mail' },
  },
  monthly_file: {
    title: 'The file of a month is ready, or could not be made',
    permission: 'records.read',
    choices: notificationChoices,
    defaults: { ...leaders, finance: 'mail' },
  },
  daily_digest: {
    title: 'The figures of the day before, each morning',
    permission: 'records.read',
    choices: ['daily', 'off'],
    defaults: { finance: 'daily' },
  },
} as const satisfies Readonly<Record<string, Kind>>;

export type NotificationKind = keyof typeof table;
export const notificationKinds = Object.keys(table) as readonly NotificationKind[];
export const notificationTable: Readonly<Record<NotificationKind, Kind>> = table;

/** Whether the role may be notified of the kind: it reads the records, or may approve the refund. */
export const mayBeNotified = (
  role: Role,
  kind: NotificationKind,
  rule: { readonly financeApproves: boolean },
): boolean => {
  const { permission } = table[kind];
  return permission === 'refunds.approve' ? mayApproveRefunds(role, rule) : may(role, permission);
};

export const defaultChoice = (role: Role, kind: NotificationKind): NotificationChoice =>
  notificationTable[kind].defaults[role] ?? 'off';

const choice = (description: string) => oneOf(notificationChoices, description);

export const Notifications = component('Notifications', {
  clientId: uuid(),
  data: Type.Array(
    Type.Object({
      kind: oneOf(notificationKinds),
      title: Type.String({ description: 'When it is sent, in English.' }),
      choice: choice(
        '`mail`: a mail within minutes, at most one an hour. `daily`: in the digest of the next morning.',
      ),
      choices: Type.Array(choice('The possible choices.')),
      isDefault: Type.Boolean({ description: 'True until the person chooses.' }),
    }),
    { description: 'The kinds that the present role may read.' },
  ),
});
export type Notifications = Static<typeof Notifications>;

const OfClient = Type.Object(
  {
    clientId: Type.Optional(
      uuid({
        description: 'A merchant of the person; without one there is nothing to answer.',
        'x-code': 'client_not_found',
      }),
    ),
  },
  { additionalProperties: false, 'x-code': 'invalid_query' },
);

export const getNotifications = row({
  spec: 'Additions §6, Notifications',
  summary: 'Reads, by kind, what one merchant mails the signed-in person about.',
  call: 'GET /v1/account/notifications',
  auth: 'person',
  scope: null,
  permission: null,
  limit: 'person',
  input: { query: OfClient },
  answers: { 200: Notifications },
  refuses: ['client_not_found', 'invalid_query'],
  emits: [],
});

export const updateNotifications = row({
  spec: 'Additions §6, Notifications',
  summary: 'Chooses for each given kind; the other kinds stay as they are.',
  call: 'PUT /v1/account/notifications',
  auth: 'person',
  scope: null,
  permission: null,
  limit: 'person',
  input: {
    query: OfClient,
    body: input({
      choices: Type.Array(
        Type.Object(
          { kind: oneOf(notificationKinds), choice: choice('`mail`, `daily` or `off`.') },
          { additionalProperties: false },
        ),
        { minItems: 1, maxItems: notificationKinds.length },
      ),
    }),
  },
  answers: { 200: Notifications },
  refuses: ['client_not_found', 'merchant_role_required', 'invalid_query', 'invalid_request'],
  emits: [],
});
