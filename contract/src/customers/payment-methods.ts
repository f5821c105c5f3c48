// Saved payment methods: list and deletion. Spec: Saved payment method. Contract §5.

import { type Static, Type } from 'typebox';
import { SessionIdShort } from '../checkout-sessions/checkout-sessions-parts.ts';
import { row } from '../rows/row.ts';
import {
  component,
  givenInstant,
  instant,
  list,
  nullable,
  oneOf,
  paging,
  uuid,
} from '../rows/schema.ts';

export const paymentMethodTypes = ['card', 'google_pay', 'apple_pay', 'wallet'] as const;
export type PaymentMethodType = (typeof paymentMethodTypes)[number];

/** A removed method stays stored as a tombstone and is never shown. */
const paymentMethodStatuses = ['pending', 'active'] as const;

const providerNames = ['cardprovider', 'wallet'] as const;

const Gateway = Type.Unsafe<{ id: string; provider: (typeof providerNames)[number] } | null>({
  type: ['object', 'null'],
  properties: {
    id: { type: 'string' },
    provider: { type: 'string', enum: [...providerNames] },
  },
  required: ['id', 'provider'],
});

/** The specification's nine fields and `gateway`, and never another one. Contract §5. */
export const PaymentMethod = component('PaymentMethod', {
  id: uuid(),
  type: oneOf(paymentMethodTypes),
  brand: nullable(Type.String({ description: 'Null until the card is known, and for a wallet.' })),
  lastFour: nullable(Type.String({ description: 'Four digits; null when brand is null.' })),
  expiryMonth: nullable(Type.Integer()),
  expiryYear: nullable(Type.Integer()),
  payerEmail: nullable(Type.String()),
  status: oneOf(paymentMethodStatuses),
  createdAt: instant(),
  gateway: Gateway,
});
export type PaymentMethod = Static<typeof PaymentMethod>;

export const listPaymentMethods = row({
  spec: 'Saved payment methods, GET /v1/payment-methods',
  summary: "Lists customers' saved payment methods, including pending ones.",
  call: 'GET /v1/payment-methods',
  auth: 'server',
  scope: 'payment_methods:read',
  permission: 'records.read',
  limit: 'client',
  tool: { kind: 'read' },
  input: {
    query: paging(['createdAt', 'updatedAt'], {
      userUuid: Type.Optional(uuid({ 'x-code': 'invalid_query' })),
    }),
  },
  filters: {
    uuid: uuid(),
    userUuid: uuid(),
    type: oneOf(paymentMethodTypes),
    provider: oneOf(providerNames),
    status: oneOf(paymentMethodStatuses),
    createdAt: givenInstant(),
    updatedAt: givenInstant(),
  },
  answers: { 200: list(PaymentMethod) },
  refuses: ['invalid_query', 'insufficient_scope'],
  emits: [],
});

export const getSessionPaymentMethods = row({
  spec: 'Contract §3, GET /v1/checkouts/sessions/{sessionId}/payment-methods',
  summary:
    "Lists the saved payment methods with which the session's buyer can pay, the default first.",
  call: 'GET /v1/checkouts/sessions/{sessionId}/payment-methods',
  auth: 'session',
  scope: null,
  permission: null,
  limit: 'session-read',
  browser: true,
  input: { path: SessionIdShort },
  answers: { 200: Type.Object({ data: Type.Array(PaymentMethod) }) },
  refuses: ['checkout_session_not_found', 'buyer_not_verified'],
  emits: [],
});

/** Why a removal did not complete. Contract §5. */
export const deletionReasons = [
  'provider_reassignment_failed',
  'provider_detach_failed',
  'vault_cleanup_failed',
  'verification_failed',
] as const;
export type DeletionReason = (typeof deletionReasons)[number];

export const deletionResolutions = [
  'retry_delete',
  'contact_support',
  'update_funding_manually',
] as const;
export type DeletionResolution = (typeof deletionResolutions)[number];

export const deletePaymentMethod = row({
  spec: 'Saved payment methods, DELETE /v1/payment-methods/{id}',
  summary:
    'Removes a saved payment method after moving its subscriptions to another one; repeatable.',
  call: 'DELETE /v1/payment-methods/{id}',
  auth: 'server',
  scope: 'payment_methods:write',
  permission: 'cards.remove',
  limit: 'client',
  asksRecentSignIn: true,
  input: { path: Type.Object({ id: uuid({ 'x-code': 'payment_method_id_invalid' }) }) },
  answers: { 204: null },
  refuses: [
    'payment_method_id_invalid',
    'payment_method_not_found',
    'payment_method_has_active_payment',
    'payment_method_in_use',
    'payment_method_reassignment_requires_payer_action',
    'payment_method_deletion_failed',
    'insufficient_scope',
  ],
  emits: ['payment_method.deleted', 'payment_method.replaced'],
});
