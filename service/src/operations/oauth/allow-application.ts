import { insertGrant } from '../../storage/oauth-grants.ts';
import { recordChange } from '../audit-log/record-change.ts';
import { refuse } from '../implement.ts';
import { findRole } from '../people/membership.ts';
import type { Caller, Ports } from '../ports.ts';

export type Consent = {
  readonly clientId: string;
  readonly application: { readonly id: string; readonly name: string; readonly isMade: boolean };
  readonly scopes: readonly string[];
};

/** The first token must be fetched within it; then the grant lives as long as its tokens. */
const untilFirstTokenSeconds = 15 * 60;

/**
 * Writes down that the person allows the application to act at one client; answers the grant's id.
 * Refuses client_not_found where the person is no member, as where there is no such client.
 */
export async function allowApplication(
  { clientId, application, scopes }: Consent,
  caller: Caller & { kind: 'person' },
  ports: Ports,
): Promise<string> {
  const { userId } = caller;
  if (!(await findRole(userId, clientId, ports))) return refuse('client_not_found');
  const id = ports.newId();
  await ports.database.transaction(clientId, async (tx) => {
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
