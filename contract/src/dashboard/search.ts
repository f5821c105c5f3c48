// One search field for whatever a buyer mentions. Additions §2.

import { type Static, type TSchema, Type } from 'typebox';
import { Customer } from '../customers/customers.ts';
import { ListedSubscription } from '../customers/subscriptions.ts';
import { ListedDispute } from '../payments/disputes.ts';
import { ListedPayment } from '../payments/payments.ts';
import { row } from '../rows/row.ts';
import { component, oneOf } from '../rows/schema.ts';

/** What the text was recognised as. */
export const searchMeanings = [
  'id',
  'providerId',
  'reference',
  'email',
  'lastFour',
  'amount',
  'metadata',
  'name',
  'productCode',
  'externalId',
  'day',
  'status',
  'brand',
  'several',
] as const;

const groups = <T extends TSchema>(element: T) =>
  Type.Array(
    Type.Object({
      by: oneOf(searchMeanings, 'How the service understood the text.'),
      words: Type.String({
        description: 'The same in words, such as `card ending in 4242, amount 14.90`.',
      }),
      filter: Type.String({ description: 'Query string of the list that shows all of them.' }),
      total: Type.Integer({ description: 'Exact number of those that match.' }),
      data: Type.Array(element),
    }),
  );

export const SearchResults = component('SearchResults', {
  query: Type.String({ description: 'What was looked for, without blanks around it.' }),
  understood: Type.Array(Type.String(), {
    description: 'Everything that was looked for, in words, whether or not it was found.',
  }),
  payments: groups(ListedPayment),
  customers: groups(Customer),
  disputes: groups(ListedDispute),
  subscriptions: groups(ListedSubscription),
});
export type SearchResults = Static<typeof SearchResults>;

export const getSearchResults = row({
  spec: 'Additions §2, GET /v1/search',
  summary:
    'Finds payments, customers, disputes and subscriptions by an email, name, amount, day, time, card, status, product, id or reference; several together narrow the search.',
  call: 'GET /v1/search',
  auth: 'server',
  scope: 'payments:read',
  permission: 'records.read',
  limit: 'client',
  tool: { kind: 'read' },
  input: {
    query: Type.Object(
      {
        // Optional here and required by the operation, so that an unknown parameter is reported first.
        q: Type.String({ maxLength: 320, default: '', 'x-code': 'invalid_query' }),
        limit: Type.Integer({ minimum: 1, maximum: 20, default: 4, 'x-code': 'invalid_query' }),
      },
      { additionalProperties: false, 'x-code': 'invalid_query' },
    ),
  },
  answers: { 200: SearchResults },
  refuses: [
    'invalid_query',
    'raw_card_data_forbidden',
    'insufficient_scope',
    'search_being_prepared',
  ],
  emits: [],
});
