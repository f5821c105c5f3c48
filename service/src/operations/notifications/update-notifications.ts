import {
  mayBeNotified,
  notificationTable,
  updateNotifications as row,
} from '@svc/contract/settings/notifications';
import { implement } from '../../engine/implement.ts';
import { refuseField } from '../../engine/refuse-field.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { choiceOf } from '../../engine/steps/notifications/notification-rules.ts';
import { showNotifications } from '../../engine/steps/notifications/show-notifications.ts';
import { requirePerson } from '../../engine/steps/people/require-person.ts';
import { keepNotifiedMember, saveChoice } from '../../storage/notifications/choices.ts';

/**
 * Saves the person's choices for the given kinds. Additions §6. Refuses, in order: client_not_found,
 * also where the person is no member, merchant_role_required for a kind that the role may not read,
 * invalid_request for a choice that the kind does not have.
 */
export const updateNotifications = implement(row)(
  async ({ clientId: asked, body }, caller, ports, refuse) => {
    const { userId } = requirePerson(caller);
    const clientId = asked ?? refuse('client_not_found');
    return ports.database.transaction(clientId, async (tx) => {
      const member = await keepNotifiedMember(tx, clientId, userId);
      if (!member) return refuse('client_not_found');
      const chosen = { ...member.chosen };
      for (const { kind, choice } of body.choices) {
        if (!mayBeNotified(member.role, kind, member)) return refuse('merchant_role_required');
        if (!notificationTable[kind].choices.includes(choice)) {
          return refuseField('choices', `${kind} has no ${choice}.`);
        }
        const before = choiceOf({ ...member, chosen }, kind);
        chosen[kind] = choice;
        await saveChoice(tx, { clientId, userId }, { kind, choice });
        if (before === choice) continue;
        const about = { resourceType: 'notification', resourceId: kind, userId };
        const change = {
          action: 'notification.changed',
          before: { choice: before },
          after: { choice },
        };
        await recordChange(tx, caller, { ...about, ...change }, ports);
      }
      return { status: 200, body: showNotifications(clientId, { ...member, chosen }) };
    });
  },
);
