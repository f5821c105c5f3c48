// The rules of the end-state audit: each is one statement that returns the rows that break it.
// The promises M, I, E and R of docs/spec/reliability.md. The statements read the database and three extra tables:
// `ledger` (the provider's movements), `calls` (requests that the provider received) and `answers`
// (responses that clients received).

export type Rule = { readonly id: string; readonly says: string; readonly sql: string };

const moved = `moved as (
  select intent, count(*) filter (where kind = 'authorize') as holds,
    count(*) filter (where kind = 'capture') as captures,
    count(*) filter (where kind = 'void') as voids
  from ledger group by intent)`;

/** A captured payment counts as captured after a refund too. */
const captured = `('succeeded', 'partially_refunded', 'refunded')`;

const money: readonly Rule[] = [
  {
    id: 'M1',
    says: 'an intent is captured at most once',
    sql: `with ${moved} select intent as subject, captures || ' captures' as found
      from moved where captures > 1`,
  },
  {
    id: 'M2',
    says: 'an intent is never both captured and released',
    sql: `with ${moved} select intent as subject, captures || ' and ' || voids as found
      from moved where captures > 0 and voids > 0`,
  },
  {
    id: 'M3',
    says: 'a new provider key follows only a recorded refusal of the one before',
    sql: `with sent as (
        select o.id, count(distinct c."idempotencyKey") as keys,
          coalesce(max(substring(c."idempotencyKey" from '-(\\d+)$')::int), 0) as latest
        from payment_operations o
        join calls c on substring(c."idempotencyKey" from '^op-(.+)-\\d+$') = o.id::text
        group by o.id),
      refused as (
        select operation_id as id, count(distinct attempt) as refusals from operation_attempts
        where outcome = 'refused' group by operation_id)
      select sent.id::text as subject, keys || ' keys, ' || coalesce(refusals, 0) || ' refusals'
        as found
      from sent left join refused using (id)
      where greatest(keys, latest) > 1 + coalesce(refusals, 0)`,
  },
  {
    id: 'M3b',
    says: 'no movement carries a key that is not the key of its operation',
    sql: `select l.intent as subject, l.kind || ' under ' || coalesce(l."idempotencyKey", 'no key')
        as found
      from ledger l
      where l.origin = 'api' and l.kind in ('authorize', 'capture', 'void', 'refund')
        and not exists (select from payment_operations o
          join payments p on p.id = o.payment_id and p.provider_intent_id = l.intent
          where l."idempotencyKey" like 'op-' || o.id || '-%'
            or l."idempotencyKey" in ('close-' || o.id, 'expire-' || o.id))`,
  },
  {
    id: 'M4',
    says: 'amount and currency collected are those authorised, whole',
    sql: `select p.id::text as subject,
        l.kind || ' ' || l.amount || ' ' || l.currency || ' of ' || p.amount_minor as found
      from payments p join ledger l on l.intent = p.provider_intent_id
      where p.type = 'purchase' and l.kind in ('authorize', 'capture')
        and (l.amount <> p.amount_minor or upper(l.currency) <> p.currency)
      union all
      select id::text, 'captured ' || captured_minor || ' of ' || amount_minor from payments
      where type = 'purchase'
        and captured_minor <> case when status in ${captured} then amount_minor else 0 end
        and status <> 'unknown'`,
  },
  {
    id: 'M6',
    says: 'a payment says what the provider holds',
    sql: `with ${moved}, seen as (
        select p.id, p.status, coalesce(holds, 0) as holds, coalesce(captures, 0) as captures,
          coalesce(voids, 0) as voids
        from payments p left join moved m on m.intent = p.provider_intent_id
        where p.type = 'purchase')
      select id::text as subject, status || ': ' || captures || ' captures, ' || voids || ' voids'
        as found
      from seen where not case
        when status in ${captured} then captures = 1 and voids = 0
        when status = 'voided' then captures = 0 and voids >= 1
        when status = 'authorized' then captures = 0 and voids = 0 and holds >= 1
        when status = 'failed' then captures = 0 and (holds = 0 or voids >= 1)
        else false end`,
  },
  {
    id: 'M6b',
    says: 'the provider holds nothing that no payment knows',
    sql: `select distinct l.intent as subject, l.kind as found from ledger l
      where l.intent is not null
        and not exists (select from payments p where p.provider_intent_id = l.intent)`,
  },
  {
    id: 'M8',
    says: 'one operation at most ends a hold',
    sql: `select payment_id::text as subject, count(*)::text as found from payment_operations
      where state = 'succeeded' and kind in ('capture', 'cancel', 'expire')
      group by payment_id having count(*) > 1`,
  },
  {
    id: 'M9',
    says: 'no more is given back than was captured',
    sql: `select intent as subject,
        sum(amount) filter (where kind = 'refund') || ' of ' || sum(amount) filter
          (where kind = 'capture') as found
      from ledger group by intent
      having coalesce(sum(amount) filter (where kind = 'refund'), 0)
        - coalesce(sum(amount) filter (where kind = 'refund_failed'), 0)
        > coalesce(sum(amount) filter (where kind = 'capture'), 0)`,
  },
  {
    id: 'M10',
    says: 'a refund is given once at the provider, or failed and was not',
    sql: `with given as (
        select substring("idempotencyKey" from '^op-(.+)-\\d+$') as operation, count(*) as times
        from ledger where kind = 'refund' group by 1)
      select o.id::text as subject, p.status || ': given ' || coalesce(g.times, 0) as found
      from payment_operations o join payments p on p.id = o.payment_id
      left join given g on g.operation = o.id::text
      where o.kind = 'refund'
        and coalesce(g.times, 0) <> case p.status when 'succeeded' then 1 else 0 end
        and not (p.status = 'refund_failed' and exists (
          select from ledger l where l.kind = 'refund_failed' and l.intent = p.provider_intent_id))`,
  },
  {
    id: 'M11',
    says: 'a session has one live payment at most',
    sql: `select session_id::text as subject, count(*)::text as found from payments
      where type = 'purchase' and status not in ('failed', 'voided') and session_id is not null
      group by session_id having count(*) > 1`,
  },
];

