// The library's main class. Spec: Client libraries, server library. Contract §11.

import { ApiTokens } from './api-tokens.ts';
import type { AnswerFor, BodyFor, KnownPath, Method } from './calls.ts';
import { CheckoutSessions } from './checkout-sessions.ts';
import { Customers } from './customers.ts';
import { Events } from './event-log.ts';
import type { CallEvents } from './listeners.ts';
import { MerchantSessions } from './merchant-sessions.ts';
import { type ApiVersion, parseArguments, type Settings, type SvcOptions } from './options.ts';
import { PaymentMethods } from './payment-methods.ts';
import { Payments } from './payments.ts';
import { Provider } from './provider.ts';
import { assertObject, ServiceCalls, withResponse } from './service-calls.ts';
import { SetupSessions } from './setup-sessions.ts';
import { type CallOptions, type LastResponse, usualFirstWaitMs } from './transport.ts';
import { WebhookEndpoints } from './webhook-endpoints.ts';
import { Webhooks } from './webhooks.ts';

/** What `svc.request` takes beside a call's own options. */
export type RequestOptions = CallOptions & {
  /** The nonce of a checkout session, sent as `x-checkout-session-token`. */
  nonce?: string | undefined;
  /** Your id of the buyer, sent as `x-user-id` beside a nonce. */
  userId?: string | undefined;
};

export class Svc {
  readonly checkout: { readonly sessions: CheckoutSessions };
  /** The sessions of this service by their ids, with the merchant's credential. */
  readonly checkoutSessions: MerchantSessions;
  /** Customers at the card provider. */
  readonly customers: Customers;
  readonly payments: Payments;
  readonly paymentMethods: PaymentMethods;
  readonly setupSessions: SetupSessions;
  readonly events: Events;
  readonly webhookEndpoints: WebhookEndpoints;
  readonly apiTokens: ApiTokens;
  readonly webhooks: Webhooks;
  /** The card provider's API version that this instance uses. */
  readonly apiVersion: ApiVersion;
  readonly #settings: Settings;
  readonly #calls: ServiceCalls;

  /**
   * Throws for an empty key, an unknown option and every invalid option, naming it. The provider's key is
   * only for calls that go to the provider.
   */
  constructor(providerSecretKey: string, options?: SvcOptions);
  constructor(options: SvcOptions);
  // Not in the declarations, which show overloads alone: tests wait less before a repeat.
  constructor(first: string | SvcOptions, options?: SvcOptions, firstWaitMs = usualFirstWaitMs) {
    this.#settings = { ...parseArguments(first, options), firstWaitMs };
    this.#calls = new ServiceCalls(this.#settings);
    const provider = new Provider(this.#settings);
    this.apiVersion = this.#settings.apiVersion;
    this.checkout = Object.freeze({ sessions: new CheckoutSessions(this.#calls, provider) });
    this.checkoutSessions = new MerchantSessions(this.#calls);
    this.customers = new Customers(provider);
    this.payments = new Payments(this.#calls);
    this.paymentMethods = new PaymentMethods(this.#calls);
    this.setupSessions = new SetupSessions(this.#calls);
    this.events = new Events(this.#calls);
    this.webhookEndpoints = new WebhookEndpoints(this.#calls);
    this.apiTokens = new ApiTokens(this.#calls);
    this.webhooks = new Webhooks(this.#settings.logger);
  }

  /**
   * Makes any call of the API, typed by the contract: `svc.request('PUT',
   * `/v1/payments/${paymentId}/capture`, {}, { idempotencyKey })`. For a capture or a cancel pass an
   * idempotency key of your own and the same one with every retry. Calls of a checkout session take its
   * `nonce` in place of the library's credential, and `userId` where they name the buyer. An empty response
   * gives undefined.
   */
  async request<M extends Method, const P extends string>(
    method: M,
    path: P & KnownPath<M, P>,
    body?: BodyFor<M, P>,
    options: RequestOptions = {},
  ): Promise<AnswerFor<M, P> & { readonly lastResponse: LastResponse }> {
    assertObject('options', options);
    const { nonce, userId, ...rest } = options;
    const answer = await this.#calls.send(method, path, { body, nonce, userId, options: rest });
    const isObject = typeof answer.body === 'object' && answer.body !== null;
    const result = isObject ? withResponse(answer.body as object, answer.lastResponse) : undefined;
    return result as never;
  }

  /** Calls the listener for every attempt or its result, without bodies. */
  on<K extends keyof CallEvents>(name: K, listener: (event: CallEvents[K]) => void): this {
    this.#settings.listeners.add(name, listener);
    return this;
  }

  off<K extends keyof CallEvents>(name: K, listener: (event: CallEvents[K]) => void): this {
    this.#settings.listeners.remove(name, listener);
    return this;
  }
}
