// Reads facts about the database server and its waiting work for `svc doctor`.
import { type Database, everyClient } from '../database/database.ts';
import { sql } from '../database/sql.ts';

export type ServerFacts = {
  readonly versionNumber: number;
  readonly version: string;
  readonly role: string;
  readonly isSuperuser: boolean;
  readonly ownsTables: boolean;
  readonly isReadOnly: boolean;
  readonly fsync: string;
  readonly fullPageWrites: string;
  readonly archiveMode: string;
  /** Seconds since the last archived segment of the write-ahead log; null when none was archived. */
  readonly archivedSecondsAgo: number | null;
  /** Failed attempts; 0 when the last attempt succeeded. */
  readonly archiveFailures: number;
  readonly connectionsLeft: number;
  /** The real time of the server, in milliseconds since 1970. */
  readonly nowMs: number;
};

const server = sql<{
  version_number: number;
  version: string;
  role: string;
  is_superuser: boolean;
  owns_tables: boolean;
  is_read_only: boolean;
  fsync: string;
  full_page_writes: string;
  archive_mode: string;
  archived_seconds_ago: number | null;
  archive_failures: number;
  connections_left: number;
  now_ms: number;
}>(
  'doctor.server',
  `select current_setting('server_version_num')::int as version_number,
     current_setting('server_version') as version, current_user::text as role,
     coalesce((select rolsuper from pg_roles where rolname = current_user), false) as is_superuser,
     exists (select 1 from pg_class c join pg_roles r on r.oid = c.relowner
       where c.oid = to_regclass('payments') and pg_has_role(current_user, r.oid, 'usage')) as owns_tables,
     pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on' as is_read_only,
     current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes,
     current_setting('archive_mode') as archive_mode,
     extract(epoch from clock_timestamp() - a.last_archived_time)::float8 as archived_seconds_ago,
     (case when a.last_failed_time > coalesce(a.last_archived_time, '-infinity') then a.failed_count else 0 end)::int
       as archive_failures,
     (current_setting('max_connections')::int
       - current_setting('superuser_reserved_connections')::int
       - (select coalesce(sum(numbackends), 0) from pg_stat_database))::int as connections_left,
     (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms
   from pg_stat_archiver a`,
);

export async function examineServer(db: Database): Promise<ServerFacts> {
  const [row] = await db.read(server, []);
  if (!row) throw new Error('no answer from the database');
  return {
    versionNumber: row.version_number,
    version: row.version,
    role: row.role,
    isSuperuser: row.is_superuser,
    ownsTables: row.owns_tables,
    isReadOnly: row.is_read_only,
    fsync: row.fsync,
    fullPageWrites: row.full_page_writes,
    archiveMode: row.archive_mode,
    archivedSecondsAgo: row.archived_seconds_ago,
    archiveFailures: row.archive_failures,
    connectionsLeft: row.connections_left,
    nowMs: row.now_ms,
  };
}

type WaitingWork = {
  /** Endpoints of merchants that have failed for an hour or longer. */
  readonly failingEndpoints: number;
  /** Mails that have waited for an hour or longer. */
  readonly lateMails: number;
};

const waiting = sql<{ failing_endpoints: number; late_mails: number }>(
  'doctor.waiting',
  `select (select count(*)::int from webhook_endpoints
       where failing_since < svc_clock() - interval '3600 s') as failing_endpoints,
     (select count(*)::int from mails
       where state = 'waiting' and created_at < svc_clock() - interval '3600 s') as late_mails`,
);

export const examineWaiting = (db: Database): Promise<WaitingWork> =>
  db.transaction(everyClient, async (tx) => {
    const [row] = await tx.query(waiting, []);
    return { failingEndpoints: row?.failing_endpoints ?? 0, lateMails: row?.late_mails ?? 0 };
  });