const honesty: readonly Rule[] = [
  {
    id: 'I1',
    says: 'every success of a key has the same bytes, and they are the ones stored',
    sql: `select a.key as subject, count(distinct a.body) || ' bodies' as found from answers a
      where a.status in (200, 201) and a.kind in ('capture', 'cancel', 'refund')
      group by a.key, a.kind having count(distinct a.body) > 1
      union all
      select a.key, 'other bytes than stored' from answers a
      left join stored s on s.key = a.key and s.kind = a.kind
      where a.status in (200, 201) and a.kind in ('capture', 'cancel', 'refund')
        and s.body is distinct from a.body`,
  },
  {
    id: 'I1b',
    says: 'a 200 is true: what was answered happened at the provider',
    sql: `with ${moved} select a.key as subject, a.kind || ' answered ' || a.status as found
      from answers a join payments p on p.id = a."paymentId"::uuid
      left join moved m on m.intent = p.provider_intent_id
      where a.status = 200 and not case a.kind
        when 'capture' then coalesce(m.captures, 0) = 1
        when 'cancel' then coalesce(m.voids, 0) >= 1 and coalesce(m.captures, 0) = 0
        else coalesce(m.holds, 0) + coalesce(m.captures, 0) >= 1 end`,
  },
  {
    id: 'I1e',
    says: 'a refund that was answered as given was given',
    sql: `select a.key as subject, 'answered ' || a.status as found from answers a
      left join payment_operations o on o.idempotency_key = a.key and o.kind = 'refund'
      where a.kind = 'refund' and a.status = 201 and a.body::jsonb ->> 'status' = 'succeeded'
        and not exists (select from ledger l
          where l.kind = 'refund' and l."idempotencyKey" like 'op-' || o.id || '-%')`,
  },
  {
    id: 'I1c',
    says: 'a 409 is true: the hold was over, or another operation ended it',
    sql: `select a.key as subject, a.kind || ': ' || a.code as found
      from answers a join payments p on p.id = a."paymentId"::uuid
      where a.status = 409 and a.code in ('payment_not_authorized', 'authorization_expired')
        and (p.status not in ('voided', 'succeeded', 'partially_refunded', 'refunded')
          or (a.code = 'authorization_expired' and p.authorization_void_reason <> 'expired')
          or exists (select from payment_operations o where o.idempotency_key = a.key
            and o.kind = a.kind and o.state = 'succeeded'))`,
  },
  {
    id: 'I1d',
    says: 'clients get no answer but success, a refusal that is true, or one that asks to retry',
    sql: `select key as subject, status || ' ' || coalesce(code, 'without code') as found
      from answers where not (status = 200 or status = 202
        or (kind = 'refund' and (status = 201
          or (status = 422 and code in ('refund_amount_exceeds_available', 'payment_not_captured',
            'payment_voided', 'payment_failed', 'payment_unfinished'))))
        or (status = 409 and code in ('payment_not_authorized', 'authorization_expired',
          'payment_operation_in_progress', 'checkout_attempt_in_progress'))
        or (status = 502 and code in ('gateway_outcome_unknown', 'gateway_capture_failed',
          'gateway_cancel_failed', 'gateway_unavailable'))
        or (status = 503 and code = 'service_unavailable')
        or (status = 402 and code = 'card_declined'))`,
  },
];

