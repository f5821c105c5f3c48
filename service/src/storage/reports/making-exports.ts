// What the worker writes while it makes a kept file. Each statement requires that the file is there
// and that no other worker has claimed it since; else it changes nothing.

import type { ExportFailure } from '@svc/contract/reports/exports';
import { keptDays } from '@svc/contract/reports/exports';
import type { Filter } from '@svc/contract/rows/row';
import type { TableStyle } from '../../domain/reports/table-file.ts';
import type { Database, Tx } from '../database/database.ts';
import { intervalOf, sql } from '../database/sql.ts';

/** Longer than the count and the first rows may take. */
const leaseMs = 180_000;
const mostAttempts = 3;
const keptMs = keptDays * 86_400_000;

/** Ends the making; from now on the record is kept. */
const endNow = `leased_until = null, finished_at = svc_clock(),
  kept_until = svc_clock() + ${intervalOf(keptMs)}`;

/** A file that this worker makes, under a lease that each chunk renews. */
export type ClaimedExport = {
  readonly id: string;
  readonly clientId: string;
  readonly authorId: string;
  readonly epoch: number;
  readonly filters: readonly Filter[];
  readonly columns: readonly string[];
  readonly style: TableStyle;
  readonly timeZone: string;
  readonly mostRows: number | null;
  readonly month: string | null;
};

/** The lease of a file was lost: it was deleted, or another worker has taken it over. */
export class LeaseLost extends Error {
  constructor(id: string) {
    super(`the lease of export ${id} was lost`);
    this.name = 'LeaseLost';
  }
}

type ClaimedRow = {
  id: string;
  client_id: string;
  author_id: string;
  epoch: number;
  filters: readonly Filter[];
  columns: string;
  style: TableStyle;
  time_zone: string;
  most_rows: string | null;
  month: string | null;
};

const claim = sql<ClaimedRow>(
  'exports.claim',
  `with picked as (
     select e.id from exports e
     where e.status in ('waiting', 'running')
       and (e.leased_until is null or e.leased_until < svc_clock()) and e.epoch < ${mostAttempts}
     order by e.created_at limit 1 for update of e skip locked)
   update exports e set status = 'running', epoch = e.epoch + 1, rows_written = 0, rows_total = null,
     chunks = 0, bytes = 0, started_at = svc_clock(),
     leased_until = svc_clock() + ${intervalOf(leaseMs)}
   from picked where e.id = picked.id
   returning e.id, e.client_id, e.author_id, e.epoch, e.filters, e.columns, e.style, e.time_zone,
     e.most_rows::text, to_char(e.month, 'YYYY-MM') as month`,
);

/** Claims the file that has waited longest. */
export async function claimExport(database: Database): Promise<ClaimedExport | undefined> {
  const [row] = await database.write(claim, []);
  if (!row) return undefined;
  return {
    id: row.id,
    clientId: row.client_id,
    authorId: row.author_id,
    epoch: row.epoch,
    filters: row.filters,
    columns: row.columns.split(','),
    style: row.style,
    timeZone: row.time_zone,
    mostRows: row.most_rows === null ? null : Number(row.most_rows),
    month: row.month,
  };
}

const isHeld = `client_id = $1 and id = $2 and epoch = $3 and status = 'running'`;

const requireLease = (found: readonly unknown[], { id }: ClaimedExport): void => {
  if (found.length === 0) throw new LeaseLost(id);
};

const holderOf = ({ clientId, id, epoch }: ClaimedExport) => [clientId, id, epoch];

const begin = sql<{ id: string }>(
  'exports.begin',
  `with held as (
     update exports set rows_total = $4, leased_until = svc_clock() + ${intervalOf(leaseMs)}
     where ${isHeld} returning id),
   cleared as (delete from export_chunks c using held where c.export_id = held.id)
   select id from held`,
);

/**
 * Stores how many rows the file will have, deletes what an earlier attempt wrote, and renews the lease. Throws
 * LeaseLost.
 */
export async function beginExport(
  database: Database,
  claimed: ClaimedExport,
  rows: number,
): Promise<void> {
  requireLease(await database.write(begin, [...holderOf(claimed), rows]), claimed);
}

export type Chunk = {
  readonly number: number;
  readonly sealed: Buffer;
  /** Bytes of the text in it. */
  readonly bytes: number;
  /** Rows of the file up to its end. */
  readonly rows: number;
};

const add = sql<{ number: number }>(
  'exports.add_chunk',
  `with held as (
     update exports set rows_written = $6, bytes = bytes + $7, chunks = $4::int + 1,
       leased_until = svc_clock() + ${intervalOf(leaseMs)}
     where ${isHeld} returning id, client_id)
   insert into export_chunks (export_id, client_id, number, sealed)
   select id, client_id, $4::int, $5::bytea from held returning number`,
);

/** Stores the next chunk and renews the lease. Throws LeaseLost. */
export async function addChunk(
  database: Database,
  claimed: ClaimedExport,
  { number, sealed, rows, bytes }: Chunk,
): Promise<void> {
  const values = [...holderOf(claimed), number, sealed, rows, bytes];
  requireLease(await database.write(add, values), claimed);
}

const finish = sql<{ id: string }>(
  'exports.finish',
  `update exports set status = 'ready', file_name = $4, ${endNow}
   where ${isHeld} returning id`,
);

/** Ends the making of a whole file. Throws LeaseLost. */
export async function finishExport(
  tx: Tx,
  claimed: ClaimedExport,
  fileName: string,
): Promise<void> {
  requireLease(await tx.query(finish, [...holderOf(claimed), fileName]), claimed);
}

/** Ends files without a result; nobody could read the chunks that were written of them. */
const failWhere = (condition: string, failure: string) => `with ended as (
     update exports set status = 'failed', failure = ${failure}, ${endNow}
     where ${condition} returning id),
   cleared as (delete from export_chunks c using ended where c.export_id = ended.id)
   select id from ended`;

const fail = sql('exports.fail', failWhere(isHeld, '$4'));

/** Ends a file that cannot be made. */
export async function failExport(
  database: Database,
  claimed: ClaimedExport,
  failure: ExportFailure,
): Promise<void> {
  await database.write(fail, [...holderOf(claimed), failure]);
}

const release = sql(
  'exports.release',
  `update exports set leased_until = svc_clock() + interval '30 s' where ${isHeld}`,
);

/** Lets a worker try again soon, after an attempt that broke off. */
export async function releaseExport(database: Database, claimed: ClaimedExport): Promise<void> {
  await database.write(release, holderOf(claimed));
}

const hasBrokenOff = `status = 'running' and epoch >= ${mostAttempts} and leased_until < svc_clock()`;
const giveUp = sql<{ id: string }>('exports.give_up', failWhere(hasBrokenOff, "'not_made'"));

const sweep = sql<{ id: string }>(
  'exports.sweep',
  `delete from exports where id in (select e.id from exports e where e.kept_until < svc_clock()
     order by e.kept_until limit 1 for update skip locked) returning id`,
);

/** Gives up files after their last attempt, and deletes one whose time is over. Returns how many. */
export async function sweepExports(database: Database): Promise<number> {
  const givenUp = await database.write(giveUp, []);
  return givenUp.length + (await database.write(sweep, [])).length;
}
