// Ends a membership together with the person's API tokens at the client, which must have been
// named, and the consents given to applications. All of them stop working with the commit, in every
// process. Contract §6.

import {
  hasAnotherOwner,
  listMemberTokens,
  type Member,
  removeMembership,
  revokeMemberGrants,
} from '../../../storage/accounts/memberships.ts';
import { lockOwnToken } from '../../../storage/accounts/tokens-by-owner.ts';
import { readClock } from '../../../storage/database/clock.ts';
import type { Tx } from '../../../storage/database/database.ts';
import { refuse } from '../../implement.ts';
import type { Caller, Ports } from '../../ports.ts';
import { revokeToken } from '../api-tokens/revoke-token.ts';
import { recordChange } from '../audit-log/record-change.ts';
import { notifyOwners } from './notify-owners.ts';

/** Reads the token ids of a query parameter. */
export const readAgreed = (tokenIds: string | undefined): ReadonlySet<string> =>
  new Set(tokenIds?.toLowerCase().split(','));

type Ending = {
  readonly clientId: string;
  readonly clientName: string;
  readonly member: Member;
  /** Ids of the tokens that the caller has agreed to revoke. */
  readonly agreed: ReadonlySet<string>;
  readonly action: 'member.removed' | 'member.left';
};

/**
 * Ends the membership of a locked member under the client's lock. Refuses last_owner, then
 * member_has_tokens unless every active token was named: a token created since was not agreed to.
 * Every owner is notified when the member was an owner.
 */
export async function endMembership(
  tx: Tx,
  { clientId, clientName, member, agreed, action }: Ending,
  { by, ports }: { readonly by: Caller; readonly ports: Ports },
): Promise<void> {
  const { userId, role, email } = member;
  if (role === 'owner' && !(await hasAnotherOwner(tx, clientId, userId))) {
    return refuse('last_owner');
  }
  const tokens = await listMemberTokens(tx, clientId, userId);
  if (tokens.some(({ id }) => !agreed.has(id))) return refuseTokens(tokens);
  const now = await readClock(tx);
  for (const { id } of tokens) {
    const token = await lockOwnToken(tx, { clientId, userId }, id);
    if (token) await revokeToken(tx, token, { by, now, ports });
  }
  const grants = await revokeMemberGrants(tx, clientId, userId);
  await removeMembership(tx, clientId, userId);
  const change = {
    action,
    resourceType: 'member',
    resourceId: userId,
    userId,
    clientId,
    before: {
      role,
      email,
      tokenIds: tokens.map(({ id }) => id),
      grants,
    },
  };
  await recordChange(tx, by, change, ports);
  await notifyOwners(tx, { clientId, clientName, email, from: role, to: null }, { by, ports });
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
