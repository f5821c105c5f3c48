// The part of the contract that this library publishes, as plain types. The published package
// carries this file written out (build.ts), so that it depends on nothing.

import type { CheckoutSessionStatus as StatusAnswer } from '@svc/contract/checkout-sessions';
import type { Event as ContractEvent } from '@svc/contract/events-api';
import type { Rows } from '@svc/contract/index';
import type { Payment } from '@svc/contract/payments';
import type { InputOf, OutputOf, RowShape } from '@svc/contract/row';

export type { ApiToken } from '@svc/contract/api-tokens';
export type { Product } from '@svc/contract/catalog';
export type { CheckoutSession, CreateCheckoutSession } from '@svc/contract/checkout-sessions';
export type { EventType } from '@svc/contract/events';
export type { ItemPurchased } from '@svc/contract/events-api';
export type { PaymentMethod } from '@svc/contract/payment-methods';
export type { Payment } from '@svc/contract/payments';
export type { WebhookAttempt, WebhookEndpoint } from '@svc/contract/webhook-endpoints';

export type Event = ContractEvent;

/** Where a checkout session stands. Spec: Checkout sessions, GET status. */
export type SessionStatus = StatusAnswer['data'];

type Simplify<T> = { [K in keyof T]: T[K] };
/** An object without fields takes none, which `{}` does not say. */
type Strict<B> = keyof B extends never ? Record<string, never> : B;
type BodyOf<R extends RowShape> = InputOf<R> extends { body: infer B } ? Strict<B> : undefined;
/** Undefined for an answer without a body; what is replayed has the same one. */
type BodyIn<O> = O extends { body: infer B } ? B : O extends { replay: string } ? never : undefined;
type AnswerOf<R extends RowShape> = BodyIn<OutputOf<R>>;
/** What people's browsers alone may call is nothing for a server. */
type ForServers<R extends RowShape> = R['auth'] extends 'person' | 'visitor' ? never : R['call'];
type FromRows = {
  [K in keyof Rows as ForServers<Rows[K]>]: { body: BodyOf<Rows[K]>; answer: AnswerOf<Rows[K]> };
};
type PaymentList = Omit<FromRows['GET /v1/payments']['answer'], 'data'> & { data: Payment[] };

type AnySchema = NonNullable<RowShape['input']['body']>;
/** What a schema describes, in the one way that rows say so. */
type StaticOf<S extends AnySchema> =
  InputOf<Omit<RowShape, 'input' | 'filters'> & { input: { body: S } }> extends { body: infer B }
    ? B
    : never;
type FiltersOf<F> = { -readonly [K in keyof F]: F[K] extends AnySchema ? StaticOf<F[K]> : never };

/** The query and the filters of every list, by method and path. */
export type Lists = {
  [K in keyof Rows as 'filters' extends keyof Rows[K]
    ? ForServers<Rows[K]>
    : never]: Rows[K] extends { input: { query: infer Q extends AnySchema }; filters: infer F }
    ? { query: StaticOf<Q>; filters: FiltersOf<F> }
    : never;
};

/** Every call of the API by method and path: what is sent, what is answered. */
export type Calls = Simplify<
  Omit<FromRows, 'GET /v1/payments'> & {
    // A trusted server sees whole payments; rows of ids alone are for browsers.
    'GET /v1/payments': { body: undefined; answer: Simplify<PaymentList> };
  }
>;
