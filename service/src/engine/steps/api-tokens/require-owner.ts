import type { Owner } from '../../../storage/api-tokens/tokens-by-owner.ts';
import { refuse } from '../../implement.ts';
import type { Caller } from '../../ports.ts';
import { requireServer, type ServerCaller } from '../../require-server.ts';

/**
 * Returns the person whose tokens the call is about, at the selected client. An API token may never
 * manage API tokens, whatever let the call in: refuses authentication_required. Spec:
 * Authentication 5.
 */
export function requireOwner(caller: Caller): ServerCaller & Owner {
  const server = requireServer(caller);
  return server.via === 'token' ? refuse('authentication_required') : server;
}
