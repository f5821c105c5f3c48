// What the customer's own page knows of the person: name, language of mails, address. Another address counts once it
// was confirmed from a mail to it. Additions §2, The customer's page.

import { type Static, Type } from 'typebox';
import { row } from '../rows/row.ts';
import { component, email, input, instant, nullable, oneOf, text } from '../rows/schema.ts';
import { buyerLanguages } from '../settings/languages.ts';

const CustomerPageDetails = component('CustomerPageDetails', {
  name: nullable(Type.String()),
  email: Type.String({ description: 'Masked, as on the whole page.' }),
  language: nullable(oneOf(buyerLanguages, 'Of mails and of the page; null: of the last payment.')),
  pendingEmail: nullable(
    Type.Object(
      { email: Type.String({ description: 'Masked.' }), expiresAt: instant() },
      { description: 'An address that was asked for and not confirmed yet.' },
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
  summary: "Tells the customer's name, language and masked address.",
  call: 'GET /v1/customer-page/details',
  ofMaker: reading,
  input: {},
  answers: { 200: CustomerPageDetails },
  refuses: [],
});

export const updateCustomerPageDetails = row({
  ...common,
  summary: "Changes the customer's name and language, as far as they are given.",
  call: 'PATCH /v1/customer-page/details',
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
    'Mails another address a link that makes it the customer’s, in place of one that was asked for before.',
  call: 'POST /v1/customer-page/address',
  ofMaker: changing,
  input: { body: input({ email: email() }) },
  answers: { 202: null },
  refuses: ['rate_limited', 'invalid_request'],
});

export const cancelCustomerPageAddress = row({
  ...common,
  summary: 'Drops the address that waits to be confirmed. Repeatable.',
  call: 'DELETE /v1/customer-page/address',
  ofMaker: changing,
  input: {},
  answers: { 204: null },
  refuses: [],
});

const CustomerPageAddress = component('CustomerPageAddress', {
  email: Type.String({ description: 'The address of now, masked.' }),
  merchantName: Type.String(),
});
export type CustomerPageAddress = Static<typeof CustomerPageAddress>;

export const confirmCustomerPageAddress = row({
  ...common,
  summary:
    'Makes the address that a mailed link went to the customer’s, and tells the former one. Repeatable.',
  call: 'POST /v1/customer-page/confirm-address',
  auth: 'anyone',
  limit: 'session-create',
  input: { body: input({ link: text(200) }) },
  answers: { 200: CustomerPageAddress },
  refuses: ['customer_page_address_over', 'invalid_request'],
});
