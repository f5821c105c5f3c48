// Reads facts about the database server and its waiting work for `svc doctor`.
import { type Database, everyClient } from '../database/database.ts';
import { recoverableSql } from '../database/open-states.ts';
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

type WaitingWork = {
  /** Endpoints of merchants that have failed for an hour or longer. */
  readonly failingEndpoints: number;
  /** Mails that have been due for an hour, or were tried and are an hour old. Others are held back on purpose. */
  readonly lateMails: number;
  /** For how many seconds the oldest piece of due work has waited for a worker, by kind; 0: none waits. */
  readonly lateSeconds: Readonly<Record<LateKind, number>>;
  /** Seconds since the last hourly comparison with the provider ended; null when there was none. */
  readonly reconciledSecondsAgo: number | null;
};

export type LateKind = 'deliveries' | 'payments' | 'notices' | 'renewals';

const waiting = sql<{
  failing_endpoints: number;
  late_mails: number;
  deliveries: number;
  payments: number;
  notices: number;
  renewals: number;
  reconciled_seconds_ago: number | null;
}>(
  'doctor.waiting',
  // A delivery behind an earlier one of its resource waits for that one: an endpoint that fails is left out. A renewal
  // whose card is being removed waits for the result of the detachment.
  `with clock as materialized (select svc_clock() as now)
   select (select count(*)::int from webhook_endpoints
       where failing_since < clock.now - interval '3600 s') as failing_endpoints,
     (select count(*)::int from mails
       where state = 'waiting' and (next_attempt_at < clock.now - interval '3600 s'
         or (attempts > 0 and created_at < clock.now - interval '3600 s'))) as late_mails,
     ${secondsLate(`(select min(d.due) from webhook_endpoints e cross join lateral (
       select min(next_attempt_at) as due from webhook_deliveries
       where endpoint_id = e.id and state = 'pending') as d
       where e.is_enabled and e.failing_since is null)`)} as deliveries,
     ${secondsLate(`(select min(next_check_at) from payment_operations
       where ${recoverableSql('payment_operations')})`)} as payments,
     ${secondsLate(`(select min(next_try_at) from provider_inbox where processed_at is null)`)} as notices,
     ${secondsLate(`(select min(s.next_renewal_at) from subscriptions s
       where s.next_renewal_at is not null and s.renewal_payment_id is null
         and s.status in ('active', 'past_due')
         and not exists (select from payment_method_detachments r where r.client_id = s.client_id
           and r.payment_method_id = s.payment_method_id and r.state = 'running'))`)} as renewals,
     (select extract(epoch from clock.now - max(ended_at))::float8 from reconcile_runs)
       as reconciled_seconds_ago
   from clock`,
);

/** The seconds by which an instant lies in the past; 0 when it does not, or is null. */
function secondsLate(instant: string): string {
  return `greatest(0, coalesce(extract(epoch from clock.now - ${instant}), 0))::float8`;
}

export const examineWaiting = (db: Database): Promise<WaitingWork> =>
  db.transaction(everyClient, async (tx) => {
    const [row] = await tx.query(waiting, []);
    if (!row) throw new Error('no answer from the database');
    const { deliveries, payments, notices, renewals } = row;
    return {
      failingEndpoints: row.failing_endpoints,
      lateMails: row.late_mails,
      lateSeconds: { deliveries, payments, notices, renewals },
      reconciledSecondsAgo: row.reconciled_seconds_ago,
    };
  });
