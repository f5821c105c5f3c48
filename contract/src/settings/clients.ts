// The merchant's own settings. Contract §3, Origins.

import { type Static, Type } from 'typebox';
import { row } from '../rows/row.ts';
import { component, input, instant, nullable, oneOf, text, uuid } from '../rows/schema.ts';
import { BuyerMails, BuyerMailsWish } from './buyer-mails.ts';
import { buyerLanguages } from './languages.ts';

const timeZone = text(64, {
  description:
    'The time zone of the days in lists and reports: a name of the IANA database, such as Europe/Berlin.',
});

/** A merchant's profile in requests. The operation checks their formats. Contract §3, Merchant. */
const profileFields = {
  businessName: Type.Optional(
    nullable(text(100, { description: 'The name that buyers know. Null: `name` is shown.' })),
  ),
  logoUrl: Type.Optional(
    nullable(
      text(1000, {
        description: 'https address of one image, which the hosted pages show beside the name.',
      }),
    ),
  ),
  supportEmail: Type.Optional(
    nullable(text(320, { description: 'Where buyers ask about an order.' })),
  ),
  termsUrl: Type.Optional(
    nullable(text(1000, { description: 'https address of the terms of sale.' })),
  ),
  brandColor: Type.Optional(
    nullable(
      text(7, {
        description:
          'Colour of the button that pays, as #rrggbb. Its text is black or white, by contrast.',
      }),
    ),
  ),
  businessAddress: Type.Optional(
    nullable(
      text(500, {
        'x-lines': true,
        description: 'The seller’s postal address on receipts, in up to eight lines.',
      }),
    ),
  ),
  taxNumber: Type.Optional(
    nullable(text(40, { description: 'The seller’s number at the tax office, on receipts.' })),
  ),
};

const customerPage = {
  cancel: Type.Boolean({
    description:
      'Whether customers can end their subscriptions on it. In some countries the law requires this.',
  }),
  linkInMails: Type.Boolean({
    description: 'Whether receipts and mails about subscriptions link to it.',
  }),
};
const CustomerPageRules = Type.Object(customerPage, {
  description: "Settings of the customer's page; both are on until they are switched off.",
});
export type CustomerPageRules = Static<typeof CustomerPageRules>;

export const Client = component('Client', {
  id: uuid(),
  object: oneOf(['client']),
  name: Type.String({ description: 'Given by the operator of the installation.' }),
  livemode: Type.Boolean(),
  businessName: nullable(Type.String({ description: 'The name that buyers see.' })),
  logoUrl: nullable(Type.String()),
  supportEmail: nullable(Type.String()),
  termsUrl: nullable(Type.String()),
  brandColor: nullable(Type.String({ description: '#rrggbb, in small letters.' })),
  businessAddress: nullable(Type.String({ description: 'Lines, separated by \\n.' })),
  taxNumber: nullable(Type.String()),
  timeZone: Type.String({
    description: 'The time zone of the days in lists and reports; UTC until it is set.',
  }),
  buyerMails: BuyerMails,
  buyerLanguage: oneOf(
    buyerLanguages,
    'Of mails to buyers whose own language is not known; English until it is set.',
  ),
  customerPage: CustomerPageRules,
  allowedOrigins: Type.Array(Type.String(), {
    description: 'Origins whose pages may call the browser routes and embed the card form.',
  }),
  createdAt: instant(),
  updatedAt: instant(),
});
export type Client = Static<typeof Client>;

export const getClient = row({
  spec: 'Contract §3, GET /v1/client',
  summary: "Reads the merchant's settings.",
  call: 'GET /v1/client',
  auth: 'server',
  scope: 'checkout:write',
  permission: 'records.read',
  limit: 'client',
  input: {},
  answers: { 200: Client },
  refuses: ['insufficient_scope'],
  emits: [],
});

export const updateClient = row({
  spec: 'Contract §3, PATCH /v1/client',
  summary: "Changes the merchant's settings: absent fields keep their values, null clears a field.",
  call: 'PATCH /v1/client',
  auth: 'server',
  scope: 'catalog:write',
  permission: 'settings.write',
  limit: 'client',
  asksRecentSignIn: true,
  input: {
    body: input({
      allowedOrigins: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: 300 }), {
          maxItems: 50,
          description: 'Replaces the whole list.',
        }),
      ),
      timeZone: Type.Optional(timeZone),
      buyerMails: Type.Optional(BuyerMailsWish),
      buyerLanguage: Type.Optional(
        oneOf(buyerLanguages, 'Of mails to buyers whose own language is not known.'),
      ),
      customerPage: Type.Optional(
        Type.Partial(Type.Object(customerPage), { additionalProperties: false, minProperties: 1 }),
      ),
      ...profileFields,
    }),
  },
  answers: { 200: Client },
  refuses: ['invalid_request', 'insufficient_scope', 'merchant_role_required'],
  emits: [],
});
