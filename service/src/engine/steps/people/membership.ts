import { findRoleOf } from '../../../storage/members/account-memberships.ts';
import type { Ports, Role } from '../../ports.ts';

/**
 * Returns the person's present role at the client; undefined when the person is no member. Never
 * cached. Contract §6.
 */
export const findRole = (
  userId: string,
  clientId: string,
  ports: Pick<Ports, 'database'>,
): Promise<Role | undefined> => findRoleOf(ports.database, clientId, userId);
