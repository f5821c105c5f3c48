// Saved payment methods as a merchant's people look at them: with the customer, what they pay for, and the
// tombstones of removed ones. Additions §5, Saved cards.

import { type Static, Type } from 'typebox';
import { row } from '../rows/row.ts';
import {
  component,
  exactFilter,
  givenInstant,
  instant,
  list,
  nullable,
  oneOf,
  paging,
  uuid,
} from '../rows/schema.ts';
import { paymentMethodTypes } from './payment-methods.ts';

const statuses = ['pending', 'active', 'removed'] as const;
const providers = ['cardprovider', 'wallet'] as const;

/** Of a tombstone, brand, digits, expiry and payer are null: only id, customer and times stay. */
export const SavedCard = component('SavedCard', {
  id: uuid(),
  object: oneOf(['saved_card']),
  clientId: uuid(),
  customer: Type.Object({
    id: uuid(),
    email: Type.String(),
    name: nullable(Type.String()),
  }),
  type: oneOf(paymentMethodTypes),
  provider: oneOf(providers),
  status: oneOf(statuses, 'Removed cards keep only their dates.'),
  brand: nullable(Type.String()),
  lastFour: nullable(Type.String()),
  expiryMonth: nullable(Type.Integer()),
  expiryYear: nullable(Type.Integer()),
  payerEmail: nullable(Type.String()),
  isDefault: Type.Boolean({ description: 'Whether it is the customer’s default card.' }),
  subscriptions: Type.Integer({
    description: 'Number of subscriptions that it pays for and that have not ended.',
  }),
  lastChargedAt: nullable(instant()),
  createdAt: instant(),
  removedAt: nullable(instant()),
  removedBy: nullable(
    oneOf(['request', 'provider'], 'For a removed card: `provider` when it was detached there.'),
  ),
});
export type SavedCard = Static<typeof SavedCard>;

export const listSavedCards = row({
  spec: 'Additions §5, GET /v1/saved-cards',
  summary: "Lists customers' saved cards with what they pay for, removed ones included.",
  call: 'GET /v1/saved-cards',
  auth: 'server',
  scope: 'payment_methods:read',
  permission: 'records.read',
  limit: 'client',
  tool: { kind: 'read' },
  input: { query: paging(['createdAt'], {}) },
  filters: {
    id: uuid(),
    userId: uuid(),
    type: oneOf(paymentMethodTypes),
    provider: oneOf(providers),
    status: oneOf(statuses),
    isDefault: exactFilter(Type.Boolean()),
    expiresBefore: Type.String({
      pattern: '^[0-9]{4}-(0[1-9]|1[0-2])$',
      description: 'A month, as 2027-01: the cards that end before it begins.',
      'x-ops': ['eq'],
    }),
    createdAt: givenInstant(),
    removedAt: givenInstant(),
  },
  answers: { 200: list(SavedCard) },
  refuses: ['invalid_query', 'insufficient_scope'],
  emits: [],
});
