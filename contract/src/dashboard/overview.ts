// What needs a person's attention now: for each kind the exact number and the first five. Additions
// §2.

import { type Static, type TSchema, Type } from 'typebox';
import { ListedSubscription } from '../customers/subscriptions.ts';
import { WebhookEndpoint } from '../developers/webhook-endpoints.ts';
import { ListedDispute } from '../payments/disputes.ts';
import { ListedPayment } from '../payments/payments.ts';
import { PaymentDifference } from '../reports/reconciliations.ts';
import { row } from '../rows/row.ts';
import { component, instant, oneOf, uuid } from '../rows/schema.ts';

const kind = <T extends TSchema>(element: T, description: string) =>
  Type.Object(
    {
      total: Type.Integer({ description: 'Exact number of them.' }),
      data: Type.Array(element, { description: 'The first five.' }),
    },
    { description },
  );

const RefusedNotices = Type.Object({
  gatewayId: uuid(),
  provider: oneOf(['cardprovider', 'wallet']),
  accountId: Type.String({ description: 'The account at the provider.' }),
  refused: Type.Integer({ description: 'Number of refused notices since the last genuine one.' }),
  since: instant('The first of them.'),
});

const RefusedKey = Type.Object({
  gatewayId: uuid(),
  provider: oneOf(['cardprovider', 'wallet']),
  accountId: Type.String({ description: 'The account at the provider.' }),
  refusedAt: instant('When the provider last refused the key.'),
});

export const Overview = component('Overview', {
  refusedKeys: kind(
    RefusedKey,
    'Provider accounts in use whose key the provider has refused, so that payments fail. The operator of the service stores another one.',
  ),
  expiringHolds: kind(ListedPayment, 'Holds that end within 48 hours, the next one first.'),
  disputes: kind(ListedDispute, 'Disputes to answer, the next one due first.'),
  fraudWarnings: kind(
    ListedPayment,
    'Payments that a bank reported as fraud and that a refund may still keep from a dispute, the newest first.',
  ),
  reviews: kind(ListedPayment, 'Payments whose review at the provider is open, the newest first.'),
  failedRefunds: kind(ListedPayment, 'Refunds that failed, newest first.'),
  unknownPayments: kind(
    ListedPayment,
    'Payments and refunds whose outcome is unknown, newest first.',
  ),
  pastDueSubscriptions: kind(
    ListedSubscription,
    'Subscriptions whose renewal was declined, the next try first.',
  ),
  expiringCards: kind(
    ListedSubscription,
    'Running subscriptions whose card expires this month or earlier, the next renewal first.',
  ),
  unfundedSubscriptions: kind(
    ListedSubscription,
    'Running subscriptions that no card pays, because it was removed or never given, the next renewal first.',
  ),
  differences: kind(
    PaymentDifference,
    'Payments that differ from the provider’s records, as the last comparison found.',
  ),
  failingEndpoints: kind(WebhookEndpoint, 'Webhook endpoints whose deliveries fail.'),
  refusedNotices: kind(
    RefusedNotices,
    'Provider accounts whose notices this service refuses, so that payments settle late. The operator of the service corrects that.',
  ),
});
export type Overview = Static<typeof Overview>;

export const getOverview = row({
  spec: 'Additions §2, GET /v1/overview',
  summary: 'Counts the tasks that need somebody now, and shows the first few of each kind.',
  call: 'GET /v1/overview',
  auth: 'server',
  scope: 'payments:read',
  permission: 'records.read',
  limit: 'client',
  tool: { kind: 'read' },
  input: { query: Type.Object({}, { additionalProperties: false, 'x-code': 'invalid_query' }) },
  answers: { 200: Overview },
  refuses: ['invalid_query', 'insufficient_scope', 'search_being_prepared'],
  emits: [],
});
