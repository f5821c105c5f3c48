// The part of the contract that this library publishes, as plain types. The published package contains
// these types written out (build.ts), so that it has no dependency.

import type { Product as ContractProduct } from '@svc/contract/catalog/catalog';
import type {
  CheckoutSession as ContractSession,
  CheckoutSessionStatus as StatusAnswer,
} from '@svc/contract/checkout-sessions/checkout-sessions';
import type { PaymentMethod as ContractPaymentMethod } from '@svc/contract/customers/payment-methods';
import type { Subscription as ContractSubscription } from '@svc/contract/customers/subscriptions';
import type { ApiToken as ContractApiToken } from '@svc/contract/developers/api-tokens';
import type {
  WebhookAttempt as ContractAttempt,
  WebhookEndpoint as ContractEndpoint,
} from '@svc/contract/developers/webhook-endpoints';
import type {
  ActivatedPaymentMethod as ContractActivatedPaymentMethod,
  CompletedCheckout as ContractCompletedCheckout,
  CompletedSetup as ContractCompletedSetup,
  DeletedPaymentMethod as ContractDeletedPaymentMethod,
  ExpiredCheckout as ContractExpiredCheckout,
  ForgottenCustomer as ContractForgottenCustomer,
  ItemPurchased as ContractItemPurchased,
  ReplacedPaymentMethod as ContractReplacedPaymentMethod,
  ApiTokenEventObject as ContractToldApiToken,
  WebhookEndpointEventObject as ContractToldWebhookEndpoint,
  UpdatedCustomer as ContractUpdatedCustomer,
} from '@svc/contract/events/event-objects';
import type { EventDataByType as ContractEventData } from '@svc/contract/events/event-schemas';
import type { Event as ContractEvent } from '@svc/contract/events/events';
import type { Rows } from '@svc/contract/index';
import type { Dispute as ContractDispute } from '@svc/contract/payments/disputes';
import type {
  FraudWarning as ContractFraudWarning,
  PaymentReview as ContractReview,
} from '@svc/contract/payments/fraud-signals';
import type {
  ListedPayment as ContractListedPayment,
  Payment as ContractPayment,
} from '@svc/contract/payments/payments';
import type { RefundRequest as ContractRefundRequest } from '@svc/contract/payments/refund-requests';
import type { InputOf, OutputOf, RowShape } from '@svc/contract/rows/row';

export type { CreateCheckoutSession } from '@svc/contract/checkout-sessions/checkout-sessions';
export type { EventType } from '@svc/contract/rows/event-types';

/** A value that a newer service may return and this version does not list. */
export type OtherWord = string & {};

type IsUnion<T, All = T> = T extends unknown ? ([All] extends [T] ? false : true) : never;
type Words<T> = Extract<T, string>;
/**
 * A single literal distinguishes responses, so it stays as it is; a union of several accepts new values.
 */
type OpenWords<T> =
  string extends Words<T> ? T : true extends IsUnion<Words<T>> ? T | OtherWord : T;
type Open<T> = T extends readonly (infer E)[]
  ? Field<E>[]
  : T extends object
    ? { [K in keyof T]: Field<T[K]> }
    : T;
type Field<T> = [Words<T>] extends [never] ? Open<T> : OpenWords<T>;

export type ApiToken = Open<ContractApiToken>;
export type CheckoutSession = Open<ContractSession>;
export type Event = Open<ContractEvent>;
export type Dispute = Open<ContractDispute>;
export type ActivatedPaymentMethod = Open<ContractActivatedPaymentMethod>;
export type CompletedCheckout = Open<ContractCompletedCheckout>;
export type CompletedSetup = Open<ContractCompletedSetup>;
export type DeletedPaymentMethod = Open<ContractDeletedPaymentMethod>;
export type ExpiredCheckout = Open<ContractExpiredCheckout>;
export type ForgottenCustomer = Open<ContractForgottenCustomer>;
export type UpdatedCustomer = Open<ContractUpdatedCustomer>;
export type FraudWarning = Open<ContractFraudWarning>;
export type PaymentReview = Open<ContractReview>;
export type ItemPurchased = Open<ContractItemPurchased>;
export type RefundRequest = Open<ContractRefundRequest>;
export type ReplacedPaymentMethod = Open<ContractReplacedPaymentMethod>;
export type ApiTokenEventObject = Open<ContractToldApiToken>;
export type WebhookEndpointEventObject = Open<ContractToldWebhookEndpoint>;
export type Payment = Open<ContractPayment>;
export type PaymentMethod = Open<ContractPaymentMethod>;
export type Product = Open<ContractProduct>;
export type Subscription = Open<ContractSubscription>;
export type WebhookAttempt = Open<ContractAttempt>;
export type WebhookEndpoint = Open<ContractEndpoint>;

/** `data` of an event of each type. */
export type EventDataByType = Open<ContractEventData>;

/** The status of a checkout session. Spec: Checkout sessions, GET status. */
export type SessionStatus = Open<StatusAnswer['data']>;

type Simplify<T> = { [K in keyof T]: T[K] };
/** A body without fields accepts none; the type `{}` would accept any. */
type StrictBody<B> = keyof B extends never ? Record<string, never> : B;
type BodyOf<R extends RowShape> = InputOf<R> extends { body: infer B } ? StrictBody<B> : undefined;
/** Undefined for a response without a body. A replayed response has the same body. */
type BodyIn<O> = O extends { body: infer B } ? B : O extends { replay: string } ? never : undefined;
type AnswerOf<R extends RowShape> = Open<BodyIn<OutputOf<R>>>;
/** Excludes the calls that only people's browsers can make, and those that answer a file. */
type ServerCall<R extends RowShape> = R['auth'] extends 'person' | 'visitor'
  ? never
  : R['isFile'] extends true
    ? never
    : R['call'];
type FromRows = {
  [K in keyof Rows as ServerCall<Rows[K]>]: { body: BodyOf<Rows[K]>; answer: AnswerOf<Rows[K]> };
};
type PaymentList = Omit<FromRows['GET /v1/payments']['answer'], 'data'> & {
  data: Open<ContractListedPayment>[];
};

type AnySchema = NonNullable<RowShape['input']['body']>;
/** The type that a schema describes, derived in the same way as for rows. */
type StaticOf<S extends AnySchema> =
  InputOf<Omit<RowShape, 'input' | 'filters'> & { input: { body: S } }> extends { body: infer B }
    ? B
    : never;
/** `metadata.<key>` stands for every key of the metadata. */
type FilterName<K> = K extends `${infer N}.<key>` ? `${N}.${string}` : K;
type FiltersOf<F> = {
  -readonly [K in keyof F as FilterName<K>]: F[K] extends AnySchema ? StaticOf<F[K]> : never;
};

/** The query and the filters of every list, by method and path. */
export type Lists = {
  [K in keyof Rows as 'filters' extends keyof Rows[K]
    ? ServerCall<Rows[K]>
    : never]: Rows[K] extends { input: { query: infer Q extends AnySchema }; filters: infer F }
    ? { query: StaticOf<Q>; filters: FiltersOf<F> }
    : never;
};

/** Every call of the API by method and path, with the types of its request and response bodies. */
export type Calls = Simplify<
  Omit<FromRows, 'GET /v1/payments'> & {
    // A server receives whole payments; only browsers receive rows with nothing but the id.
    'GET /v1/payments': { body: undefined; answer: Simplify<PaymentList> };
  }
>;
