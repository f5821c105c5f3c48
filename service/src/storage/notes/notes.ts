// The table `notes`. Additions §2, Notes.

import type { NotedType } from '@svc/contract/dashboard/notes';
import type { Tx } from '../database/database.ts';
import { defineList, type List } from '../database/lists.ts';
import { type Query, sql } from '../database/sql.ts';
import { type AuthoredRow, joinAuthor } from '../people/authors.ts';

export type NoteRow = AuthoredRow & {
  readonly id: string;
  readonly client_id: string;
  readonly resource_type: NotedType;
  readonly resource_id: string;
  readonly text: string;
  readonly version: number;
  readonly created_at: Date;
  readonly updated_at: Date;
};

const columns = `n.id, n.client_id, n.resource_type, n.resource_id, n.text, n.author_id, n.version,
  n.created_at, n.updated_at`;

export const listNoteRows: List<NoteRow> = defineList({
  name: 'notes.list',
  from: 'notes n',
  columns,
  joins: `left ${joinAuthor('page')}`,
  tenant: 'n.client_id',
  key: { sql: 'n.id', kind: 'uuid' },
  sorts: { createdAt: { sql: 'n.created_at', kind: 'instant' } },
  filters: {
    resourceType: { sql: 'n.resource_type', kind: 'text' },
    resourceId: { sql: 'n.resource_id', kind: 'uuid' },
    authorId: { sql: 'n.author_id', kind: 'uuid' },
    createdAt: { sql: 'n.created_at', kind: 'instant' },
  },
});

/** For each type of resource, the statement that finds the customer to whom it belongs. */
const owners: Readonly<Record<NotedType, string>> = {
  payment: `select coalesce(p.user_id, o.user_id) as user_id from payments p
    left join payments o on o.id = p.parent_payment_id where p.client_id = $1 and p.id = $2`,
  customer: 'select id as user_id from customers where client_id = $1 and id = $2',
  dispute: `select p.user_id from disputes d join payments p on p.id = d.payment_id
    where d.client_id = $1 and d.id = $2`,
  subscription: 'select user_id from subscriptions where client_id = $1 and id = $2',
};
type Owner = { readonly user_id: string | null };
const findNoted = Object.fromEntries(
  Object.entries(owners).map(([type, text]) => [type, sql<Owner>(`notes.find_${type}`, text)]),
) as Record<NotedType, Query<Owner>>;

// What forgets a customer locks the row for update: a note is written before that, and erased, or afterwards.
const holdCustomer = sql<{ is_forgotten: boolean }>(
  'notes.hold_customer',
  `select forgotten_at is not null as is_forgotten from customers
   where client_id = $1 and id = $2 for share`,
);

/**
 * Holds the customer of what the note is about until the transaction ends. Returns undefined where the merchant has
 * no such resource.
 */
export async function holdNoted(
  tx: Tx,
  clientId: string,
  { resourceType, resourceId }: { resourceType: NotedType; resourceId: string },
): Promise<{ readonly isForgotten: boolean } | undefined> {
  const [owner] = await tx.query(findNoted[resourceType], [clientId, resourceId]);
  if (!owner) return undefined;
  const [customer] = owner.user_id
    ? await tx.query(holdCustomer, [clientId, owner.user_id])
    : [undefined];
  return { isForgotten: customer?.is_forgotten === true };
}

const insert = sql<NoteRow>(
  'notes.insert',
  `with n as (
     insert into notes (id, client_id, resource_type, resource_id, text, author_id, created_at,
       updated_at)
     select $1, $2, $3, $4, $5, $6, now, now from (select svc_clock() as now) as clock
     returning *)
   select ${columns}, more.* from n ${joinAuthor('n')}`,
);

export type NewNote = {
  readonly id: string;
  readonly clientId: string;
  readonly resourceType: NotedType;
  readonly resourceId: string;
  readonly text: string;
  readonly authorId: string;
};

export async function insertNote(tx: Tx, note: NewNote): Promise<NoteRow> {
  const { id, clientId, resourceType, resourceId, text, authorId } = note;
  const values = [id, clientId, resourceType, resourceId, text, authorId];
  const [row] = await tx.query(insert, values);
  if (!row) throw new Error('a note has its author');
  return row;
}

const lock = sql<NoteRow>(
  'notes.lock',
  `select ${columns}, more.* from notes n ${joinAuthor('n')}
   where n.client_id = $1 and n.id = $2 for update of n`,
);

/** Locks the note until the transaction ends; returns undefined when it is missing or another merchant's. */
export async function lockNote(tx: Tx, clientId: string, id: string): Promise<NoteRow | undefined> {
  const [row] = await tx.query(lock, [clientId, id]);
  return row;
}

const update = sql<NoteRow>(
  'notes.update',
  `with n as (
     update notes set text = $3, version = version + 1, updated_at = svc_clock()
     where client_id = $1 and id = $2 returning *)
   select ${columns}, more.* from n ${joinAuthor('n')}`,
);

/** Writes the text of a locked note. */
export async function updateNoteText(tx: Tx, note: NoteRow, text: string): Promise<NoteRow> {
  const [row] = await tx.query(update, [note.client_id, note.id, text]);
  if (!row) throw new Error(`note ${note.id} is missing`);
  return row;
}

const remove = sql('notes.delete', 'delete from notes where client_id = $1 and id = $2');

export async function deleteNoteRow(tx: Tx, note: NoteRow): Promise<void> {
  await tx.query(remove, [note.client_id, note.id]);
}
