import type { ApiToken } from '../../domain/api-token.ts';
import type { Tx } from '../../storage/database.ts';
import { markTokenRevoked } from '../../storage/own-tokens.ts';
import { type Change, tellRevoked } from './tell-token.ts';

/** Revokes a locked token, once; whatever else ends it, as an owner who leaves, uses this too. */
export async function revokeToken(tx: Tx, token: ApiToken, change: Change): Promise<void> {
  if (token.revokedAt !== null) return;
  await markTokenRevoked(tx, token, change.now);
  await tellRevoked(tx, token, change);
}
