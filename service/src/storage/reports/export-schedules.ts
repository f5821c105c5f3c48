// The table `export_schedules`: files that are made by themselves after each month. Additions §8, Monthly files.

import { mostSchedules } from '@svc/contract/reports/export-schedules';
import type { Filter } from '@svc/contract/rows/row';
import type { TableStyle } from '../../domain/reports/table-file.ts';
import type { Database, Tx } from '../database/database.ts';
import { defineList, type ListQuery, type Page } from '../database/lists.ts';
import { sql } from '../database/sql.ts';
import { type AuthoredRow, authorColumns } from '../people/authors.ts';
import { lockExports } from './kept-exports.ts';

export type ExportScheduleRow = AuthoredRow & {
  readonly id: string;
  readonly client_id: string;
  readonly filters: readonly Filter[];
  /** Names of columns with commas between them. */
  readonly columns: string;
  readonly style: TableStyle;
  /** `2026-11`. */
  readonly month: string;
  readonly due_at: Date;
  readonly created_at: Date;
};

const columns = `s.id, s.client_id, s.author_id, s.filters, s.columns, s.style, s.created_at,
  to_char(s.next_month, 'YYYY-MM') as month`;

const endOf = (schedule: string) =>
  `first_instant(${schedule}.next_month + interval '1 month', c.time_zone)`;
// A payment has the time that was read before its transaction committed: in an hour each has.
const dueAt = (schedule: string) => `(${endOf(schedule)} + interval '1 hour')`;

const more = (from: string) => `
  join lateral (select ${authorColumns}, ${dueAt('t')} as due_at
    from export_schedules t join users u on u.id = t.author_id join clients c on c.id = t.client_id
    where t.id = ${from}.id) more on true`;

const listRows = defineList<ExportScheduleRow>({
  name: 'export_schedules.list',
  from: 'export_schedules s',
  columns,
  joins: `left ${more('page')}`,
  tenant: 's.client_id',
  key: { sql: 's.id', kind: 'uuid' },
  sorts: { createdAt: { sql: 's.created_at', kind: 'instant' } },
  filters: { createdAt: { sql: 's.created_at', kind: 'instant' } },
});

export const listScheduleRows = (
  database: Database,
  clientId: string,
  query: ListQuery,
): Promise<Page<ExportScheduleRow>> => listRows(database, clientId, query);

const find = sql<ExportScheduleRow>(
  'export_schedules.find',
  `select ${columns}, more.* from export_schedules s ${more('s')}
   where s.client_id = $1 and s.id = $2`,
);

async function getSchedule(tx: Tx, clientId: string, id: string): Promise<ExportScheduleRow> {
  const [row] = await tx.query(find, [clientId, id]);
  if (!row) throw new Error(`export schedule ${id} is missing`);
  return row;
}

export type NewSchedule = {
  readonly id: string;
  readonly clientId: string;
  readonly userId: string;
  readonly filters: readonly Filter[];
  readonly columns: readonly string[];
  readonly style: TableStyle;
};

const findSame = sql<{ id: string }>(
  'export_schedules.find_same',
  `select id from export_schedules
   where client_id = $1 and filters = $2::jsonb and columns = $3 and style = $4`,
);

const count = sql<{ many: number }>(
  'export_schedules.count',
  'select count(*)::int as many from export_schedules where client_id = $1',
);

const insert = sql(
  'export_schedules.insert',
  `insert into export_schedules (client_id, filters, columns, style, id, author_id, next_month,
     begins_at, created_at)
   select $1, $2::jsonb, $3, $4, $5, $6, here.month::date,
     first_instant(here.month, c.time_zone),
     svc_clock()
   from clients c, lateral (
     select date_trunc('month', svc_clock() at time zone c.time_zone) as month) here
   where c.id = $1`,
);

/**
 * Adds a file of each month, from the present one on. Returns the one that is there where the merchant has the
 * same already, and undefined when the merchant has as many as are permitted.
 */
export async function insertSchedule(
  tx: Tx,
  wanted: NewSchedule,
): Promise<{ readonly row: ExportScheduleRow; readonly isNew: boolean } | undefined> {
  const { clientId, id, userId, style } = wanted;
  await lockExports(tx, clientId);
  const file = [clientId, JSON.stringify(wanted.filters), wanted.columns.join(), style];
  const [same] = await tx.query(findSame, file);
  if (same) return { row: await getSchedule(tx, clientId, same.id), isNew: false };
  const [counted] = await tx.query(count, [clientId]);
  if ((counted?.many ?? 0) >= mostSchedules) return undefined;
  await tx.query(insert, [...file, id, userId]);
  return { row: await getSchedule(tx, clientId, id), isNew: true };
}

const remove = sql<Pick<ExportScheduleRow, 'filters' | 'style' | 'month'>>(
  'export_schedules.delete',
  `delete from export_schedules s where s.client_id = $1 and s.id = $2
   returning s.filters, s.style, to_char(s.next_month, 'YYYY-MM') as month`,
);

/** Returns undefined when there is none of this id, or another merchant's. */
export async function deleteSchedule(
  tx: Tx,
  clientId: string,
  id: string,
): Promise<Pick<ExportScheduleRow, 'filters' | 'style' | 'month'> | undefined> {
  const [row] = await tx.query(remove, [clientId, id]);
  return row;
}

const isDue = `${dueAt('s')} <= svc_clock()`;

const listDue = sql<{ id: string; client_id: string }>(
  'export_schedules.list_due',
  `select s.id, s.client_id from export_schedules s join clients c on c.id = s.client_id
   where ${isDue} order by s.next_month, s.id limit $1`,
);

/** Lists the schedules of all clients of which a month has ended. */
export const listDueSchedules = (
  database: Database,
  limit: number,
): Promise<{ id: string; client_id: string }[]> => database.read(listDue, [limit]);

export type DueSchedule = Pick<
  ExportScheduleRow,
  'id' | 'client_id' | 'author_id' | 'filters' | 'columns' | 'style' | 'month'
> & {
  readonly begins_at: Date;
  readonly ends_at: Date;
  readonly time_zone: string;
};

const lockDue = sql<DueSchedule>(
  'export_schedules.lock_due',
  `select ${columns}, s.begins_at, ${endOf('s')} as ends_at, c.time_zone
   from export_schedules s join clients c on c.id = s.client_id
   where s.client_id = $1 and s.id = $2 and ${isDue} for update of s`,
);

const moveOn = sql(
  'export_schedules.move_on',
  `update export_schedules set next_month = next_month + interval '1 month', begins_at = $3
   where client_id = $1 and id = $2`,
);

/**
 * Takes the month that has ended, under the lock of the merchant's files, and moves the schedule on to the next
 * one. Undefined when another process took it, or the schedule has ended.
 */
export async function takeDueMonth(
  tx: Tx,
  clientId: string,
  id: string,
): Promise<DueSchedule | undefined> {
  await lockExports(tx, clientId);
  const [due] = await tx.query(lockDue, [clientId, id]);
  if (due) await tx.query(moveOn, [clientId, id, due.ends_at]);
  return due;
}
