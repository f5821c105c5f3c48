// Decides whether a person is notified of a fact: by role, by the person's choice, and by the
// present state of the subject.

import {
  defaultChoice,
  mayBeNotified,
  type NotificationChoice,
  type NotificationKind,
} from '@svc/contract/settings/notifications';
import type { NotifiedMember } from '../../../storage/notifications/choices.ts';
import type { NotificationFact } from '../../../storage/notifications/facts.ts';

/** Undefined where the role may not read the kind, whatever the person chose in another role. */
export const choiceOf = (
  member: NotifiedMember,
  kind: NotificationKind,
): NotificationChoice | undefined =>
  mayBeNotified(member.role, kind, member)
    ? (member.chosen[kind] ?? defaultChoice(member.role, kind))
    : undefined;

type Rule = (fact: NotificationFact) => boolean;
const exists: Rule = ({ state }) => state !== null;
const isInState =
  (...states: readonly string[]): Rule =>
  ({ state }) =>
    state !== null && states.includes(state);

/** The state of the subject in which people are still notified of the fact. */
const rules: Readonly<Record<NotificationKind, Rule>> = {
  hold_expiring: isInState('authorized'),
  dispute_opened: exists,
  dispute_due: ({ awaits }) => awaits === 'merchant',
  dispute_decided: exists,
  fraud_warning: isInState('open'),
  review_opened: isInState('open'),
  refund_failed: isInState('refund_failed'),
  refund_to_approve: isInState('waiting'),
  endpoint_failing: exists,
  renewal_failed: isInState('payment_failed'),
  card_removed: isInState('unfunded', 'funded'),
  payment_differs: exists,
  monthly_file: isInState('ready', 'failed'),
  daily_digest: () => false,
};

/** Whether the fact still holds: a hold that was captured meanwhile does not expire. */
export const stillApplies = (fact: NotificationFact): boolean => rules[fact.kind](fact);

/** A person who asks for a refund does not approve it. */
export const concernsMember = (fact: NotificationFact, { userId }: NotifiedMember): boolean =>
  fact.askedBy !== userId;
