// The tables `notifications` and `notification_mails`: who is told of which fact, in which mail. Fact and person
// are the key; the row of `notification_mails` is the lock under which mails of a kind are written.

import type { NotificationKind } from '@svc/contract/settings/notifications';
import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { aboutFact, type FactRow, factColumns, type NotificationFact, toFact } from './facts.ts';

/** One kind to one person; `daily_digest` for all that the person reads daily. */
export type NotificationKey = {
  readonly clientId: string;
  readonly userId: string;
  readonly kind: NotificationKind;
};

const insert = sql(
  'notifications.insert',
  `insert into notifications (fact_id, client_id, user_id, kind, way, created_at)
   values ($1::bigint, $2, $3, $4, $5, svc_clock()) on conflict do nothing`,
);

export async function insertNotification(
  tx: Tx,
  fact: Pick<NotificationFact, 'id' | 'clientId' | 'kind'>,
  { userId, way }: { readonly userId: string; readonly way: 'mail' | 'daily' },
): Promise<void> {
  await tx.query(insert, [fact.id, fact.clientId, userId, fact.kind, way]);
}

type KeyRow = { client_id: string; user_id: string; kind: NotificationKind };
const toKey = (row: KeyRow): NotificationKey => ({
  clientId: row.client_id,
  userId: row.user_id,
  kind: row.kind,
});

/** A mail that no worker has taken: it may be rewritten. */
const isUnsent = `m.state = 'waiting' and m.epoch = 0`;

const listDue = sql<KeyRow>(
  'notifications.list_due',
  `select distinct n.client_id, n.user_id, n.kind from notifications n
   join users u on u.id = n.user_id and u.disabled_at is null
   left join notification_mails l
     on l.client_id = n.client_id and l.user_id = n.user_id and l.kind = n.kind
   where n.mail_id is null and n.way = 'mail'
     and (l.mail_id is null or l.written_at <= (select svc_clock()) - interval '1 hour'
       or exists (select from mails m where m.id = l.mail_id and ${isUnsent}))
   limit $1`,
);

/** Lists the persons and kinds for which a mail may be written or extended now. */
export const listDueNotifications = async (
  database: Database,
  limit: number,
): Promise<NotificationKey[]> => (await database.read(listDue, [limit])).map(toKey);

const ensure = sql(
  'notifications.ensure_mail',
  `insert into notification_mails (client_id, user_id, kind, written_at)
   values ($1, $2, $3, '-infinity') on conflict do nothing`,
);
/** The last seven in the morning, as an instant. */
const lastMorning = (zone: string): string =>
  `((date_trunc('day', (svc_clock() at time zone ${zone}) - interval '7 hours')
     + interval '7 hours') at time zone ${zone})`;
const lock = sql<{ mail_id: string | null; is_recent: boolean; is_after_morning: boolean }>(
  'notifications.lock_mail',
  `select l.mail_id, l.written_at > svc_clock() - interval '1 hour' as is_recent,
     l.written_at >= ${lastMorning('c.time_zone')} as is_after_morning
   from notification_mails l join clients c on c.id = l.client_id
   where l.client_id = $1 and l.user_id = $2 and l.kind = $3 for update of l`,
);

export type LastMail = {
  readonly mailId: string | null;
  /** The last mail of the kind was written less than an hour ago. */
  readonly isRecent: boolean;
  /** It was written after the last seven in the morning of the merchant's time zone. */
  readonly isAfterMorning: boolean;
};

/** Locks the row of the last mail. The caller holds the membership's lock, so the row can be inserted. */
export async function lockLastMail(
  tx: Tx,
  { clientId, userId, kind }: NotificationKey,
): Promise<LastMail> {
  await tx.query(ensure, [clientId, userId, kind]);
  const [row] = await tx.query(lock, [clientId, userId, kind]);
  if (!row) throw new Error('a place that was made is missing');
  return { mailId: row.mail_id, isRecent: row.is_recent, isAfterMorning: row.is_after_morning };
}

const setLast = sql(
  'notifications.set_mail',
  `update notification_mails set mail_id = $4, written_at = svc_clock()
   where client_id = $1 and user_id = $2 and kind = $3`,
);

/** `mailId` is null when the day's digest had nothing to report. */
export async function setLastMail(
  tx: Tx,
  { clientId, userId, kind }: NotificationKey,
  mailId: string | null,
): Promise<void> {
  await tx.query(setLast, [clientId, userId, kind, mailId]);
}

/** Has the person's next digest wait for the next morning, as a new member's does. */
export async function postponeDigest(
  tx: Tx,
  person: Pick<NotificationKey, 'clientId' | 'userId'>,
): Promise<void> {
  const key = { ...person, kind: 'daily_digest' } as const;
  await tx.query(ensure, [key.clientId, key.userId, key.kind]);
  await setLastMail(tx, key, null);
}

const waiting = `select ${factColumns} from notifications n join notification_facts f on f.id = n.fact_id
  ${aboutFact} where n.client_id = $1 and n.user_id = $2 and n.mail_id is null`;

