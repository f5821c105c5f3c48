// Rules for money and state: amounts, moves, sums, one resolution per hold. Invariants M.

import { capturedStates, isInSpan, openStates, type Rule } from './rule.ts';

const amounts: readonly Rule[] = [
  {
    id: 'M4',
    says: 'a purchase is captured whole or not at all, as its status says',
    over: 'span',
    sql: `select id::text as subject,
        status || ': captured ' || captured_minor || ' of ' || amount_minor as found
      from payments where type = 'purchase' and ${isInSpan('id')}
        and (captured_minor not in (0, amount_minor)
          or (status in ${capturedStates} and captured_minor <> amount_minor)
          or (status in ('pending', 'processing', 'authorized', 'voided') and captured_minor <> 0))`,
  },
  {
    id: 'M4b',
    says: 'an operation asks for the whole amount of its payment',
    over: 'span',
    sql: `select o.id::text as subject,
        o.kind || ' of ' || o.amount_minor || ', payment of ' || p.amount_minor as found
      from payments p join payment_operations o on o.payment_id = p.id
      where ${isInSpan('p.id')} and o.amount_minor <> p.amount_minor`,
  },
  {
    id: 'M9',
    says: 'refunds done and pending are within what was captured',
    over: 'span',
    sql: `select id::text as subject, refunded_minor || ' refunded and ' || refund_pending_minor
        || ' pending of ' || captured_minor as found
      from payments where type = 'purchase' and ${isInSpan('id')}
        and (refunded_minor + refund_pending_minor > captured_minor
          or refunded_minor < 0 or refund_pending_minor < 0)`,
  },
  {
    id: 'M9b',
    says: 'a purchase says of its refunds what its refund rows add up to; chargebacks do not count',
    over: 'span',
    sql: `with sums as (
        select p.id, p.refunded_minor, p.refund_pending_minor,
          coalesce(sum(r.amount_minor) filter (where r.status = 'succeeded'), 0) as done,
          coalesce(sum(r.amount_minor)
            filter (where r.status in ('pending', 'processing', 'unknown')), 0) as pending
        from payments p left join payments r on r.parent_payment_id = p.id and r.type = 'refund'
        where p.type = 'purchase' and ${isInSpan('p.id')} group by p.id)
      select id::text as subject, refunded_minor || ' and ' || refund_pending_minor
        || ' pending, rows ' || done || ' and ' || pending as found
      from sums where refunded_minor <> done or refund_pending_minor <> pending`,
  },
  {
    id: 'M9c',
    says: 'refunded, partially_refunded and succeeded follow from the amount given back',
    over: 'span',
    sql: `select id::text as subject, status || ': ' || refunded_minor || ' of ' || captured_minor
        as found
      from payments where type = 'purchase' and status in ${capturedStates} and ${isInSpan('id')}
        and status <> case when refunded_minor = 0 then 'succeeded'
          when refunded_minor = captured_minor then 'refunded' else 'partially_refunded' end`,
  },
  {
    id: 'M9d',
    says: 'a refund or chargeback belongs to a purchase of the same client and currency',
    over: 'span',
    sql: `select r.id::text as subject, r.type || ' in ' || r.currency || ' of '
        || coalesce(p.type || ' in ' || p.currency, 'nothing') as found
      from payments r left join payments p on p.id = r.parent_payment_id
      where r.type <> 'purchase' and ${isInSpan('r.id')}
        and (p.type is distinct from 'purchase' or p.client_id <> r.client_id
          or (r.type = 'refund' and p.currency <> r.currency))`,
  },
  {
    id: 'M14',
    says: 'the chargebacks of a dispute add up to what is withdrawn: never below zero',
    // Where the withdrawal may be older than the start of the classification, and so has no row, at
    // most the disputed amount may have been returned. Rows in the currency of the account's
    // balance prove nothing: both that currency and the rate may have changed in between.
    over: 'span',
    sql: `with sums as (
        select p.id, c.metadata ->> 'providerDisputeId' as dispute, sum(c.amount_minor) as withdrawn,
          min(c.currency) as currency, count(distinct c.currency) as currencies,
          count(*) - count(distinct c.provider_movement_id) as doubled
        from payments p join payments c on c.parent_payment_id = p.id and c.type = 'chargeback'
        where ${isInSpan('p.id')} group by 1, 2)
      select s.id::text as subject,
        coalesce(dispute, 'no dispute') || ' adds up to ' || withdrawn || ' ' || s.currency as found
      from sums s left join (disputes d join gateways g on g.id = d.gateway_id)
        on d.payment_id = s.id and d.provider_dispute_id = s.dispute
      where d.id is null or doubled > 0 or (currencies = 1 and s.currency = d.currency
        and withdrawn < case when d.opened_at < date_trunc('second', g.classified_from)
          then -d.amount_minor else 0 end)`,
  },
  {
    id: 'M16',
    says: 'no money has moved, so none has a financial date',
    over: 'span',
    sql: `select id::text as subject, status || ' at ' || financial_effective_at as found
      from payments where type <> 'chargeback' and ${isInSpan('id')}
        and financial_effective_at is not null
        and status in ('pending', 'processing', 'authorized', 'voided')`,
  },
];

