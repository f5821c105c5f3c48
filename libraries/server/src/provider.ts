// The card provider's API through its official SDK. Addresses, encodings and versions are the SDK's;
// sending, repeats, time limits, cancelling and errors are this library's own. The first call to the
// provider loads the SDK.

import type Stripe from 'stripe';
import {
  errorOfProvider,
  SvcApiError,
  SvcAuthenticationError,
  SvcError,
  SvcNotFoundError,
  SvcValidationError,
} from './errors.ts';
import type { Settings } from './options.ts';
import { type List, pagedList } from './paging.ts';
import type {
  CreateCustomerParams,
  ProviderCustomer,
  ProviderLineItem,
  ProviderPage,
  ProviderSession,
  UpdateCustomerParams,
} from './provider-types.ts';
import {
  assertCallOptions,
  assertObject,
  missingParameter,
  withResponse,
} from './service-calls.ts';
import {
  type CallOptions,
  type HttpResponse,
  type LastResponse,
  newIdempotencyKey,
  send,
} from './transport.ts';

type ProviderResponse<T> = Promise<T & { readonly lastResponse: LastResponse }>;

export class Provider {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  async retrieveSession(id: string, options?: CallOptions): ProviderResponse<ProviderSession> {
    assertId(id);
    return this.#call<ProviderSession>(options, (sdk) => sdk.checkout.sessions.retrieve(id)).catch(
      explainOwnSession(id),
    );
  }

  async expireSession(id: string, options?: CallOptions): ProviderResponse<ProviderSession> {
    assertId(id);
    return this.#call<ProviderSession>(options, (sdk, key) =>
      sdk.checkout.sessions.expire(id, {}, key),
    ).catch(explainOwnSession(id));
  }

  listLineItems(
    id: string,
    params: { limit?: number; starting_after?: string },
    options?: CallOptions,
  ): List<ProviderLineItem, ProviderPage<ProviderLineItem>> {
    assertObject('params', params);
    return pagedList(async (before?: ProviderPage<ProviderLineItem>) => {
      assertId(id);
      const last = before?.data.at(-1);
      if (before && !(before.has_more && last)) return undefined;
      const place = last ? { starting_after: last.id } : {};
      return this.#call<ProviderPage<ProviderLineItem>>(options, (sdk) =>
        sdk.checkout.sessions.listLineItems(id, { ...params, ...place }),
      );
    });
  }

  async createCustomer(
    params: CreateCustomerParams,
    options?: CallOptions,
  ): ProviderResponse<ProviderCustomer> {
    return this.#call(options, (sdk, key) => sdk.customers.create(params, key));
  }

  /** A deleted customer throws the same error as an unknown one. */
  async retrieveCustomer(id: string, options?: CallOptions): ProviderResponse<ProviderCustomer> {
    assertId(id);
    const found = await this.#call<ProviderCustomer & { deleted?: boolean }>(options, (sdk) =>
      sdk.customers.retrieve(id),
    );
    if (found.deleted !== true) return found;
    throw new SvcNotFoundError('The customer is deleted at the card provider.', {
      code: 'resource_missing',
      param: 'id',
      statusCode: 404,
      requestId: found.lastResponse.requestId,
      raw: found,
    });
  }

  async updateCustomer(
    id: string,
    params: UpdateCustomerParams,
    options?: CallOptions,
  ): ProviderResponse<ProviderCustomer> {
    assertId(id);
    assertObject('params', params);
    return this.#call(options, (sdk, key) => sdk.customers.update(id, params, key));
  }

  /**
   * Runs one call of the SDK. Each call has its own SDK instance, so that calls do not share a time limit
   * or a signal; making an instance takes about 0.1 ms.
   */
  async #call<T extends object>(
    options: CallOptions = {},
    run: (sdk: Stripe, key: { idempotencyKey: string }) => Promise<object>,
  ): ProviderResponse<T> {
    assertCallOptions(options);
    if (options.accessToken !== undefined) {
      throw new SvcValidationError(
        'accessToken is for calls of the service, not of the provider.',
        {
          code: 'ParameterInvalid',
          param: 'accessToken',
        },
      );
    }
    const way = openTransport(this.#settings, options);
    const sdk = await openSdk(this.#settings, way.makeRequest);
    try {
      const value = await run(sdk, {
        idempotencyKey: options.idempotencyKey ?? newIdempotencyKey(),
      });
      const { answer } = way.seen;
      if (answer === undefined) throw new TypeError('the SDK answered without a request');
      return withResponse({ ...value } as T, answer.lastResponse);
    } catch (error) {
      // Throws the transport's own error instead of the SDK's wrapper around it.
      if (way.seen.thrown) throw way.seen.thrown.reason;
      throw new SvcApiError(`The card provider could not be asked: ${messageOf(error)}`, {
        code: 'ProviderCallFailed',
      });
    }
  }
}

type MakeRequest = Stripe.HttpClient['makeRequest'];

/** Sends the SDK's requests through this library's transport. Only a success goes back to the SDK. */
function openTransport(settings: Settings, options: CallOptions) {
  const seen: { answer?: HttpResponse; thrown?: { reason: unknown } } = {};
  const makeRequest: MakeRequest = async (...asked) => {
    const [, , path, method, headers, body] = asked;
    try {
      seen.answer = await send(settings, {
        method,
        url: settings.providerBaseUrl + path,
        headers: headersOf(headers as Record<string, unknown>),
        body: method === 'POST' ? (body ?? '') : undefined,
        timeoutMs: options.timeout ?? settings.timeoutMs,
        maxRetries: options.maxNetworkRetries ?? settings.maxRetries,
        // The provider recognises every repeated write by its key.
        isRepeatable: true,
        signal: options.signal,
        errorOf: errorOfProvider,
      });
    } catch (reason) {
      seen.thrown = { reason };
      throw new Error('the request failed');
    }
    const { body: answered, lastResponse } = seen.answer;
    return {
      getStatusCode: () => lastResponse.statusCode,
      getHeaders: () => ({ ...lastResponse.headers }),
      getRawResponse: () => lastResponse,
      toStream: () => {
        throw new TypeError('an answer of the card provider is read whole');
      },
      toJSON: async () => answered as object,
    };
  };
  return { seen, makeRequest };
}

async function openSdk(settings: Settings, makeRequest: MakeRequest): Promise<Stripe> {
  const { providerSecretKey } = settings;
  if (providerSecretKey === undefined) {
    throw new SvcAuthenticationError(
      'This call goes to the card provider and needs its secret key: new Svc("<PROVIDER_SECRET_KEY>", options).',
      { code: 'ProviderSecretKeyRequired' },
    );
  }
  const { default: Sdk } = await import('stripe');
  return new Sdk(providerSecretKey, {
    // The transport repeats calls; repeats of the SDK would multiply them.
    maxNetworkRetries: 0,
    telemetry: false,
    httpClient: { getClientName: () => 'svc-server', makeRequest },
    // The SDK's type names one version; the provider checks any other dated one.
    apiVersion: settings.apiVersion as never,
    ...(settings.appInfo ? { appInfo: settings.appInfo } : {}),
  });
}

/** Header names in lower case, as this library reads them. fetch sets the length itself. */
function headersOf(given: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given)
      .filter(([name, value]) => value != null && name.toLowerCase() !== 'content-length')
      .map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
}

/** Adds to a 404 where the service's own sessions are read, when the id can be one of them. */
function explainOwnSession(id: string) {
  return (error: unknown): never => {
    if (
      !(error instanceof SvcNotFoundError) ||
      !/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id)
    ) {
      throw error;
    }
    const message = `${error.message} This asks the card provider; a session of the service is read by checkout.sessions.getStatus(id, nonce), or checkoutSessions.retrieve(id).`;
    throw new SvcNotFoundError(message, { ...error, cause: error.cause });
  };
}

function assertId(id: string): void {
  if (typeof id !== 'string' || id === '') throw missingParameter('id', 'as the first argument');
}

function messageOf(error: unknown): string {
  return error instanceof SvcError || error instanceof Error ? error.message : String(error);
}
