import { deleteApiToken as row } from '@svc/contract/developers/api-tokens';
import { implement, refuse } from '../../engine/implement.ts';
import { requireOwner } from '../../engine/steps/api-tokens/require-owner.ts';
import { revokeToken } from '../../engine/steps/api-tokens/revoke-token.ts';
import { lockOwnToken } from '../../storage/api-tokens/tokens-by-owner.ts';
import { readClock } from '../../storage/database/clock.ts';

/**
 * Revokes a token with all its values: after this answer no process accepts it. Spec: DELETE
 * /v1/api-tokens/:id. For a token that is revoked already it returns 204 and writes nothing.
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
