// Events as a merchant receives them, distinguished by `type`. Contract §7.

import type { Event, EventDataByType, EventType } from './contract-types.ts';

/**
 * An event of the service: a `switch` by `event.type` narrows `event.data`. A newer service may send
 * types that this version does not list, so a `switch` has a `default`.
 * `WebhookEvent<'item.purchased'>` is the event of that type.
 */
export type WebhookEvent<T extends EventType = EventType> = {
  [K in T]: Omit<Event, 'type' | 'data'> & { type: K; data: EventDataByType[K] };
}[T];

/** An event of the card provider, received directly. Spec: `{ id, type, data, created }`. */
export type ProviderEvent = {
  id: string;
  type: string;
  data: { object: Record<string, unknown>; [more: string]: unknown };
  created: number;
  [more: string]: unknown;
};
