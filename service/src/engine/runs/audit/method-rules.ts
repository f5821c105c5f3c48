// Rules for saved cards: what the provider has verified, what depends on them, and how they end.
// Invariants P.

import type { Rule } from './rule.ts';

const hasEventOf = (type: string): string =>
  `exists (select from events e where e.resource_id = m.id and e.type = '${type}')`;

export const methodRules: readonly Rule[] = [
  {
    id: 'P1',
    says: 'a saved card is active only on the provider’s word, and that was told',
    over: 'whole',
    sql: `select m.id::text as subject, 'verified ' || coalesce(m.verified_at::text, 'never')
        || case when ${hasEventOf('payment_method.activated')} then '' else ', not told' end as found
      from payment_methods m where m.status = 'active'
        and (num_nulls(m.verified_at, m.provider_customer_id, m.provider_payment_method_id) > 0
          or not ${hasEventOf('payment_method.activated')})`,
  },
  {
    id: 'P2',
    says: 'subscriptions and defaults are on an active card of their own customer',
    over: 'whole',
    sql: `with funded as (
        select s.id, s.client_id, s.user_id, s.payment_method_id, 'subscription ' || s.status as what
        from subscriptions s where s.status <> 'canceled'
        union all
        select c.id, c.client_id, c.id, c.default_payment_method_id, 'default'
        from customers c where c.default_payment_method_id is not null)
      select f.id::text as subject,
        f.what || ' on ' || f.payment_method_id || ', ' || coalesce(m.status, 'unknown') as found
      from funded f left join payment_methods m on m.id = f.payment_method_id
      where m.id is null or m.status <> 'active' or m.client_id <> f.client_id
        or m.user_id <> f.user_id`,
  },
  {
    id: 'P3',
    says: 'a removed card has come to the end of its detachment, and was told if it had been active',
    over: 'whole',
    sql: `select m.id::text as subject, 'detachment ' || coalesce(r.state, 'none')
        || case when ${hasEventOf('payment_method.deleted')} then '' else ', not told' end as found
      from payment_methods m
      left join payment_method_detachments r on r.payment_method_id = m.id
      where m.status = 'removed' and (r.state is distinct from 'removed'
        or (m.verified_at is not null and not ${hasEventOf('payment_method.deleted')}))`,
  },
  {
    id: 'P3b',
    says: 'a detachment has ended with its card, and one that failed has left it there',
    over: 'whole',
    sql: `select m.id::text as subject, r.state || ', and the card is ' || m.status as found
      from payment_method_detachments r join payment_methods m on m.id = r.payment_method_id
      where (r.state = 'removed') <> (m.status = 'removed')`,
  },
  {
    id: 'P5',
    says: 'no payment that is not over, and no set-up, is on a removed card',
    over: 'whole',
    sql: `select u.payment_id::text as subject, p.status || ' with ' || m.id as found
      from payment_method_uses u join payments p on p.id = u.payment_id
      join payment_methods m on m.id = u.payment_method_id
      where m.status = 'removed' and p.status in ('pending', 'processing', 'unknown')
      union all
      select s.id::text, s.state || ' for ' || m.id
      from card_setups s join payment_methods m on m.id = s.payment_method_id
      where m.status = 'removed' and s.state in ('active', 'in_doubt', 'awaiting_customer')`,
  },
  {
    id: 'R1f',
    says: 'no detachment is left on its way for a day',
    over: 'whole',
    sql: `select payment_method_id::text as subject,
        step || ' since ' || started_at || ', ' || tries || ' tries' as found
      from payment_method_detachments where state = 'running'
        and started_at < :now - interval '1 day'`,
  },
];