const listWaiting = sql<FactRow>(
  'notifications.list_waiting',
  `${waiting} and n.kind = $3 and n.way = 'mail' order by f.id limit 1000`,
);
export const listWaitingNotifications = async (
  tx: Tx,
  { clientId, userId, kind }: NotificationKey,
): Promise<NotificationFact[]> =>
  (await tx.query(listWaiting, [clientId, userId, kind])).map(toFact);

const listDaily = sql<FactRow>(
  'notifications.list_daily',
  `${waiting} and n.way = 'daily' order by f.id limit 1000`,
);
export const listDailyNotifications = async (
  tx: Tx,
  { clientId, userId }: Pick<NotificationKey, 'clientId' | 'userId'>,
): Promise<NotificationFact[]> => (await tx.query(listDaily, [clientId, userId])).map(toFact);

const listOfMail = sql<FactRow>(
  'notifications.list_of_mail',
  `select ${factColumns} from notifications n join notification_facts f on f.id = n.fact_id ${aboutFact}
   where n.client_id = $1 and n.mail_id = $2 order by f.id`,
);
export const listNotificationsOfMail = async (
  tx: Tx,
  clientId: string,
  mailId: string,
): Promise<NotificationFact[]> => (await tx.query(listOfMail, [clientId, mailId])).map(toFact);

const ofFacts = 'client_id = $1 and user_id = $2 and fact_id = any($3::bigint[])';
const settle = sql(
  'notifications.settle',
  `update notifications set mail_id = $4 where ${ofFacts}`,
);
const drop = sql('notifications.drop', `delete from notifications where ${ofFacts}`);
const postpone = sql(
  'notifications.postpone',
  `update notifications set way = 'daily' where ${ofFacts}`,
);

type Receiver = Pick<NotificationKey, 'clientId' | 'userId'>;
const valuesOf = ({ clientId, userId }: Receiver, facts: readonly NotificationFact[]) => [
  clientId,
  userId,
  facts.map(({ id }) => id),
];

/** Records the mail that contains these facts. */
export async function settleNotifications(
  tx: Tx,
  person: Receiver,
  { facts, mailId }: { readonly facts: readonly NotificationFact[]; readonly mailId: string },
): Promise<void> {
  await tx.query(settle, [...valuesOf(person, facts), mailId]);
}

/** Deletes the person's notifications of these facts. */
export async function dropNotifications(
  tx: Tx,
  person: Receiver,
  facts: readonly NotificationFact[],
): Promise<void> {
  if (facts.length > 0) await tx.query(drop, valuesOf(person, facts));
}

/** Moves these notifications to the digest. */
export async function postponeNotifications(
  tx: Tx,
  person: Receiver,
  facts: readonly NotificationFact[],
): Promise<void> {
  if (facts.length > 0) await tx.query(postpone, valuesOf(person, facts));
}

const digests = sql<KeyRow>(
  'notifications.list_digests',
  `with here as materialized (
     select m.client_id, m.user_id, m.role, m.created_at as joined_at, l.written_at,
       (svc_clock() at time zone c.time_zone)::time as time, ${lastMorning('c.time_zone')} as morning
     from memberships m join clients c on c.id = m.client_id
     join users u on u.id = m.user_id and u.disabled_at is null
     left join notification_mails l on l.client_id = m.client_id and l.user_id = m.user_id
       and l.kind = 'daily_digest')
   select h.client_id, h.user_id, 'daily_digest' as kind from here h
   where h.time >= time '07:00' and (h.written_at is null or h.written_at < h.morning)
     and (exists (select from notifications n join notification_facts f on f.id = n.fact_id
         where n.client_id = h.client_id and n.user_id = h.user_id
           and n.mail_id is null and n.way = 'daily' and f.happened_at < h.morning)
       or coalesce((select c.choice = 'daily' and c.updated_at < h.morning
           from notification_choices c where c.client_id = h.client_id
             and c.user_id = h.user_id and c.kind = 'daily_digest'),
         h.role = any($2::text[]) and h.joined_at < h.morning))
   limit $1`,
);

/**
 * Lists who is owed a digest: none was written since seven in the morning, and by then something had happened
 * or the person read the figures. What comes later in the day waits for the next morning.
 */
export const listDueDigests = async (
  database: Database,
  limit: number,
  roles: readonly string[],
): Promise<NotificationKey[]> => (await database.read(digests, [limit, roles])).map(toKey);

export type NotificationPlace = {
  readonly name: string;
  readonly timeZone: string;
  /** The day before, as the merchant's time zone has it. */
  readonly dayFrom: Date;
  readonly dayTo: Date;
};

const place = sql<{ name: string; time_zone: string; day_from: Date; day_to: Date }>(
  'notifications.find_place',
  `select coalesce(c.business_name, c.name) as name, c.time_zone,
     first_instant(t.today - interval '1 day', c.time_zone) as day_from,
     first_instant(t.today, c.time_zone) as day_to
   from clients c,
     lateral (select date_trunc('day', svc_clock() at time zone c.time_zone) as today) t
   where c.id = $1`,
);

export async function findNotificationPlace(
  database: Database,
  clientId: string,
): Promise<NotificationPlace> {
  const [row] = await database.read(place, [clientId]);
  if (!row) throw new Error('clients are never deleted');
  return {
    name: row.name,
    timeZone: row.time_zone,
    dayFrom: row.day_from,
    dayTo: row.day_to,
  };
}
