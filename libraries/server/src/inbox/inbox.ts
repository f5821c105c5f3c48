// The inbox: applies the service's events exactly once in the merchant's own database transaction, in order
// per resource, whatever happened to their deliveries. Contract §7.

import { cutText } from '@svc/contract/values/characters';
import { SvcInboxError } from './inbox-error.ts';
import { instantOf, startMissing, startRefusal } from './inbox-start.ts';
import {
  type ApplyResult,
  applyAgain,
  clearFailure,
  type EventPosition,
  type Failure,
  giveUpEvent,
  listFailures,
  moveCursor,
  noteFailure,
  type Outcome,
  openStart,
  readCursor,
  readLast,
  runSchema,
  takeEvent,
} from './inbox-steps.ts';
import type {
  AnyEvent,
  EventPage,
  Inbox,
  InboxFailure,
  InboxHandlers,
  InboxOptions,
} from './inbox-types.ts';

export { type InboxDatabase, inboxSchema } from './inbox-database.ts';
export { type InboxErrorCode, SvcInboxError } from './inbox-error.ts';
export { postgres, postgresJs } from './inbox-postgres.ts';
export { sqlite } from './inbox-sqlite.ts';
export type {
  EventSource,
  Inbox,
  InboxFailure,
  InboxHandlers,
  InboxOptions,
} from './inbox-types.ts';

const beginning = `evt_${'0'.repeat(32)}`;
const pageSize = 100;
/** When more events follow, they are read in spans of time, because each response counts its whole query. */
const mostAtOnce = 100 * pageSize;

/** The end of the span for the next page; null when the next page reads all that follows. */
function spanEnd({ data, nextCursor, total = 0 }: EventPage, before: string | null): string | null {
  const [first, last] = [data[0], data.at(-1)].map((event) => Date.parse(event?.timestamp ?? ''));
  if (nextCursor === null || first === undefined || last === undefined) return null;
  if (total <= mostAtOnce) return before;
  // The time in which that many events happen at the rate of this page.
  const span = (Math.max(last - first, 1) / data.length) * mostAtOnce;
  return new Date(Math.ceil(last + span)).toISOString();
}

export function createInbox<Tx>(options: InboxOptions<Tx>): Inbox {
  const inbox = new InboxProcessor(options);
  return {
    migrate: () => inbox.migrate(),
    receive: async (event) => void (await inbox.receive(event as unknown as AnyEvent)),
    catchUp: () => inbox.catchUp(),
    rewind: () => inbox.rewind(),
    reapply: ({ types, since }) => inbox.reapply(types, since),
    start: ({ everyMs = 60_000 } = {}) => startWalks(inbox, everyMs),
    failures: async () => (await inbox.failures()).map(showFailure),
    skip: (eventId) => inbox.skip(eventId),
  };
}

const showFailure = ({ id, resource, failures, ...rest }: Failure): InboxFailure => ({
  eventId: id,
  type: rest.type,
  resourceId: resource,
  sequence: rest.sequence,
  attempts: failures,
  error: rest.error,
  failedAt: rest.failedAt,
});

class InboxProcessor<Tx> {
  readonly #options: InboxOptions<Tx>;
  readonly #name: string;
  readonly #from: string | null | undefined;
  #start: Promise<string | null> | undefined;

  constructor(options: InboxOptions<Tx>) {
    this.#options = options;
    this.#name = options.name ?? 'default';
    const { from } = options;
    this.#from = from === undefined ? from : from === 'beginning' ? null : instantOf('from', from);
  }

  async migrate(): Promise<void> {
    const { database } = this.#options;
    await database.transact(() => runSchema(database.schema));
    await this.#begin();
  }

