// Defines a trigger. Each one causes its event with the same calls, people and time that cause it
// at a merchant's.

import type { Event } from '@svc/contract/events/events';
import type { EventType } from '@svc/contract/rows/event-types';
import type { Api } from '../merchant/api.ts';
import type { Payment, Shop } from './trigger-shop.ts';

export type Subscription = {
  readonly id: string;
  readonly userId: string;
  readonly sessionId: string | null;
  readonly status: string;
  readonly paymentMethodId: string | null;
  readonly nextRenewalAt: string | null;
};

export type TriggerScene = {
  readonly shop: Shop;
  /** The payment that `--payment` names. */
  readonly payment: Payment | null;
  /** The subscription that `--subscription` names. */
  readonly subscription: Subscription | null;
  /** The API as the second person whom `--approver-token` names; null where it names nobody. */
  readonly approver: Api | null;
  /** Waits for an event that contains the id. */
  seen(type: EventType, id: string): Promise<Event>;
  readonly tokens: {
    /** Creates a token of the merchant's owner; returns its id. */
    create(): Promise<string>;
    revoke(id: string): Promise<void>;
  };
};

export type Trigger = {
  /** Names of the requests that `--override` can change. */
  readonly asks: readonly string[];
  /** The kind of payment that `--payment` may name; null when the trigger makes its own. */
  readonly on: 'a hold' | 'a paid payment' | null;
  /** True when it needs the operator, because no API token can make API tokens. */
  readonly needsOperator?: true;
  /** True when `--subscription` may name an existing one. */
  readonly onSubscription?: true;
  /** Returns an id that its event contains. */
  run(scene: TriggerScene): Promise<string>;
};

/** Every request of a checkout by card. */
export const checkout = ['session', 'card'] as const;
