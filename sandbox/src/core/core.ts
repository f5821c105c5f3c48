// What a call can use, and on whose behalf it acts.

import type { Rules, Values } from '../requests/parameters.ts';
import type { Clock, ClockListener } from '../state/clock.ts';
import type { Faults } from '../state/faults.ts';
import type { IdempotencyMemory } from '../state/idempotency.ts';
import type { Identifiers } from '../state/identifiers.ts';
import type { Ledger, Origin } from '../state/ledger.ts';
import type { RateLimiter } from '../state/rate-limits.ts';
import type { Resources } from '../state/resources.ts';
import type { Schedule } from '../state/schedule.ts';
import type { Store } from '../state/store.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import type { CardExchange } from './exchanges.ts';

/**
 * `guarded` behaves like the real provider. `unguarded` runs a call with a new key whatever the state is.
 */
export type Mode = 'guarded' | 'unguarded';

export type Core = {
  store: Store;
  resources: Resources;
  ids: Identifiers;
  clock: Clock;
  clockListeners: readonly ClockListener[];
  ledger: Ledger;
  schedule: Schedule;
  webhooks: Webhooks;
  faults: Faults;
  rates: RateLimiter;
  memory: IdempotencyMemory;
  mode: Mode;
  takesOlderVersions: boolean;
  latencyMs: number;
  /** Receives each call that ran, with its response. */
  onCardExchange: ((exchange: CardExchange) => void) | undefined;
  /** The sandbox's own address, available once it listens. */
  baseUrl: () => string;
};

/** On whose behalf something happens, as the ledger and events record it. */
export type Actor = {
  core: Core;
  account: string;
  origin: Origin;
  request: string | null;
  idempotencyKey: string | null;
  /** A fault declines whatever the call asks for. */
  isForcedToDecline: boolean;
};

export type Call = Actor & {
  key: 'secret' | 'publishable';
  /** The call comes from one of the provider's own fields, which may send a card's number. */
  isHostedField: boolean;
  /** The id in the path; empty when there is none. */
  id: string;
  values: Values;
};

export type Route = {
  method: 'GET' | 'POST' | 'DELETE';
  /** The path below /v1, with `:id`. */
  path: string;
  accepts: Rules;
  /** Parameters that versions before the named one accept too. */
  acceptsUntil?: {
    version: string;
    also: Rules;
    /** The code with which that version and later ones refuse them, when it is not `parameter_unknown`. */
    code?: string;
  };
  /** A publishable key may make the call too. */
  isPublic?: boolean;
  /** Returns the object of the response, not expanded. */
  run: (call: Call) => object;
};

/** The provider acting by itself: a hold expires, or a refund fails later. */
export const automaticActor = (core: Core, account: string): Actor => ({
  core,
  account,
  origin: 'automatic',
  request: null,
  idempotencyKey: null,
  isForcedToDecline: false,
});
