// Express and Fastify: both parse bodies before a handler sees them, and a signature covers bytes.

import { SvcSignatureVerificationError } from './errors.ts';
import type { Payload } from './signature.ts';
import {
  answerTo,
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
 * Takes the body from the stream, from a raw parser, from `rawBody`, and last of all from what
 * `express.json()` has left: written again, as the service wrote it. The signature is then checked
 * over the very text that the event is read from, so a body that was changed is refused.
 */
const takeExpressBody: TakeBody = async (request, receive) => {
  const kept = keptBody(request);
  if (kept !== undefined) return receive(kept);
  const { body } = request;
  const isParsed = typeof body === 'object' && body !== null;
  // Express 4 leaves an empty object also where no parser took the body.
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
  /** Of the route, such as `/webhooks`. */
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

/** What is used of a Fastify instance. */
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
 * A route in a scope of its own, whose bodies stay bytes whatever parsers the rest of the server
 * has; theirs are untouched.
 */
export function fastifyPlugin(header: string, path: string, receiver: Receiver): FastifyPlugin {
  return async (scope) => {
    scope.removeAllContentTypeParsers();
    const asBytes = { parseAs: 'buffer', bodyLimit: 1_048_576 } as const;
    scope.addContentTypeParser('*', asBytes, (_request, body, done) => done(null, body));
    scope.post(path, async (request, reply) => {
      const answer = await answerTo('POST', receiver, () =>
        receiver.receive(request.body as Payload, request.headers[header]),
      );
      reply.code(answer.status);
      reply.header('content-type', 'application/json');
      reply.send(answer.text);
      return reply;
    });
  };
}
