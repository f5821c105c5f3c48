// Verifies the deliveries to a merchant's webhook endpoint. Spec: Events. Contract §7.

import { SvcSignatureVerificationError } from './errors.ts';
import type { ProviderEvent, WebhookEvent } from './events.ts';
import type { Logger } from './listeners.ts';
import { assertObject, invalid } from './service-calls.ts';
import {
  assertSigned,
  assertSignedAsync,
  digestAsync,
  type Payload,
  signatureHeader,
  writeSignature,
} from './signature.ts';
import {
  expressHandler,
  type FastifyOptions,
  type FastifyPlugin,
  fastifyPlugin,
} from './webhook-frameworks.ts';
import {
  type FetchHandler,
  fetchHandler,
  type HandlerOptions,
  type NodeHandler,
  nodeHandler,
  reportErrors,
} from './webhook-handlers.ts';

/** The event type, which the secret's prefix decides. */
export type EventFor<S extends string> = S extends `whsec_${string}` ? ProviderEvent : WebhookEvent;

export class Webhooks {
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /**
   * Verifies a delivery and returns its event. The secret's prefix decides the scheme: `svc_whsec_` is this
   * service's `Svc-Signature`, `whsec_` the card provider's own header. Throws
   * `SignatureVerificationFailed`, type `authentication_error`, when any check fails.
   */
  constructEvent<S extends string>(
    payload: Payload | ArrayBuffer,
    signature: string | readonly string[] | null | undefined,
    secret: S,
    tolerance = 300,
  ): EventFor<S> {
    const { raw, header, rule } = ruleOf({ payload, signature, secret, tolerance });
    assertSigned(raw, header, rule);
    return parseEvent(raw) as EventFor<S>;
  }

  /** The same with WebCrypto: for workers, and any runtime without `node:crypto`. */
  async constructEventAsync<S extends string>(
    payload: Payload | ArrayBuffer,
    signature: string | readonly string[] | null | undefined,
    secret: S,
    tolerance = 300,
  ): Promise<EventFor<S>> {
    const { raw, header, rule } = ruleOf({ payload, signature, secret, tolerance });
    await assertSignedAsync(raw, header, rule);
    return parseEvent(raw) as EventFor<S>;
  }

  /** Makes a header that `constructEvent` accepts, for tests of a merchant's own handler. */
  generateTestHeader(parts: TestHeaderParts): string {
    assertObject('parts', parts);
    return writeSignature(rawBodyOf(parts.payload), parts.secret, testTime(parts));
  }

  /** The same with WebCrypto. */
  async generateTestHeaderAsync(parts: TestHeaderParts): Promise<string> {
    assertObject('parts', parts);
    const timestamp = String(testTime(parts));
    const { secret } = parts;
    const payload = rawBodyOf(parts.payload);
    return `t=${timestamp},v1=${await digestAsync({ payload, secret, timestamp })}`;
  }

