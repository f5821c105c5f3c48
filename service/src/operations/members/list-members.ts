import { listMembers as row } from '@svc/contract/settings/members';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { showMember } from '../../engine/steps/members/show-member.ts';
import { listMemberRows, toMember } from '../../storage/members/memberships.ts';

/** Lists the merchant's members, for its owners and admins. Contract §6. */
export const listMembers = implement(row)(async (input, caller, ports) => {
  const { clientId, userId } = requireServer(caller, row);
  const { rows: found, ...page } = await listMemberRows(ports.database, clientId, input);
  return {
    status: 200,
    body: { data: found.map((one) => showMember(toMember(one), userId)), ...page },
  };
});
