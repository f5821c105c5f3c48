// Filters of payments that query other tables. Each finds ids regardless of the merchant: the
// list's own condition limits the rows to the merchant. Additions §2.

import { idEndOf } from '../../domain/payments/payment-reference.ts';
import type { Condition } from '../database/list-filters.ts';
import { customersBy, metadataKey, textOps } from '../database/list-filters.ts';
import { hasOpenSignal } from '../fraud-signals/fraud-signals.ts';

const subscriptionCondition = (values: string): string => `p.id in (
  select q.id from subscriptions s join payments q on q.session_id = s.session_id
    where s.id = any(${values})
  union select u.payment_id from payment_method_uses u where u.subscription_id = any(${values})
  union select r.id from payment_method_uses u join payments r on r.parent_payment_id = u.payment_id
    where u.subscription_id = any(${values}))`;

const productCondition = (values: string): string => `(exists (
    select from checkout_sessions s, jsonb_array_elements(s.lines) l
    where s.id = p.session_id and s.client_id = p.client_id and l->>'code' = any(${values}))
  or coalesce(p.parent_payment_id, p.id) in (
    select u.payment_id from payment_method_uses u join subscriptions s on s.id = u.subscription_id
    where s.product_code = any(${values})))`;

const initiatorCondition = (values: string): string => `(exists (
  select from payment_operations o
  where o.payment_id = p.id and o.client_id = p.client_id and o.asked_user_id = any(${values}))
  or exists (select from refund_requests q where q.refund_id = p.id and q.requested_by = any(${values})))`;

export const conditions: Readonly<Record<string, Condition>> = {
  isDisputed: {
    kind: 'boolean',
    ops: ['eq', 'in'],
    match: (values) =>
      `(coalesce(p.parent_payment_id, p.id) in (select d.payment_id from disputes d))
        = any(${values})`,
  },
  fraudSignal: {
    kind: 'text',
    ops: ['eq', 'in'],
    match: (values) => hasOpenSignal('p', values),
  },
  subscriptionId: { kind: 'uuid', ops: ['eq', 'in'], match: subscriptionCondition },
  productCode: { kind: 'text', ops: ['eq', 'in'], match: productCondition },
  requestedBy: { kind: 'uuid', ops: ['eq', 'in'], match: initiatorCondition },
  name: {
    kind: 'text',
    ops: textOps,
    // Nobody vouched for another buyer, who may have typed this customer's id.
    match: (values, { op }) =>
      `(p.is_buyer_verified and p.user_id in ${customersBy('name', 'p.client_id', { values, op })})`,
  },
  providerId: {
    kind: 'text',
    ops: ['eq', 'in'],
    match: (values) => `(p.provider_intent_id = any(${values})
      or p.gateway_charge_id = any(${values}) or p.provider_refund_id = any(${values}))`,
  },
  reference: {
    kind: 'text',
    ops: ['eq', 'in'],
    read: idEndOf,
    match: (values) => `right(p.id::text, 10) = any(${values})`,
  },
  metadata: {
    kind: 'text',
    ops: ['eq', 'in'],
    match: (values) => `exists (
      select from jsonb_each_text(p.metadata) m where m.value = any(${values}))`,
  },
  'metadata.<key>': {
    kind: 'text',
    ops: ['eq', 'in'],
    match: (values, filter, bind) =>
      `(p.metadata->>${bind(metadataKey(filter))}::text) = any(${values})`,
  },
};
