// What the customer's own page knows of the person: name, language of mails, address. Another address counts once it
// was confirmed from a mail to it. Additions §2, The customer's page.

import { type Static, Type } from 'typebox';
import { row } from '../rows/row.ts';
import { component, email, input, instant, nullable, oneOf, text } from '../rows/schema.ts';
import { buyerLanguages } from '../settings/languages.ts';

const CustomerPageDetails = component('CustomerPageDetails', {
  name: nullable(Type.String()),
  email: Type.String({ description: 'The email address, masked as everywhere on the page.' }),
  language: nullable(
    oneOf(buyerLanguages, 'The language of mails and of the page; null: that of the last payment.'),
  ),
  pendingEmail: nullable(
    Type.Object(
      { email: Type.String({ description: 'Masked.' }), expiresAt: instant() },
      { description: 'A requested address that is not confirmed yet.' },
    ),
  ),
});
export type CustomerPageDetails = Static<typeof CustomerPageDetails>;

const reading = { permission: 'records.read', scope: 'customers:read' } as const;
const changing = { permission: 'customers.write', scope: 'customers:write' } as const;

const common = {
  spec: "Additions §2, The customer's page",
  auth: 'customer-page',
  scope: null,
  permission: null,
  limit: 'session',
  emits: [],
} as const;

export const getCustomerPageDetails = row({
  ...common,
  summary: "Reads the customer's name, language and masked address.",
  call: 'GET /v1/customer-page/details',
  ofMaker: reading,
  input: {},
  answers: { 200: CustomerPageDetails },
  refuses: [],
});

export const updateCustomerPageDetails = row({
  ...common,
  summary: "Changes the customer's name, language, or both.",
  call: 'PATCH /v1/customer-page/details',
  emits: ['customer.updated'],
  ofMaker: changing,
  input: {
    body: input({
      name: Type.Optional(nullable(text(250))),
      language: Type.Optional(nullable(oneOf(buyerLanguages))),
    }),
  },
  answers: { 200: CustomerPageDetails },
  refuses: ['invalid_request'],
});

export const requestCustomerPageAddress = row({
  ...common,
  summary:
    'Mails a confirmation link to a new address of the customer. It replaces an earlier request.',
  call: 'POST /v1/customer-page/address',
  ofMaker: changing,
  input: { body: input({ email: email() }) },
  answers: { 202: null },
  refuses: ['rate_limited', 'invalid_request'],
});

export const cancelCustomerPageAddress = row({
  ...common,
  summary: 'Cancels the change to the unconfirmed address. Repeatable.',
  call: 'DELETE /v1/customer-page/address',
  ofMaker: changing,
  input: {},
  answers: { 204: null },
  refuses: [],
});

const CustomerPageAddress = component('CustomerPageAddress', {
  email: Type.String({ description: 'The present address, masked.' }),
  merchantName: Type.String(),
});
export type CustomerPageAddress = Static<typeof CustomerPageAddress>;

export const confirmCustomerPageAddress = row({
  ...common,
  summary:
    'Confirms the new address by the link that was mailed to it, and notifies the former one. Repeatable.',
  call: 'POST /v1/customer-page/confirm-address',
  auth: 'anyone',
  limit: 'session-create',
  emits: ['customer.updated'],
  input: { body: input({ link: text(200) }) },
  answers: { 200: CustomerPageAddress },
  refuses: ['customer_page_address_over', 'invalid_request'],
});