const moves: readonly Rule[] = [
  {
    id: 'M7',
    says: 'only the moves of the transition table happened',
    over: 'span',
    sql: `with steps as (
        select h.payment_id, h.version, h.status, p.type,
          lag(h.status) over (partition by h.payment_id order by h.version) as before
        from payment_history h join payments p on p.id = h.payment_id
        where ${isInSpan('h.payment_id')})
      select payment_id::text as subject, coalesce(before, 'nothing') || ' to ' || status as found
      from steps where case
        when before is null then type <> 'chargeback' and status <> 'pending'
        when before = status then false
        else not is_payment_move(type, before, status) end`,
  },
  {
    id: 'M7b',
    says: 'a payment is voided if and only if it has a reason for it',
    over: 'span',
    sql: `select id::text as subject, status || ', reason '
        || coalesce(authorization_void_reason, 'none') as found
      from payments where ${isInSpan('id')}
        and (status = 'voided') <> (authorization_void_reason is not null)`,
  },
  {
    id: 'M7c',
    says: 'the history has every version once and ends as the payment stands',
    over: 'span',
    sql: `with ends as (
        select p.id, p.version, count(h.version) as versions,
          (array_agg((h.version, h.status, h.captured_minor, h.refunded_minor, h.event_seq)::text
            order by h.version desc))[1] as last,
          (p.version, p.status, p.captured_minor, p.refunded_minor, p.event_seq)::text as stands
        from payments p left join payment_history h on h.payment_id = p.id
        where ${isInSpan('p.id')} group by p.id)
      select id::text as subject, stands || ', history of ' || versions || ' ends '
        || coalesce(last, 'nowhere') as found
      from ends where versions <> version + 1 or last is distinct from stands`,
  },
  {
    id: 'M8',
    says: 'a payment has one unfinished operation at most',
    over: 'span',
    sql: `select payment_id::text as subject, count(*) || ' unfinished' as found
      from payment_operations where state in ${openStates} and ${isInSpan('payment_id')}
      group by payment_id having count(*) > 1`,
  },
  {
    id: 'M8b',
    says: 'one operation at most ends a hold: a capture, a cancel or an expiry',
    over: 'span',
    sql: `select payment_id::text as subject, string_agg(kind, ', ' order by id) as found
      from payment_operations where state = 'succeeded' and kind in ('capture', 'cancel', 'expire')
        and ${isInSpan('payment_id')}
      group by payment_id having count(*) > 1`,
  },
  {
    id: 'M8c',
    says: 'what an operation did is what the payment says',
    over: 'span',
    sql: `select p.id::text as subject, o.kind || ' succeeded, payment ' || p.status as found
      from payment_operations o join payments p on p.id = o.payment_id
      where ${isInSpan('p.id')} and o.state = 'succeeded' and case o.kind
        when 'capture' then p.status not in ('succeeded', 'partially_refunded', 'refunded',
          'unknown', 'failed')
        when 'cancel' then p.status <> 'voided'
        when 'expire' then p.status <> 'voided'
        when 'refund' then p.status not in ('succeeded', 'refund_failed')
        else p.status in ('pending', 'processing') end`,
  },
  {
    id: 'M11',
    says: 'a session has one live payment at most',
    over: 'span',
    sql: `select s.id::text as subject, count(*) || ' live' as found
      from checkout_sessions s join payments p on p.session_id = s.id
      where ${isInSpan('s.id')} and p.type = 'purchase' and p.status not in ('failed', 'voided')
      group by s.id having count(*) > 1`,
  },
  {
    id: 'M11b',
    says: 'the lock of a session is held by its live payment, and by no other',
    over: 'span',
    sql: `select p.id::text as subject, p.status || ', lock '
        || coalesce(l.payment_id::text, 'free') as found
      from payments p left join live_payments l on l.session_id = p.session_id
      where ${isInSpan('p.id')} and p.type = 'purchase' and p.session_id is not null
        and (p.status not in ('failed', 'voided')) <> (l.payment_id is not distinct from p.id)`,
  },
];

export const moneyRules: readonly Rule[] = [...amounts, ...moves];
