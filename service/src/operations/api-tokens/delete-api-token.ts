import { deleteApiToken as row } from '@svc/contract/api-tokens';
import { implement, refuse } from '../../engine/implement.ts';
import { requireOwner } from '../../engine/steps/api-tokens/require-owner.ts';
import { revokeToken } from '../../engine/steps/api-tokens/revoke-token.ts';
import { lockOwnToken } from '../../storage/accounts/tokens-by-owner.ts';
import { readClock } from '../../storage/database/clock.ts';

/**
 * Ends a token, and with it every value of it: from this answer on no process lets it in. Spec:
 * DELETE /v1/api-tokens/:id. Again for one that was revoked: 204, and nothing is written.
 */
export const deleteApiToken = implement(row)(async ({ id }, caller, ports) => {
  const owner = requireOwner(caller);
  await ports.database.transaction(owner.clientId, async (tx) => {
    const token = await lockOwnToken(tx, owner, id);
    if (!token) return refuse('api_token_not_found');
    await revokeToken(tx, token, { by: caller, now: await readClock(tx), ports });
  });
  ports.nudge('deliver-webhooks');
  return { status: 204 };
});
