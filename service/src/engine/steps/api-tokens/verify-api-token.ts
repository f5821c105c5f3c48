import { timingSafeEqual } from 'node:crypto';
import { findApiToken } from '../../../storage/api-tokens/api-tokens.ts';
import type { Ports, Role } from '../../ports.ts';

export type VerifiedToken = {
  readonly tokenId: string;
  readonly userId: string;
  readonly role: Role;
  readonly scopes: readonly string[] | null;
  /** The time until the next use should be written, in milliseconds; 0 or less: this use is due. */
  readonly useDueMs: number;
  readonly isCurrent: boolean;
};

/**
 * Returns the owner of a token at a client. Returns undefined alike when the token is unknown,
 * revoked, expired or another client's, or when its owner is not a member. Contract §6. Never
 * cached, so that revoking takes effect at once.
 */
export async function verifyApiToken(
  clientId: string,
  tokenSha256: Buffer,
  ports: Pick<Ports, 'database'>,
): Promise<VerifiedToken | undefined> {
  const token = await findApiToken(ports.database, clientId, tokenSha256);
  if (!token || !timingSafeEqual(token.sha256, tokenSha256)) return undefined;
  const { id: tokenId, userId, role, scopes, useDueMs, isCurrent } = token;
  return { tokenId, userId, role, scopes, useDueMs, isCurrent };
}
