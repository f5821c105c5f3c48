import { getApiToken as row } from '@svc/contract/api-tokens';
import { implement, refuse } from '../../engine/implement.ts';
import { requireOwner } from '../../engine/steps/api-tokens/require-owner.ts';
import { showApiToken } from '../../engine/steps/api-tokens/show-api-token.ts';
import { findOwnToken } from '../../storage/accounts/tokens-by-owner.ts';

/**
 * What the list says of one token. Spec: GET /v1/api-tokens/:id. api_token_not_found: another
 * user's, another client's, unknown, and what the list no longer shows.
 */
export const getApiToken = implement(row)(async ({ id }, caller, ports) => {
  const token = await findOwnToken(ports.database, requireOwner(caller), id);
  return token ? { status: 200, body: showApiToken(token) } : refuse('api_token_not_found');
});
