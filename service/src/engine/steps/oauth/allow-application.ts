import { may } from '@svc/contract/rows/roles';
import { lacksRole } from '../../../domain/people/lacks-role.ts';
import { everyClient } from '../../../storage/database/database.ts';
import { keepMembership } from '../../../storage/members/memberships.ts';
import { insertGrant } from '../../../storage/oauth/oauth-grants.ts';
import { takeDecision } from '../../../storage/oauth/oauth-records.ts';
import { refuse } from '../../implement.ts';
import type { Caller, Ports } from '../../ports.ts';
import { recordChange } from '../audit-log/record-change.ts';

export type Consent = {
  readonly clientId: string;
  readonly application: { readonly id: string; readonly name: string; readonly isMade: boolean };
  readonly scopes: readonly string[];
  /** The digest of the waiting authorization request that the person decides about. */
  readonly requestSha256: Buffer;
};

/** The first token must be fetched within this time; after that the grant lives as long as its tokens. */
const untilFirstTokenSeconds = 15 * 60;

/**
 * Writes down that the person allows the application to act at one client; answers the grant's id.
 * Refuses merchant_role_required of a role without programs; client_not_found where the person is no member, as where there is no such client;
 * authorization_not_found where the request was decided about before.
 */
export async function allowApplication(
  { clientId, application, scopes, requestSha256 }: Consent,
  caller: Caller & { kind: 'person' },
  ports: Ports,
): Promise<string> {
  const { userId } = caller;
  const id = ports.newId();
  await ports.database.transaction(clientId, async (tx) => {
    // Held until the commit: who removes or changes the member meanwhile finds the consent to end.
    const role = await keepMembership(tx, clientId, userId);
    if (!role) return refuse('client_not_found');
    if (!may(role, 'tokens.own')) throw lacksRole('tokens.own');
    if (!(await takeDecision(tx, requestSha256))) return refuse('authorization_not_found');
    await insertGrant(tx, {
      id,
      clientId,
      userId,
      applicationId: application.id,
      isMade: application.isMade,
      applicationName: application.name,
      scopes,
      lifeSeconds: untilFirstTokenSeconds,
    });
    const { id: applicationId, name } = application;
    await recordChange(
      tx,
      caller,
      {
        action: 'consent.given',
        resourceType: 'consent',
        resourceId: id,
        clientId,
        userId,
        after: { applicationId, applicationName: name, scopes },
      },
      ports,
    );
  });
  return id;
}

/** Records that the person refuses the application; false where the request was decided before. */
export const refuseApplication = (requestSha256: Buffer, ports: Ports): Promise<boolean> =>
  ports.database.transaction(everyClient, (tx) => takeDecision(tx, requestSha256));
