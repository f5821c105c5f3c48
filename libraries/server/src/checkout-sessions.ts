// checkout.sessions: what a merchant's server needs to send a buyer to the hosted checkout page, and the
// sessions of merchants who also use the card provider's own checkout. Spec: Client libraries, server
// library. Contract §3, §11.

import type { CreateCheckoutSession, SessionStatus } from './contract-types.ts';
import { SvcApiError, SvcValidationError } from './errors.ts';
import { parseBaseUrl, parseInteger } from './options.ts';
import type { List } from './paging.ts';
import type { Provider } from './provider.ts';
import type { ProviderLineItem, ProviderPage, ProviderSession } from './provider-types.ts';
import {
  assertObject,
  missingParameter,
  pathSegment,
  type ServiceCalls,
  withResponse,
} from './service-calls.ts';
import type { CallOptions, LastResponse } from './transport.ts';

type Account =
  | {
      /** Your own id of the buyer, any text. */
      userId: string;
      /** The buyer's id as responses show it, beside the UUID that was derived from it. */
      externalId?: string | null;
      email: string;
      country?: string;
      /** False where the address is the id of a buyer who has an account with you. */
      guest?: false;
    }
  /** A guest, known by the address alone, without saved cards. */
  | { guest: true; email: string; country?: string };

export type CreateSessionParams = Omit<
  CreateCheckoutSession,
  'clientId' | 'account' | 'accountData'
> & {
  /** Default: the `clientId` of the library's options. */
  clientId?: string;
  /** The buyer. */
  account: Account;
  /** Address of the service. Default: the `baseUrl` of the library's options. */
  billingApiUrl?: string;
  /** Address of the hosted checkout page, which replaces the base of the redirect address. */
  checkoutBaseUrl?: string;
};

/** Every result also has `lastResponse`, which is not enumerable. */
export type CreateSessionResult =
  | {
      status: 201;
      /** Redirect the buyer to it at once. It opens this one session, so do not log it. */
      redirectUrl: string;
      sessionId: string;
      /** Authenticates later calls about the session; keep it on the server. */
      nonce: string;
      readonly lastResponse: LastResponse;
    }
  /**
   * Nothing was due and a payment method is already on file: the order is completed, and the events
   * `checkout.session.completed` and `item.purchased` report it.
   */
  | { status: 204; readonly lastResponse: LastResponse }
  | { status: number; readonly lastResponse: LastResponse };

export type StatusOptions = CallOptions & {
  billingApiUrl?: string;
  /** Seconds, up to 25, that the service may wait for a change before it answers. */
  wait?: number;
};

export class CheckoutSessions {
  readonly #calls: ServiceCalls;
  readonly #provider: Provider;

  constructor(calls: ServiceCalls, provider: Provider) {
    this.#calls = calls;
    this.#provider = provider;
  }

  /**
   * Creates a session. A repeat after a lost response makes no second one: it carries the same
   * Idempotency-Key, yours (`options.idempotencyKey`) or one made for the call. Throws `CurrencyRequired`
   * at once, before any promise and any network call, when neither the session nor its products name
   * exactly one currency.
   */
  create(params: CreateSessionParams, options?: CallOptions): Promise<CreateSessionResult> {
    assertObject('params', params);
    const { billingApiUrl, checkoutBaseUrl, ...session } = params;
    const currency = resolveCurrency(params);
    const clientId = params.clientId ?? this.#calls.clientId;
    if (!clientId) throw missingParameter('clientId', 'here or in the options of the library');
    const baseUrl =
      billingApiUrl === undefined ? undefined : parseBaseUrl('billingApiUrl', billingApiUrl);
    const page =
      checkoutBaseUrl === undefined ? undefined : parseBaseUrl('checkoutBaseUrl', checkoutBaseUrl);
    const body = { ...session, clientId, currency };
    const sent = this.#calls.send('POST', '/v1/checkouts/sessions', { baseUrl, body, options });
    return sent.then((answer) => resultOf(answer, page));
  }

