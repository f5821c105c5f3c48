// What each event type contains, one entry per type. The service's event composers are typed by it. The
// webhooks of the OpenAPI document, the types of the server library and the table of the webhooks guide are
// made from it. Contract §7.

import { type Static, type TProperties, type TSchema, Type } from 'typebox';
import { sessionStatuses } from '../checkout-sessions/checkout-sessions-parts.ts';
import { Subscription, subscriptionStatuses } from '../customers/subscriptions.ts';
import { Dispute, disputeStatuses } from '../payments/disputes.ts';
import { FraudWarning, PaymentReview } from '../payments/fraud-signals.ts';
import { Payment, paymentStatuses } from '../payments/payments.ts';
import { RefundRequest, refundRequestStatuses } from '../payments/refund-requests.ts';
import { type EventType, eventTypes } from '../rows/event-types.ts';
import { nullable, oneOf } from '../rows/schema.ts';
import {
  ActivatedPaymentMethod,
  ApiTokenEventObject,
  CompletedCheckout,
  CompletedSetup,
  DeletedPaymentMethod,
  ExpiredCheckout,
  ForgottenCustomer,
  ItemPurchased,
  ReplacedPaymentMethod,
  UpdatedCustomer,
  WebhookEndpointEventObject,
} from './event-objects.ts';
import { Event } from './events.ts';

/** The description of one event type. */
type EventKind = {
  /** When the event is sent: a clause of plain words and code. */
  readonly when: string;
  /** What `data.object` is, in a few words. */
  readonly what: string;
  /** The possible values of `resource.type`. */
  readonly resources: readonly string[];
  /** The schema of `data`, with its fields in the order in which they are written. */
  readonly data: TSchema;
};

const isStartProof = Type.Optional(
  Type.Unsafe<true>({
    const: true,
    description:
      'In a sandbox, of the payment that `npm start` makes as proof: delivered to the demo shop alone. Ship nothing for it.',
  }),
);

const data = <O extends TSchema, M extends TProperties>(object: O, more: M) =>
  Type.Object({ object, ...more, isStartProof });

/** The schema of `previousAttributes` for a resource that has a status. */
const previousStatusSchema = <const S extends readonly string[]>(statuses: S) =>
  Type.Object(
    { status: Type.Optional(oneOf(statuses)) },
    {
      description: 'The former values of the changed fields; without status if it did not change.',
    },
  );

const payment = {
  resources: ['payment'],
  data: data(Payment, { previousAttributes: previousStatusSchema(paymentStatuses) }),
} as const;
const dispute = {
  what: 'the dispute',
  resources: ['dispute'],
  data: data(Dispute, { previousAttributes: previousStatusSchema(disputeStatuses) }),
} as const;
const review = {
  what: 'the review',
  resources: ['review'],
  data: data(PaymentReview, {}),
} as const;
const subscription = {
  what: 'the subscription',
  resources: ['subscription'],
  data: data(Subscription, {
    previousAttributes: Type.Optional(previousStatusSchema(subscriptionStatuses)),
  }),
} as const;
const decidedRequest = {
  what: 'the refund request',
  resources: ['refund_request'],
  data: data(RefundRequest, { previousAttributes: previousStatusSchema(refundRequestStatuses) }),
} as const;
const token = {
  what: 'the token, without its value',
  resources: ['api_token'],
  data: data(ApiTokenEventObject, {}),
} as const;
const endpoint = {
  what: 'the endpoint, without its secret',
  resources: ['webhook_endpoint'],
  data: data(WebhookEndpointEventObject, {}),
} as const;
const ofPayment = { ...payment, what: 'the payment' } as const;
const ofRefund = { ...payment, what: 'the refund: a payment of type `refund`' } as const;
const ofChargeback = { ...payment, what: 'a payment of type `chargeback`' } as const;

