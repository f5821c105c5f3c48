// The customer's own page. A link from the merchant or from a mail opens it; with the page's token the buyer
// sees, adds and removes cards. Contract §3, Buyer; §5. docs/decisions/hosted-pages.md.

import { type Static, Type } from 'typebox';
import { CreatedCheckoutSession } from '../checkout-sessions/checkout-sessions.ts';
import { Merchant } from '../checkout-sessions/checkout-sessions-parts.ts';
import { row } from '../rows/row.ts';
import { component, email, input, instant, nullable, oneOf, text, uuid } from '../rows/schema.ts';
import { buyerLanguages } from '../settings/languages.ts';
import { PaymentMethod } from './payment-methods.ts';

const CustomerPageLink = component('CustomerPageLink', {
  url: Type.String({
    description: 'Give it to this customer alone: whoever has it opens the page.',
  }),
  expiresAt: instant('When the link expires, ten minutes after it was made.'),
});
export type CustomerPageLink = Static<typeof CustomerPageLink>;

export const createCustomerPageLink = row({
  spec: 'Contract §5, customer page',
  summary: 'Makes a link to the page where a customer sees and changes the saved cards.',
  call: 'POST /v1/customers/{customerId}/page-links',
  auth: 'server',
  scope: 'payment_methods:write',
  permission: 'customers.write',
  limit: 'client',
  createsOnce: true,
  asksRecentSignIn: true,
  input: {
    path: Type.Object({ customerId: uuid() }),
    body: input({
      returnUrl: Type.Optional(
        text(2048, {
          description:
            'Where the page leads back to; the same rules as for a session’s successUrl.',
        }),
      ),
    }),
  },
  answers: { 201: CustomerPageLink },
  refuses: ['customer_not_found', 'customer_forgotten', 'invalid_request', 'insufficient_scope'],
  emits: [],
});

export const OpenedCustomerPage = component('OpenedCustomerPage', {
  pageToken: Type.String({ description: 'For the header x-customer-page-token.' }),
  expiresAt: instant('When the opened page expires, after half an hour.'),
  merchantName: Type.String({ description: 'The same as `merchant.name`.' }),
  merchant: Merchant,
  email: Type.String({ description: "The customer's, masked." }),
  language: nullable(oneOf(buyerLanguages, "The customer's language; null: the browser's.")),
  timeZone: Type.String({ description: "The merchant's time zone. The page shows days in it." }),
  livemode: Type.Boolean(),
  returnUrl: nullable(Type.String()),
  may: Type.Object(
    {
      add: Type.Boolean(),
      remove: Type.Boolean(),
      makeDefault: Type.Boolean(),
      replace: Type.Boolean(),
      seePurchases: Type.Boolean(),
      seeDetails: Type.Boolean(),
      changeDetails: Type.Boolean(),
    },
    { description: 'What the page allows, which is at most what the creator of its link may do.' },
  ),
});
export type OpenedCustomerPage = Static<typeof OpenedCustomerPage>;

export const openCustomerPage = row({
  spec: 'Contract §5, customer page',
  summary: 'Opens the page of a link, any number of times until the link expires.',
  call: 'POST /v1/customer-page/open',
  auth: 'anyone',
  scope: null,
  permission: null,
  limit: 'session-create',
  input: { body: input({ link: text(200) }) },
  answers: { 200: OpenedCustomerPage },
  refuses: [
    'customer_page_link_expired',
    'customer_page_mail_expired',
    'customer_page_not_found',
    'invalid_request',
  ],
  emits: [],
});

export const sendCustomerPageLink = row({
  spec: 'Contract §5, customer page',
  summary: 'Mails the customer a new link, given one that was mailed before, expired or not.',
  call: 'POST /v1/customer-page/mail-link',
  auth: 'anyone',
  scope: null,
  permission: null,
  limit: 'session-create',
  input: { body: input({ link: text(200) }) },
  answers: { 202: null },
  refuses: ['customer_page_not_found', 'rate_limited', 'invalid_request'],
  emits: [],
});

export const requestCustomerPageLink = row({
  spec: "Additions §2, The customer's page",
  summary:
    'Mails a link for each customer with this address. The response is the same when there is none.',
  call: 'POST /v1/customer-page/request-link',
  auth: 'anyone',
  scope: null,
  permission: null,
  limit: 'session-create',
  input: { body: input({ clientId: uuid(), email: email() }) },
  answers: { 202: null },
  refuses: ['rate_limited', 'invalid_request'],
  emits: [],
});

export const CustomerPageMethods = component('CustomerPageMethods', {
  data: Type.Array(PaymentMethod),
  defaultPaymentMethodId: nullable(uuid()),
});
export type CustomerPageMethods = Static<typeof CustomerPageMethods>;

export const getCustomerPageMethods = row({
  spec: 'Contract §5, customer page',
  summary: "Lists the customer's active payment methods, the newest first.",
  call: 'GET /v1/customer-page/payment-methods',
  auth: 'customer-page',
  scope: null,
  permission: null,
  limit: 'session',
  input: {},
  answers: { 200: CustomerPageMethods },
  refuses: [],
  emits: [],
});

export const deleteCustomerPageMethod = row({
  spec: 'Contract §5, customer page',
  summary: "Removes one of the customer's methods by the rules of the merchant's own removal.",
  call: 'DELETE /v1/customer-page/payment-methods/{id}',
  auth: 'customer-page',
  scope: null,
  permission: null,
  ofMaker: { permission: 'cards.remove', scope: 'payment_methods:write' },
  limit: 'session',
  input: { path: Type.Object({ id: uuid({ 'x-code': 'payment_method_id_invalid' }) }) },
  answers: { 204: null },
  refuses: [
    'payment_method_id_invalid',
    'payment_method_not_found',
    'payment_method_has_active_payment',
    'payment_method_in_use',
    'payment_method_reassignment_requires_payer_action',
    'payment_method_deletion_failed',
  ],
  emits: ['payment_method.deleted', 'payment_method.replaced'],
});

export const createCustomerPageSetup = row({
  spec: 'Contract §5, customer page',
  summary: 'Opens a setup session for the customer, whose card the page takes.',
  call: 'POST /v1/customer-page/setup-sessions',
  auth: 'customer-page',
  scope: null,
  permission: null,
  ofMaker: { permission: 'cards.add', scope: 'payment_methods:write' },
  limit: 'session',
  input: { body: input({}) },
  answers: { 201: CreatedCheckoutSession },
  refuses: ['gateway_not_configured', 'gateway_refused', 'gateway_unavailable', 'invalid_request'],
  emits: [],
});

export const updateCustomerPageDefault = row({
  spec: 'Contract §5, customer page',
  summary: 'Makes one of the active methods the default, which is charged when a call names none.',
  call: 'PATCH /v1/customer-page/default',
  auth: 'customer-page',
  scope: null,
  permission: null,
  ofMaker: { permission: 'customers.write', scope: 'customers:write' },
  limit: 'session',
  input: { body: input({ paymentMethodId: uuid() }) },
  answers: { 200: CustomerPageMethods },
  refuses: [
    'payment_method_not_found',
    'gateway_not_configured',
    'gateway_refused',
    'gateway_unavailable',
    'gateway_outcome_unknown',
    'invalid_request',
  ],
  emits: ['customer.updated'],
});
