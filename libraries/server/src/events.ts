// Events as a merchant receives them, told apart by `type`. Contract §7.

import type { Event, EventType, ItemPurchased, Payment } from './contract-types.ts';

type PaymentEventType = Extract<EventType, `payment.${string}`>;

type EventOf<T extends EventType, O> = Omit<Event, 'type' | 'data'> & {
  type: T;
  data: {
    object: O;
    previousAttributes?: Record<string, unknown>;
    /** In a sandbox, of the payment that `npm start` makes as proof: ship nothing for it. */
    isStartProof?: true;
    [more: string]: unknown;
  };
};

/** An event of the service. A newer service may send types that this version does not list. */
export type WebhookEvent =
  | EventOf<'item.purchased', ItemPurchased>
  | EventOf<PaymentEventType, Payment>
  | EventOf<Exclude<EventType, PaymentEventType | 'item.purchased'>, Record<string, unknown>>;

/** An event of the card provider, received directly. Spec: `{ id, type, data, created }`. */
export type ProviderEvent = {
  id: string;
  type: string;
  data: { object: Record<string, unknown>; [more: string]: unknown };
  created: number;
  [more: string]: unknown;
};
