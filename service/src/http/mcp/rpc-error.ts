// Refusals of a message to `/mcp` in the form of its protocol. JSON-RPC 2.0 §5.1.

import type { Refusal } from '../../domain/protocol/refusal.ts';
import { isParsed } from '../wire/body.ts';

const parseError = -32700;
const invalidRequest = -32600;

/**
 * Returns the body for a message that could not be read; its id is unknown. The API's own error is
 * its `data`. Undefined for refusals of the caller, which OAuth answers.
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
