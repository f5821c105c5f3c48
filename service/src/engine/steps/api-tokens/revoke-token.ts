import type { ApiToken } from '../../../domain/people/api-token.ts';
import { markTokenRevoked } from '../../../storage/api-tokens/tokens-by-owner.ts';
import type { Tx } from '../../../storage/database/database.ts';
import { type Change, notifyTokenRevoked } from './notify-token-change.ts';

/** Revokes a locked token, once. Whatever else ends a token, such as an owner who leaves, calls this too. */
export async function revokeToken(tx: Tx, token: ApiToken, change: Change): Promise<void> {
  if (token.revokedAt !== null) return;
  await markTokenRevoked(tx, token, change.now);
  await notifyTokenRevoked(tx, token, change);
}
