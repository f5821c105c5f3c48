// Enumerations and inputs that several rows of a checkout share. Contract §3.

import { type Static, Type } from 'typebox';
import {
  buyerId,
  component,
  email,
  givenExternalId,
  input,
  instant,
  nullable,
  oneOf,
  uuid,
} from '../rows/schema.ts';

export const sessionStatuses = [
  'unclaimed',
  'open',
  'requires_action',
  'processing',
  'authorized',
  'completed',
  'canceled',
  'expired',
] as const;
export type SessionStatus = (typeof sessionStatuses)[number];

export const attemptResults = [
  'PENDING',
  'REQUIRES_ACTION',
  'PROCESSING',
  'AUTHORIZED',
  'SUCCEEDED',
  'DECLINED',
  'CANCELED',
  'ERROR',
  'UNKNOWN',
] as const;
export type AttemptResult = (typeof attemptResults)[number];

/** The advice for the buyer after a decline. Contract §3. */
export const advices = ['try_again_later', 'confirm_card_data', 'do_not_try_again'] as const;
export type Advice = (typeof advices)[number];

/** The buyer's identity, which proves nothing by itself. Contract §3, Buyer. */
export const AccountData = input({
  userId: buyerId(),
  externalId: givenExternalId(),
  email: email(),
});

/** The buyer of a new session: one whom the merchant knows by an id, or a guest with an address alone. */
export const guest = () =>
  Type.Optional(
    Type.Boolean({
      description:
        'true, with no id: a guest, known by the address alone, without saved cards. An id that is the address counts as a guest unless this is false.',
    }),
  );
export const NewBuyer = input({
  userId: Type.Optional(buyerId()),
  externalId: givenExternalId(),
  email: email(),
  guest: guest(),
});

export const cartVersion = () =>
  Type.Integer({ description: 'Goes up by one when the merchant changes the cart.' });

/** What a line names; each is null where the merchant sent none. */
export const ownLineFields = {
  code: nullable(
    Type.String({ description: "The product's code; null for a line of the merchant's own." }),
  ),
  description: nullable(Type.String()),
  imageUrl: nullable(Type.String()),
  reference: nullable(
    Type.String({ description: "The merchant's own reference of a line of its own." }),
  ),
};

/** The merchant, as buyers see it. Contract §3, Merchant. */
const merchantProperties = {
  name: Type.String({ description: "The client's businessName, or else its name." }),
  logoUrl: nullable(Type.String()),
  supportEmail: nullable(Type.String()),
  termsUrl: nullable(Type.String()),
  brandColor: nullable(Type.String({ description: '#rrggbb, in small letters.' })),
};
export const Merchant = component('Merchant', merchantProperties);
export type Merchant = Static<typeof Merchant>;

export const SessionIdShort = Type.Object({
  sessionId: uuid({ 'x-code': 'checkout_session_not_found' }),
});

export const Attempt = Type.Unsafe<{
  id: string;
  result: AttemptResult;
  declineCode: string | null;
  createdAt: string;
} | null>({
  type: ['object', 'null'],
  properties: {
    id: { type: 'string' },
    result: { type: 'string', enum: [...attemptResults] },
    declineCode: { type: ['string', 'null'] },
    createdAt: { type: 'string' },
  },
  required: ['id', 'result', 'declineCode', 'createdAt'],
});

export const CheckoutSessionStatus = component('CheckoutSessionStatus', {
  data: Type.Object({
    uuid: uuid(),
    status: oneOf(sessionStatuses),
    cartVersion: cartVersion(),
    paymentId: nullable(uuid()),
    paymentMethodId: nullable(
      uuid({
        description: 'Id of the saved card of a setup session, once the provider has verified it.',
      }),
    ),
    authorizationExpiresAt: nullable(instant()),
    latestTransactionAttempt: Attempt,
  }),
});
export type CheckoutSessionStatus = Static<typeof CheckoutSessionStatus>;
