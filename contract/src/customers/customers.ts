// Customers. Contract §5.

import { type Static, Type } from 'typebox';
import { row } from '../rows/row.ts';
import {
  buyerId,
  component,
  email,
  emailFilter,
  externalId,
  givenExternalId,
  givenInstant,
  input,
  instant,
  list,
  Metadata,
  nullable,
  oneOf,
  paging,
  text,
  textFilter,
  uuid,
} from '../rows/schema.ts';
import { buyerLanguages } from '../settings/languages.ts';

export const Customer = component('Customer', {
  id: uuid({ description: 'The userId of sessions and payments.' }),
  externalId: externalId(),
  object: oneOf(['customer']),
  clientId: uuid(),
  email: Type.String(),
  name: nullable(Type.String()),
  country: nullable(Type.String()),
  language: nullable(
    oneOf(
      buyerLanguages,
      'Language of mails and of the customer’s page, chosen by the customer or by you. Null: that of the last payment.',
    ),
  ),
  metadata: Metadata,
  defaultPaymentMethodId: nullable(uuid()),
  createdAt: instant(),
  updatedAt: instant(),
  forgottenAt: nullable(
    instant(
      'When the customer was forgotten: email is empty then, name and language null, metadata empty.',
    ),
  ),
});
export type Customer = Static<typeof Customer>;

const language = () => nullable(oneOf(buyerLanguages));
const country = () => Type.String({ pattern: '^[A-Z]{2}$' });

export const createCustomer = row({
  spec: 'Contract §5, POST /v1/customers',
  summary: 'Creates a customer; the same id with the same fields again answers the same customer.',
  call: 'POST /v1/customers',
  auth: 'server',
  scope: 'customers:write',
  permission: 'customers.write',
  limit: 'client',
  createsOnce: true,
  tool: { kind: 'write' },
  input: {
    body: input({
      id: Type.Optional(
        buyerId({
          description:
            'Your own id of the customer; absent: the service makes one. An id that is not a UUID is turned into a UUID of version 5 in the namespace of your client id.',
        }),
      ),
      externalId: givenExternalId(),
      email: email(),
      name: Type.Optional(nullable(text(250))),
      country: Type.Optional(nullable(country())),
      language: Type.Optional(language()),
      metadata: Type.Optional(Metadata),
    }),
  },
  answers: { 201: Customer },
  refuses: ['invalid_request', 'customer_exists', 'customer_forgotten', 'insufficient_scope'],
  emits: [],
});

export const listCustomers = row({
  spec: 'Contract §5, GET /v1/customers',
  summary: 'Lists customers.',
  call: 'GET /v1/customers',
  auth: 'server',
  scope: 'customers:read',
  permission: 'records.read',
  limit: 'client',
  tool: { kind: 'read' },
  input: { query: paging(['createdAt', 'updatedAt'], {}) },
  filters: {
    id: uuid(),
    externalId: Type.String(),
    email: emailFilter(),
    name: textFilter("The customer's name, in any letter case."),
    country: Type.String(),
    createdAt: givenInstant(),
  },
  answers: { 200: list(Customer) },
  refuses: ['invalid_query', 'insufficient_scope'],
  emits: [],
});

const CustomerId = Type.Object({ customerId: uuid() });

export const getCustomer = row({
  spec: 'Contract §5, GET /v1/customers/{id}',
  summary: 'Reads one customer.',
  call: 'GET /v1/customers/{customerId}',
  auth: 'server',
  scope: 'customers:read',
  permission: 'records.read',
  limit: 'client',
  tool: { kind: 'read' },
  input: { path: CustomerId },
  answers: { 200: Customer },
  refuses: ['invalid_request', 'customer_not_found', 'insufficient_scope'],
  emits: [],
});

