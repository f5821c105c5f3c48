// The table `notification_facts`: what happened that people are notified of, each once. Triggers write facts of
// events, refund requests and comparisons with the provider; the statements here write facts that depend on time.

import type { DisputeAnswerer } from '@svc/contract/payments/disputes';
import type { NotificationKind } from '@svc/contract/settings/notifications';
import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { hasOpenSignal } from '../fraud-signals/fraud-signals.ts';

/** A fact with what is known of its subject now. */
export type NotificationFact = {
  readonly id: string;
  readonly clientId: string;
  readonly kind: NotificationKind;
  readonly stage: string;
  readonly happenedAt: Date;
  readonly amountMinor: number | null;
  readonly currency: string | null;
  /** When the hold, the time to answer or the request ends; of an endpoint, since when it fails. */
  readonly dueAt: Date | null;
  /** The subject's status, or for a subscription why it ended; null when the subject is gone. */
  readonly state: string | null;
  /** The product, the person who asks, the reason of a dispute, the type of fraud, or the endpoint's address. */
  readonly name: string | null;
  /** The person who asks for a refund, and so does not approve it. */
  readonly askedBy: string | null;
  /** Who is to answer a dispute. */
  readonly awaits: DisputeAnswerer | null;
};

export type FactRow = {
  id: string;
  client_id: string;
  kind: NotificationKind;
  stage: string;
  happened_at: Date;
  amount_minor: string | null;
  currency: string | null;
  due_at: Date | null;
  state: string | null;
  name: string | null;
  asked_by: string | null;
  awaits: DisputeAnswerer | null;
};

export const factColumns = `f.id::text as id, f.client_id, f.kind, f.stage, f.happened_at,
  about.amount_minor::text as amount_minor, about.currency, about.due_at, about.state, about.name,
  about.asked_by, about.awaits`;

// Each branch looks one row up by its key, and the kinds exclude one another.
export const aboutFact = `left join lateral (
    select p.amount_minor, p.currency, p.authorization_expires_at as due_at, p.status as state,
      null::text as name, null::uuid as asked_by,
      null::text as awaits
    from payments p where f.kind in ('hold_expiring', 'refund_failed', 'payment_differs')
      and p.client_id = f.client_id and p.id = f.subject_id
    union all
    select d.amount_minor, d.currency, d.evidence_due_by, d.status, d.reason, null,
      d.awaits
    from disputes d where f.kind in ('dispute_opened', 'dispute_due', 'dispute_decided')
      and d.client_id = f.client_id and d.id = f.subject_id
    union all
    select p.amount_minor, p.currency, null,
      case when ${hasOpenSignal('p', 'array[s.kind]')} then 'open' else 'ended' end, s.reason, null, null
    from fraud_signals s join payments p on p.client_id = s.client_id and p.id = s.payment_id
    where f.kind in ('fraud_warning', 'review_opened')
      and s.client_id = f.client_id and s.id = f.subject_id
    union all
    select r.amount_minor, r.currency, r.expires_at,
      case when r.status = 'waiting' and r.expires_at <= svc_clock() then 'expired'
        else r.status end,
      coalesce(nullif(u.name, ''), u.email), r.requested_by, null
    from refund_requests r join users u on u.id = r.requested_by
    where f.kind = 'refund_to_approve' and r.client_id = f.client_id and r.id = f.subject_id
    union all
    select null, null, e.failing_since, case when e.is_enabled then 'enabled' else 'disabled' end,
      e.url, null, null
    from webhook_endpoints e where f.kind = 'endpoint_failing'
      and e.client_id = f.client_id and e.id = f.subject_id and e.deleted_at is null
    union all
    select s.amount_minor, s.currency,
      case when f.kind = 'renewal_failed' then s.canceled_at else s.next_renewal_at end,
      case when f.kind = 'renewal_failed' then s.cancel_reason
        when s.status = 'canceled' then null
        when s.payment_method_id is null then 'unfunded' else 'funded' end,
      s.product_name, null, null
    from subscriptions s where f.kind in ('renewal_failed', 'card_removed')
      and s.client_id = f.client_id and s.id = f.subject_id
    union all
    select null, null, e.kept_until, e.status, to_char(e.month, 'YYYY-MM'), null, null
    from exports e where f.kind = 'monthly_file'
      and e.client_id = f.client_id and e.id = f.subject_id) about on true`;

export const toFact = (row: FactRow): NotificationFact => ({
  id: row.id,
  clientId: row.client_id,
  kind: row.kind,
  stage: row.stage,
  happenedAt: row.happened_at,
  amountMinor: row.amount_minor === null ? null : Number(row.amount_minor),
  currency: row.currency,
  dueAt: row.due_at,
  state: row.state,
  name: row.name,
  askedBy: row.asked_by,
  awaits: row.awaits,
});

