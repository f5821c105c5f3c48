// Objects that appear only in events: no call returns them in this form. Contract §7.

import { type Static, Type } from 'typebox';
import { sessionStatuses } from '../checkout-sessions/checkout-sessions-parts.ts';
import { PaymentMethod, paymentMethodTypes } from '../customers/payment-methods.ts';
import { ApiToken } from '../developers/api-tokens.ts';
import { captureMethods } from '../payments/payments.ts';
import {
  amount,
  component,
  currency,
  externalId,
  instant,
  Metadata,
  nullable,
  oneOf,
  uuid,
} from '../rows/schema.ts';

const orderReference = () =>
  nullable(Type.String({ description: "The merchant's own reference of the order." }));

/** What the buyer bought, for the merchant to deliver. Spec: Events. */
export const ItemPurchased = component('ItemPurchased', {
  paymentId: nullable(uuid({ description: 'Null for an order that cost nothing.' })),
  sessionId: nullable(uuid()),
  clientId: uuid(),
  customer: Type.Object({
    userId: nullable(uuid()),
    externalId: externalId(),
    email: nullable(Type.String()),
  }),
  buyerVerified: Type.Boolean({
    description:
      'Whether the merchant vouched for the buyer. If not, anybody may have typed these values.',
  }),
  items: Type.Array(
    Type.Object({
      code: nullable(Type.String({ description: "Null for a line of the merchant's own." })),
      reference: nullable(
        Type.String({ description: "The merchant's own reference of the line." }),
      ),
      name: Type.String(),
      quantity: Type.Integer(),
      totalAmount: amount('Major units due for the line.'),
      currency: currency(),
    }),
    { description: 'The item lines; subscriptions have events of their own.' },
  ),
  amount: amount('Major units of the whole payment; 0 for an order that cost nothing.'),
  currency: currency(),
  reference: orderReference(),
  metadata: Metadata,
  purchasedAt: instant(),
});
export type ItemPurchased = Static<typeof ItemPurchased>;

/** A checkout that ended in a payment, in a hold, or with neither when it cost nothing. */
export const CompletedCheckout = component('CompletedCheckout', {
  id: uuid(),
  object: oneOf(['checkout.session']),
  status: oneOf(sessionStatuses),
  captureMethod: oneOf(captureMethods),
  paymentId: nullable(uuid({ description: 'Null for an order that cost nothing.' })),
  buyerVerified: Type.Boolean({
    description:
      'Whether the merchant vouched for the buyer. If not, anybody may have typed these values.',
  }),
  couponCodes: Type.Array(Type.String()),
  totals: Type.Object({
    subtotal: amount('Major units before discounts.'),
    discount: amount('Major units that coupons took off.'),
    total: amount('Major units due.'),
    currency: currency(),
  }),
  reference: orderReference(),
  metadata: Metadata,
});
export type CompletedCheckout = Static<typeof CompletedCheckout>;

/** A checkout that saved a payment method without a charge. */
export const CompletedSetup = component('CompletedSetup', {
  id: uuid(),
  object: oneOf(['checkout.session']),
  status: oneOf(sessionStatuses),
  checkoutMode: oneOf(['setup']),
  captureMethod: oneOf(captureMethods),
  paymentId: Type.Null(),
  paymentMethodId: uuid({ description: 'The payment method that was saved.' }),
  metadata: Metadata,
});
export type CompletedSetup = Static<typeof CompletedSetup>;

export const ExpiredCheckout = component('ExpiredCheckout', {
  id: uuid(),
  object: oneOf(['checkout.session']),
  status: oneOf(sessionStatuses),
  captureMethod: oneOf(captureMethods),
  paymentId: nullable(
    uuid({ description: 'The payment of the last attempt; null: there was none.' }),
  ),
  reference: orderReference(),
  metadata: Metadata,
});
export type ExpiredCheckout = Static<typeof ExpiredCheckout>;

const owner = {
  userId: uuid({ description: 'The customer who owns the payment method.' }),
  externalId: externalId(),
};

export const ActivatedPaymentMethod = component('ActivatedPaymentMethod', {
  ...PaymentMethod.properties,
  ...owner,
});
export type ActivatedPaymentMethod = Static<typeof ActivatedPaymentMethod>;

/** The fields that all events about a payment method have. */
const owned = {
  id: uuid(),
  type: oneOf(paymentMethodTypes),
  createdAt: instant(),
  gateway: Type.Object({ id: uuid(), provider: oneOf(['cardprovider', 'wallet']) }),
  ...owner,
};

export const DeletedPaymentMethod = component('DeletedPaymentMethod', {
  ...owned,
  status: oneOf(['removed']),
  removedAt: instant(),
  removedBy: oneOf(
    ['request', 'provider'],
    '`request`: you or the customer asked for it. `provider`: it was detached at the provider.',
  ),
  subscriptionIds: Type.Array(uuid(), {
    description: 'Up to 300 of the subscriptions that no method pays any more.',
  }),
  subscriptionCount: Type.Integer({
    description: 'Number of subscriptions that no method pays any more.',
  }),
});
export type DeletedPaymentMethod = Static<typeof DeletedPaymentMethod>;

export const ReplacedPaymentMethod = component('ReplacedPaymentMethod', {
  ...owned,
  status: oneOf(['active']),
  replacedBy: nullable(uuid({ description: 'The method that replaces it.' })),
  subscriptionIds: Type.Array(uuid(), {
    description: 'Up to 300 of the subscriptions that were moved.',
  }),
  subscriptionCount: Type.Integer({ description: 'Number of subscriptions that were moved.' }),
  isDefaultMoved: Type.Boolean({ description: "Whether it was the customer's default." }),
});
export type ReplacedPaymentMethod = Static<typeof ReplacedPaymentMethod>;

const customerFields = [
  ...(['email', 'name', 'country', 'language', 'metadata', 'defaultPaymentMethodId'] as const),
] as const;
export type CustomerField = (typeof customerFields)[number];
export const UpdatedCustomer = component('UpdatedCustomer', {
  id: uuid({ description: 'The userId of sessions and payments.' }),
  object: oneOf(['customer']),
  fields: Type.Array(oneOf(customerFields), { description: 'Which were written.' }),
  updatedAt: instant(),
});
export type UpdatedCustomer = Static<typeof UpdatedCustomer>;

export const ForgottenCustomer = component('ForgottenCustomer', {
  id: uuid({ description: 'The userId of sessions and payments.' }),
  object: oneOf(['customer']),
  forgottenAt: instant(),
});
export type ForgottenCustomer = Static<typeof ForgottenCustomer>;

export const ApiTokenEventObject = component('ApiTokenEventObject', {
  ...ApiToken.properties,
  userId: uuid({ description: 'The person whose token it is.' }),
});
export type ApiTokenEventObject = Static<typeof ApiTokenEventObject>;

export const WebhookEndpointEventObject = component('WebhookEndpointEventObject', {
  id: uuid(),
  url: Type.String(),
  isEnabled: Type.Boolean(),
  disabledReason: nullable(
    oneOf(['gone', 'failing', 'merchant'], '`gone`: it answered 410. `failing`: for 120 hours.'),
  ),
  failingSince: nullable(instant('First failure since the last success.')),
});
export type WebhookEndpointEventObject = Static<typeof WebhookEndpointEventObject>;
