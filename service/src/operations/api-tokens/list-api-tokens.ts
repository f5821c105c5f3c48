import { listApiTokens as row } from '@svc/contract/developers/api-tokens';
import { implement } from '../../engine/implement.ts';
import { requireOwner } from '../../engine/steps/api-tokens/require-owner.ts';
import { showApiToken } from '../../engine/steps/api-tokens/show-api-token.ts';
import { listOwnTokens } from '../../storage/api-tokens/tokens-by-owner.ts';

/** Lists the active tokens of the acting person for the selected client. Spec: GET /v1/api-tokens. */
export const listApiTokens = implement(row)(async (_, caller, ports) => {
  const tokens = await listOwnTokens(ports.database, requireOwner(caller));
  return { status: 200, body: { data: tokens.map(showApiToken) } };
});
