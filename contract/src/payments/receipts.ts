// Receipts of payments and refunds, and their mails. Additions §2, Receipts.

import { type Static, Type } from 'typebox';
import { row } from '../rows/row.ts';
import {
  amount,
  component,
  currency,
  email,
  input,
  instant,
  nullable,
  oneOf,
  uuid,
} from '../rows/schema.ts';
import { PaymentId } from './payments.ts';

export const Receipt = component('Receipt', {
  id: uuid(),
  object: oneOf(['receipt']),
  clientId: uuid(),
  paymentId: uuid(),
  number: Type.String({ description: "The next of the merchant's own numbers, after an R." }),
  type: oneOf(['purchase', 'refund']),
  reference: Type.String({ description: 'Short name of the payment, for the phone.' }),
  seller: Type.Object({
    name: Type.String(),
    address: nullable(Type.String({ description: 'Lines, separated by \\n.' })),
    taxNumber: nullable(Type.String()),
    supportEmail: nullable(Type.String()),
    termsUrl: nullable(Type.String()),
  }),
  items: Type.Array(
    Type.Object({
      code: nullable(Type.String({ description: "Null for a line of the merchant's own." })),
      name: Type.String(),
      quantity: Type.Integer(),
      totalAmount: amount('Before discounts.'),
      currency: currency(),
    }),
  ),
  couponCodes: Type.Array(Type.String()),
  discount: amount('What coupons took off the lines.'),
  amount: amount('The amount paid or, for a refund, given back.'),
  amountRefunded: amount('The amount of a purchase that was given back since.'),
  currency: currency(),
  paymentMethod: nullable(
    Type.Object({
      type: Type.String(),
      brand: nullable(Type.String()),
      lastFour: nullable(Type.String()),
    }),
  ),
  paidAt: instant('When the money moved, as reported by the provider if it has reported it.'),
  issuedAt: instant('When the receipt got its number.'),
  timeZone: Type.String({
    description: "The merchant's time zone. The page and the mail show times in it.",
  }),
  livemode: Type.Boolean(),
  url: Type.String({
    description: 'The buyer’s page to read and print. Anybody who has the address can read it.',
  }),
});
export type Receipt = Static<typeof Receipt>;

export const getReceipt = row({
  spec: 'Additions §2, GET /v1/payments/{paymentId}/receipt',
  summary: 'Reads the receipt of a payment or refund; the first call gives it its number.',
  call: 'GET /v1/payments/{paymentId}/receipt',
  auth: 'server',
  scope: 'payments:read',
  permission: 'records.read',
  limit: 'client',
  input: { path: PaymentId },
  answers: { 200: Receipt },
  refuses: [
    'invalid_payment_id',
    'payment_not_found',
    'receipt_not_available',
    'insufficient_scope',
  ],
  emits: [],
});

export const sendReceipt = row({
  spec: 'Additions §2, POST /v1/payments/{paymentId}/receipt/send',
  summary: 'Mails the receipt to the buyer, or to another address.',
  call: 'POST /v1/payments/{paymentId}/receipt/send',
  auth: 'server',
  scope: 'customers:write',
  permission: 'notes.write',
  limit: 'client',
  input: {
    path: PaymentId,
    body: input({
      to: Type.Optional(email({ description: "Absent: the payment's own address." })),
    }),
  },
  answers: { 200: Receipt },
  refuses: [
    'invalid_payment_id',
    'invalid_request',
    'payment_not_found',
    'receipt_not_available',
    'recent_sign_in_required',
    'rate_limited',
    'insufficient_scope',
  ],
  emits: [],
});
