// What is wrong with the installation now, and what the operator has been told of it. A row lasts from
// the first look that sees a trouble until the operator knows that it is over.

import { type Database, everyClient, type Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

export type Alert = {
  /** What is wrong, in snake_case: `payment_in_doubt`, `endpoint_fails`, … */
  readonly kind: string;
  /** The id of the gateway or endpoint, or a word; '' where the kind has one subject. */
  readonly subject: string;
  readonly said: string;
  readonly mend: string;
};

export type KeptAlert = Alert & { readonly beganAt: Date; readonly endedAt: Date | null };

const takeTurn = sql<{ is_mine: boolean }>(
  'alerts.take_turn',
  `select pg_try_advisory_xact_lock(hashtextextended('alerts', 12)) as is_mine`,
);

/** Whether this transaction alone looks now; another process looks otherwise. */
export async function takeAlertTurn(tx: Tx): Promise<boolean> {
  const [row] = await tx.query(takeTurn, []);
  return row?.is_mine === true;
}

const keep = sql(
  'alerts.keep',
  `insert into operator_alerts (kind, subject, said, mend, began_at)
   select kind, subject, said, mend, clock_timestamp()
   from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as t (kind, subject, said, mend)
   on conflict (kind, subject) do update set said = excluded.said, mend = excluded.mend, ended_at = null`,
);
const end = sql(
  'alerts.end',
  `update operator_alerts a set ended_at = clock_timestamp()
   where a.ended_at is null and not exists (
     select from unnest($1::text[], $2::text[]) as t (kind, subject)
     where t.kind = a.kind and t.subject = a.subject)`,
);
const dropUntold = sql(
  'alerts.drop_untold',
  'delete from operator_alerts where ended_at is not null and told_at is null',
);

/** Stores the troubles of this look; those that it does not name have ended. */
export async function keepAlerts(tx: Tx, alerts: readonly Alert[]): Promise<void> {
  const kinds = alerts.map(({ kind }) => kind);
  const subjects = alerts.map(({ subject }) => subject);
  const [said, mend] = [alerts.map((one) => one.said), alerts.map((one) => one.mend)];
  if (alerts.length > 0) await tx.query(keep, [kinds, subjects, said, mend]);
  await tx.query(end, [kinds, subjects]);
  await tx.query(dropUntold, []);
}

const untold = sql<{
  kind: string;
  subject: string;
  said: string;
  mend: string;
  began_at: Date;
  ended_at: Date | null;
}>(
  'alerts.untold',
  `select kind, subject, said, mend, began_at, ended_at from operator_alerts
   where (told_at is null or ended_at is not null) and not exists (
     select from operator_alerts t where t.told_at > clock_timestamp() - make_interval(secs => $1))
   order by began_at, kind, subject limit 100`,
);

/**
 * Returns what began or ended and was not told; nothing while the last message is younger than
 * `quietSeconds`.
 */
export async function listUntoldAlerts(tx: Tx, quietSeconds: number): Promise<KeptAlert[]> {
  const rows = await tx.query(untold, [quietSeconds]);
  return rows.map(({ began_at: beganAt, ended_at: endedAt, ...alert }) => ({
    ...alert,
    beganAt,
    endedAt,
  }));
}

const setTold = sql(
  'alerts.set_told',
  `update operator_alerts a set told_at = clock_timestamp()
   from unnest($1::text[], $2::text[]) as t (kind, subject)
   where a.kind = t.kind and a.subject = t.subject and a.ended_at is null`,
);
const dropOver = sql(
  'alerts.drop_over',
  `delete from operator_alerts a using unnest($1::text[], $2::text[]) as t (kind, subject)
   where a.kind = t.kind and a.subject = t.subject and a.ended_at is not null`,
);

/** Marks the alerts as told to the operator, and removes those that have ended. */
export async function markAlertsTold(tx: Tx, alerts: readonly Alert[]): Promise<void> {
  const keys = [alerts.map(({ kind }) => kind), alerts.map(({ subject }) => subject)];
  await tx.query(setTold, keys);
  await tx.query(dropOver, keys);
}

const insertMessage = sql(
  'alerts.insert_message',
  `insert into operator_messages (id, body, created_at, next_attempt_at)
   values ($1, $2, clock_timestamp(), clock_timestamp())`,
);

/** Queues a message for the operator's own URL. */
export async function insertOperatorMessage(tx: Tx, id: string, body: string): Promise<void> {
  await tx.query(insertMessage, [id, body]);
}

const claim = sql<{ id: string; body: string }>(
  'alerts.claim_message',
  `update operator_messages set attempts = attempts + 1, next_attempt_at =
     clock_timestamp() + least(interval '1 hour', interval '30 s' * power(2, least(attempts, 10)))
   where id = (select id from operator_messages where next_attempt_at <= clock_timestamp()
     order by created_at limit 1 for update skip locked)
   returning id, body`,
);

/** Takes the oldest message that is due; another attempt is due later, unless it is removed. */
export async function claimOperatorMessage(
  db: Database,
): Promise<{ readonly id: string; readonly body: string } | null> {
  const [row] = await db.write(claim, []);
  return row ?? null;
}

const dropMessage = sql('alerts.drop_message', 'delete from operator_messages where id = $1');

/** Removes a message that was taken. */
export async function dropOperatorMessage(db: Database, id: string): Promise<void> {
  await db.write(dropMessage, [id]);
}

const dropOld = sql(
  'alerts.drop_old_messages',
  `delete from operator_messages where created_at < clock_timestamp() - interval '3 days'`,
);

/** Gives up messages that nobody took for three days. */
export const dropOldMessages = (db: Database): Promise<void> =>
  db.transaction(everyClient, async (tx) => {
    await tx.query(dropOld, []);
  });
