// Rules for subscriptions: each is charged when due, with one renewal at a time, and each paid
// renewal is one period. docs/decisions/subscriptions.md.

import { isRenewedHere } from '../../../storage/database/open-states.ts';
import { capturedStates, isInSpan, type Rule } from './rule.ts';

export const subscriptionRules: readonly Rule[] = [
  {
    id: 'P7',
    says: 'a subscription waits for a renewal of its own that is not over, and for no other',
    over: 'whole',
    sql: `select s.id::text as subject, 'waits for ' || s.renewal_payment_id || ', '
        || coalesce(p.status, 'none of its own') as found
      from subscriptions s
      left join payment_method_uses u
        on u.payment_id = s.renewal_payment_id and u.subscription_id = s.id
      left join payments p on p.id = u.payment_id and p.client_id = s.client_id
      where s.status <> 'canceled' and s.renewal_payment_id is not null
        and coalesce(p.status not in ('pending', 'processing', 'unknown', 'authorized'), true)`,
  },
  {
    id: 'P8',
    says: 'each renewal that was paid was told as a period, but for one that outlived its subscription',
    over: 'span',
    sql: `with counted as (
        select s.id, s.status, s.periods, s.amount_minor,
          (select count(*) from payment_method_uses u where u.subscription_id = s.id
            and exists (select from payment_history h where h.payment_id = u.payment_id
              and h.status in ${capturedStates})) as paid,
          (select count(*) from events e where e.resource_id = s.id
            and e.type = 'subscription.renewed') as told
        from subscriptions s where ${isInSpan('s.id')})
      select id::text as subject, status || ': ' || paid || ' renewals paid, ' || told
        || ' told, period ' || periods as found
      from counted where periods <= told or (paid < told and amount_minor > 0)
        or paid > told + case when status = 'canceled' then 1 else 0 end`,
  },
  {
    id: 'R1g',
    says: 'a subscription is charged within an hour of being due',
    // A subscription whose card is being removed waits for the detachment, which has a rule of its own.
    over: 'whole',
    sql: `select s.id::text as subject,
        s.status || coalesce(', due since ' || s.next_renewal_at, ', never due') as found
      from subscriptions s
      where s.status in ('active', 'past_due') and s.renewal_payment_id is null
        and coalesce(s.next_renewal_at < :now - interval '1 hour', true)
        and not exists (select from payment_method_detachments r
          where r.payment_method_id = s.payment_method_id and r.state = 'running')
        and ${isRenewedHere('s')}`,
  },
];
