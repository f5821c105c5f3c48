// The library's one class. Spec: Client libraries, server library. Contract §11.

import type { AnswerFor, BodyFor, KnownPath, Method } from './calls.ts';
import { CheckoutSessions, type SendWith, withResponse } from './checkout-sessions.ts';
import { SvcValidationError } from './errors.ts';
import {
  type ApiVersion,
  parseBaseUrl,
  parseInteger,
  parseOptions,
  type Settings,
  type SvcOptions,
} from './options.ts';
import {
  type Answer,
  type CallOptions,
  type LastResponse,
  newIdempotencyKey,
  send,
} from './transport.ts';
import { Webhooks } from './webhooks.ts';

export class Svc {
  readonly checkout: { readonly sessions: CheckoutSessions };
  readonly webhooks: Webhooks;
  /** The card provider's API version that this instance is set to. */
  readonly apiVersion: ApiVersion;
  readonly #settings: Settings;

  /** Refuses an empty key, an unknown option and every option of a wrong form, by name. */
  constructor(providerSecretKey: string, options: SvcOptions = {}) {
    this.#settings = parseOptions(providerSecretKey, options);
    this.apiVersion = this.#settings.apiVersion;
    this.webhooks = new Webhooks(this.#settings.logger);
    const sendWith: SendWith = (method, path, more) => this.#send(method, path, more);
    const sessions = new CheckoutSessions(sendWith, this.#settings.clientId);
    this.checkout = Object.freeze({ sessions });
  }

  /**
   * Any call of the API, typed by the contract: `svc.request('PUT',
   * `/v1/payments/${paymentId}/capture`, {}, { idempotencyKey })`. For a capture or a cancel give
   * a key of your own, the same whenever you ask again. An empty answer is undefined.
   */
  async request<M extends Method, const P extends string>(
    method: M,
    path: P & KnownPath<M, P>,
    body?: BodyFor<M, P>,
    options?: CallOptions,
  ): Promise<AnswerFor<M, P> & { readonly lastResponse: LastResponse }> {
    const answer = await this.#send(method, path, { body, options });
    const isObject = typeof answer.body === 'object' && answer.body !== null;
    const result = isObject ? withResponse(answer.body as object, answer.lastResponse) : undefined;
    return result as never;
  }

  async #send(method: string, path: string, more: Parameters<SendWith>[2]): Promise<Answer> {
    const { nonce, body, options = {} } = more;
    const settings = this.#settings;
    assertCallOptions(options);
    const isWrite = method !== 'GET';
    const headers: Record<string, string> = {
      accept: 'application/json',
      'user-agent': settings.userAgent,
    };
    if (isWrite) headers['idempotency-key'] = options.idempotencyKey ?? newIdempotencyKey();
    if (body !== undefined) headers['content-type'] = 'application/json';
    // A call that the session's nonce authenticates needs no more than that.
    if (nonce !== undefined) headers['x-checkout-session-token'] = nonce;
    else if (settings.authorization) headers.authorization = settings.authorization;
    return send(settings, {
      method,
      url: addressOf(more.baseUrl ?? settings.baseUrl, path),
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      timeoutMs: options.timeout ?? settings.timeoutMs,
      maxRetries: options.maxNetworkRetries ?? settings.maxRetries,
      signal: options.signal,
    });
  }
}

function assertCallOptions(options: CallOptions): void {
  for (const name of Object.keys(options)) {
    if (!['idempotencyKey', 'timeout', 'signal', 'maxNetworkRetries'].includes(name)) {
      throw invalid(name, 'is not an option of a call');
    }
  }
  const { idempotencyKey, timeout, maxNetworkRetries } = options;
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

function invalid(param: string, claim: string): SvcValidationError {
  return new SvcValidationError(`${param} ${claim}.`, { code: 'ParameterInvalid', param });
}