export const updateCustomer = row({
  spec: 'Contract §5, PATCH /v1/customers/{id}',
  summary: 'Changes the named fields of a customer.',
  call: 'PATCH /v1/customers/{customerId}',
  auth: 'server',
  scope: 'customers:write',
  permission: 'customers.write',
  limit: 'client',
  tool: { kind: 'write' },
  input: {
    path: CustomerId,
    body: input({
      email: Type.Optional(
        email({
          description:
            'In a browser only the present one: another goes through `POST …/address`, where its reader confirms it.',
        }),
      ),
      name: Type.Optional(nullable(text(250))),
      country: Type.Optional(nullable(country())),
      language: Type.Optional(language()),
      metadata: Type.Optional(Metadata),
      defaultPaymentMethodId: Type.Optional(
        nullable(uuid({ description: 'An active method of the customer.' })),
      ),
    }),
  },
  answers: { 200: Customer },
  refuses: [
    'invalid_request',
    'customer_not_found',
    'customer_forgotten',
    'payment_method_not_found',
    'gateway_refused',
    'gateway_unavailable',
    'gateway_outcome_unknown',
    'insufficient_scope',
  ],
  emits: ['customer.updated'],
});

const CustomerAddress = component('CustomerAddress', {
  email: Type.String({ description: 'The present address.' }),
  pendingEmail: nullable(
    Type.Object(
      { email: Type.String(), expiresAt: instant() },
      { description: 'An address that waits for its reader to confirm it.' },
    ),
  ),
});

const helping = {
  spec: "Additions §2, The customer's page",
  auth: 'server',
  scope: 'customers:write',
  permission: 'customers.write',
  limit: 'client',
  emits: [],
} as const;

export const sendCustomerLink = row({
  ...helping,
  summary:
    "Mails the customer a link to the customer's page, as often as the page's own form mails one.",
  call: 'POST /v1/customers/{customerId}/page-links/send',
  input: { path: CustomerId },
  answers: { 202: null },
  refuses: [
    'invalid_request',
    'customer_not_found',
    'customer_forgotten',
    'rate_limited',
    'insufficient_scope',
  ],
});

export const getCustomerAddress = row({
  ...helping,
  summary: "Reads the customer's address, and the one that waits to be confirmed.",
  call: 'GET /v1/customers/{customerId}/address',
  scope: 'customers:read',
  permission: 'records.read',
  input: { path: CustomerId },
  answers: { 200: CustomerAddress },
  refuses: ['invalid_request', 'customer_not_found', 'insufficient_scope'],
});

export const requestCustomerAddress = row({
  ...helping,
  summary:
    'Mails a confirmation link to a corrected address. It counts once its reader has confirmed it, and the former one is notified.',
  call: 'POST /v1/customers/{customerId}/address',
  asksRecentSignIn: true,
  input: { path: CustomerId, body: input({ email: email() }) },
  answers: { 202: null },
  refuses: [
    'invalid_request',
    'customer_not_found',
    'customer_forgotten',
    'rate_limited',
    'insufficient_scope',
  ],
});

export const cancelCustomerAddress = row({
  ...helping,
  summary: 'Drops a corrected address that is not confirmed yet. Repeatable.',
  call: 'DELETE /v1/customers/{customerId}/address',
  input: { path: CustomerId },
  answers: { 204: null },
  refuses: ['invalid_request', 'customer_not_found', 'customer_forgotten', 'insufficient_scope'],
});

const ErasedCustomer = component('ErasedCustomer', {
  ...Customer.properties,
  othersOfAddress: Type.Array(Type.Object({ id: uuid(), externalId: nullable(Type.String()) }), {
    description:
      'Up to 100 other customers of yours with the same email address; forget those that are the same person. Only the call that erases returns them, a repeat an empty list.',
  }),
});

export const forgetCustomer = row({
  spec: 'Additions §5, POST /v1/customers/{customerId}/forget',
  summary:
    'Forgets a customer for good: removes the saved cards and blanks name, email, metadata and card details wherever they are stored. Amounts, ids and times stay. Repeatable: once more, it erases what people have written since.',
  call: 'POST /v1/customers/{customerId}/forget',
  auth: 'server',
  scope: 'customers:write',
  permission: 'customers.forget',
  limit: 'client',
  asksRecentSignIn: true,
  input: { path: CustomerId },
  answers: { 200: ErasedCustomer },
  refuses: [
    'invalid_request',
    'invalid_body',
    'customer_not_found',
    'customer_in_use',
    'payment_method_has_active_payment',
    'payment_method_in_use',
    'payment_method_reassignment_requires_payer_action',
    'payment_method_deletion_failed',
    'insufficient_scope',
    'merchant_role_required',
  ],
  emits: [
    'payment_method.deleted',
    'payment_method.replaced',
    'checkout.session.expired',
    'payment.failed',
    'customer.forgotten',
  ],
});