  /** Where the inbox begins; read from the database once per process. */
  async #begin(): Promise<string | null> {
    const { database } = this.#options;
    this.#start ??= database
      .transact(() => openStart(this.#name, this.#from))
      .then((start) => {
        if (start !== undefined) return start;
        throw new SvcInboxError('StartMissing', startMissing);
      });
    try {
      return await this.#start;
    } catch (error) {
      this.#start = undefined;
      throw error;
    }
  }

  async reapply(types: readonly string[], since: Date | string): Promise<{ applied: number }> {
    const { apply, database, svc } = this.#options;
    if (
      !Array.isArray(types) ||
      types.length === 0 ||
      types.some((type) => !handlerIn(apply, type))
    )
      throw startRefusal('types', 'must be event types that have a handler in `apply`');
    const at = encodeURIComponent(instantOf('since', since));
    const named = types.map(encodeURIComponent).join(',');
    let applied = 0;
    for (let after = beginning; ; ) {
      const page: EventPage = await svc.request(
        'GET',
        `/v1/events?after=${after}&limit=${pageSize}&type[in]=${named}&createdAt[gte]=${at}`,
      );
      for (const event of page.data) {
        // Events that no walk has read yet are recorded first, in order.
        await this.receive(event);
        if (isStartProof(event)) continue;
        const run = (tx: Tx) => () => handlerIn(apply, event.type)?.(event as never, tx);
        const isApplied = await database
          .transact((tx) => applyAgain(this.#name, event.id, run(tx)))
          .catch((error: unknown) => {
            throw handlerFailed(event, error);
          });
        if (isApplied) applied += 1;
      }
      after = page.data.at(-1)?.id ?? after;
      if (page.nextCursor === null) return { applied };
    }
  }

  failures(): Promise<Failure[]> {
    return this.#options.database.transact(() => listFailures(this.#name));
  }

  /** Returns false for a duplicate. */
  async receive(event: AnyEvent): Promise<boolean> {
    const taken = await this.#take(event);
    if (taken.result === 'gap') await this.#fill(event, taken.last);
    // No later call may apply the skipped events. This event is applied, so errors are only reported.
    else if (taken.hasFailed) await this.#drain(event.resource.id).catch(this.report);
    return taken.result !== 'duplicate';
  }

  async catchUp(): Promise<{ applied: number; failing: number }> {
    const applied = await this.walk(() => false);
    return { applied, failing: (await this.failures()).length };
  }

  /** Returns how many events it applied. After a stop it ends before the next event. */
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
      // The walk ends only after the events behind the span were read too.
      if (nextCursor === null && until === null) return applied;
      until = spanEnd(page, until);
    }
  }

  rewind(): Promise<void> {
    return this.#options.database.transact(() => moveCursor(this.#name, beginning));
  }

  async skip(eventId: string): Promise<boolean> {
    const noted = await this.#options.database.transact(() => giveUpEvent(this.#name, eventId));
    if (!noted) return false;
    // The next event's failure is stored as a failure of its own.
    await this.#drain(noted.resource).catch(this.#unlessNoted);
    return !noted.isApplied;
  }

  /**
   * Applies one event in a transaction. Stores a failure in a second transaction; it blocks the events of the same
   * resource up to the sequence number `reach`.
   */
  async #take(event: AnyEvent, reach?: number): Promise<ApplyResult> {
    const placed = placeOf(event);
    const { outcome, handler } = this.#planFor(event, await this.#begin());
    let isBegun = false;
    try {
      const taken = await this.#options.database.transact((tx) => {
        isBegun = true;
        return takeEvent(this.#name, placed, { outcome, run: () => handler(event as never, tx) });
      });
      if (taken.result !== 'number_used') return taken;
    } catch (error) {
      // Without a connection the handler was not called, so nothing is stored.
      throw isBegun ? await this.#noted(placed, error, reach) : error;
    }
    // Not stored as a failure of the resource: later events do not wait for this one.
    const text = `${event.type} ${event.id}: number ${event.sequence} is that of another event`;
    throw new SvcInboxError('NumberUsed', text);
  }

  #planFor(
    event: AnyEvent,
    start: string | null,
  ): { outcome: Outcome; handler: (event: never, tx: Tx) => unknown } {
    const doNothing = () => undefined;
    if (start !== null && Date.parse(event.timestamp) < Date.parse(start)) {
      return { outcome: 'before_start', handler: doNothing };
    }
    const handler = isStartProof(event) ? undefined : handlerIn(this.#options.apply, event.type);
    return handler ? { outcome: 'applied', handler } : { outcome: 'unhandled', handler: doNothing };
  }

  /** Applies the missing earlier events of the resource, then this one. */
  async #fill(event: AnyEvent, last: number): Promise<void> {
    const missing = await this.#read(event.resource.id, last);
    for (const one of missing.filter(({ sequence }) => sequence < event.sequence)) {
      await this.#takeNext(one, event.sequence);
    }
    await this.#takeNext(event, event.sequence);
  }

  async #takeNext(event: AnyEvent, reach: number): Promise<void> {
    const { result, last } = await this.#take(event, reach);
    if (result === 'gap') throw await this.#noted(placeOf(event), missingEventError(last), reach);
  }

  /** Applies all missing events of the resource, then clears its stored failure. */
  async #drain(resource: string): Promise<void> {
    const { database } = this.#options;
    const last = await database.transact(() => readLast(this.#name, resource));
    const lacking = await this.#read(resource, last);
    const reach = lacking.at(-1)?.sequence ?? last;
    for (const event of lacking) await this.#takeNext(event, reach);
    await database.transact(() => clearFailure(this.#name, resource));
  }

  /** Reads the events of a resource after a number, in order. */
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
      // Newest first, but not strictly by number: two events may have the same time, on either side of a
      // page break.
      const isWhole = found.has(last + 1) && found.size === highest - last;
      cursor = isWhole ? null : page.nextCursor;
    } while (cursor !== null);
    return [...found.values()].sort((a, b) => a.sequence - b.sequence);
  }

  async #following(after: string, until: string | null): Promise<EventPage> {
    const start = await this.#begin();
    const boundParameter = (op: string, at: string) =>
      `&createdAt[${op}]=${encodeURIComponent(at)}`;
    const since = start === null ? '' : boundParameter('gte', start);
    const before = until === null ? '' : boundParameter('lt', until);
    return this.#options.svc.request(
      'GET',
      `/v1/events?after=${after}&limit=${pageSize}${since}${before}`,
    );
  }

  /** Returns the error to throw. When the database cannot store the failure, it is the original error. */
  async #noted(event: EventPosition, error: unknown, reach = event.sequence): Promise<unknown> {
    const text = error instanceof Error ? error.message : String(error);
    // PostgreSQL text cannot hold NUL characters.
    const failure = {
      error: cutText(text.replaceAll('\0', ''), 1000),
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

  /** Reports an error that no caller receives. An error in `onError` must not end a walk. */
  readonly report = (error: unknown): void => {
    const { onError = print } = this.#options;
    try {
      Promise.resolve(onError(error)).catch(print);
    } catch (reason) {
      print(reason);
    }
  };

  /** A stored failure waits in its place; any other error ends the walk, and the next walk continues. */
  readonly #unlessNoted = (error: unknown): false => {
    if (!(error instanceof SvcInboxError) || error.code === 'NotAnEvent') throw error;
    // A failure was reported when it was stored, but not without `onError`; `NumberUsed` is never stored.
    if (!this.#options.onError || error.code === 'NumberUsed') this.report(error);
    return false;
  };
}

