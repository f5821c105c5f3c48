import { listMemberships as row } from '@svc/contract/account/account';
import { permissionsOf } from '@svc/contract/rows/roles';
import { implement } from '../../engine/implement.ts';
import { requirePerson } from '../../engine/steps/people/require-person.ts';
import { findMembershipsOf } from '../../storage/members/account-memberships.ts';

/** Lists the merchants that the person is a member of. */
export const listMemberships = implement(row)(async (_input, caller, ports) => {
  const { userId } = requirePerson(caller);
  const memberships = await findMembershipsOf(ports.database, userId);
  const data = memberships.map(({ isLive, owners, ...membership }) => ({
    ...membership,
    permissions: permissionsOf(membership.role),
    owners: [...owners],
    livemode: isLive,
  }));
  return { status: 200, body: { data } };
});
