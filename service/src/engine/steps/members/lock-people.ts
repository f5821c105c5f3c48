import { may } from '@svc/contract/rows/roles';
import { mayChangeMember } from '../../../domain/people/member.ts';
import type { Tx } from '../../../storage/database/database.ts';
import { findRoleIn } from '../../../storage/members/account-memberships.ts';
import { lockClientPeople } from '../../../storage/members/memberships.ts';
import { refuse } from '../../implement.ts';
import type { Role } from '../../ports.ts';
import type { ServerCaller } from '../../require-server.ts';

export type People = {
  readonly clientName: string;
  /**
   * Refuses merchant_role_required for a change that the caller's present role does not allow, and
   * for a program that makes somebody an owner: anybody may have found its credential.
   */
  assertMay(change: { readonly from: Role | null; readonly to: Role | null }): void;
};

/**
 * Locks the client's members, and reads the caller's role again: it may have changed while the
 * request waited for the lock.
 */
export async function lockPeople(tx: Tx, caller: ServerCaller): Promise<People> {
  const { clientId, userId } = caller;
  const clientName = await lockClientPeople(tx, clientId);
  const role = await findRoleIn(tx, clientId, userId);
  if (clientName === undefined || role === undefined || !may(role, 'people.write'))
    return refuse('merchant_role_required');
  return {
    clientName,
    assertMay(change) {
      if (change.to === 'owner' && change.from !== 'owner' && caller.via !== 'person') {
        refuse('merchant_role_required', {
          message: 'Owners are invited and made by an owner in the browser, never by a program.',
        });
      }
      if (mayChangeMember(role, change)) return;
      refuse('merchant_role_required', {
        message: 'Only an owner makes, changes or removes owners.',
      });
    },
  };
}