  /**
   * A handler for node:http and similar servers that reads the raw body itself. Responds with 200 once
   * `handler` has ended, 400 when the delivery cannot be verified, and 500 when `handler` throws: the
   * sender then delivers again.
   */
  toNodeHandler<S extends string>(
    handler: (event: EventFor<S>) => unknown,
    secret: S,
    options: HandlerOptions = {},
  ): NodeHandler {
    const name = signatureHeader(secret);
    return nodeHandler(name, this.#receiver(handler, secret, options));
  }

  /** The same for fetch-style servers: `(request: Request) => Promise<Response>`. */
  toFetchHandler<S extends string>(
    handler: (event: EventFor<S>) => unknown,
    secret: S,
    options: HandlerOptions = {},
  ): FetchHandler {
    const name = signatureHeader(secret);
    return fetchHandler(name, this.#receiver(handler, secret, options));
  }

  /** For Express, before or after `express.json()`: `app.post('/webhooks', handler)`. */
  toExpressHandler<S extends string>(
    handler: (event: EventFor<S>) => unknown,
    secret: S,
    options: HandlerOptions = {},
  ): NodeHandler {
    const name = signatureHeader(secret);
    return expressHandler(name, this.#receiver(handler, secret, options));
  }

  /** For Fastify, whatever parsers it has: `app.register(plugin)` adds the route at `path`. */
  toFastifyPlugin<S extends string>(
    handler: (event: EventFor<S>) => unknown,
    secret: S,
    options: FastifyOptions,
  ): FastifyPlugin {
    assertObject('options', options);
    const name = signatureHeader(secret);
    return fastifyPlugin(name, options.path, this.#receiver(handler, secret, options));
  }

  #receiver<S extends string>(
    handler: (event: EventFor<S>) => unknown,
    secret: S,
    options: HandlerOptions,
  ) {
    if (typeof handler !== 'function') throw invalid('handler', 'must be a function');
    assertObject('options', options);
    return {
      receive: async (payload: Payload, signature: string | readonly string[] | undefined) => {
        const { tolerance } = options;
        await handler(await this.constructEventAsync(payload, signature, secret, tolerance));
      },
      onError: reportErrors(this.#logger, options.onError),
    };
  }
}

type TestHeaderParts = { payload: Payload | ArrayBuffer; secret: string; timestamp?: number };

function testTime(parts: TestHeaderParts): number {
  signatureHeader(parts.secret);
  const timestamp = parts.timestamp ?? Math.floor(Date.now() / 1000);
  if (Number.isInteger(timestamp) && timestamp >= 0) return timestamp;
  throw invalid('timestamp', 'must be whole unix seconds');
}

/**
 * Returns what a delivery is verified against. Throws before any digest when the input cannot be a
 * delivery.
 */
function ruleOf(given: {
  payload: Payload | ArrayBuffer;
  signature: string | readonly string[] | null | undefined;
  secret: string;
  tolerance: number;
}) {
  const { payload, signature, secret, tolerance } = given;
  const name = signatureHeader(secret);
  const raw = rawBodyOf(payload);
  if (!Number.isFinite(tolerance) || tolerance < 0) {
    throw new SvcSignatureVerificationError('The tolerance must be 0 or more seconds.');
  }
  return { raw, header: headerOf(signature, name), rule: { secret, tolerance, nowMs: Date.now() } };
}

/** Returns the header's text. A frequent mistake, passing all headers, is reported. */
function headerOf(signature: unknown, name: string): string {
  const values = Array.isArray(signature) ? signature : [signature ?? ''];
  if (!values.every((value) => typeof value === 'string')) {
    throw new SvcSignatureVerificationError(
      `The signature is no text: pass one header, request.headers['${name}'], or request.headers.get('${name}') of a fetch Request.`,
    );
  }
  const header = values.join(',');
  if (header !== '') return header;
  throw new SvcSignatureVerificationError(
    `No signature: pass the value of the request header ${name}.`,
  );
}

const frameworks = [
  "Express: express.raw({ type: 'application/json' }) on this route, before express.json()",
  "Fastify: addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, body, done) => done(null, body))",
  'Next.js: await request.text(), or bodyParser: false on a pages route',
  'NestJS: rawBody: true and request.rawBody',
  'Koa, Hono: read the raw text, not the parsed body',
].join('; ');

/**
 * Returns the body as text or bytes. When it was already parsed, the most frequent mistake, the error
 * states the fix.
 */
function rawBodyOf(given: unknown): Payload {
  const payload = bytesOf(given) ?? given;
  if (isBase64(payload)) throw new SvcSignatureVerificationError(base64Body);
  if (payload instanceof Uint8Array && payload.length > 0) return payload;
  if (isRawText(payload)) return payload;
  const seen =
    payload === '' || payload instanceof Uint8Array
      ? 'is empty: something read the request before this'
      : payload === undefined || payload === null
        ? `is ${payload}: nothing read the request`
        : typeof payload === 'object' || typeof payload === 'string'
          ? 'was already parsed into an object'
          : `is a ${typeof payload}`;
  throw new SvcSignatureVerificationError(
    `The payload ${seen}. The signature covers the raw body, so pass it as string or bytes. ${frameworks}; or let webhooks.toNodeHandler, toFetchHandler, toExpressHandler or toFastifyPlugin read it.`,
  );
}

const base64Body =
  'The payload is base64, as AWS API Gateway and Lambda hand over a body (isBase64Encoded): decode it, and pass the bytes.';

/** Returns true for the base64 of a JSON object, which every event is. */
function isBase64(payload: unknown): boolean {
  if (typeof payload !== 'string' && !(payload instanceof Uint8Array)) return false;
  // The first character of the base64 of `{`, alone or after a blank. A raw event begins with `{` itself.
  const first = typeof payload === 'string' ? payload[0] : String.fromCharCode(payload[0] ?? 0);
  if (first !== 'e' && first !== 'I') return false;
  const text = typeof payload === 'string' ? payload : new TextDecoder().decode(payload);
  return decodeBase64(text)?.trimStart().startsWith('{') === true;
}

function decodeBase64(text: string): string | undefined {
  try {
    return atob(text);
  } catch {
    return undefined;
  }
}

function bytesOf(given: unknown): Uint8Array | undefined {
  if (given instanceof Uint8Array) return given;
  if (given instanceof ArrayBuffer) return new Uint8Array(given);
  if (!ArrayBuffer.isView(given)) return undefined;
  return new Uint8Array(given.buffer, given.byteOffset, given.byteLength);
}

function isRawText(payload: unknown): payload is string {
  return typeof payload === 'string' && payload !== '' && payload !== '[object Object]';
}

function parseEvent(payload: Payload): WebhookEvent | ProviderEvent {
  const text = typeof payload === 'string' ? payload : new TextDecoder().decode(payload);
  let event: unknown;
  try {
    event = JSON.parse(text);
  } catch {
    event = undefined;
  }
  const { id, type, data } = (event ?? {}) as Record<string, unknown>;
  if (typeof id !== 'string' || typeof type !== 'string' || typeof data !== 'object' || !data) {
    throw new SvcSignatureVerificationError('The signed body is no event: { id, type, data }.');
  }
  return event as WebhookEvent | ProviderEvent;
}
