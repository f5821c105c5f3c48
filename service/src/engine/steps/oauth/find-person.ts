import { may } from '@svc/contract/rows/roles';
import { findMembershipsOf } from '../../../storage/members/account-memberships.ts';
import { findMaker } from '../../../storage/oauth/applications.ts';
import { findGranter } from '../../../storage/oauth/oauth-grants.ts';
import type { Ports, Role } from '../../ports.ts';

/** The person as the consent page shows it; undefined for a person who may not sign in. */
export const findPerson = (
  userId: string,
  ports: Pick<Ports, 'database'>,
): Promise<{ email: string; name: string | null } | undefined> =>
  findGranter(ports.database, userId);

/** Whether tokens may still be issued for the person. */
export const isPersonEnabled = async (
  userId: string,
  ports: Pick<Ports, 'database'>,
): Promise<boolean> => (await findGranter(ports.database, userId)) !== undefined;

/** The clients that the person may choose among: where the role lets applications in. */
export async function findMerchants(
  userId: string,
  ports: Pick<Ports, 'database'>,
): Promise<{ clientId: string; name: string; role: Role }[]> {
  const memberships = await findMembershipsOf(ports.database, userId);
  return memberships
    .filter(({ role }) => may(role, 'tokens.own'))
    .map(({ clientId, name, role }) => ({ clientId, name, role }));
}

/** Returns the name of the client whose people made the application. */
export const findMakerName = async (
  applicationId: string,
  ports: Pick<Ports, 'database'>,
): Promise<string | null> => (await findMaker(ports.database, applicationId)) ?? null;
