// Reads events: one, a page, or the events after one. Contract §7.

import type { Database } from '../database/database.ts';
import { defineList, type List, type Predicate } from '../database/lists.ts';
import { sql } from '../database/sql.ts';

/** `payload` is the text that deliveries send. */
export type EventRow = { readonly payload: string };

const find = sql<EventRow>(
  'events.find',
  'select e.payload from events e where e.client_id = $1 and e.id = $2',
);

export async function findEventPayload(
  database: Database,
  clientId: string,
  id: string,
): Promise<string | undefined> {
  const [row] = await database.read(find, [clientId, id]);
  return row?.payload;
}

/** Retention may have removed the texts of earlier events. */
export const eventsKeptFrom = `(select coalesce((select removed_before from retention where kind = 'events'),
  '-infinity'))`;

const kept: Predicate = {
  shape: 'kept',
  values: [],
  write: () => `e.created_at >= ${eventsKeptFrom}`,
};

/** Lists events whose text is kept. */
export const listEventRows: List<EventRow> = (database, clientId, query) =>
  listRows(database, clientId, { ...query, within: [...(query.within ?? []), kept] });

const listRows: List<EventRow> = defineList({
  name: 'events.list',
  from: 'events e',
  columns: 'e.payload',
  tenant: 'e.client_id',
  key: { sql: 'e.id', kind: 'uuid' },
  sorts: { createdAt: { sql: 'e.created_at', kind: 'instant' } },
  filters: {
    type: { sql: 'e.type', kind: 'text' },
    resourceId: { sql: 'e.resource_id', kind: 'uuid' },
    createdAt: { sql: 'e.created_at', kind: 'instant' },
  },
});

// Writers are the sessions of this database role. A session that has written nothing for a minute
// is a long read, such as a backup, and is ignored. One millisecond is subtracted because writers
// truncate created_at.
const findPlace = sql<{ created_at: string; settled_before: string; has_missed: boolean }>(
  'events.find_place',
  `select e.created_at::text as created_at,
     e.created_at > '-infinity' and exists (select from events m
       where m.client_id = $1 and (m.created_at, m.id) > (e.created_at, $2)
         and m.created_at < ${eventsKeptFrom}) as has_missed,
     (coalesce((select min(a.xact_start) from pg_stat_activity a
        where a.datname = current_database() and a.usename = current_user
          and (a.backend_xid is not null or a.xact_start > now() - interval '1 minute')), now())
      + (select shift from clock_shift) - interval '1 millisecond')::text as settled_before
   from (select created_at from events where client_id = $1 and id = $2
         union all
         select '-infinity'::timestamptz where $2 = '00000000-0000-0000-0000-000000000000') e`,
);

export type FollowedEvent = {
  readonly id: string;
  readonly type: string;
  readonly resourceId: string;
  readonly createdAt: Date;
};

const follow = sql<{ id: string; type: string; resource_id: string; created_at: Date }>(
  'events.follow',
  `select e.id, e.type, e.resource_id, e.created_at from events e
   where e.client_id = $1 and (e.created_at, e.id) > ($3::timestamptz, $2::uuid)
     and $4::timestamptz > e.created_at and not e.is_start_proof
   order by e.created_at, e.id limit $5`,
);

/** Returns the events after one, without their text, exactly as the list below has them. */
export async function followEvents(
  database: Database,
  clientId: string,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<FollowedEvent[]> {
  const [found] = await database.read(findPlace, [clientId, after]);
  if (!found) return [];
  const given = [clientId, after, found.created_at, found.settled_before, limit];
  return (await database.read(follow, given)).map((row) => ({
    id: row.id,
    type: row.type,
    resourceId: row.resource_id,
    createdAt: row.created_at,
  }));
}

/**
 * Returns the events after one, in order of creation; the nil id means all that are kept. Undefined when there is no
 * such event, or the text of a later one is not kept any more. Events get their time before they commit, so one that
 * commits late would appear behind a reader who has passed it. So no event is shown that is younger than the oldest
 * open transaction: this statement sees the open transactions, and the list that follows it sees all that have ended.
 */
export async function findEventsAfter(
  database: Database,
  clientId: string,
  id: string,
): Promise<Predicate | undefined> {
  const [place] = await database.read(findPlace, [clientId, id]);
  if (!place || place.has_missed) return undefined;
  return {
    shape: 'after',
    values: [id],
    write: (bind) =>
      `(e.created_at, e.id) > (${bind(place.created_at)}::timestamptz, ${bind(id)}::uuid)
       and e.created_at < ${bind(place.settled_before)}::timestamptz`,
  };
}
