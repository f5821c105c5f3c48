import { listApiTokens as row } from '@svc/contract/api-tokens';
import { listOwnTokens } from '../../storage/own-tokens.ts';
import { implement } from '../implement.ts';
import { requireOwner } from './require-owner.ts';
import { showApiToken } from './show-api-token.ts';

/** The active tokens of the acting person for the selected client. Spec: GET /v1/api-tokens. */
export const listApiTokens = implement(row)(async (_, caller, ports) => {
  const tokens = await listOwnTokens(ports.database, requireOwner(caller));
  return { status: 200, body: { data: tokens.map(showApiToken) } };
});
