import type { Owner } from '../../../storage/accounts/tokens-by-owner.ts';
import { refuse } from '../../implement.ts';
import type { Caller } from '../../ports.ts';
import { requireServer, type ServerCaller } from '../../require-server.ts';

/**
 * The person whose tokens are meant, at the selected client. An API token never looks after API
 * tokens, whatever let it come here. Spec: Authentication 5.
 */
export function requireOwner(caller: Caller): ServerCaller & Owner {
  const server = requireServer(caller);
  return server.via === 'token' ? refuse('authentication_required') : server;
}
