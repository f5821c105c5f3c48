// Handlers for Express and Fastify. Both parse bodies before a handler runs, while a signature covers
// bytes.

import { SvcSignatureVerificationError } from './errors.ts';
import type { Payload } from './signature.ts';
import {
  answerDelivery,
  collect,
  type HandlerOptions,
  keptBody,
  type NodeHandler,
  nodeHandler,
  type Receiver,
  type TakeBody,
} from './webhook-handlers.ts';

const bodyParsed =
  'A body parser ran before this handler, and what it made of the body does not write back to the bytes that were sent. Mount the handler before express.json(), or keep the bytes: express.json({ verify: (request, _response, bytes) => { request.rawBody = bytes; } }).';

/**
 * Takes the body from the stream, a raw parser or `rawBody`. As a last resort it serialises what
 * `express.json()` parsed, in the way the service did. The signature is checked over the same text from
 * which the event is read, so a changed body is refused.
 */
const takeExpressBody: TakeBody = async (request, receive) => {
  const kept = keptBody(request);
  if (kept !== undefined) return receive(kept);
  const { body } = request;
  const isParsed = typeof body === 'object' && body !== null;
  // Express 4 also leaves an empty object when no parser took the body.
  if (!isParsed || (Object.keys(body).length === 0 && request.readableEnded === false)) {
    return receive(await collect(request));
  }
  try {
    return await receive(JSON.stringify(body));
  } catch (error) {
    if (!(error instanceof SvcSignatureVerificationError)) throw error;
    throw new SvcSignatureVerificationError(`${error.message} ${bodyParsed}`);
  }
};

export const expressHandler = (header: string, receiver: Receiver): NodeHandler =>
  nodeHandler(header, receiver, takeExpressBody);

export type FastifyOptions = HandlerOptions & {
  /** The route's path, such as `/webhooks`. */
  path: string;
};

type FastifyRequest = {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
};
type FastifyReply = {
  code(status: number): unknown;
  header(name: string, value: string): unknown;
  send(text: string): unknown;
};
type ParseBody = (
  request: unknown,
  body: Uint8Array,
  done: (error: Error | null, body?: unknown) => void,
) => void;

/** The parts of a Fastify instance that are used. */
export type FastifyScope = {
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(
    contentType: string,
    options: { parseAs: 'buffer'; bodyLimit: number },
    parser: ParseBody,
  ): unknown;
  post(
    path: string,
    handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
  ): unknown;
};
export type FastifyPlugin = (scope: FastifyScope) => Promise<void>;

/**
 * A route in a scope of its own, whose bodies stay bytes. The parsers of the rest of the server are not
 * changed.
 */
export function fastifyPlugin(header: string, path: string, receiver: Receiver): FastifyPlugin {
  return async (scope) => {
    scope.removeAllContentTypeParsers();
    const asBytes = { parseAs: 'buffer', bodyLimit: 1_048_576 } as const;
    scope.addContentTypeParser('*', asBytes, (_request, body, done) => done(null, body));
    scope.post(path, async (request, reply) => {
      const answer = await answerDelivery('POST', receiver, () =>
        receiver.receive(request.body as Payload, request.headers[header]),
      );
      reply.code(answer.status);
      reply.header('content-type', 'application/json');
      reply.send(answer.text);
      return reply;
    });
  };
}
