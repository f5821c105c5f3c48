// Ends the credentials of a membership that ends or gets a role without programs: its API tokens,
// which the caller must have named, and its consents to applications. They stop working with the commit, in
// every process. Contract §6.

import { lockOwnToken } from '../../../storage/api-tokens/tokens-by-owner.ts';
import { readClock } from '../../../storage/database/clock.ts';
import type { Tx } from '../../../storage/database/database.ts';
import { listMemberTokens, revokeMemberGrants } from '../../../storage/members/memberships.ts';
import { refuse } from '../../implement.ts';
import type { Caller, Ports } from '../../ports.ts';
import { revokeToken } from '../api-tokens/revoke-token.ts';

type Credentials = {
  readonly clientId: string;
  readonly userId: string;
  /** Ids of the tokens that may stop. */
  readonly agreed: ReadonlySet<string>;
};

type EndedCredentials = {
  readonly tokenIds: readonly string[];
  readonly grants: readonly { readonly id: string; readonly applicationId: string }[];
};

/**
 * Ends the credentials of a locked member. Refuses member_has_tokens unless the caller named every
 * active token: a token created in the meantime stops the change.
 */
export async function endCredentials(
  tx: Tx,
  { clientId, userId, agreed }: Credentials,
  { by, ports }: { readonly by: Caller; readonly ports: Ports },
): Promise<EndedCredentials> {
  const tokens = await listMemberTokens(tx, clientId, userId);
  if (tokens.some(({ id }) => !agreed.has(id))) return refuseTokens(tokens);
  const now = await readClock(tx);
  for (const { id } of tokens) {
    const token = await lockOwnToken(tx, { clientId, userId }, id);
    if (token) await revokeToken(tx, token, { by, now, ports });
  }
  const grants = await revokeMemberGrants(tx, clientId, userId);
  return { tokenIds: tokens.map(({ id }) => id), grants };
}

const refuseTokens = (tokens: readonly { id: string; name: string }[]): never =>
  refuse('member_has_tokens', {
    param: 'tokenIds',
    errors: tokens.map(({ id, name }) => ({
      path: `tokenIds.${id}`,
      code: 'active_api_token',
      message: name,
    })),
  });
