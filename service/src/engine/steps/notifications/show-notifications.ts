import {
  mayBeNotified,
  type Notifications,
  notificationKinds,
  notificationTable,
} from '@svc/contract/settings/notifications';
import type { NotifiedMember } from '../../../storage/notifications/choices.ts';
import { choiceOf } from './notification-rules.ts';

/** The kinds that the person's role may read, in the order of the table. */
export const showNotifications = (clientId: string, member: NotifiedMember): Notifications => ({
  clientId: clientId.toLowerCase(),
  data: notificationKinds
    .filter((kind) => mayBeNotified(member.role, kind, member))
    .map((kind) => {
      const { title, choices } = notificationTable[kind];
      const choice = choiceOf(member, kind) ?? 'off';
      return {
        kind,
        title,
        choice,
        choices: [...choices],
        isDefault: member.chosen[kind] === undefined,
      };
    }),
});
