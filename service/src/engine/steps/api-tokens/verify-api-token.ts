import { timingSafeEqual } from 'node:crypto';
import { findApiToken } from '../../../storage/accounts/api-tokens.ts';
import type { Ports, Role } from '../../ports.ts';

export type VerifiedToken = {
  readonly tokenId: string;
  readonly userId: string;
  readonly role: Role;
  readonly scopes: readonly string[] | null;
  /** Until the next use is to be written; not above 0 for this one. */
  readonly useDueMs: number;
  readonly isCurrent: boolean;
};

/**
 * The owner of a token at a client; undefined when it is unknown, revoked, expired, another
 * client's, or its owner is no longer a member: all alike. Contract §6. Never cached, so that
 * revoking takes effect at once.
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
