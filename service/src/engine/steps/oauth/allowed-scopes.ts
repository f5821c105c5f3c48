import { findLiveApplication } from '../../../storage/oauth/applications.ts';
import type { Ports } from '../../ports.ts';

/**
 * Whether a person can be asked for the scope on the application's behalf. An application that a
 * merchant made is limited to its registered scopes; one that is known by its metadata document may
 * ask for any.
 */
export async function isScopeAllowed(
  scope: string,
  applicationId: string,
  ports: Pick<Ports, 'database'>,
): Promise<boolean> {
  if (URL.canParse(applicationId)) return true;
  const application = await findLiveApplication(ports.database, applicationId);
  return application?.scopes.includes(scope) ?? false;
}
