import { timingSafeEqual } from 'node:crypto';
import { findAccessToken } from '../../../storage/oauth/oauth-grants.ts';
import type { Ports, Role } from '../../ports.ts';

export type VerifiedAccess = {
  readonly grantId: string;
  /** The application's id in the API: a UUID, or the address of its metadata document. */
  readonly applicationId: string;
  readonly userId: string;
  readonly clientId: string;
  /** The person's present role; null once the person has left the client. */
  readonly role: Role | null;
  readonly scopes: readonly string[];
  /** True when the token was issued for /mcp alone: it may call /mcp and manage API tokens. RFC 8707. */
  readonly isForAgents: boolean;
};

/**
 * Returns whom an access token acts for. Returns undefined alike when the token is unknown, expired
 * or revoked, when its application was removed, or when its person is disabled. Contract §6. Never
 * cached, so that revoking takes effect at once.
 */
export async function verifyAccessToken(
  tokenSha256: Buffer,
  ports: Pick<Ports, 'database'>,
): Promise<VerifiedAccess | undefined> {
  const access = await findAccessToken(ports.database, tokenSha256);
  if (!access || !timingSafeEqual(access.sha256, tokenSha256)) return undefined;
  const { sha256: _, ...verified } = access;
  return verified;
}
