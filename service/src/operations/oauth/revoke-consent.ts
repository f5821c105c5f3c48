import { revokeConsent as row } from '@svc/contract/developers/applications';
import { implement } from '../../engine/implement.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { requirePerson } from '../../engine/steps/people/require-person.ts';
import { findConsentClient, revokeGrant } from '../../storage/oauth/oauth-grants.ts';

/**
 * Revokes a consent: its tokens are refused from the next request on, in every process. Contract
 * §6. Refuses consent_not_found, for another person's too.
 */
export const revokeConsent = implement(row)(async ({ id }, caller, ports, refuse) => {
  const { userId } = requirePerson(caller);
  const clientId = await findConsentClient(ports.database, { id, userId });
  if (clientId === undefined) return refuse('consent_not_found');
  return ports.database.transaction(clientId, async (tx) => {
    const grant = await revokeGrant(tx, id);
    // The consent ended in another way meanwhile.
    if (!grant) return refuse('consent_not_found');
    const { applicationId } = grant;
    const change = { action: 'consent.revoked', resourceType: 'consent', resourceId: id };
    await recordChange(
      tx,
      caller,
      { ...change, clientId, userId, before: { applicationId } },
      ports,
    );
    return { status: 204 };
  });
});
