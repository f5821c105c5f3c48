// What one trigger is. Each makes its event happen by the same calls, people and time that make it
// happen at a merchant's.

import type { EventType } from '@svc/contract/events';
import type { Event } from '@svc/contract/events-api';
import type { Payment, Shop } from './trigger-shop.ts';

export type Subscription = {
  readonly id: string;
  readonly userId: string;
  readonly sessionId: string | null;
  readonly status: string;
  readonly paymentMethodId: string | null;
  readonly nextRenewalAt: string | null;
};

export type Scene = {
  readonly shop: Shop;
  /** What `--payment` names. */
  readonly payment: Payment | null;
  /** What `--subscription` names. */
  readonly subscription: Subscription | null;
  /** Waits for an event that names the id. */
  seen(type: EventType, id: string): Promise<Event>;
  readonly tokens: {
    /** A token of the merchant's owner; answers its id. */
    create(): Promise<string>;
    revoke(id: string): Promise<void>;
  };
};

export type Trigger = {
  /** Requests that `--override` can change. */
  readonly asks: readonly string[];
  /** Whether it acts on the payment of `--payment`, and which one that is; null: it makes its own. */
  readonly on: 'a hold' | 'a paid payment' | null;
  /** Whether it needs the operator: no API token makes API tokens. */
  readonly needsOperator?: true;
  /** Whether `--subscription` may name one that is there. */
  readonly onSubscription?: true;
  /** Answers an id that its event names. */
  run(scene: Scene): Promise<string>;
};

/** Every request of a checkout by card. */
export const checkout = ['session', 'card'] as const;
