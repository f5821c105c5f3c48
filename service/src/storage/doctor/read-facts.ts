// Reads facts about the database server for `svc doctor` and the operator's alerts.
import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';

/** A replication slot, which keeps the write-ahead log until its reader has read it. */
export type Slot = {
  readonly name: string;
  readonly isActive: boolean;
  /** The server has removed what the reader had not read. */
  readonly isLost: boolean;
  readonly keptBytes: number | null;
};

/** What reads the log, a standby or an archive of it; null where the role may not see how far it is. */
export type Standby = {
  readonly name: string | null;
  readonly behindBytes: number | null;
  readonly behindSeconds: number | null;
};

export type ServerFacts = {
  readonly versionNumber: number;
  readonly version: string;
  /** Of the database, such as UTF8. */
  readonly encoding: string;
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
  readonly slots: readonly Slot[];
  readonly standbys: readonly Standby[];
  /** The real time of the server, in milliseconds since 1970. */
  readonly nowMs: number;
};

const server = sql<{
  version_number: number;
  version: string;
  encoding: string;
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
  slots: Slot[];
  standbys: Standby[];
  now_ms: number;
}>(
  'doctor.server',
  // A reader that only stores the log, such as pg_receivewal, replays nothing. A role that may not see how far a
  // standby is sees no state of it either.
  `select current_setting('server_version_num')::int as version_number,
     current_setting('server_version') as version, current_user::text as role,
     current_setting('server_encoding') as encoding,
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
     (select coalesce(json_agg(json_build_object('name', s.slot_name, 'isActive', s.active,
         'isLost', coalesce(s.wal_status = 'lost', false),
         'keptBytes', pg_wal_lsn_diff(log.written, s.restart_lsn))), '[]'::json)
       from pg_replication_slots s) as slots,
     (select coalesce(json_agg(json_build_object('name', r.application_name,
         'behindBytes', pg_wal_lsn_diff(log.written, coalesce(r.replay_lsn, r.flush_lsn, r.write_lsn)),
         'behindSeconds', extract(epoch from r.replay_lag))), '[]'::json)
       from pg_stat_replication r where r.state is distinct from 'backup') as standbys,
     (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms
   from pg_stat_archiver a
   cross join lateral (select case when pg_is_in_recovery() then pg_last_wal_replay_lsn()
     else pg_current_wal_lsn() end as written) as log`,
);

export async function examineServer(db: Database): Promise<ServerFacts> {
  const [row] = await db.read(server, []);
  if (!row) throw new Error('no answer from the database');
  return {
    versionNumber: row.version_number,
    version: row.version,
    encoding: row.encoding,
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
    slots: row.slots,
    standbys: row.standbys,
    nowMs: row.now_ms,
  };
}