const events: readonly Rule[] = [
  {
    id: 'E1',
    says: 'events of a payment are numbered from 1 without a gap, up to its own count',
    sql: `select p.id::text as subject, p.event_seq || ' counted, ' || count(e.id) || ' stored, last '
        || coalesce(max(e.sequence), 0) as found
      from payments p left join events e on e.resource_id = p.id
      group by p.id, p.event_seq
      having count(e.id) <> p.event_seq or coalesce(max(e.sequence), 0) <> p.event_seq`,
  },
  {
    id: 'E1b',
    says: 'every change that merchants hear about has one event, of its own type',
    sql: `with steps as (
        select h.payment_id, h.version, h.status, h.event_seq, h.authorization_void_reason as reason,
          lag(h.status) over w as before, lag(h.event_seq) over w as seq_before,
          h.status = 'authorized' and 1 = count(*) filter (where h.status = 'authorized') over w
            as is_first_hold
        from payment_history h join payments p on p.id = h.payment_id and p.type = 'purchase'
        window w as (partition by h.payment_id order by h.version)),
      due as (
        select s.*, e.type,
          case when s.status = 'succeeded' and s.before not like '%refunded'
              then array['item.purchased', 'payment.succeeded']
            when s.status = 'voided' and s.reason = 'expired'
              then array['payment.authorization_expired']
            when s.status = 'voided' then array['payment.authorization_voided']
            when s.status = 'failed' then array['payment.failed']
            when s.is_first_hold then array['payment.authorized']
            when s.status = 'authorized' then array['payment.capture_failed'] end as wanted
        from steps s left join events e
          on e.resource_id = s.payment_id and e.sequence = s.event_seq
            and s.event_seq > s.seq_before
        where s.before is not null)
      select payment_id::text as subject, coalesce(before, '') || ' to ' || status || ': '
        || coalesce(type, 'no event') as found
      from due where (type is null
          and (is_first_hold or (status <> before and status in ('voided', 'failed'))
            or (status = 'succeeded' and before in ('pending', 'processing', 'authorized', 'unknown'))))
        or (type is not null and not type = any(wanted))`,
  },
  {
    id: 'E2',
    says: 'a captured payment is told by exactly one item.purchased, and no other payment is',
    sql: `select p.id::text as subject, p.status || ': ' || count(e.id) as found
      from payments p left join events e on e.resource_id = p.id and e.type = 'item.purchased'
      where p.type = 'purchase' group by p.id, p.status
      having count(e.id) <> case when p.status in ${captured} then 1 else 0 end`,
  },
  {
    id: 'E3',
    says: 'an attempt that was called refused took no effect',
    sql: `select a.operation_id::text as subject, 'attempt ' || a.attempt as found
      from operation_attempts a join ledger l
        on l."idempotencyKey" = 'op-' || a.operation_id || '-' || a.attempt
      join payment_operations o on o.id = a.operation_id
      where a.outcome = 'refused' and o.kind in ('capture', 'cancel')
        and l.kind in ('capture', 'void')`,
  },
  {
    id: 'E5',
    says: 'no delivery was given up',
    sql: `select event_id::text as subject, state as found from webhook_deliveries
      where state in ('dead', 'cancelled')`,
  },
];

const rest: readonly Rule[] = [
  {
    id: 'R1',
    says: 'no operation is left open',
    sql: `select id::text as subject, kind || ' ' || state as found from payment_operations
      where state not in ('succeeded', 'failed')`,
  },
  {
    id: 'R1b',
    says: 'no payment is left undecided',
    sql: `select id::text as subject, status as found from payments
      where status in ('pending', 'processing', 'unknown')`,
  },
  {
    id: 'H1',
    says: 'the history of a payment has every version once and ends as the payment stands',
    sql: `select p.id::text as subject, p.version || ', ' || count(h.version) as found
      from payments p left join payment_history h on h.payment_id = p.id
      group by p.id, p.version, p.status
      having count(h.version) <> p.version + 1
        or (array_agg(h.status order by h.version desc))[1] is distinct from p.status`,
  },
];

export const rules: readonly Rule[] = [...money, ...honesty, ...events, ...rest];
