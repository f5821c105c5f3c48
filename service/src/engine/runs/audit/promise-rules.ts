// Rules for what merchants rely on: keys (I), events and deliveries (E), inbound notices (W), and
// that nothing is left unfinished (R).

import { eventsKeptFrom } from '../../../storage/webhooks/event-lists.ts';
import { demoEndpointOf } from '../../../storage/webhooks/events.ts';
import { deliveriesKeptFrom } from '../../../storage/webhooks/webhook-redeliveries.ts';
import { capturedStates, isInSpan, openStates, type Rule } from './rule.ts';

/** Returns the beginning of an event's bytes when they are not about that event; undefined when they are. */
function findWrongName(row: Readonly<Record<string, unknown>>): string | undefined {
  const text = row.payload as string;
  const isRight =
    text.startsWith(`{"id":"evt_${String(row.subject).replaceAll('-', '')}"`) &&
    text.includes(`"type":"${row.type}"`) &&
    text.includes(`"clientId":"${row.client_id}"`) &&
    text.includes(`"sequence":${row.sequence},`);
  return isRight ? undefined : text.slice(0, 60);
}

const keys: readonly Rule[] = [
  {
    id: 'I1',
    says: 'a key stands for one operation of its kind and client',
    over: 'whole',
    sql: `select min(id::text) as subject, kind || ' ' || idempotency_key || ': ' || count(*)
        || ' operations' as found
      from payment_operations where idempotency_key is not null
      group by client_id, kind, idempotency_key having count(*) > 1`,
  },
  {
    id: 'I1b',
    says: 'the answer that a key keeps is what its operation did',
    over: 'span',
    sql: `select id::text as subject,
        kind || ' ' || state || ', answer ' || coalesce(response_status::text, 'none') as found
      from payment_operations
      where idempotency_key is not null and kind in ('capture', 'cancel', 'refund')
        and ${isInSpan('payment_id')}
        and ((state = 'succeeded' and coalesce(response_status, 0) not in (200, 201))
          or (kind <> 'refund' and response_status = 200 and state <> 'succeeded'))`,
  },
  {
    id: 'I3',
    says: 'operations, events and deliveries belong to the client of their payment',
    over: 'span',
    sql: `select p.id::text as subject, 'operation ' || o.id || ' of ' || o.client_id as found
      from payments p join payment_operations o on o.payment_id = p.id
      where ${isInSpan('p.id')} and o.client_id <> p.client_id
      union all
      select p.id::text, 'event ' || e.id || ' of ' || e.client_id
      from payments p join events e on e.resource_id = p.id
      where ${isInSpan('p.id')} and e.client_id <> p.client_id
      union all
      select p.id::text, 'delivery of ' || e.id || ' to ' || d.endpoint_id
      from payments p join events e on e.resource_id = p.id
      join webhook_deliveries d on d.event_id = e.id
      join webhook_endpoints w on w.id = d.endpoint_id
      where ${isInSpan('p.id')} and (d.client_id <> p.client_id or w.client_id <> p.client_id)`,
  },
];

/** The steps of the history, each with the step before it and with the event that was written with it. */
const steps = `steps as (
    select h.payment_id, h.version, h.status, h.event_seq, h.authorization_void_reason as reason,
      lag(h.status) over w as before, lag(h.event_seq) over w as seq_before,
      h.status = 'authorized' and 1 = count(*) filter (where h.status = 'authorized') over w
        as is_first_hold,
      bool_or(h.status in ${capturedStates}) over (w rows unbounded preceding) as was_captured
    from payment_history h where ${isInSpan('h.payment_id')}
    window w as (partition by h.payment_id order by h.version)),
  told as (
    select s.*, p.type as kind, p.amount_minor, e.type
    from steps s join payments p on p.id = s.payment_id
    left join events e on e.resource_id = s.payment_id and e.sequence = s.event_seq
      and s.event_seq > coalesce(s.seq_before, 0))`;

/** The event types of which a step must have one; null where no event is due. */
const wanted = `case
    when kind = 'refund' and before is null then array['refund.created']
    when kind = 'chargeback' and amount_minor > 0 then array['chargeback.withdrawn']
    when kind = 'chargeback' then array['chargeback.reinstated']
    when before is null or before = status and not is_first_hold then null
    when kind = 'refund' and status = 'succeeded' then array['refund.succeeded']
    when kind = 'refund' and status = 'refund_failed' then array['refund.failed']
    when kind <> 'purchase' then null
    when status = 'succeeded' and before not in ${capturedStates}
      then array['item.purchased', 'payment.succeeded']
    when status = 'voided' and reason = 'expired' then array['payment.authorization_expired']
    when status = 'voided' then array['payment.authorization_voided']
    when status = 'failed' and was_captured then array['payment.capture_failed']
    when status = 'failed' then array['payment.failed', 'payment.capture_failed']
    when is_first_hold then array['payment.authorized'] end`;

