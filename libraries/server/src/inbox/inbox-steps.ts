// The transactions of an inbox, as steps.

import { type Row, type Steps, statement } from './inbox-database.ts';

/** An event's position: its resource and its number there. */
export type EventPosition = {
  readonly id: string;
  readonly type: string;
  readonly resource: string;
  readonly sequence: number;
};

export type Outcome = 'applied' | 'unhandled' | 'before_start' | 'skipped';

/**
 * The result for an event: applied now, applied before, waiting for an earlier one, or conflicting with
 * another event of the same number.
 */
export type ApplyResult = {
  readonly result: 'taken' | 'duplicate' | 'gap' | 'number_used';
  /** The resource's last applied number before this event. */
  readonly last: number;
  /** An earlier event failed, so events that were skipped meanwhile may follow this one. */
  readonly hasFailed: boolean;
};

export type Failure = EventPosition & {
  readonly failures: number;
  readonly error: string;
  readonly failedAt: string;
};

/**
 * Takes one event. The resource's row is locked first, so that one of two processes waits and then sees a
 * duplicate. The inbox writes its rows before it calls the handler, with a savepoint in between: when the
 * handler ends the transaction by itself, both writes are kept or lost together, and the missing savepoint
 * reveals it. When PostgreSQL has aborted the transaction and the handler swallowed the error, releasing
 * the savepoint fails as it must, while a bare commit would silently roll back.
 */
export function* takeEvent(
  inbox: string,
  event: EventPosition,
  { outcome, run }: { readonly outcome: Outcome; readonly run: () => unknown },
): Steps<ApplyResult> {
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

/** A resource of the inbox whose recorded failure is of this event. */
type RecordedFailure = {
  readonly resource: string;
  /** The event was not given up, because it was applied meanwhile. */
  readonly isApplied: boolean;
};

/**
 * Gives up the failing event. When the event was never tried because an earlier one is missing, only the
 * missing one is given up. A repeated call changes nothing more, and an event that has become the next one
 * is not given up untried. The row is locked first, as in `takeEvent`.
 */
export function* giveUpEvent(inbox: string, eventId: string): Steps<RecordedFailure | undefined> {
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
 * Stores that an event could not be applied, and why. `failures` counts its attempts; an event that waits
 * for a missing one was not tried. `reach` is the number up to which events are waiting because of this
 * failure: the failure stays stored until that number is applied, whoever applies the event itself. When
 * another process has already reached it, nothing is stored.
 */
export function* noteFailure(
  inbox: string,
  event: EventPosition,
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

/** Clears the failure once every event up to its `reach` is applied; a newer failure stays. */
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
 * Returns where the inbox begins: an instant, null for the first event, or undefined for a new inbox
 * without `from`. The first run stores it; when two processes start at once, the first one's value counts.
 * An inbox that has rows and no stored start began with the first event unless `from` states otherwise.
 */
export function* openStart(
  inbox: string,
  from: string | null | undefined,
): Steps<string | null | undefined> {
  const read = statement('select begins_at from svc_inbox_starts where inbox = ?', inbox);
  const [stored] = yield read;
  if (stored) return startOfRow(stored);
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
  return row && startOfRow(row);
}

const startOfRow = ({ begins_at: at }: Row): string | null =>
  at === null ? null : new Date(at as string | Date).toISOString();

/**
 * Applies an event that was recorded without its handler. Returns false when it was applied or given up.
 */
export function* applyAgain(inbox: string, eventId: string, run: () => unknown): Steps<boolean> {
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

/**
 * Stores the cursor. A slower process may set it back: its events are then read twice, and none is skipped.
 */
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
