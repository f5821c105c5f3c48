import { getApiToken as row } from '@svc/contract/developers/api-tokens';
import { implement, refuse } from '../../engine/implement.ts';
import { requireOwner } from '../../engine/steps/api-tokens/require-owner.ts';
import { showApiToken } from '../../engine/steps/api-tokens/show-api-token.ts';
import { findOwnToken } from '../../storage/api-tokens/tokens-by-owner.ts';

/**
 * Reads one token, as the list shows it. Spec: GET /v1/api-tokens/:id. Refuses api_token_not_found
 * for a token that is unknown, another user's or another client's, and for one that the list does
 * not show any more.
 */
export const getApiToken = implement(row)(async ({ id }, caller, ports) => {
  const token = await findOwnToken(ports.database, requireOwner(caller), id);
  return token ? { status: 200, body: showApiToken(token) } : refuse('api_token_not_found');
});