const events: readonly Rule[] = [
  {
    id: 'E1',
    says: 'events of a payment, session, dispute, fraud signal, saved card, customer or subscription are numbered from 1 without a gap, up to its own count',
    over: 'span',
    sql: `with counted as (
        select id, event_seq from payments where ${isInSpan('id')}
        union all select id, event_seq from checkout_sessions where ${isInSpan('id')}
        union all select id, event_seq from disputes where ${isInSpan('id')}
        union all select id, event_seq from fraud_signals where ${isInSpan('id')}
        union all select id, event_seq from payment_methods where ${isInSpan('id')}
        union all select event_resource(client_id, id), event_seq from customers where ${isInSpan('id')}
        union all select id, event_seq from subscriptions where ${isInSpan('id')}),
      sums as (
        select c.id, c.event_seq, count(e.id) as stored, coalesce(max(e.sequence), 0) as last
        from counted c left join events e on e.resource_id = c.id group by c.id, c.event_seq)
      select id::text as subject, event_seq || ' counted, ' || stored || ' stored, last ' || last
        as found
      from sums where stored <> event_seq or last <> event_seq
      union all
      select e.id::text, e.type || ' of a payment that is not there'
      from events e where e.resource_type = 'payment' and ${isInSpan('e.resource_id')}
        and not exists (select from payments p where p.id = e.resource_id)`,
  },
  {
    id: 'E1b',
    says: 'every change that merchants hear about has one event, of its own type',
    over: 'span',
    sql: `with ${steps}, due as (select *, ${wanted} as wanted from told)
      select payment_id::text as subject, coalesce(before || ' to ', '') || status || ': '
        || coalesce(type, 'no event') as found
      from due where wanted is not null and (type is null or not type = any(wanted))`,
  },
  {
    id: 'E2',
    says: 'money that was taken is told once, and no other payment is told as paid',
    over: 'span',
    sql: `with paid as (
        select p.id, p.status,
          exists (select from payment_history h where h.payment_id = p.id
            and h.status in ${capturedStates}) as was_captured,
          count(e.id) as told
        from payments p left join events e
          on e.resource_id = p.id and e.type in ('item.purchased', 'payment.succeeded')
        where p.type = 'purchase' and ${isInSpan('p.id')} group by p.id)
      select id::text as subject, status || ': told ' || told || ' times' as found
      from paid where told <> case when was_captured then 1 else 0 end`,
  },
  {
    id: 'E5',
    says: 'a delivery is pending, or has ended with its attempts on record',
    over: 'span',
    sql: `with ended as (
        select d.event_id, d.endpoint_id, d.state, d.attempts, d.finished_at,
          (select count(distinct a.attempt) from webhook_attempts a
            where a.event_id = d.event_id and a.endpoint_id = d.endpoint_id) as recorded
        from events e join webhook_deliveries d on d.event_id = e.id
        where ${isInSpan('e.resource_id')})
      select event_id::text as subject, state || ' to ' || endpoint_id || ': ' || attempts
        || ' attempts, ' || recorded || ' recorded' as found
      from ended where recorded < attempts
        or (state = 'pending') <> (finished_at is null)
        or (state in ('delivered', 'dead') and attempts = 0)`,
  },
  {
    id: 'E5b',
    says: 'every event has a delivery for each endpoint that was subscribed when it was written',
    // An endpoint that has not changed since before the event was subscribed then as it is now.
    // Retention removes deliveries that have ended. Events about an endpoint go to the other
    // endpoints, a test goes to the tested one only, and the proof of a start to the demo shop's.
    over: 'span',
    sql: `select e.id::text as subject, e.type || ' without delivery to ' || w.id as found
      from events e join webhook_endpoints w on w.client_id = e.client_id
      where ${isInSpan('e.resource_id')} and w.is_enabled
        and w.updated_at < e.created_at - interval '1 minute'
        and e.created_at >= ${deliveriesKeptFrom}
        and (w.event_types is null or e.type = any(w.event_types))
        and case e.type when 'webhook_endpoint.test' then e.resource_id = w.id
          else e.resource_id <> w.id end
        and (not e.is_start_proof or w.id = ${demoEndpointOf('e.client_id')})
        and not exists (select from webhook_deliveries d
          where d.event_id = e.id and d.endpoint_id = w.id)`,
  },
  {
    id: 'E6',
    says: 'the bytes of an event carry its own id, type, client and number',
    over: 'span',
    sql: `select id::text as subject, type, client_id, sequence, payload
      from events where ${isInSpan('resource_id')}
        and not (payload = '' and created_at < ${eventsKeptFrom})`,
    judge: findWrongName,
  },
  {
    id: 'W6',
    says: 'no genuine notice of the provider is left unread for a day',
    over: 'whole',
    sql: `select notice_id as subject, type || ', ' || tries || ' tries' as found
      from provider_inbox where processed_at is null
        and received_at < :now - interval '25 hours'`,
  },
];