// Of two stages that are due at once, as after a long stop, only the later one is reported.
const findDueDisputes = sql<{ id: string }>(
  'notification_facts.due_disputes',
  `insert into notification_facts (client_id, kind, subject_id, stage, happened_at)
   select d.client_id, 'dispute_due', d.id, s.stage, clock.now
   from (select svc_clock() as now) as clock, disputes d, (values
     ('3_days', interval '3 days', interval '1 day'),
     ('1_day', interval '1 day', interval '0')) as s (stage, at_most, more_than)
   where d.closed_at is null
     and d.awaits = 'merchant'
     and d.evidence_due_by <= clock.now + s.at_most and d.evidence_due_by > clock.now + s.more_than
     and not exists (select from notification_facts f
       where f.subject_id = d.id and f.kind = 'dispute_due' and f.stage = s.stage)
   on conflict do nothing returning id::text`,
);

const insertOfCard = sql(
  'notification_facts.insert_of_card',
  `insert into notification_facts (client_id, kind, subject_id, stage, happened_at)
   select $1, 'card_removed', id, $2::text, $4 from unnest($3::uuid[]) id
   on conflict do nothing`,
);

/** Writes a fact for each subscription whose card was removed at the provider. */
export async function insertCardFacts(
  tx: Tx,
  of: {
    readonly clientId: string;
    readonly methodId: string;
    readonly subscriptions: readonly string[];
    readonly now: Date;
  },
): Promise<void> {
  if (of.subscriptions.length === 0) return;
  await tx.query(insertOfCard, [of.clientId, of.methodId, of.subscriptions, of.now]);
}

const series = (since: string): string => `extract(epoch from ${since})::bigint`;

const findFailures = sql<{ id: string }>(
  'notification_facts.failing_endpoints',
  `insert into notification_facts (client_id, kind, subject_id, stage, failing_since, happened_at)
   select e.client_id, 'endpoint_failing', e.id, s.stage || ' ' || ${series('e.failing_since')},
     e.failing_since, clock.now
   from (select svc_clock() as now) as clock, webhook_endpoints e, (values
     ('1_hour', true, interval '1 hour', interval '24 hours'),
     ('24_hours', true, interval '24 hours', interval '1000 years'),
     ('disabled', false, interval '0', interval '1000 years')) as s (stage, is_enabled, since, until)
   where e.failing_since is not null and e.deleted_at is null and e.is_enabled = s.is_enabled
     and (e.is_enabled or e.disabled_reason in ('gone', 'failing'))
     and e.failing_since <= clock.now - s.since and e.failing_since > clock.now - s.until
     and not exists (select from notification_facts f
       where f.subject_id = e.id and f.kind = 'endpoint_failing'
         and f.stage = s.stage || ' ' || ${series('e.failing_since')})
   on conflict do nothing returning id::text`,
);

// Reports a recovery once for a series of failures, however many stages of the series were notified.
const findRecoveries = sql<{ id: string }>(
  'notification_facts.recovered_endpoints',
  `with over as (
     update notification_facts f set failing_since = null
     from webhook_endpoints e
     where f.failing_since is not null and e.id = f.subject_id
       and (e.deleted_at is not null
         or e.is_enabled and e.failing_since is distinct from f.failing_since)
     returning f.client_id, f.subject_id, split_part(f.stage, ' ', 2) as series,
       e.deleted_at is null as is_told)
   insert into notification_facts (client_id, kind, subject_id, stage, happened_at)
   select distinct client_id, 'endpoint_failing', subject_id, 'recovered ' || series, svc_clock()
   from over where is_told
   on conflict do nothing returning id::text`,
);

/** Writes the facts that time has brought since the last pass; returns how many. */
export async function findTimedFacts(database: Database): Promise<number> {
  let found = 0;
  for (const statement of [findDueDisputes, findFailures, findRecoveries]) {
    found += (await database.write(statement, [])).length;
  }
  return found;
}

const listUnspread = sql<FactRow>(
  'notification_facts.list_unspread',
  `select ${factColumns} from notification_facts f ${aboutFact}
   where f.spread_at is null order by f.id limit $1 for update of f skip locked`,
);

/** Locks facts of which nobody was notified yet, the oldest first. */
export const lockUnspreadFacts = async (tx: Tx, limit: number): Promise<NotificationFact[]> =>
  (await tx.query(listUnspread, [limit])).map(toFact);

const markSpread = sql(
  'notification_facts.mark_spread',
  'update notification_facts set spread_at = svc_clock() where id = any($1::bigint[])',
);

export async function markFactsSpread(tx: Tx, facts: readonly NotificationFact[]): Promise<void> {
  await tx.query(markSpread, [facts.map(({ id }) => id)]);
}
