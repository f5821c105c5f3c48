// One call of the service: its address, credential and idempotency key. Every resource of the library and
// `svc.request` use it.

import type { Calls } from './contract-types.ts';
import { SvcAuthenticationError, SvcValidationError } from './errors.ts';
import { parseBaseUrl, parseBearer, parseInteger, type Settings } from './options.ts';
import { isRepeatable } from './repeats.ts';
import {
  type CallOptions,
  type HttpResponse,
  type LastResponse,
  newIdempotencyKey,
  send,
} from './transport.ts';

/** The response of a row of the contract. `lastResponse` is neither printed nor serialised. */
export type CallResponse<C extends keyof Calls> = Calls[C]['answer'] & {
  readonly lastResponse: LastResponse;
};

/** The result of a deletion, whose response has no body. */
export type Deleted = {
  id: string;
  deleted: true;
  readonly lastResponse: LastResponse;
};

export type CallSettings = {
  baseUrl?: string | undefined;
  nonce?: string | undefined;
  /** The buyer named in a session's call beside the nonce. */
  userId?: string | undefined;
  body?: unknown;
  options?: CallOptions | undefined;
  /** True when the service accepts only a person's access token. Spec: Authentication 5. */
  asksBearer?: boolean;
};

export class ServiceCalls {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** The merchant of this instance, when its options name one. */
  get clientId(): string | undefined {
    return this.#settings.clientId;
  }

  /** Sends a call, with one key for all attempts. A call that must not arrive twice is sent once. */
  async send(method: string, path: string, more: CallSettings = {}): Promise<HttpResponse> {
    const { body, options = {} } = more;
    assertMethod(method);
    const settings = this.#settings;
    assertCallOptions(options);
    const headers: Record<string, string> = {
      accept: 'application/json',
      'user-agent': settings.userAgent,
      ...credentialOf(settings, { ...more, path }),
    };
    if (method !== 'GET')
      headers['idempotency-key'] = options.idempotencyKey ?? newIdempotencyKey();
    if (body !== undefined) headers['content-type'] = 'application/json';
    return send(settings, {
      method,
      url: addressOf(more.baseUrl ?? settings.baseUrl, path),
      headers,
      body: body === undefined ? undefined : writeBody(body),
      timeoutMs: options.timeout ?? settings.timeoutMs,
      maxRetries: options.maxNetworkRetries ?? settings.maxRetries,
      isRepeatable: isRepeatable(method, path),
      signal: options.signal,
    });
  }

  /** Sends a call of the contract and returns its response body. */
  async ask<C extends keyof Calls>(
    call: C,
    to: { path: string } & CallSettings,
  ): Promise<CallResponse<C>> {
    const { path, ...more } = to;
    const [method = ''] = call.split(' ');
    const { body, lastResponse } = await this.send(method, path, more);
    return withResponse((body ?? {}) as object, lastResponse) as CallResponse<C>;
  }

  /** Deletes a resource and returns that as an object. */
  async remove(path: string, id: string, more: CallSettings = {}): Promise<Deleted> {
    const { lastResponse } = await this.send('DELETE', path, more);
    return withResponse({ id, deleted: true as const }, lastResponse);
  }
}

/** Encodes an id as a path segment. An empty id is refused, because the path would be another call. */
export function pathSegment(name: string, id: string): string {
  if (typeof id !== 'string' || id === '') throw missingParameter(name, 'as the first argument');
  return encodeURIComponent(id);
}

/** Adds `lastResponse` to a plain object, neither printed nor serialised. */
export function withResponse<T extends object>(
  body: T,
  lastResponse: LastResponse,
): T & { readonly lastResponse: LastResponse } {
  Object.defineProperty(body, 'lastResponse', { value: lastResponse, enumerable: false });
  return body as T & { readonly lastResponse: LastResponse };
}

export function missingParameter(param: string, where: string): SvcValidationError {
  return new SvcValidationError(`No ${param}: give it ${where}.`, {
    code: 'ParameterRequired',
    param,
  });
}

export function invalid(param: string, claim: string): SvcValidationError {
  return new SvcValidationError(`${param} ${claim}.`, { code: 'ParameterInvalid', param });
}

/**
 * A call that is authenticated by the session's nonce needs no other credential. A claim also carries the
 * library's credential, by which the merchant vouches for the buyer. Contract §3.
 */
