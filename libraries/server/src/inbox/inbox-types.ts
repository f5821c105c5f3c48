// The inbox as a merchant sees it. Contract §7.

import type { EventType } from '../contract-types.ts';
import type { WebhookEvent } from '../events.ts';
import type { InboxDatabase } from './inbox-database.ts';

/** An event that was verified, or read from the API. */
export type AnyEvent = {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly sequence: number;
  readonly resource: { readonly id: string };
  readonly data?: { readonly isStartProof?: unknown };
};
export type EventPage = {
  readonly data: readonly AnyEvent[];
  readonly nextCursor: string | null;
  readonly total?: number;
};

/** What an inbox reads events through: an instance of `Svc` with the merchant's credential. */
export type EventSource = {
  request(method: 'GET', path: `/v1/events?${string}`): Promise<EventPage>;
};

/** A handler per event type. Events without a handler are recorded too. */
export type InboxHandlers<Tx> = {
  readonly [T in EventType]?: (event: WebhookEvent<T>, tx: Tx) => unknown;
};

export type InboxOptions<Tx> = {
  readonly database: InboxDatabase<Tx>;
  readonly svc: EventSource;
  readonly apply: InboxHandlers<Tx>;
  /** The inbox's name, where several inboxes share a database. Each of them applies every event. */
  readonly name?: string;
  /**
   * Where a new inbox begins: `'beginning'` applies every event that the service has, an instant (a
   * date, or a text such as `2026-11-01T00:00:00Z`) records older events without their handlers. The
   * first run needs it and stores it in the database; later runs use what is stored.
   */
  readonly from?: 'beginning' | Date | (string & {});
  /**
   * Called with the failures of `start` and the errors that handlers threw. Without it, errors that no
   * caller receives go to `console.error`.
   */
  readonly onError?: (error: unknown) => void;
};

/** An event whose handler throws. The later events of its resource wait too. */
export type InboxFailure = {
  readonly eventId: string;
  readonly type: string;
  readonly resourceId: string;
  readonly sequence: number;
  /** How often the event was tried; 0 while it waits for a missing earlier one. */
  readonly attempts: number;
  readonly error: string;
  readonly failedAt: string;
};

export type Inbox = {
  /**
   * Creates the tables and stores where the inbox begins; repeatable, also by several processes at once.
   * Throws `StartMissing` when the inbox is new and `from` is missing.
   */
  migrate(): Promise<void>;
  /**
   * Applies an event; usable directly as a webhook handler. Returns after the commit, also for a duplicate.
   * Throws when the event is not applied, so that it is delivered again.
   */
  readonly receive: (event: WebhookEvent) => Promise<void>;
  /**
   * Applies every event of `GET /v1/events` that this database has not applied, from the end of the last
   * call. A failing handler delays only its own resource.
   */
  catchUp(): Promise<{ readonly applied: number; readonly failing: number }>;
  /**
   * Makes the next `catchUp` read all events again; no event is applied twice. For a service that was
   * restored from a backup and returns `event_not_found`, because it does not know the last event that was
   * read.
   */
  rewind(): Promise<void>;
  /**
   * Applies events of these types that were recorded without a handler, oldest first: for a handler that is
   * added later. An earlier `since` includes events from before the start. Each event is applied once,
   * however often this is called. Throws at the first handler that fails; a repeated call continues there.
   * Returns how many events it applied.
   */
  reapply(given: {
    readonly types: readonly string[];
    readonly since: Date | string;
  }): Promise<{ readonly applied: number }>;
  /**
   * Calls `catchUp` now and every `everyMs`, a minute by default. `stop` waits for the current event, not
   * for the rest of the list.
   */
  start(given?: { everyMs?: number }): { stop(): Promise<void> };
  failures(): Promise<InboxFailure[]>;
  /**
   * Gives up the failing event and continues with the events that wait for it. When an earlier event is
   * missing, that one is given up and the event itself is applied. Returns false when there is no such
   * failure: the event was applied meanwhile, given up before, or never failed. Throws when the service or
   * the database is unavailable; a repeated call continues and gives up nothing more.
   */
  skip(eventId: string): Promise<boolean>;
};
