import { timingSafeEqual } from 'node:crypto';
import { findAccessToken } from '../../../storage/accounts/oauth-grants.ts';
import type { Ports, Role } from '../../ports.ts';

export type VerifiedAccess = {
  readonly grantId: string;
  /** The application's id on the wire: a UUID, or the address of its metadata document. */
  readonly applicationId: string;
  readonly userId: string;
  readonly clientId: string;
  /** Of this moment; null once the person has left the client. */
  readonly role: Role | null;
  readonly scopes: readonly string[];
  /** Issued for /mcp alone: opens that and the management of API tokens. RFC 8707. */
  readonly isForAgents: boolean;
};

/**
 * Whom an access token acts for; undefined when it is unknown, expired, revoked, its application
 * was removed or its person disabled: all alike. Contract §6. Never cached, so that revoking takes
 * effect at once.
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
