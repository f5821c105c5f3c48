// Refusals of a message to `/mcp` in the form of its protocol. JSON-RPC 2.0 §5.1.

import type { Refusal } from '../../domain/protocol/refusal.ts';
import { isParsed } from '../wire/body.ts';

const parseError = -32700;
const invalidRequest = -32600;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Returns the body of a refusal where the route's protocol has a form of its own; undefined for the API's. */
    readonly refusalBody?: typeof rpcError;
  }
}

/**
 * Returns the JSON-RPC error for a message that the server could not read: its id is null, the API's
 * error its `data`. Undefined where the caller is refused: OAuth defines these answers.
 */
export function rpcError(
  refusal: Refusal,
  { status, body }: { readonly status: number; readonly body: object },
): object | undefined {
  if (![400, 413, 415].includes(status)) return undefined;
  const isBroken = refusal.code === 'invalid_body' && !isParsed(refusal);
  const error = {
    code: isBroken ? parseError : invalidRequest,
    message: refusal.message,
    data: body,
  };
  return { jsonrpc: '2.0', id: null, error };
}
