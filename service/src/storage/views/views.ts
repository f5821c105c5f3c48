// The table `views`. Additions §2, Views.

import { mostViews, type ViewedList } from '@svc/contract/dashboard/views';
import type { Database, Tx } from '../database/database.ts';
import { defineList, type ListQuery, type Page } from '../database/lists.ts';
import { sql } from '../database/sql.ts';
import { type AuthoredRow, joinAuthor } from '../people/authors.ts';

export type ViewRow = AuthoredRow & {
  readonly id: string;
  readonly client_id: string;
  readonly list: ViewedList;
  readonly name: string;
  readonly query: string;
  readonly is_shared: boolean;
  readonly version: number;
  readonly created_at: Date;
  readonly updated_at: Date;
};

const columns = `v.id, v.client_id, v.list, v.name, v.query, v.is_shared, v.author_id, v.version,
  v.created_at, v.updated_at`;

const listRows = defineList<ViewRow>({
  name: 'views.list',
  from: 'views v',
  columns,
  joins: `left ${joinAuthor('page')}`,
  tenant: 'v.client_id',
  key: { sql: 'v.id', kind: 'uuid' },
  sorts: { createdAt: { sql: 'v.created_at', kind: 'instant' } },
  filters: {
    list: { sql: 'v.list', kind: 'text' },
    isShared: { sql: 'v.is_shared', kind: 'boolean' },
    createdAt: { sql: 'v.created_at', kind: 'instant' },
  },
});

/** A view is found by its author, and by everyone at the merchant once it is shared. */
const isSeenBy = (person: string) => `(v.is_shared or v.author_id = ${person}::uuid)`;

type Person = { readonly clientId: string; readonly userId: string };

/** Lists the person's own views and those for everyone. */
export const listViewRows = (
  database: Database,
  { clientId, userId }: Person,
  query: ListQuery,
): Promise<Page<ViewRow>> =>
  listRows(database, clientId, {
    ...query,
    within: [{ shape: 'seen', values: [userId], write: (bind) => isSeenBy(bind(userId)) }],
  });

const lockMaking = sql(
  'views.lock_making',
  "select pg_advisory_xact_lock(hashtextextended('views ' || $1::text, 0))",
);

/** Lets a merchant's people change one view at a time: names and numbers are compared under this lock. */
export async function lockViews(tx: Tx, clientId: string): Promise<void> {
  await tx.query(lockMaking, [clientId]);
}

const find = sql<ViewRow>(
  'views.find',
  `select ${columns}, more.* from views v ${joinAuthor('v')}
   where v.client_id = $1 and v.id = $2 and ${isSeenBy('$3')}`,
);

/** Returns undefined for a view that the person may not see. */
export async function findView(
  tx: Tx,
  { clientId, userId }: Person,
  id: string,
): Promise<ViewRow | undefined> {
  const [row] = await tx.query(find, [clientId, id, userId]);
  return row;
}

/** The scope in which names are unique and views are counted: the person's own, or those for everyone. */
type ViewScope = Person & { readonly isShared: boolean };

const inScope = `v.client_id = $1 and v.is_shared = $3 and (v.is_shared or v.author_id = $2)`;

const findNamed = sql<ViewRow>(
  'views.find_named',
  `select ${columns}, more.* from views v ${joinAuthor('v')}
   where ${inScope} and v.list = $4 and lower(v.name) = lower($5)`,
);

export async function findViewNamed(
  tx: Tx,
  { clientId, userId, isShared, list, name }: ViewScope & { list: ViewedList; name: string },
): Promise<ViewRow | undefined> {
  const [row] = await tx.query(findNamed, [clientId, userId, isShared, list, name]);
  return row;
}

const count = sql<{ views: number }>(
  'views.count',
  `select count(*)::int as views from views v where ${inScope}`,
);

export async function isScopeFull(
  tx: Tx,
  { clientId, userId, isShared }: ViewScope,
): Promise<boolean> {
  const [row] = await tx.query(count, [clientId, userId, isShared]);
  return (row?.views ?? 0) >= mostViews;
}

const insert = sql<ViewRow>(
  'views.insert',
  `with v as (
     insert into views (id, client_id, author_id, is_shared, list, name, query, created_at,
       updated_at)
     select $1, $2, $3, $4, $5, $6, $7, now, now from (select svc_clock() as now) as clock
     returning *)
   select ${columns}, more.* from v ${joinAuthor('v')}`,
);

export type NewView = ViewScope & {
  readonly id: string;
  readonly list: ViewedList;
  readonly name: string;
  readonly query: string;
};

export async function insertView(tx: Tx, view: NewView): Promise<ViewRow> {
  const { id, clientId, userId, isShared, list, name, query } = view;
  const [row] = await tx.query(insert, [id, clientId, userId, isShared, list, name, query]);
  if (!row) throw new Error('a view has its author');
  return row;
}

const update = sql<ViewRow>(
  'views.update',
  `with v as (
     update views set name = $3, query = $4, is_shared = $5, version = version + 1,
       updated_at = svc_clock()
     where client_id = $1 and id = $2 returning *)
   select ${columns}, more.* from v ${joinAuthor('v')}`,
);

export type ViewContent = {
  readonly name: string;
  readonly query: string;
  readonly isShared: boolean;
};

export async function updateViewRow(
  tx: Tx,
  view: ViewRow,
  { name, query, isShared }: ViewContent,
): Promise<ViewRow> {
  const [row] = await tx.query(update, [view.client_id, view.id, name, query, isShared]);
  if (!row) throw new Error(`view ${view.id} is missing`);
  return row;
}

const remove = sql('views.delete', 'delete from views where client_id = $1 and id = $2');

export async function deleteViewRow(tx: Tx, view: ViewRow): Promise<void> {
  await tx.query(remove, [view.client_id, view.id]);
}
