import { listMembers as row } from '@svc/contract/members';
import { listMemberRows, toMember } from '../../storage/memberships.ts';
import { implement } from '../implement.ts';
import { requireServer } from '../require-server.ts';
import { showMember } from './show-member.ts';

/** Lists the merchant's people, for its owners and admins. Contract §6. */
export const listMembers = implement(row)(async (input, caller, ports) => {
  const { clientId, userId } = requireServer(caller, 'admin');
  const { rows: found, ...page } = await listMemberRows(ports.database, clientId, input);
  return {
    status: 200,
    body: { data: found.map((one) => showMember(toMember(one), userId)), ...page },
  };
});
