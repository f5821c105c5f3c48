// The inbox as a merchant sees it. Contract §7.

import type { EventType } from './contract-types.ts';
import type { WebhookEvent } from './events.ts';
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

/** What an inbox reads through: an instance of `Svc` with the merchant's credential. */
export type EventSource = {
  request(method: 'GET', path: `/v1/events?${string}`): Promise<EventPage>;
};

/** A handler per event type. What has none is recorded all the same. */
export type InboxHandlers<Tx> = {
  readonly [T in EventType]?: (event: WebhookEvent<T>, tx: Tx) => unknown;
};

export type InboxOptions<Tx> = {
  readonly database: InboxDatabase<Tx>;
  readonly svc: EventSource;
  readonly apply: InboxHandlers<Tx>;
  /** Of several inboxes in one database, each of which applies every event. */
  readonly name?: string;
  /**
   * Where a new inbox begins: `'beginning'` applies every event that the service has, an instant (a
   * date, or a text such as `2026-11-01T00:00:00Z`) records older events without their handlers. The
   * first run needs it and stores it in the database; later runs use what is stored.
   */
  readonly from?: 'beginning' | Date | (string & {});
  /**
   * Told of what `start` could not do, and of handlers that threw. Without it, what no caller is
   * thrown goes to `console.error`.
   */
  readonly onError?: (error: unknown) => void;
};

/** An event that waits because its handler throws; the later ones of its resource wait too. */
export type InboxFailure = {
  readonly eventId: string;
  readonly type: string;
  readonly resourceId: string;
  readonly sequence: number;
  /** How often it was tried; 0 while it waits for one before it that is missing. */
  readonly attempts: number;
  readonly error: string;
  readonly failedAt: string;
};

export type Inbox = {
  /**
   * Makes the tables and stores where the inbox begins; repeatable, also by several processes at once.
   * Throws `StartMissing` where the inbox is new and `from` is missing.
   */
  migrate(): Promise<void>;
  /**
   * Takes an event; a webhook handler by itself. Returns after the commit, also for a duplicate;
   * throws where the event is not applied, so that it is delivered again.
   */
  readonly receive: (event: WebhookEvent) => Promise<void>;
  /**
   * Applies all that `GET /v1/events` has and this database has not, from where the last call
   * ended. Failing handlers hold up their own resource only.
   */
  catchUp(): Promise<{ readonly applied: number; readonly failing: number }>;
  /**
   * Has the next `catchUp` go through all events again; what was applied is not applied twice. For a
   * service that was restored from a backup and answers `event_not_found`: it does not know the last
   * event that was read.
   */
  rewind(): Promise<void>;
  /**
   * Applies events of these types that were recorded without a handler, oldest first: for a handler
   * that is added later. Also those from before the start, where `since` is earlier. Each is applied
   * once, however often this is called. Throws at the first handler that fails; called again it goes
   * on there. Answers how many it applied.
   */
  reapply(given: {
    readonly types: readonly string[];
    readonly since: Date | string;
  }): Promise<{ readonly applied: number }>;
  /**
   * `catchUp` now and every so often, a minute unless told. `stop` waits for the event in hand, not
   * for the rest of the list.
   */
  start(given?: { everyMs?: number }): { stop(): Promise<void> };
  failures(): Promise<InboxFailure[]>;
  /**
   * Gives up the failing event, and goes on with those that wait for it. Where one before it is
   * missing, that is given up, and the event itself is applied. False: no such failure, for it was
   * applied meanwhile, given up before, or never failed. Throws where the service or the database is
   * away; asked again it goes on, and gives up nothing more.
   */
  skip(eventId: string): Promise<boolean>;
};