  /** Reads the session's status: `authorized`, `paymentId`, `authorizationExpiresAt`. */
  async getStatus(
    sessionId: string,
    nonce: string,
    options: StatusOptions = {},
  ): Promise<SessionStatus & { readonly lastResponse: LastResponse }> {
    assertObject('options', options);
    const { billingApiUrl, ...rest } = options;
    const baseUrl =
      billingApiUrl === undefined ? undefined : parseBaseUrl('billingApiUrl', billingApiUrl);
    return readStatus(this.#calls, { sessionId, nonce, baseUrl, ...rest });
  }

  /**
   * Reads a checkout session of the card provider (`cs_…`): `open`, `complete` or `expired`. For a session
   * of this service use `getStatus`.
   */
  retrieve(
    id: string,
    options?: CallOptions,
  ): Promise<ProviderSession & { readonly lastResponse: LastResponse }> {
    return this.#provider.retrieveSession(id, options);
  }

  /** Expires an open checkout session of the card provider: nobody can pay it afterwards. */
  expire(
    id: string,
    options?: CallOptions,
  ): Promise<ProviderSession & { readonly lastResponse: LastResponse }> {
    return this.#provider.expireSession(id, options);
  }

  /** The lines of a checkout session of the card provider, each with its price and quantity. */
  listLineItems(
    id: string,
    params: { limit?: number; starting_after?: string } = {},
    options?: CallOptions,
  ): List<ProviderLineItem, ProviderPage<ProviderLineItem>> {
    return this.#provider.listLineItems(id, params, options);
  }
}

/** Reads the status of a session of this service, with its nonce. */
export async function readStatus(
  calls: ServiceCalls,
  at: {
    sessionId: string;
    nonce: string;
    baseUrl?: string | undefined;
    wait?: number | undefined;
  } & CallOptions,
): Promise<SessionStatus & { readonly lastResponse: LastResponse }> {
  const { sessionId, nonce, baseUrl, wait, ...options } = at;
  const path = `/v1/checkouts/sessions/${pathSegment('sessionId', sessionId)}/status`;
  if (!nonce) throw missingParameter('nonce', 'from the answer of create, as the second argument');
  const seconds = wait === undefined ? 0 : parseInteger('wait', wait, { min: 0, max: 25 });
  const { body, lastResponse } = await calls.send(
    'GET',
    seconds ? `${path}?wait=${seconds}` : path,
    {
      baseUrl,
      nonce,
      options,
    },
  );
  const { data } = (body ?? {}) as { data?: SessionStatus };
  if (typeof data?.status !== 'string') throw invalidAnswer(lastResponse);
  return withResponse({ ...data }, lastResponse);
}

/**
 * Returns the session's currency, or the one currency that its products name. Spec: session create input.
 */
function resolveCurrency(params: CreateSessionParams): string {
  if (params.currency) return params.currency;
  const lines = Array.isArray(params.products) ? params.products : [];
  const named = new Set(lines.flatMap((line) => line.currency ?? []));
  const [only] = named;
  if (only !== undefined && named.size === 1) return only;
  throw new SvcValidationError(
    named.size > 1
      ? `The lines name different currencies (${[...named].join(', ')}): name the session's.`
      : 'No currency: name one for the session (currency: "EUR") or on its lines.',
    { code: 'CurrencyRequired', param: 'currency' },
  );
}

function resultOf(
  answer: { body: unknown; lastResponse: LastResponse },
  page: string | undefined,
): CreateSessionResult {
  const { lastResponse } = answer;
  const status = lastResponse.statusCode;
  if (status !== 201) return withResponse({ status }, lastResponse);
  const { id, nonce, url } = (answer.body ?? {}) as Record<string, unknown>;
  const isWhole = typeof id === 'string' && typeof nonce === 'string' && typeof url === 'string';
  if (!isWhole || !URL.canParse(url)) throw invalidAnswer(lastResponse);
  const redirectUrl = page === undefined ? url : buildPageUrl(page, new URL(url));
  return withResponse({ status: 201 as const, redirectUrl, sessionId: id, nonce }, lastResponse);
}

/** Returns `{checkoutBaseUrl}/c/{id}#<nonce>`, whatever base the service used. Contract §3. */
function buildPageUrl(page: string, url: URL): string {
  const path = url.pathname.slice(Math.max(0, url.pathname.lastIndexOf('/c/')));
  return `${page}${path}${url.search}${url.hash}`;
}

function invalidAnswer(lastResponse: LastResponse): SvcApiError {
  return new SvcApiError(
    'The answer is no checkout session; is the base address that of the service?',
    {
      code: 'InvalidCheckoutSessionResponse',
      statusCode: lastResponse.statusCode,
      requestId: lastResponse.requestId,
    },
  );
}
