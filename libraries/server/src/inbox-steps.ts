// What an inbox does in one transaction each.

import { type Row, type Steps, statement } from './inbox-database.ts';

/** An event by its place: the resource and its number there. */
export type Placed = {
  readonly id: string;
  readonly type: string;
  readonly resource: string;
  readonly sequence: number;
};

export type Outcome = 'applied' | 'unhandled' | 'before_start' | 'skipped';

/** What became of an event: its effect is there now, was there before, or must wait. */
export type Taken = {
  readonly result: 'taken' | 'duplicate' | 'gap' | 'number_used';
  /** Of the resource, before this event. */
  readonly last: number;
  /** Events that were passed by while one failed may lie behind this one. */
  readonly hasFailed: boolean;
};

export type Failure = Placed & {
  readonly failures: number;
  readonly error: string;
  readonly failedAt: string;
};

/**
 * Takes one event. The row of its resource is locked first, so that of two processes one waits and
 * then sees a duplicate. What the inbox writes comes before the handler's part, and a mark around that:
 * a handler that ends the transaction by itself keeps or loses both, and is told. Where PostgreSQL has
 * broken the transaction off and the handler swallowed the error, the mark fails as it must, while a
 * bare commit would roll back without a word.
 */
export function* takeEvent(
  inbox: string,
  event: Placed,
  { outcome, run }: { readonly outcome: Outcome; readonly run: () => unknown },
): Steps<Taken> {
  const [row] = yield statement(
    `insert into svc_inbox_resources (inbox, resource, sequence) values (?, ?, 0)
     on conflict (inbox, resource) do update set sequence = svc_inbox_resources.sequence
     returning sequence, failed_sequence`,
    inbox,
    event.resource,
  );
  const last = Number(row?.sequence);
  const hasFailed = row?.failed_sequence != null;
  if (event.sequence <= last) {
    const [taken] = yield statement(
      'select event_id from svc_inbox_events where inbox = ? and resource = ? and sequence = ?',
      ...[inbox, event.resource, event.sequence],
    );
    const isOther = taken !== undefined && taken.event_id !== event.id;
    return { result: isOther ? 'number_used' : 'duplicate', last, hasFailed };
  }
  if (event.sequence > last + 1) return { result: 'gap', last, hasFailed };
  yield statement(
    `insert into svc_inbox_events (inbox, event_id, resource, sequence, type, outcome)
     values (?, ?, ?, ?, ?, ?)`,
    ...[inbox, event.id, event.resource, event.sequence, event.type, outcome],
  );
  yield statement(
    'update svc_inbox_resources set sequence = ? where inbox = ? and resource = ?',
    ...[event.sequence, inbox, event.resource],
  );
  if (outcome === 'applied') yield { call: run };
  return { result: 'taken', last, hasFailed };
}

/** The row of a resource whose failure is noted under that event. */
type Noted = {
  readonly resource: string;
  /** Nothing was given up: the event was applied meanwhile. */
  readonly isApplied: boolean;
};

/**
 * Gives up the failing event; where it was never tried, because one before it is missing, that one
 * alone. Whoever asks again finds it done, and an event whose turn has come only now is not given up
 * untried. The row is locked first, as by `takeEvent`.
 */
export function* giveUp(inbox: string, eventId: string): Steps<Noted | undefined> {
  const [row] = yield statement(
    `update svc_inbox_resources set failures = failures where inbox = ? and failed_event = ?
     returning resource, sequence, failed_sequence, failed_type, failures`,
    ...[inbox, eventId],
  );
  if (!row) return;
  const resource = String(row.resource);
  const [last, sequence] = [Number(row.sequence), Number(row.failed_sequence)];
  if (sequence <= last) {
    const [taken] = yield statement(
      'select outcome from svc_inbox_events where inbox = ? and event_id = ?',
      ...[inbox, eventId],
    );
    return { resource, isApplied: taken?.outcome !== 'skipped' };
  }
  const isTried = sequence === last + 1 && Number(row.failures) > 0;
  if (isTried) {
    yield statement(
      `insert into svc_inbox_events (inbox, event_id, resource, sequence, type, outcome)
       values (?, ?, ?, ?, ?, 'skipped')`,
      ...[inbox, eventId, resource, sequence, String(row.failed_type)],
    );
  }
  yield statement(
    'update svc_inbox_resources set sequence = ?, failures = ? where inbox = ? and resource = ?',
    ...[isTried ? sequence : sequence - 1, isTried ? Number(row.failures) : 0, inbox, resource],
  );
  return { resource, isApplied: false };
}

/**
 * Notes that an event could not be taken, and why. `failures` counts how often it was tried, which an
 * event that waits for a missing one was not. `reach` is the number up to which events are
 * passed by because of it: until that is reached the note stays, whoever applies the event itself.
 * Where another process has reached it meanwhile nothing waits, and nothing is noted.
 */