function credentialOf(
  settings: Settings,
  more: CallSettings & { readonly path: string },
): Record<string, string> {
  if (more.nonce === undefined) return serverCredentialOf(settings, more);
  const { nonce, userId, path } = more;
  // fetch would quote a value that no header can carry in its error.
  if (!isHeaderText(nonce)) throw invalid('nonce', 'must be the one of the session');
  if (userId !== undefined && (typeof userId !== 'string' || !userId || !isEncodable(userId))) {
    throw invalid('userId', 'must be your id of the buyer');
  }
  return {
    'x-checkout-session-token': nonce,
    ...(userId === undefined
      ? {}
      : { 'x-user-id': isHeaderText(userId) ? userId : encodeURIComponent(userId) }),
    ...(path.endsWith('/claim') ? serverCredentialOf(settings, more) : {}),
  };
}

/** Returns false for text with a lone surrogate, which cannot be encoded. */
const isEncodable = (text: string): boolean => !/\p{Surrogate}/u.test(text);

const isHeaderText = (value: unknown): boolean =>
  typeof value === 'string' && /^[!-~]+$/.test(value);

function serverCredentialOf(settings: Settings, more: CallSettings): Record<string, string> {
  const bearer = parseBearer(more.options?.accessToken) ?? settings.bearer;
  if (more.asksBearer && bearer === undefined) {
    throw new SvcAuthenticationError(
      "No access token: API tokens are a person's, so give one as accessToken, here or in the options of the library.",
      { code: 'AccessTokenRequired' },
    );
  }
  const isBearer = more.asksBearer || more.options?.accessToken !== undefined;
  const authorization = isBearer ? bearer : (settings.basic ?? bearer);
  return authorization === undefined ? {} : { authorization };
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

function assertMethod(method: unknown): void {
  if (!methods.includes(method as string)) throw invalid('method', `must be ${methods.join(', ')}`);
}

function writeBody(body: unknown): string {
  try {
    const text = JSON.stringify(body);
    if (text !== undefined) return text;
  } catch {
    // The body is circular or contains a bigint.
  }
  throw invalid('body', 'cannot be written as JSON');
}

/** Throws for a value that is no object, naming it. */
export function assertObject(name: string, value: unknown): void {
  if (typeof value !== 'object' || value === null) throw invalid(name, 'must be an object');
}

const callOptions = ['idempotencyKey', 'timeout', 'signal', 'maxNetworkRetries', 'accessToken'];

/** Throws for an unknown option of a call and for an invalid value, naming it. */
export function assertCallOptions(options: CallOptions): void {
  assertObject('options', options);
  for (const name of Object.keys(options)) {
    if (!callOptions.includes(name)) throw invalid(name, 'is not an option of a call');
  }
  const { idempotencyKey, timeout, maxNetworkRetries, signal } = options;
  if (signal !== undefined && typeof signal?.throwIfAborted !== 'function') {
    throw invalid('signal', 'must be an AbortSignal');
  }
  if (timeout !== undefined) parseInteger('timeout', timeout, { min: 1, max: 600_000 });
  if (maxNetworkRetries !== undefined) {
    parseInteger('maxNetworkRetries', maxNetworkRetries, { min: 0, max: 10 });
  }
  // A blank key is the caller's mistake; replacing it with a new one would repeat the operation.
  if (idempotencyKey !== undefined && !/^(?=.*\S)[ -~]{1,255}$/.test(idempotencyKey)) {
    throw invalid('idempotencyKey', 'must be 1 to 255 printable ASCII characters, not all blank');
  }
}

/** Returns the whole address. Throws for a path that a URL parser would change (`..`, `//`, spaces). */
function addressOf(baseUrl: string | undefined, path: string): string {
  if (baseUrl === undefined) {
    throw invalid('baseUrl', 'is missing: give the address of the service in the options');
  }
  const base = parseBaseUrl('baseUrl', baseUrl);
  const isPath = typeof path === 'string' && path.startsWith('/v1/') && !path.includes('#');
  const [pathname = ''] = isPath ? path.split('?') : [];
  const url = isPath ? new URL(base + path) : undefined;
  if (!url || url.pathname !== new URL(base).pathname.replace(/\/$/, '') + pathname) {
    throw invalid('path', 'must start with /v1/, with every id in it through encodeURIComponent');
  }
  return url.href;
}
