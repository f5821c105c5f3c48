// The customer's own page: a one-time link from the merchant opens it, and with the page's token its
// buyer sees, adds and removes cards. Contract §3, Buyer; §5. Decision 0056.

import { type Static, Type } from 'typebox';
import { PaymentMethod } from './payment-methods.ts';
import { row } from './row.ts';
import { component, input, instant, nullable, text, uuid } from './schema.ts';

export const CustomerPageLink = component('CustomerPageLink', {
  url: Type.String({
    description: 'Give it to this customer alone. It opens the page once.',
  }),
  expiresAt: instant('Until then it can be opened: ten minutes.'),
});
export type CustomerPageLink = Static<typeof CustomerPageLink>;

export const createCustomerPageLink = row({
  spec: 'Contract §5, customer page',
  summary: 'Makes a one-time link to the page where a customer sees and changes the saved cards.',
  call: 'POST /v1/customers/{customerId}/page-links',
  auth: 'server',
  scope: 'payment_methods:write',
  limit: 'client',
  input: {
    path: Type.Object({ customerId: uuid() }),
    body: input({
      returnUrl: Type.Optional(
        text(2048, { description: 'Where the page leads back to, as successUrl of a session.' }),
      ),
    }),
  },
  answers: { 201: CustomerPageLink },
  refuses: ['customer_not_found', 'invalid_request', 'insufficient_scope'],
  emits: [],
});

export const OpenedCustomerPage = component('OpenedCustomerPage', {
  pageToken: Type.String({ description: 'For the header x-customer-page-token.' }),
  expiresAt: instant('The page works until then: half an hour.'),
  merchantName: Type.String(),
  email: Type.String({ description: "The customer's, masked." }),
  livemode: Type.Boolean(),
  returnUrl: nullable(Type.String()),
});
export type OpenedCustomerPage = Static<typeof OpenedCustomerPage>;

export const openCustomerPage = row({
  spec: 'Contract §5, customer page',
  summary: 'Opens the page of a one-time link; unknown, opened and expired links are alike.',
  call: 'POST /v1/customer-page/open',
  auth: 'anyone',
  scope: null,
  limit: 'session-create',
  input: { body: input({ link: text(200) }) },
  answers: { 200: OpenedCustomerPage },
  refuses: ['customer_page_not_found', 'invalid_request'],
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
  limit: 'session',
  input: {},
  answers: { 200: CustomerPageMethods },
  refuses: [],
  emits: [],
});
