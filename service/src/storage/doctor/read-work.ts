// Reads what waits, fails or differs, over all merchants: for `svc doctor`, the operator's alerts and the
// metrics. Every statement reads a partial index or a bounded list, however many payments there are.
import { type Database, everyClient, type Tx } from '../database/database.ts';
import { isOpen, isRenewedHere, recoverableSql } from '../database/open-states.ts';
import { sql } from '../database/sql.ts';

export type WaitingWork = {
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
           and r.payment_method_id = s.payment_method_id and r.state = 'running')
         and ${isRenewedHere('s')})`)} as renewals,
     (select extract(epoch from clock.now - max(ended_at))::float8 from reconcile_runs)
       as reconciled_seconds_ago
   from clock`,
);

/** The seconds by which an instant lies in the past; 0 when it does not, or is null. */
function secondsLate(instant: string): string {
  return `greatest(0, coalesce(extract(epoch from clock.now - ${instant}), 0))::float8`;
}

async function readWaiting(tx: Tx): Promise<WaitingWork> {
  const [row] = await tx.query(waiting, []);
  if (!row) throw new Error('no answer from the database');
  const { deliveries, payments, notices, renewals } = row;
  return {
    failingEndpoints: row.failing_endpoints,
    lateMails: row.late_mails,
    lateSeconds: { deliveries, payments, notices, renewals },
    reconciledSecondsAgo: row.reconciled_seconds_ago,
  };
}

export type OpenOperations = {
  readonly state: string;
  readonly count: number;
  /** Seconds since the oldest of them was begun. */
  readonly oldestSeconds: number;
};

const operations = sql<{ state: string; count: number; oldest_seconds: number }>(
  'doctor.operations',
  `select o.state, count(*)::int as count,
     greatest(0, extract(epoch from svc_clock() - min(o.created_at)))::float8 as oldest_seconds
   from payment_operations o where ${isOpen('o')} group by o.state`,
);

export type MoneyFacts = {
  /** Holds that end within an hour, and within a day, if nobody captures them. */
  readonly holdsWithinHour: number;
  readonly holdsWithinDay: number;
  readonly openHolds: number;
  /** Money at the provider that no payment knows, and about which nobody has decided. */
  readonly unknownMoney: number;
  /** Differences that the last whole comparison with the provider named and did not settle. */
  readonly differences: number;
  /** Gateways in use whose key the provider has refused. */
  readonly refusedGateways: number;
};

const money = sql<{
  holds_within_hour: number;
  holds_within_day: number;
  open_holds: number;
  unknown_money: number;
  differences: number;
  refused_gateways: number;
}>(
  'doctor.money',
  `with clock as materialized (select svc_clock() as now)
   select (select count(*)::int from open_holds where expires_at < clock.now + interval '1 hour')
       as holds_within_hour,
     (select count(*)::int from open_holds where expires_at < clock.now + interval '24 hours')
       as holds_within_day,
     (select count(*)::int from open_holds) as open_holds,
     (select count(*)::int from unknown_money where status = 'open') as unknown_money,
     (select count(*)::int from reconcile_differences d where not d.is_settled and d.run_id =
       (select id from reconcile_runs where is_whole order by ended_at desc limit 1)) as differences,
     (select count(*)::int from gateways where is_active and key_refused_at is not null)
       as refused_gateways
   from clock`,
);

export type EndpointTrouble = {
  readonly endpointId: string;
  readonly clientId: string;
  readonly failingSeconds: number;
  readonly pending: number;
};

/** The most endpoints that are named one by one. */
const mostEndpoints = 100;

const endpoints = sql<{
  id: string;
  client_id: string;
  failing_seconds: number;
  pending: number;
}>(
  'doctor.endpoints',
  // Counting stops at a thousand: an endpoint that has failed for days has millions.
  `select e.id, e.client_id,
     greatest(0, extract(epoch from svc_clock() - e.failing_since))::float8 as failing_seconds,
     (select count(*)::int from (select from webhook_deliveries d
       where d.endpoint_id = e.id and d.state = 'pending' limit 1000) as counted) as pending
   from webhook_endpoints e
   where e.failing_since is not null and e.is_enabled and e.deleted_at is null
   order by e.failing_since limit ${mostEndpoints}`,
);

const removed = sql<{ kind: string; removed: number }>(
  'doctor.removed',
  'select kind, removed::float8 as removed from retention',
);

export type Work = {
  /** How many rows retention has removed, by kind. */
  readonly removed: readonly { readonly kind: string; readonly removed: number }[];
  readonly waiting: WaitingWork;
  readonly operations: readonly OpenOperations[];
  readonly money: MoneyFacts;
  /** The endpoints that have failed longest, at most a hundred. */
  readonly endpoints: readonly EndpointTrouble[];
};

/** Reads all of it in one transaction. */
export const readWork = (db: Database): Promise<Work> =>
  db.transaction(everyClient, async (tx) => {
    const waiting = await readWaiting(tx);
    const open = await tx.query(operations, []);
    const [sums] = await tx.query(money, []);
    if (!sums) throw new Error('no answer from the database');
    const failing = await tx.query(endpoints, []);
    return {
      removed: await tx.query(removed, []),
      waiting,
      operations: open.map((row) => ({
        state: row.state,
        count: row.count,
        oldestSeconds: row.oldest_seconds,
      })),
      money: {
        holdsWithinHour: sums.holds_within_hour,
        holdsWithinDay: sums.holds_within_day,
        openHolds: sums.open_holds,
        unknownMoney: sums.unknown_money,
        differences: sums.differences,
        refusedGateways: sums.refused_gateways,
      },
      endpoints: failing.map((row) => ({
        endpointId: row.id,
        clientId: row.client_id,
        failingSeconds: row.failing_seconds,
        pending: row.pending,
      })),
    };
  });
