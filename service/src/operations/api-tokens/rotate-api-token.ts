import { hash } from 'node:crypto';
import { rotateApiToken as row } from '@svc/contract/developers/api-tokens';
import { isActiveToken, newApiToken } from '../../domain/people/api-token.ts';
import { implement, refuse } from '../../engine/implement.ts';
import { notifyTokenRotated } from '../../engine/steps/api-tokens/notify-token-change.ts';
import { refuseBeyond } from '../../engine/steps/api-tokens/refuse-beyond.ts';
import { requireOwner } from '../../engine/steps/api-tokens/require-owner.ts';
import { showApiToken } from '../../engine/steps/api-tokens/show-api-token.ts';
import { lockOwnToken, replaceTokenValue } from '../../storage/api-tokens/tokens-by-owner.ts';
import { readClock } from '../../storage/database/clock.ts';
import { endInvitationsOfToken } from '../../storage/invitations/invitations.ts';

/**
 * Gives an active token a new value, which is only in this answer. The old value stays valid for
 * the overlap, at most as long as the token; a value that was still in an earlier overlap ends at
 * once. Without an overlap, which is the answer to a leak, invitations made with the old value end
 * too. A program rotates no token that may do more than its consent: it would hold the new value.
 * Contract §6.
 */
export const rotateApiToken = implement(row)(async ({ id, body }, caller, ports) => {
  const owner = requireOwner(caller);
  const { overlapSeconds } = body;
  const value = newApiToken(ports.randomBytes(32));
  const token = await ports.database.transaction(owner.clientId, async (tx) => {
    const locked = await lockOwnToken(tx, owner, id);
    const now = await readClock(tx);
    if (!locked || !isActiveToken(locked, now)) return refuse('api_token_not_found');
    refuseBeyond(locked.scopes, owner);
    const sha256 = hash('sha256', value, 'buffer');
    await replaceTokenValue(tx, locked, { sha256, overlapSeconds, now });
    if (overlapSeconds === 0) await endInvitationsOfToken(tx, locked);
    await notifyTokenRotated(tx, locked, { by: caller, now, ports, overlapSeconds });
    return locked;
  });
  return { status: 200, body: { ...showApiToken(token), token: value } };
});
