import type { EventType } from '@svc/contract/rows/event-types';
import { accountTriggers } from './trigger-account.ts';
import { disputeTriggers } from './trigger-disputes.ts';
import { fraudSignalTriggers } from './trigger-fraud-signals.ts';
import { paymentTriggers } from './trigger-payments.ts';
import { refundRequestTriggers } from './trigger-refund-requests.ts';
import { savedCardTriggers } from './trigger-saved-cards.ts';
import type { Trigger } from './trigger-scene.ts';

/** An event type without a trigger is a compile error. */
export const triggers: Readonly<Record<EventType, Trigger>> = {
  ...paymentTriggers,
  ...refundRequestTriggers,
  ...fraudSignalTriggers,
  ...disputeTriggers,
  ...savedCardTriggers,
  ...accountTriggers,
};
