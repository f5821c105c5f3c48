import { findRoleOf } from '../../../storage/accounts/account-memberships.ts';
import type { Ports, Role } from '../../ports.ts';

/**
 * The person's role at the client at this moment; undefined for who is no member. Never cached.
 * Contract §6.
 */
export const findRole = (
  userId: string,
  clientId: string,
  ports: Pick<Ports, 'database'>,
): Promise<Role | undefined> => findRoleOf(ports.database, clientId, userId);
