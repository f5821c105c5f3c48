// The data around a payment: its refunds and who asked for them, the cart, subscription, disputes.

import type { Line } from '../../domain/payments/line.ts';
import type { Payment } from '../../domain/payments/payment.ts';
import { type InitiatorFields, initiatorFields, joinInitiator } from '../audit-log/initiators.ts';
import type { Database } from '../database/database.ts';
import { payerNameOf } from '../database/list-filters.ts';
import { defineList, type ListQuery, type Page, type Predicate } from '../database/lists.ts';
import { sql } from '../database/sql.ts';
import { type PaymentRow, paymentColumns, toPayment } from './payments.ts';

/** Of several operations, the newest that a caller asked for: a capture that was tried twice has two. */
const askerOf = (payment: string) => `left join lateral (
     select ${initiatorFields} from payment_operations o ${joinInitiator}
     where o.payment_id = ${payment}.id and o.client_id = ${payment}.client_id
       and o.kind in ('capture', 'cancel', 'refund') and o.asked_via is not null
     order by o.id desc limit 1) more on true`;

const findOwn = sql<PaymentRow & InitiatorFields>(
  'payment_details.own',
  `select ${paymentColumns}, ${payerNameOf('p')} as customer_name, more.*
   from payments p ${askerOf('p')}
   where p.client_id = $1 and p.id = $2`,
);

const listRefundRows = defineList<PaymentRow & InitiatorFields>({
  name: 'payment_details.refunds',
  from: 'payments p',
  columns: paymentColumns,
  joins: askerOf('page'),
  tenant: 'p.client_id',
  key: { sql: 'p.id', kind: 'uuid' },
  sorts: { createdAt: { sql: 'p.created_at', kind: 'instant' } },
  filters: {},
});

const refundsOf = (paymentId: string): Predicate => ({
  shape: 'refunds',
  values: [paymentId.toLowerCase()],
  write: (bind) => `p.parent_payment_id = ${bind(paymentId)}::uuid and p.type = 'refund'`,
});

type DetailsRow = {
  readonly lines: Line[] | null;
  readonly coupon_codes: string[] | null;
  readonly session_currency: string | null;
  readonly subscription_id: string | null;
  readonly product_code: string | null;
  readonly product_name: string | null;
  readonly quantity: number | null;
  readonly purchase_minor: string;
  readonly dispute_ids: string[];
};

const findAround = sql<DetailsRow>(
  'payment_details.around',
  `with purchase as (
     select q.* from payments p join payments q on q.id = coalesce(p.parent_payment_id, p.id)
     where p.client_id = $1 and p.id = $2)
   select s.lines, s.coupon_codes, s.currency as session_currency, sub.id as subscription_id,
     sub.product_code, sub.product_name, sub.quantity,
     q.amount_minor as purchase_minor,
     coalesce((select array_agg(d.id order by d.created_at, d.id) from disputes d
       where d.client_id = $1 and d.payment_id = q.id), '{}') as dispute_ids
   from purchase q
   left join checkout_sessions s on s.client_id = $1 and s.id = q.session_id
   left join lateral (
     select b.* from subscriptions b where b.client_id = $1 and b.id = coalesce(
       (select u.subscription_id from payment_method_uses u where u.payment_id = q.id),
       (select f.id from subscriptions f where f.client_id = $1 and f.session_id = q.session_id
        order by f.created_at, f.id limit 1))) sub on true`,
);

export type FamilyMember = { readonly payment: Payment; readonly asker: InitiatorFields };

export type PaymentSurroundings = {
  readonly own: FamilyMember;
  readonly customerName: string | null;
  readonly around: DetailsRow;
};

const toMember = (row: PaymentRow & InitiatorFields): FamilyMember => ({
  payment: toPayment(row),
  asker: row,
});

/** Returns undefined when the client has no such payment. */
export async function findSurroundings(
  database: Database,
  clientId: string,
  paymentId: string,
): Promise<PaymentSurroundings | undefined> {
  const [[own], [around]] = await Promise.all([
    database.read(findOwn, [clientId, paymentId]),
    database.read(findAround, [clientId, paymentId]),
  ]);
  if (!own || !around) return undefined;
  return { own: toMember(own), customerName: own.customer_name as string | null, around };
}

/** Lists a page of the refunds of a purchase. */
export async function listRefundsOf(
  database: Database,
  { clientId, paymentId }: { readonly clientId: string; readonly paymentId: string },
  query: ListQuery,
): Promise<Page<FamilyMember>> {
  const within = [refundsOf(paymentId)];
  const { rows, ...page } = await listRefundRows(database, clientId, { ...query, within });
  return { rows: rows.map(toMember), ...page };
}

type Owner = { readonly clientId: string; readonly userId: string };

export type CustomerPayment = {
  readonly payment: Payment;
  readonly productNames: readonly string[];
};

// From the copy of payments, which knows them by customer, soon after each was made. A renewal has no cart.
const listPayments = sql<PaymentRow & { product_names: string[] }>(
  'customer_pages.payments',
  `select ${paymentColumns}, coalesce(
     (select array_agg(l->>'name') from checkout_sessions s, jsonb_array_elements(s.lines) l
      where s.client_id = $1 and s.id = p.session_id),
     (select array[b.product_name] from payment_method_uses u
      join subscriptions b on b.client_id = $1 and b.id = u.subscription_id
      where u.client_id = $1 and u.payment_id = coalesce(p.parent_payment_id, p.id)),
     '{}') as product_names
   from payment_index i join payments p on p.client_id = $1 and p.id = i.payment_id
   where i.client_id = $1 and i.user_id = $2 and p.is_buyer_verified
     and (p.type = 'purchase'
         and p.status in ('authorized', 'processing', 'succeeded', 'partially_refunded', 'refunded')
       or p.type = 'refund' and p.status in ('pending', 'processing', 'succeeded'))
     and ($3::uuid is null or (i.created_at, i.payment_id) < (select b.created_at, b.payment_id
       from payment_index b where b.client_id = $1 and b.user_id = $2 and b.payment_id = $3))
   order by i.created_at desc, i.payment_id desc limit $4`,
);

/** Lists payments and refunds of the customer, the newest first, as far as the merchant vouched for the buyer. */
export async function listPagePayments(
  database: Database,
  { clientId, userId }: Owner,
  { before, limit }: { readonly before: string | null; readonly limit: number },
): Promise<CustomerPayment[]> {
  const rows = await database.read(listPayments, [clientId, userId, before, limit]);
  return rows.map((row) => ({ payment: toPayment(row), productNames: row.product_names }));
}
