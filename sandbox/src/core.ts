// What a call has at hand, and on whose behalf it acts.
import type { Clock, ClockListener } from './clock.ts';
import type { Faults } from './faults.ts';
import type { IdempotencyMemory } from './idempotency.ts';
import type { Identifiers } from './identifiers.ts';
import type { Ledger, Origin } from './ledger.ts';
import type { Rules, Values } from './parameters.ts';
import type { Resources } from './resources.ts';
import type { Schedule } from './schedule.ts';
import type { Store } from './store.ts';
import type { Webhooks } from './webhooks.ts';

/** `guarded` is the real provider's way; `unguarded` runs every new key whatever the state is. */
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
  memory: IdempotencyMemory;
  mode: Mode;
  latencyMs: number;
  /** The sandbox's own address, known once it listens. */
  baseUrl: () => string;
};

/** On whose behalf something happens, for the ledger and for events. */
export type Actor = {
  core: Core;
  account: string;
  origin: Origin;
  request: string | null;
  idempotencyKey: string | null;
  /** A fault that declines whatever is asked. */
  isForcedToDecline: boolean;
};

export type Call = Actor & {
  key: 'secret' | 'publishable';
  /** The id in the path; empty where there is none. */
  id: string;
  values: Values;
};

export type Route = {
  method: 'GET' | 'POST' | 'DELETE';
  /** Below /v1, with `:id`. */
  path: string;
  accepts: Rules;
  /** A publishable key may call it too. */
  isPublic?: boolean;
  /** The object to answer, unexpanded. */
  run: (call: Call) => object;
};

/** The provider acting by itself: a hold that runs out, a refund that fails later. */
export const actAlone = (core: Core, account: string): Actor => ({
  core,
  account,
  origin: 'automatic',
  request: null,
  idempotencyKey: null,
  isForcedToDecline: false,
});
