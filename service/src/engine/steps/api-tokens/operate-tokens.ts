// API tokens as the operator manages them from the service's own command line.

import { normalizeEmail } from '../../../domain/people/member.ts';
import {
  findTokenOwner,
  listAllTokens,
  lockTokenOf,
  type TokenView,
} from '../../../storage/api-tokens/tokens-by-owner.ts';
import { readClock } from '../../../storage/database/clock.ts';
import { everyClient } from '../../../storage/database/database.ts';
import type { Ports } from '../../ports.ts';
import { type IssueResult, issueToken, type TokenWish } from './issue-token.ts';
import { revokeToken } from './revoke-token.ts';

/** Lists every active token, or those of one client where `clientId` is given. It never returns a value. */
export const findTokens = (clientId: string | null, ports: Ports): Promise<TokenView[]> =>
  listAllTokens(ports.database, clientId);

/** Creates a token for a member of the client, by the rules for tokens that members create themselves. */
export async function createTokenFor(
  wish: Omit<TokenWish, 'userId'> & { readonly email: string },
  ports: Ports,
): Promise<IssueResult> {
  const { email, ...terms } = wish;
  const userId = await findTokenOwner(ports.database, normalizeEmail(email));
  if (userId === undefined) return { kind: 'not_a_member' };
  const issued = await ports.database.transaction(wish.clientId, (tx) =>
    issueToken(tx, { ...terms, userId }, { by: 'operator', ports }),
  );
  if (issued.kind === 'issued') ports.nudge('deliver-webhooks');
  return issued;
}

/**
 * Revokes a token at once, whoever owns it. Returns false when there is no such token. Revoking a
 * token again writes nothing.
 */
export async function endToken(id: string, ports: Ports): Promise<boolean> {
  const isFound = await ports.database.transaction(everyClient, async (tx) => {
    const token = await lockTokenOf(tx, id);
    if (token) await revokeToken(tx, token, { by: 'operator', now: await readClock(tx), ports });
    return token !== undefined;
  });
  ports.nudge('deliver-webhooks');
  return isFound;
}
