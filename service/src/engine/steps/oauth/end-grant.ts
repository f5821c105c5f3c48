import { findGrant, revokeGrant } from '../../../storage/oauth/oauth-grants.ts';
import type { Caller, Ports } from '../../ports.ts';
import { recordChange } from '../audit-log/record-change.ts';

export type EndOfGrant = {
  /** `used_twice`: a code or refresh token was used a second time, so one of its holders stole it. */
  readonly reason: 'revoked_by_application' | 'used_twice';
  readonly traces: Pick<Caller, 'requestId' | 'address' | 'userAgent'>;
};

/**
 * Ends a grant, at the application's request or because a token was used twice. Repeatable. RFC
 * 7009; RFC 9700 §4.14.
 */
export async function endGrant(
  grantId: string,
  { reason, traces }: EndOfGrant,
  ports: Ports,
): Promise<void> {
  const grant = await findGrant(ports.database, grantId);
  if (!grant) return;
  const { clientId, userId, applicationId, scopes } = grant;
  const caller: Caller = {
    kind: 'server',
    via: 'oauth',
    clientId,
    userId,
    tokenId: grantId,
    applicationId,
    role: 'member',
    scopes,
    origin: null,
    ...traces,
  };
  await ports.database.transaction(clientId, async (tx) => {
    if (!(await revokeGrant(tx, grantId))) return;
    const change = { action: 'consent.ended', resourceType: 'consent', resourceId: grantId };
    await recordChange(tx, caller, { ...change, userId, after: { reason } }, ports);
  });
}