/** The test payment that `npm start` makes: it belongs to no order. */
const isStartProof = ({ data }: AnyEvent): boolean => data?.isStartProof === true;

type Handler<Tx> = (event: never, tx: Tx) => unknown;

const handlerIn = <Tx>(apply: InboxHandlers<Tx>, type: string): Handler<Tx> | undefined =>
  Object.hasOwn(apply, type) ? (apply as Record<string, Handler<Tx> | undefined>)[type] : undefined;

function handlerFailed(event: AnyEvent, error: unknown): unknown {
  if (error instanceof SvcInboxError) return error;
  const text = error instanceof Error ? error.message : String(error);
  return new SvcInboxError('HandlerFailed', `${event.type} ${event.id}: ${text}`, error);
}

const missingEventError = (last: number): SvcInboxError =>
  new SvcInboxError('EventMissing', `the service did not show number ${last + 1} of its resource`);

function placeOf(event: AnyEvent): EventPosition {
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

function startWalks<Tx>(inbox: InboxProcessor<Tx>, everyMs: number): { stop(): Promise<void> } {
  let isStopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<void> = Promise.resolve();
  const startWalk = (): void => {
    running = inbox.walk(() => isStopped).then(() => undefined, inbox.report);
    void running.then(() => {
      if (!isStopped) timer = setTimeout(startWalk, everyMs);
    });
  };
  startWalk();
  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
