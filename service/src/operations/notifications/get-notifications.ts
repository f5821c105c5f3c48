import { getNotifications as row } from '@svc/contract/settings/notifications';
import { implement, refuse } from '../../engine/implement.ts';
import { showNotifications } from '../../engine/steps/notifications/show-notifications.ts';
import { requirePerson } from '../../engine/steps/people/require-person.ts';
import { findNotifiedMember } from '../../storage/notifications/choices.ts';

/**
 * Lists the kinds that the signed-in person may be notified of at one merchant. Additions §6. Refuses
 * client_not_found, also where the person is no member.
 */
export const getNotifications = implement(row)(async ({ clientId }, caller, ports) => {
  const { userId } = requirePerson(caller);
  const asked = clientId ?? refuse('client_not_found');
  const member = await findNotifiedMember(ports.database, asked, userId);
  return { status: 200, body: showNotifications(asked, member ?? refuse('client_not_found')) };
});
