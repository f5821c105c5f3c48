// Request handlers that read the raw body. Requests and responses have structural types, so that the
// published types need neither Node's nor a framework's.

import { SvcSignatureVerificationError } from './errors.ts';
import type { Logger } from './listeners.ts';
import type { Payload } from './signature.ts';

/** The parts of a node:http request that are read. Express and others add `body` or `rawBody`. */
export type NodeRequest = {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body?: unknown;
  readonly rawBody?: unknown;
  readonly readableEnded?: boolean;
  [Symbol.asyncIterator](): AsyncIterator<unknown>;
};

export type NodeResponse = {
  statusCode: number;
  readonly headersSent?: boolean;
  setHeader(name: string, value: string): unknown;
  end(text?: string): unknown;
};

export type NodeHandler = (request: NodeRequest, response: NodeResponse) => Promise<void>;
export type FetchHandler = (request: Request) => Promise<Response>;

export type HandlerOptions = {
  /** The accepted age of a signature in seconds; 300 by default. */
  tolerance?: number;
  /**
   * Called with refusals and with errors of the handler, which the response does not reveal. Without it the
   * library's `logger` receives them, and without a logger `console.error`.
   */
  onError?: (error: unknown) => void;
};

export type Receiver = {
  receive(payload: Payload, signature: string | readonly string[] | undefined): Promise<void>;
  onError(error: unknown): void;
};

/**
 * Events of the service are under 256 kB, mostly under 20 kB; those of the provider are larger, but also
 * under this limit.
 */
const maxBodyBytes = 1_048_576;
const encoder = new TextEncoder();

class TooLarge extends Error {}

/** Reports a webhook that was not accepted. An error of the reporting function changes no response. */
export function reportErrors(logger: Logger, onError: HandlerOptions['onError']) {
  const log = (error: unknown) => logger.error?.('a webhook was not taken', messageOf(error));
  const tell = onError ?? (logger.error ? log : print);
  return (error: unknown): void => {
    try {
      Promise.resolve(tell(error)).catch(print);
    } catch (reason) {
      print(reason);
    }
  };
}

const messageOf = (error: unknown) => ({
  message: error instanceof Error ? error.message : String(error),
});

/**
 * Prints a refusal in one line, because strangers can cause it, and the merchant's own error with its
 * stack.
 */
function print(error: unknown): void {
  const isRefused = error instanceof SvcSignatureVerificationError || error instanceof TooLarge;
  const line = isRefused
    ? [`svc webhook refused: ${error.message}`]
    : ['svc webhook failed:', error];
  // biome-ignore lint/suspicious/noConsole: an error that nobody is told of is never found.
  console.error(...line);
}

export function nodeHandler(
  header: string,
  receiver: Receiver,
  takeBody: TakeBody = takeRawBody,
): NodeHandler {
  return async (request, response) => {
    const answer = await answerDelivery(request.method ?? 'POST', receiver, () =>
      takeBody(request, (payload) => receiver.receive(payload, request.headers[header])),
    );
    // A time limit of the merchant's server may have sent a response: an error here would end its process.
    if (response.headersSent) return;
    response.statusCode = answer.status;
    response.setHeader('content-type', 'application/json');
    if (answer.status === 405) response.setHeader('allow', 'POST');
    // The rest of a body that was too large is not read, so the connection is closed.
    if (answer.status === 413) response.setHeader('connection', 'close');
    response.end(answer.text);
  };
}

export function fetchHandler(header: string, receiver: Receiver): FetchHandler {
  return async (request) => {
    const answer = await answerDelivery(request.method, receiver, async () => {
      if (request.bodyUsed) throw new SvcSignatureVerificationError(alreadyRead);
      const payload = await collect(request.body ?? []);
      return receiver.receive(payload, request.headers.get(header) ?? undefined);
    });
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    if (answer.status === 405) headers.allow = 'POST';
    return new Response(answer.text, { status: answer.status, headers });
  };
}

export type HandlerAnswer = { readonly status: number; readonly text: string };

/** Returns the response to a delivery. */
export async function answerDelivery(
  method: string,
  receiver: Receiver,
  receive: () => Promise<void>,
): Promise<HandlerAnswer> {
  if (method !== 'POST')
    return buildAnswer(405, 'MethodNotAllowed', 'Webhooks are sent with POST.');
  try {
    await receive();
    return { status: 200, text: '{"received":true}' };
  } catch (error) {
    receiver.onError(error);
    if (error instanceof SvcSignatureVerificationError) {
      return buildAnswer(400, 'SignatureVerificationFailed', error.message);
    }
    if (error instanceof TooLarge)
      return buildAnswer(413, 'BodyTooLarge', 'The body is over 1 MiB.');
    // The merchant's own error is never part of the response.
    return buildAnswer(
      500,
      'HandlerFailed',
      'The event was verified but not taken; send it again.',
    );
  }
}

function buildAnswer(status: number, code: string, message: string): HandlerAnswer {
  return { status, text: JSON.stringify({ code, message }) };
}

const alreadyRead =
  'The request body was already read. Mount this handler before anything that parses bodies, or pass the raw body to constructEvent.';

/** Passes the body on as it was sent. */
export type TakeBody = (
  request: NodeRequest,
  receive: (payload: Payload) => Promise<void>,
) => Promise<void>;

const takeRawBody: TakeBody = async (request, receive) => {
  const kept = keptBody(request);
  if (kept !== undefined) return receive(kept);
  // constructEvent throws for a parsed body with a message that states the fix.
  if (request.body !== undefined && request.body !== null) return receive(request.body as Payload);
  return receive(await collect(request));
};

/** Frameworks that keep the bytes put them into `rawBody`; a raw parser puts them into `body`. */
export function keptBody(request: Pick<NodeRequest, 'rawBody' | 'body'>): Payload | undefined {
  for (const kept of [request.rawBody, request.body]) {
    if (typeof kept === 'string' || kept instanceof Uint8Array) return kept;
  }
  return undefined;
}

/** Reads a body of at most 1 MiB. */
export async function collect(
  chunks: AsyncIterable<unknown> | Iterable<unknown>,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    const part = typeof chunk === 'string' ? encoder.encode(chunk) : (chunk as Uint8Array);
    size += part.length;
    if (size > maxBodyBytes) throw new TooLarge('The body is over 1 MiB.');
    parts.push(part);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