export function* noteFailure(
  inbox: string,
  event: Placed,
  failure: {
    readonly error: string;
    readonly at: string;
    readonly reach: number;
    readonly isTried: boolean;
  },
): Steps<void> {
  yield statement(
    `insert into svc_inbox_resources
       (inbox, resource, sequence, failed_sequence, failed_event, failed_type, failures, error,
        failed_at, reach)
     values (?, ?, 0, ?, ?, ?, ?, ?, ?, ?)
     on conflict (inbox, resource) do update set
       failures = case when svc_inbox_resources.failed_event = excluded.failed_event
         then svc_inbox_resources.failures + excluded.failures else excluded.failures end,
       failed_sequence = excluded.failed_sequence, failed_event = excluded.failed_event,
       failed_type = excluded.failed_type, error = excluded.error, failed_at = excluded.failed_at,
       reach = case when svc_inbox_resources.reach > excluded.reach
         then svc_inbox_resources.reach else excluded.reach end
     where svc_inbox_resources.sequence < excluded.reach`,
    ...[
      inbox,
      event.resource,
      event.sequence,
      event.id,
      event.type,
      failure.isTried ? 1 : 0,
      failure.error,
      failure.at,
      failure.reach,
    ],
  );
}

/** Once nothing of the resource is left behind; a failure noted meanwhile stays. */
export function* clearFailure(inbox: string, resource: string): Steps<void> {
  yield statement(
    `update svc_inbox_resources set failed_sequence = null, failed_event = null,
       failed_type = null, failures = 0, error = null, failed_at = null, reach = null
     where inbox = ? and resource = ? and reach <= sequence`,
    ...[inbox, resource],
  );
}

export function* listFailures(inbox: string): Steps<Failure[]> {
  const rows = yield statement(
    `select resource, failed_sequence, failed_event, failed_type, failures, error, failed_at
     from svc_inbox_resources where inbox = ? and failed_sequence is not null
     order by failed_at, resource`,
    inbox,
  );
  return rows.map(toFailure);
}

const toFailure = (row: Row): Failure => ({
  id: String(row.failed_event),
  type: String(row.failed_type),
  resource: String(row.resource),
  sequence: Number(row.failed_sequence),
  failures: Number(row.failures),
  error: String(row.error),
  failedAt: new Date(row.failed_at as string | Date).toISOString(),
});

/**
 * Where the inbox begins: an instant, null for the beginning, undefined for a new inbox that was not
 * told. The first run stores it; of two processes at once, the first one's stands. An inbox that has
 * rows and no start began at the beginning unless told.
 */
export function* openStart(
  inbox: string,
  from: string | null | undefined,
): Steps<string | null | undefined> {
  const read = statement('select begins_at from svc_inbox_starts where inbox = ?', inbox);
  const [stored] = yield read;
  if (stored) return startOf(stored);
  const [used] = yield statement(
    `select 1 from svc_inbox_resources where inbox = ?
     union all select 1 from svc_inbox_cursors where inbox = ? limit 1`,
    ...[inbox, inbox],
  );
  if (!used && from === undefined) return undefined;
  yield statement(
    'insert into svc_inbox_starts (inbox, begins_at) values (?, ?) on conflict (inbox) do nothing',
    ...[inbox, from ?? null],
  );
  const [row] = yield read;
  return row && startOf(row);
}

const startOf = ({ begins_at: at }: Row): string | null =>
  at === null ? null : new Date(at as string | Date).toISOString();

/** Applies an event that was recorded without its handler; false where it was applied or given up. */
export function* takeAgain(inbox: string, eventId: string, run: () => unknown): Steps<boolean> {
  const [row] = yield statement(
    `update svc_inbox_events set outcome = 'applied'
     where inbox = ? and event_id = ? and outcome in ('unhandled', 'before_start')
     returning event_id`,
    ...[inbox, eventId],
  );
  if (!row) return false;
  yield { call: run };
  return true;
}

export function* readLast(inbox: string, resource: string): Steps<number> {
  const [row] = yield statement(
    'select sequence from svc_inbox_resources where inbox = ? and resource = ?',
    ...[inbox, resource],
  );
  return Number(row?.sequence ?? 0);
}

export function* readCursor(inbox: string): Steps<string | undefined> {
  const [row] = yield statement('select event_id from svc_inbox_cursors where inbox = ?', inbox);
  return row === undefined ? undefined : String(row.event_id);
}

/** Whoever walks the same way at the same time may be behind: that repeats, and skips nothing. */
export function* moveCursor(inbox: string, eventId: string): Steps<void> {
  yield statement(
    `insert into svc_inbox_cursors (inbox, event_id) values (?, ?)
     on conflict (inbox) do update set event_id = excluded.event_id`,
    ...[inbox, eventId],
  );
}

export function* runSchema(schema: readonly string[]): Steps<void> {
  for (const text of schema) yield statement(text);
}
