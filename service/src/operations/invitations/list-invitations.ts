import { listInvitations as row } from '@svc/contract/settings/members';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { showInvitation } from '../../engine/steps/invitations/show-invitation.ts';
import { listInvitationRows, toInvitation } from '../../storage/invitations/invitations.ts';

/** Lists the client's invitations, for its owners and admins. Contract §6. */
export const listInvitations = implement(row)(async (input, caller, ports) => {
  const { clientId } = requireServer(caller, row);
  const { rows: found, ...page } = await listInvitationRows(ports.database, clientId, input);
  return {
    status: 200,
    body: { data: found.map((one) => showInvitation(toInvitation(one))), ...page },
  };
});