/** In the order of the guide. A type of `events.ts` without an entry does not compile. */
export const eventKinds = {
  'item.purchased': {
    when: 'paid, or due nothing: `paymentId` is null then. **Ship the items on this**, once per order',
    what: 'the purchase',
    resources: ['payment', 'checkout_session'],
    data: data(ItemPurchased, {
      previousAttributes: Type.Optional(previousStatusSchema(paymentStatuses)),
    }),
  },
  'payment.succeeded': {
    when: 'paid, without item lines, such as a renewal; never beside `item.purchased`',
    ...ofPayment,
  },
  'payment.authorized': { when: 'a hold is active; nothing was paid', ...ofPayment },
  'payment.failed': { when: 'an attempt was declined or could not be made', ...ofPayment },
  'payment.capture_failed': {
    when: 'a capture was refused, or taken back later; `data.failure` says why, `status` whether the hold stands',
    what: 'the payment',
    resources: ['payment'],
    data: data(Payment, {
      previousAttributes: previousStatusSchema(paymentStatuses),
      failure: Type.Object({
        code: Type.String({ description: "The provider's code, or one of this service." }),
        message: nullable(Type.String({ description: "The provider's own message." })),
        attempt: Type.Integer({ description: 'The number of the attempt to capture, from 1.' }),
      }),
    }),
  },
  'payment.authorization_voided': {
    when: 'the hold was released: by you, or at the provider (`authorizationVoidReason`)',
    ...ofPayment,
  },
  'payment.authorization_expiring': {
    when: 'the hold runs out within a day (or is half over, where it is shorter than two)',
    ...ofPayment,
  },
  'payment.authorization_expired': { when: 'the hold ran out', ...ofPayment },
  'refund.created': {
    when: 'a refund was asked for and is reserved',
    what: ofRefund.what,
    resources: ['payment'],
    data: data(Payment, {}),
  },
  'refund.succeeded': { when: 'the provider gave the money back', ...ofRefund },
  'refund.failed': { when: 'it did not, or took it back later', ...ofRefund },
  'refund_request.created': {
    when: 'a refund was asked for that somebody else has to approve; no money by itself',
    what: decidedRequest.what,
    resources: decidedRequest.resources,
    data: data(RefundRequest, {}),
  },
  'refund_request.approved': {
    when: 'somebody approved it, and its refund is reserved: `refundId`; what becomes of the money, its `refund.` events say',
    ...decidedRequest,
  },
  'refund_request.declined': {
    when: 'somebody declined it, or who asked took it back: `decidedBy` is `requestedBy` then',
    ...decidedRequest,
  },
  'refund_request.expired': { when: 'nobody decided it within seven days', ...decidedRequest },
  'payment.fraud_warning': {
    when: "the card's bank reports fraud; where `isActionable`, **refund before it becomes a dispute**",
    what: 'the warning',
    resources: ['fraud_warning'],
    data: data(FraudWarning, {}),
  },
  'payment.review_opened': {
    when: 'the provider put the payment in its review queue; wait with the goods',
    ...review,
  },
  'payment.review_closed': { when: 'that review has ended; `closedReason` says how', ...review },
  'dispute.opened': { when: "the buyer's bank opened a dispute; no money by itself", ...dispute },
  'dispute.updated': { when: 'its status, reason, amount, date or answer changed', ...dispute },
  'dispute.closed': { when: 'it has ended; `status` says how', ...dispute },
  'chargeback.withdrawn': { when: 'money of a dispute was taken from you', ...ofChargeback },
  'chargeback.reinstated': {
    when: 'money of a dispute came back; signed amounts',
    ...ofChargeback,
  },
  'payment_method.activated': {
    when: 'a card or wallet is saved and can be charged',
    what: 'the saved method',
    resources: ['payment_method'],
    data: data(ActivatedPaymentMethod, {
      previousAttributes: Type.Object({ status: oneOf(['pending']) }),
    }),
  },
  'payment_method.updated': {
    when: 'a saved card changed: its network renewed it, or a charge showed a new date',
    what: 'the saved method as it is now',
    resources: ['payment_method'],
    data: data(ActivatedPaymentMethod, {
      previousAttributes: Type.Object(
        {
          brand: Type.Optional(nullable(Type.String())),
          lastFour: Type.Optional(nullable(Type.String())),
          expiryMonth: Type.Optional(nullable(Type.Integer())),
          expiryYear: Type.Optional(nullable(Type.Integer())),
        },
        { description: 'The former values of the changed fields.' },
      ),
    }),
  },
  'payment_method.replaced': {
    when: 'what a method pays for was moved to another, because it is being removed or was detached',
    what: 'the method that is going',
    resources: ['payment_method'],
    data: data(ReplacedPaymentMethod, {}),
  },
  'payment_method.deleted': {
    when: 'a saved method is gone; `removedBy` says why, `subscriptionIds` what no method pays any more',
    what: 'what stays known of it',
    resources: ['payment_method'],
    data: data(DeletedPaymentMethod, {
      previousAttributes: Type.Object({ status: oneOf(['active']) }),
    }),
  },
  'subscription.created': {
    when: 'the first payment succeeded: **ship the first period on this**',
    ...subscription,
  },
  'subscription.renewed': {
    when: 'a further period was paid: **ship it on this** ([subscriptions](subscriptions.md))',
    ...subscription,
  },
  'subscription.past_due': {
    when: 'a renewal was declined, once per period; it is tried again',
    ...subscription,
  },
  'subscription.cancellation_scheduled': {
    when: 'it will end at `cancelAt` instead of being renewed; keep the service until then',
    ...subscription,
  },
  'subscription.resumed': {
    when: 'that end was taken back: it is renewed again',
    ...subscription,
  },
  'subscription.canceled': { when: 'it has ended; `cancelReason` says why', ...subscription },
  'checkout.session.completed': {
    when: 'the checkout ended in a payment or a hold, cost nothing, or saved a card',
    what: 'the checkout session; with `checkoutMode` `setup` where it saved a card',
    resources: ['checkout_session'],
    data: data(Type.Union([CompletedCheckout, CompletedSetup]), {
      previousAttributes: Type.Object({ status: oneOf(sessionStatuses) }),
    }),
  },
  'checkout.session.expired': {
    when: 'it ran out before',
    what: 'the checkout session',
    resources: ['checkout_session'],
    data: data(ExpiredCheckout, {
      previousAttributes: Type.Object({ status: oneOf(sessionStatuses) }),
    }),
  },
  'customer.updated': {
    when: 'a customer was changed, on the customer’s page or by a call, but not by a session: **read the customer again**',
    what: 'the id of the customer and the names of the fields, without values',
    resources: ['customer'],
    data: data(UpdatedCustomer, {}),
  },
  'customer.forgotten': {
    when: 'a customer was forgotten: **erase the person at yours too**; earlier events read again are blank',
    what: 'the id of the customer, and nothing else of the person',
    resources: ['customer'],
    data: data(ForgottenCustomer, {}),
  },
  'api_token.created': { when: 'a token of yours was made', ...token },
  'api_token.revoked': { when: 'a token of yours ended', ...token },
  'webhook_endpoint.failing': {
    when: 'an endpoint has failed for 60 hours; to your other endpoints, once',
    ...endpoint,
  },
  'webhook_endpoint.disabled': {
    when: 'an endpoint was disabled: by 410, after 120 hours, or by one of you',
    ...endpoint,
  },
  'webhook_endpoint.test': {
    when: 'somebody asked for a test of this endpoint; to no other, and only then',
    ...endpoint,
  },
} as const satisfies Record<EventType, EventKind>;

type Kinds = typeof eventKinds;
/** The type of `data` for each event type. */
export type EventDataByType = { [T in EventType]: Static<Kinds[T]['data']> };
/** The types in the order of the guide. */
export const toldTypes = Object.keys(eventKinds) as readonly EventType[];

/** The possible values of `resource.type` for each event type. */
export type EventResourceType<T extends EventType> = Kinds[T]['resources'][number];

/** Returns `PaymentMethodDeletedEvent` for `payment_method.deleted`. */
const nameOf = (type: EventType): string =>
  `${type
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')}Event`;

/** The schema of the whole event of each type, as it is delivered. */
export const eventSchemas = Object.fromEntries(
  eventTypes.map((type): [string, TSchema] => {
    const { resources, data } = eventKinds[type];
    const { resource, ...envelope } = Event.properties;
    const own = {
      ...envelope,
      type: oneOf([type]),
      resource: Type.Object({ ...resource.properties, type: oneOf(resources) }),
      data,
    };
    return [type, Type.Object(own, { 'x-name': nameOf(type) })];
  }),
) as Readonly<Record<EventType, TSchema>>;
