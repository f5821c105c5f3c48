// A call of the service: its address, credential and key. Every resource of the library goes
// through here, and so does `svc.request`.

import type { Calls } from './contract-types.ts';
import { SvcAuthenticationError, SvcValidationError } from './errors.ts';
import { parseBaseUrl, parseBearer, parseInteger, type Settings } from './options.ts';
import { isRepeatable } from './repeats.ts';
import {
  type Answer,
  type CallOptions,
  type LastResponse,
  newIdempotencyKey,
  send,
} from './transport.ts';

/** What a row of the contract answers; `lastResponse` neither prints nor serialises. */
export type Answered<C extends keyof Calls> = Calls[C]['answer'] & {
  readonly lastResponse: LastResponse;
};

/** What an answer without a body becomes. */
export type Deleted = {
  id: string;
  deleted: true;
  readonly lastResponse: LastResponse;
};

export type More = {
  baseUrl?: string | undefined;
  nonce?: string | undefined;
  /** The buyer that a session's call names beside its nonce. */
  userId?: string | undefined;
  body?: unknown;
  options?: CallOptions | undefined;
  /** True where the service takes a person's access token alone. Spec: Authentication 5. */
  asksBearer?: boolean;
};

export class ServiceCalls {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** The merchant of this library, where its options name one. */
  get clientId(): string | undefined {
    return this.#settings.clientId;
  }

  /** Sends a call; one key for all of its attempts. What must not arrive twice is sent once. */
  async send(method: string, path: string, more: More = {}): Promise<Answer> {
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

  /** Sends a call of the contract and answers its object. */
  async ask<C extends keyof Calls>(call: C, to: { path: string } & More): Promise<Answered<C>> {
    const { path, ...more } = to;
    const [method = ''] = call.split(' ');
    const { body, lastResponse } = await this.send(method, path, more);
    return withResponse((body ?? {}) as object, lastResponse) as Answered<C>;
  }

  /** Deletes, and says so in the form of an object. */
  async remove(path: string, id: string, more: More = {}): Promise<Deleted> {
    const { lastResponse } = await this.send('DELETE', path, more);
    return withResponse({ id, deleted: true as const }, lastResponse);
  }
}

/** An id as a part of a path; an empty one would be another call. */
export function part(name: string, id: string): string {
  if (typeof id !== 'string' || id === '') throw missing(name, 'as the first argument');
  return encodeURIComponent(id);
}

/** A plain object whose `lastResponse` neither prints nor serialises. */
export function withResponse<T extends object>(
  body: T,
  lastResponse: LastResponse,
): T & { readonly lastResponse: LastResponse } {
  Object.defineProperty(body, 'lastResponse', { value: lastResponse, enumerable: false });
  return body as T & { readonly lastResponse: LastResponse };
}

export function missing(param: string, where: string): SvcValidationError {
  return new SvcValidationError(`No ${param}: give it ${where}.`, {
    code: 'ParameterRequired',
    param,
  });
}

export function invalid(param: string, claim: string): SvcValidationError {
  return new SvcValidationError(`${param} ${claim}.`, { code: 'ParameterInvalid', param });
}

/**
 * A call that the session's nonce authenticates needs no more than that. A claim also carries the
 * library's credential: the merchant then vouches for its buyer. Contract §3.
 */
function credentialOf(
  settings: Settings,
  more: More & { readonly path: string },
): Record<string, string> {
  if (more.nonce === undefined) return serverCredentialOf(settings, more);
  const { nonce, userId, path } = more;
  // The error of fetch would quote what no header can carry.
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

/** False for half a character, which is no text. */
const isEncodable = (text: string): boolean => !/\p{Surrogate}/u.test(text);

const isHeaderText = (value: unknown): boolean =>
  typeof value === 'string' && /^[!-~]+$/.test(value);

function serverCredentialOf(settings: Settings, more: More): Record<string, string> {
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
    // A circular object, or a bigint.
  }
  throw invalid('body', 'cannot be written as JSON');
}

/** Refuses by name what is no object. */
export function assertObject(name: string, value: unknown): void {
  if (typeof value !== 'object' || value === null) throw invalid(name, 'must be an object');
}

const callOptions = ['idempotencyKey', 'timeout', 'signal', 'maxNetworkRetries', 'accessToken'];

/** Refuses by name what is no option of a call, and every value that cannot be one. */
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
  // A blank key is the caller's mistake; a fresh one in its place would repeat the operation.
  if (idempotencyKey !== undefined && !/^(?=.*\S)[ -~]{1,255}$/.test(idempotencyKey)) {
    throw invalid('idempotencyKey', 'must be 1 to 255 printable ASCII characters, not all blank');
  }
}

/** The whole address; a path that a URL parser would change (`..`, `//`, spaces) is refused. */
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
