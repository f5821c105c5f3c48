import { mayChangeMember } from '../../../domain/people/member.ts';
import { findRoleIn, lockClientPeople } from '../../../storage/accounts/memberships.ts';
import type { Tx } from '../../../storage/database/database.ts';
import { refuse } from '../../implement.ts';
import type { Role } from '../../ports.ts';
import type { ServerCaller } from '../../require-server.ts';

export type People = {
  readonly clientName: string;
  /**
   * Refuses merchant_role_required for what the caller's role of this moment does not allow, and to a
   * program that makes an owner: its credential may have been found by anybody.
   */
  assertMay(change: { readonly from: Role | null; readonly to: Role | null }): void;
};

/**
 * Holds the client's people still, and reads the caller's role anew: what was true when the request
 * came may have ended while it waited for the lock.
 */
export async function lockPeople(tx: Tx, caller: ServerCaller): Promise<People> {
  const { clientId, userId } = caller;
  const clientName = await lockClientPeople(tx, clientId);
  const role = await findRoleIn(tx, clientId, userId);
  if (clientName === undefined || role === undefined || role === 'member')
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