const rest: readonly Rule[] = [
  {
    id: 'U1',
    says: 'no money at a provider carries our marks and has no payment',
    over: 'whole',
    sql: `select provider_intent_id as subject, state || ' ' || amount_minor || ' ' || currency
        || ' in minor units, ' || status || ', found at ' || found_at as found
      from unknown_money
      where status not in ('watched', 'adopted', 'released', 'refunded', 'settled')`,
  },
  {
    id: 'L1',
    says: 'what the closed days of a client count is what was created on them',
    over: 'whole',
    sql: `with there as (
        select p.client_id, (p.created_at at time zone 'UTC')::date as day, count(*) as payments
        from payments p join payment_days_closed c on c.client_id = p.client_id
        where p.created_at < c.closed_until group by 1, 2)
      select coalesce(d.client_id, t.client_id)::text as subject,
        coalesce(d.day, t.day) || ': counted ' || coalesce(d.payments, 0) || ' of '
        || coalesce(t.payments, 0) as found
      from payment_days d full join there t on t.client_id = d.client_id and t.day = d.day
      where d.payments is distinct from t.payments`,
  },
  {
    id: 'L2',
    says: 'what lists look a payment up by is what the payment says, where no change waits to be copied',
    over: 'span',
    sql: `select p.id::text as subject, case when i.payment_id is null then p.status || ', not copied'
        when i.status <> p.status then p.status || ', copied as ' || i.status
        else 'copied otherwise' end as found
      from payments p cross join payment_index_state s
      left join payment_index i on i.payment_id = p.id
      where ${isInSpan('p.id')} and s.is_complete
        and not exists (select from payment_history h
          where h.payment_id in (p.id, p.parent_payment_id) and h.txid >= s.watermark)
        and (i.payment_id is null
          or (i.client_id, i.type, i.status, i.currency, i.provider, i.capture_method, i.created_at,
              i.updated_at)
            is distinct from (p.client_id, p.type, p.status, p.currency, p.provider,
              p.capture_method, p.created_at, p.updated_at)
          or i.amount_units <> p.amount_minor * 100
            and i.amount_units not in (p.amount_minor, p.amount_minor * 10, p.amount_minor * 1000,
              p.amount_minor * 10000)
          or i.parent_status <> coalesce((select q.status from payments q
            where q.id = p.parent_payment_id), '')
          or (i.email, i.user_id, i.parent_payment_id, i.captured_at, i.failure_code,
              i.decline_code, i.refund_reason)
            is distinct from (lower(p.email), p.user_id, p.parent_payment_id, p.captured_at,
              p.failure_code, p.decline_code, p.refund_reason)
          or jsonb_build_object('lastFour', i.last_four, 'brand', i.brand, 'type', i.method_type)
            <> jsonb_build_object('lastFour', p.card->'lastFour', 'brand', p.card->'brand',
              'type', p.card->'type')
          or i.card_country is distinct from p.card->>'country'
          or case when i.effective_sort < '9999-12-31' then i.effective_sort end
            is distinct from p.financial_effective_at
          or case when i.expires_sort < '9999-12-31' then i.expires_sort end
            is distinct from p.authorization_expires_at
          or not exists (select from payment_words w where w.client_id = p.client_id
            and w.word = 'reference:' || right(p.id::text, 10) and w.payment_id = p.id))
      union all
      select i.payment_id::text, 'copied, and no payment' from payment_index i
      where ${isInSpan('i.payment_id')} and not exists (select from payments p where p.id = i.payment_id)`,
  },
  {
    id: 'L3',
    says: 'what a day counts and adds up is what the copies of its payments say',
    over: 'whole',
    sql: `with there as (
        select client_id, (created_at at time zone 'UTC')::date as day, currency, type, status,
          parent_status, count(*) as payments, sum(amount_minor) as amount_minor, sum(captured_minor) as captured_minor,
          sum(refunded_minor) as refunded_minor, sum(charged_back_minor) as charged_back_minor,
          sum(fee_minor) as fee_minor, sum(without_fee) as without_fee
        from payment_index where is_summed group by 1, 2, 3, 4, 5, 6)
      select coalesce(s.client_id, t.client_id)::text as subject,
        concat_ws(' ', coalesce(s.day, t.day), coalesce(s.currency, t.currency),
          coalesce(s.type, t.type), coalesce(s.status, t.status)) || ': counted '
          || coalesce(s.payments, 0) || ' of ' || coalesce(t.payments, 0) as found
      from payment_day_sums s full join there t
        on (t.client_id, t.day, t.currency, t.type, t.status, t.parent_status)
          = (s.client_id, s.day, s.currency, s.type, s.status, s.parent_status)
      where (coalesce(s.payments, 0), coalesce(s.amount_minor, 0), coalesce(s.captured_minor, 0),
          coalesce(s.refunded_minor, 0), coalesce(s.charged_back_minor, 0), coalesce(s.fee_minor, 0),
          coalesce(s.without_fee, 0))
        <> (coalesce(t.payments, 0), coalesce(t.amount_minor, 0), coalesce(t.captured_minor, 0),
          coalesce(t.refunded_minor, 0), coalesce(t.charged_back_minor, 0), coalesce(t.fee_minor, 0),
          coalesce(t.without_fee, 0))`,
  },
  {
    id: 'R1',
    says: 'an open operation is held, or is looked at again within a minute of being due; within an hour where it waits for its turn at the provider',
    over: 'span',
    sql: `select id::text as subject, kind || ' ' || state || ', due since ' || next_check_at as found
      from payment_operations where ${isInSpan('payment_id')}
        and state in ('active', 'in_doubt', 'awaiting_customer')
        and next_check_at < :now - case last_error_code when 'held_back' then interval '1 hour'
          else interval '60 seconds' end
        and coalesce(lease_until, '-infinity') < :now - interval '60 seconds'`,
  },
  {
    id: 'R1b',
    says: 'no operation waits for a person',
    over: 'span',
    sql: `select id::text as subject, kind || ' since ' || created_at as found
      from payment_operations where state = 'manual' and ${isInSpan('payment_id')}`,
  },
  {
    id: 'R1c',
    says: 'an undecided payment has an open operation that will decide it',
    over: 'span',
    sql: `select p.id::text as subject,
        p.type || ' ' || p.status || coalesce(': ' || p.failure_message, '') as found
      from payments p where ${isInSpan('p.id')} and p.type <> 'chargeback'
        and p.status in ('pending', 'processing', 'unknown')
        and not exists (select from payment_operations o
          where o.payment_id = p.id and o.state in ${openStates})
        -- A capture taken back waits for the end of a refund.
        and not exists (select from payments r join payment_operations o on o.payment_id = r.id
          where r.parent_payment_id = p.id and o.state in ${openStates})
        -- One made at the provider, which has it under way, is nobody's operation.
        and not (p.type = 'refund' and p.status = 'processing' and p.provider_refund_id is not null
          and p.created_at > :now - interval '30 days'
          and not exists (select from payment_operations o where o.payment_id = p.id))`,
  },
  {
    id: 'R1d',
    says: 'a hold is ended within an hour of running out',
    over: 'span',
    sql: `select p.id::text as subject, 'ran out at ' || p.authorization_expires_at as found
      from payments p where p.status = 'authorized' and ${isInSpan('p.id')}
        and p.authorization_expires_at < :now - interval '1 hour'
        and not exists (select from payment_operations o
          where o.payment_id = p.id and o.state in ${openStates})`,
  },
  {
    id: 'R1e',
    says: 'every hold, and nothing else, is on the list of holds to watch',
    over: 'span',
    sql: `select p.id::text as subject, p.status || ', '
        || case when h.payment_id is null then 'not listed' else 'listed' end as found
      from payments p left join open_holds h on h.payment_id = p.id
      where ${isInSpan('p.id')} and ((p.status = 'authorized' and h.payment_id is null)
        or (h.payment_id is not null and p.status not in ('authorized', 'unknown')))`,
  },
];

export const promiseRules: readonly Rule[] = [...keys, ...events, ...rest];
