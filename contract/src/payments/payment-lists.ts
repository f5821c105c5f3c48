// Lists of payments, and what a list adds up to. Spec: Payments endpoints. Contract §2, Lists; additions §2.

import { type Static, Type } from 'typebox';
import { metadataFilter, row } from '../rows/row.ts';
import {
  amount,
  component,
  currency,
  emailFilter,
  exactFilter,
  givenEmail,
  givenInstant,
  instant,
  list,
  nullable,
  oneOf,
  paging,
  textFilter,
  uuid,
} from '../rows/schema.ts';
import { fraudSignalKinds } from './fraud-signals.ts';
import {
  captureMethods,
  ListedPayment,
  paymentStatuses,
  paymentTypes,
  providers,
} from './payments.ts';

const paymentSorts = [
  'createdAt',
  'updatedAt',
  'amount',
  'status',
  'authorizationExpiresAt',
  'financialEffectiveAt',
] as const;

/** `email=` and `sessionId=` are short for `email[eq]=` and `sessionId[eq]=`. */
const shortFilters = {
  email: Type.Optional(givenEmail({ maxLength: 320, 'x-code': 'invalid_query' })),
  sessionId: Type.Optional(uuid({ 'x-code': 'invalid_query' })),
};

/** The filters of payment lists and of their totals. Contract §2, Lists; additions §2. */
const paymentFilters = {
  id: uuid(),
  email: emailFilter(),
  userId: uuid(),
  externalId: Type.String(),
  sessionId: uuid(),
  status: oneOf(paymentStatuses),
  type: oneOf(paymentTypes),
  currency: currency(),
  captureMethod: oneOf(captureMethods),
  provider: oneOf(providers),
  gatewayChargeId: Type.String(),
  parentPaymentId: uuid(),
  amount: Type.Number(),
  createdAt: givenInstant(),
  updatedAt: givenInstant(),
  capturedAt: givenInstant(),
  financialEffectiveAt: givenInstant(),
  authorizationExpiresAt: givenInstant(),
  lastFour: Type.String({ pattern: '^[0-9]{4}$', description: 'Last four digits of the card.' }),
  brand: Type.String(),
  cardCountry: Type.String({
    pattern: '^[A-Z]{2}$',
    description: 'Where the card was issued, ISO 3166-1 alpha-2.',
  }),
  paymentMethodType: Type.String({ description: '`type` of paymentMethod.' }),
  failureCode: Type.String(),
  declineCode: Type.String(),
  reason: Type.String({ description: 'Why the refund was asked for.' }),
  isDisputed: exactFilter(Type.Boolean({ description: 'Whether the purchase has a dispute.' })),
  fraudSignal: exactFilter(
    oneOf(
      fraudSignalKinds,
      'Reported as fraud and neither refunded nor disputed, or under review.',
    ),
  ),
  subscriptionId: exactFilter(
    uuid({ description: 'What the checkout of the subscription and its renewals paid.' }),
  ),
  productCode: exactFilter(
    Type.String({ description: 'A line of the cart, or what a renewal paid for.' }),
  ),
  requestedBy: exactFilter(
    uuid({ description: 'Person who asked for the capture, the cancel or the refund.' }),
  ),
  name: textFilter("The customer's name, in any letter case."),
  providerId: exactFilter(
    Type.String({ description: "The provider's id of the intent, charge or refund." }),
  ),
  reference: exactFilter(
    Type.String({
      pattern: '^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$',
      description: 'The short name that `GET /v1/payments/{paymentId}/details` tells.',
    }),
  ),
  metadata: exactFilter(
    Type.String({ maxLength: 500, description: 'Value of any field of the metadata.' }),
  ),
  [metadataFilter]: exactFilter(Type.String({ maxLength: 500 })),
};

export const listPayments = row({
  spec: 'Payments, GET /v1/payments',
  summary: "Lists payments; with a session's nonce only the ids of that session's payments.",
  call: 'GET /v1/payments',
  auth: 'server-or-session',
  scope: 'payments:read',
  permission: 'records.read',
  limit: 'client',
  tool: { kind: 'read' },
  browser: true,
  input: {
    query: paging(paymentSorts, shortFilters),
  },
  filters: paymentFilters,
  answers: {
    200: list(
      // Browsers receive rows with nothing but the id, so no other field is required.
      Type.Unsafe<ListedPayment | { id: string }>({
        type: 'object',
        properties: ListedPayment.properties,
        required: ['id'],
        'x-name': 'PaymentListEntry',
      }),
    ),
  },
  refuses: [
    'invalid_query',
    'insufficient_scope',
    'checkout_session_not_found',
    'search_being_prepared',
  ],
  emits: [],
});

export const PaymentTotals = component('PaymentTotals', {
  currency: currency(),
  count: Type.Integer({ description: 'Rows that match, of every type.' }),
  amount: amount('Of the purchases that match.'),
  captured: amount('Collected by the purchases that match.'),
  refunded: amount(
    'The amount of the refunds that match the filters, or whose purchase matches. Each counts once.',
  ),
  chargedBack: amount(
    'Withdrawn less reinstated, of the chargebacks that match the filters, or whose purchase matches. Each counts once.',
  ),
  fee: amount('The provider’s fees for all of these, as far as its balance records show them.'),
  withoutFee: Type.Integer({
    description:
      'Number of movements whose fee is unknown or in another currency, and not part of `fee`.',
  }),
  net: amount('`captured` less `refunded`, `chargedBack` and `fee`.'),
});
export type PaymentTotals = Static<typeof PaymentTotals>;

/** The time up to which a report counts payments. */
export const asOf = nullable(
  instant(
    'The time up to which a standby had received changes when it counted; null: the database itself counted.',
  ),
);

export const getPaymentTotals = row({
  spec: 'Additions §2, GET /v1/payments/totals',
  summary: 'Adds up the payments that match the filters, by currency.',
  call: 'GET /v1/payments/totals',
  auth: 'server',
  scope: 'payments:read',
  permission: 'records.read',
  limit: 'client',
  tool: { kind: 'read' },
  input: {
    query: Type.Object(shortFilters, { additionalProperties: false, 'x-code': 'invalid_query' }),
  },
  filters: paymentFilters,
  answers: { 200: Type.Object({ data: Type.Array(PaymentTotals), asOf }) },
  refuses: ['invalid_query', 'insufficient_scope', 'search_being_prepared'],
  emits: [],
});
