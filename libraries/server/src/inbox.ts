// The inbox: events of the service applied exactly once in the merchant's own database transaction,
// in order per resource, whatever became of their deliveries. Contract §7.

import type { WebhookEvent } from './events.ts';
import type { InboxDatabase } from './inbox-database.ts';
import { SvcInboxError } from './inbox-error.ts';
import {
  clearFailure,
  type Failure,
  giveUp,
  listFailures,
  moveCursor,
  noteFailure,
  type Outcome,
  type Placed,
  readCursor,
  readLast,
  runSchema,
  type Taken,
  takeEvent,
} from './inbox-steps.ts';

export { type InboxDatabase, inboxSchema } from './inbox-database.ts';
export { type InboxErrorCode, SvcInboxError } from './inbox-error.ts';
export { postgres, postgresJs } from './inbox-postgres.ts';
export { sqlite } from './inbox-sqlite.ts';

/** An event that was verified, or read from the API. */
type AnyEvent = {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly sequence: number;
  readonly resource: { readonly id: string };
};
type EventPage = {
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
  readonly [T in WebhookEvent['type']]?: (
    event: WebhookEvent & { readonly type: T },
    tx: Tx,
  ) => unknown;
};

export type InboxOptions<Tx> = {
  readonly database: InboxDatabase<Tx>;
  readonly svc: EventSource;
  readonly apply: InboxHandlers<Tx>;
  /** Of several inboxes in one database, each of which applies every event. */
  readonly name?: string;
  /** Events before it are recorded without their handlers: they were dealt with in another way. */
  readonly from?: Date;
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
  /** Makes the tables; repeatable, also by several processes at once. */
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

const beginning = `evt_${'0'.repeat(32)}`;
const pageSize = 100;
/** Of many more events, so many are asked for by a span of time: each answer counts all that it is asked for. */
const mostAtOnce = 100 * pageSize;

/** The end of the span that the next page is asked for in; null where it is all that follows. */
function spanEnd({ data, nextCursor, total = 0 }: EventPage, before: string | null): string | null {
  const [first, last] = [data[0], data.at(-1)].map((event) => Date.parse(event?.timestamp ?? ''));
  if (nextCursor === null || first === undefined || last === undefined) return null;
  if (total <= mostAtOnce) return before;
  // As long as that many events take at the pace of these.
  const span = (Math.max(last - first, 1) / data.length) * mostAtOnce;
  return new Date(Math.ceil(last + span)).toISOString();
}

export function createInbox<Tx>(options: InboxOptions<Tx>): Inbox {
  const inbox = new Taking(options);
  return {
    migrate: () => inbox.migrate(),
    receive: async (event) => void (await inbox.receive(event as unknown as AnyEvent)),
    catchUp: () => inbox.catchUp(),
    rewind: () => inbox.rewind(),
    start: ({ everyMs = 60_000 } = {}) => startWalks(inbox, everyMs),
    failures: async () => (await inbox.failures()).map(shown),
    skip: (eventId) => inbox.skip(eventId),
  };
}

const shown = ({ id, resource, failures, ...rest }: Failure): InboxFailure => ({
  eventId: id,
  type: rest.type,
  resourceId: resource,
  sequence: rest.sequence,
  attempts: failures,
  error: rest.error,
  failedAt: rest.failedAt,
});

class Taking<Tx> {
  readonly #options: InboxOptions<Tx>;
  readonly #name: string;

  constructor(options: InboxOptions<Tx>) {
    this.#options = options;
    this.#name = options.name ?? 'default';
  }

  migrate(): Promise<void> {
    const { database } = this.#options;
    return database.transact(() => runSchema(database.schema));
  }

  failures(): Promise<Failure[]> {
    return this.#options.database.transact(() => listFailures(this.#name));
  }

  /** False for a duplicate. */
  async receive(event: AnyEvent): Promise<boolean> {
    const taken = await this.#take(event);
    if (taken.result === 'gap') await this.#fill(event, taken.last);
    // Nobody else may come back to what was passed by; this event itself is safe either way.
    else if (taken.hasFailed) await this.#drain(event.resource.id).catch(this.report);
    return taken.result !== 'duplicate';
  }

  async catchUp(): Promise<{ applied: number; failing: number }> {
    const applied = await this.walk(() => false);
    return { applied, failing: (await this.failures()).length };
  }

  /** Answers how many it applied; stopped, it ends before the next one. */
  async walk(isStopped: () => boolean): Promise<number> {
    const { database } = this.#options;
    for (const { resource } of await this.failures()) {
      if (isStopped()) return 0;
      await this.#drain(resource).catch(this.#unlessNoted);
    }
    let applied = 0;
    for (let until: string | null = null; ; ) {
      const cursor = await database.transact(() => readCursor(this.#name));
      const page = await this.#following(cursor ?? beginning, until);
      const { data, nextCursor } = page;
      for (const event of data) {
        if (isStopped()) return applied;
        if (await this.receive(event).catch(this.#unlessNoted)) applied += 1;
      }
      const last = data.at(-1);
      if (last) await database.transact(() => moveCursor(this.#name, last.id));
      // What follows the span is asked for before this is the end.
      if (nextCursor === null && until === null) return applied;
      until = spanEnd(page, until);
    }
  }

  rewind(): Promise<void> {
    return this.#options.database.transact(() => moveCursor(this.#name, beginning));
  }

  async skip(eventId: string): Promise<boolean> {
    const noted = await this.#options.database.transact(() => giveUp(this.#name, eventId));
    if (!noted) return false;
    // What fails next is a failure of its own, and noted.
    await this.#drain(noted.resource).catch(this.#unlessNoted);
    return !noted.isApplied;
  }

  /** One event in one transaction; its failure, which holds up all to `reach`, in another. */
  async #take(event: AnyEvent, reach?: number): Promise<Taken> {
    const placed = placeOf(event);
    const { outcome, handler } = this.#planFor(event);
    let isBegun = false;
    try {
      const taken = await this.#options.database.transact((tx) => {
        isBegun = true;
        return takeEvent(this.#name, placed, { outcome, run: () => handler(event as never, tx) });
      });
      if (taken.result !== 'number_used') return taken;
    } catch (error) {
      // Without a connection the event was not tried.
      throw isBegun ? await this.#noted(placed, error, reach) : error;
    }
    // Not noted as a failure of the resource: those after it do not wait for this one.
    const text = `${event.type} ${event.id}: number ${event.sequence} is that of another event`;
    throw new SvcInboxError('NumberUsed', text);
  }

  #planFor(event: AnyEvent): { outcome: Outcome; handler: (event: never, tx: Tx) => unknown } {
    const { apply, from } = this.#options;
    const nothing = () => undefined;
    if (from && Date.parse(event.timestamp) < from.getTime()) {
      return { outcome: 'before_start', handler: nothing };
    }
    const handler = Object.hasOwn(apply, event.type)
      ? (apply as Record<string, ((event: never, tx: Tx) => unknown) | undefined>)[event.type]
      : undefined;
    return handler ? { outcome: 'applied', handler } : { outcome: 'unhandled', handler: nothing };
  }

  /** The earlier events of the resource first, then this one. */
  async #fill(event: AnyEvent, last: number): Promise<void> {
    const missing = await this.#read(event.resource.id, last);
    for (const one of missing.filter(({ sequence }) => sequence < event.sequence)) {
      await this.#takeNext(one, event.sequence);
    }
    await this.#takeNext(event, event.sequence);
  }

  async #takeNext(event: AnyEvent, reach: number): Promise<void> {
    const { result, last } = await this.#take(event, reach);
    if (result === 'gap') throw await this.#noted(placeOf(event), missingAfter(last), reach);
  }

  /** All that the resource still lacks; with it gone, so is the note of its failure. */
  async #drain(resource: string): Promise<void> {
    const { database } = this.#options;
    const last = await database.transact(() => readLast(this.#name, resource));
    const lacking = await this.#read(resource, last);
    const reach = lacking.at(-1)?.sequence ?? last;
    for (const event of lacking) await this.#takeNext(event, reach);
    await database.transact(() => clearFailure(this.#name, resource));
  }

  /** Events of a resource beyond a number, in their order. */
  async #read(resource: string, last: number): Promise<AnyEvent[]> {
    const found = new Map<number, AnyEvent>();
    let highest = last;
    let cursor: string | null = null;
    do {
      const more = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page: EventPage = await this.#options.svc.request(
        'GET',
        `/v1/events?resourceId[eq]=${encodeURIComponent(resource)}&sortDirection=DESC&limit=${pageSize}${more}`,
      );
      for (const event of page.data) {
        if (event.sequence > last) found.set(event.sequence, event);
        highest = Math.max(highest, event.sequence);
      }
      // Newest first, though not to the number: two may bear the same time, on either side of a page's
      // end.
      const isWhole = found.has(last + 1) && found.size === highest - last;
      cursor = isWhole ? null : page.nextCursor;
    } while (cursor !== null);
    return [...found.values()].sort((a, b) => a.sequence - b.sequence);
  }

  #following(after: string, until: string | null): Promise<EventPage> {
    const { from, svc } = this.#options;
    const bound = (op: string, at: string) => `&createdAt[${op}]=${encodeURIComponent(at)}`;
    const since = from ? bound('gte', from.toISOString()) : '';
    const before = until === null ? '' : bound('lt', until);
    return svc.request('GET', `/v1/events?after=${after}&limit=${pageSize}${since}${before}`);
  }

  /** The error to throw. Where it cannot even be noted, the database is away: then as it came. */
  async #noted(event: Placed, error: unknown, reach = event.sequence): Promise<unknown> {
    const text = error instanceof Error ? error.message : String(error);
    // PostgreSQL keeps no zero characters.
    const failure = {
      error: text.replaceAll('\0', '').slice(0, 1000),
      at: new Date().toISOString(),
      reach,
      isTried: !(error instanceof SvcInboxError && error.code === 'EventMissing'),
    };
    const { database } = this.#options;
    try {
      await database.transact(() => noteFailure(this.#name, event, failure));
    } catch {
      return error;
    }
    const code = error instanceof SvcInboxError ? error.code : 'HandlerFailed';
    const noted = new SvcInboxError(code, `${event.type} ${event.id}: ${text}`, error);
    if (this.#options.onError) this.report(noted);
    return noted;
  }

  /** Tells of an error that no caller is thrown; what `onError` throws itself must not end a walk. */
  readonly report = (error: unknown): void => {
    const { onError = print } = this.#options;
    try {
      Promise.resolve(onError(error)).catch(print);
    } catch (reason) {
      print(reason);
    }
  };

  /** What was noted waits in its place; anything else ends the walk, and the next one resumes it. */
  readonly #unlessNoted = (error: unknown): false => {
    if (!(error instanceof SvcInboxError) || error.code === 'NotAnEvent') throw error;
    // It was told when it was noted; where nobody listens, no caller sees it either.
    if (!this.#options.onError || error.code === 'NumberUsed') this.report(error);
    return false;
  };
}

const missingAfter = (last: number): SvcInboxError =>
  new SvcInboxError('EventMissing', `the service did not show number ${last + 1} of its resource`);

function placeOf(event: AnyEvent): Placed {
  const { id, type, sequence, resource, timestamp } = Object(event) as Partial<AnyEvent>;
  const isPlaced =
    typeof id === 'string' &&
    typeof type === 'string' &&
    typeof timestamp === 'string' &&
    Number.isSafeInteger(sequence) &&
    typeof resource?.id === 'string';
  if (!isPlaced) {
    throw new SvcInboxError(
      'NotAnEvent',
      'An inbox takes events of the service, which have `sequence` and `resource`; those of the card provider have neither.',
    );
  }
  return { id, type, resource: resource.id, sequence: sequence as number };
}

function print(error: unknown): void {
  // biome-ignore lint/suspicious/noConsole: an error that nobody is told of is never found.
  console.error('svc inbox failed:', error);
}

function startWalks<Tx>(inbox: Taking<Tx>, everyMs: number): { stop(): Promise<void> } {
  let isStopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<void> = Promise.resolve();
  const walk = (): void => {
    running = inbox.walk(() => isStopped).then(() => undefined, inbox.report);
    void running.then(() => {
      if (!isStopped) timer = setTimeout(walk, everyMs);
    });
  };
  walk();
  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
