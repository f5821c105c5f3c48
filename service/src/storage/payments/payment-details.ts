// The data around a payment: its refunds and who asked for them, the cart, subscription, disputes.

import type { Line } from '../../domain/payments/line.ts';
import type { Payment } from '../../domain/payments/payment.ts';
import { type InitiatorFields, initiatorFields, joinInitiator } from '../audit-log/initiators.ts';
import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { type PaymentRow, paymentColumns, toPayment } from './payments.ts';

// Of several operations, the newest that a caller asked for: a capture that was tried twice has two.
const findFamily = sql<PaymentRow & InitiatorFields>(
  'payment_details.family',
  `select ${paymentColumns}, who.* from payments p
   left join lateral (
     select ${initiatorFields} from payment_operations o ${joinInitiator}
     where o.payment_id = p.id and o.client_id = p.client_id
       and o.kind in ('capture', 'cancel', 'refund') and o.asked_via is not null
     order by o.id desc limit 1) who on true
   where p.client_id = $1 and (p.id = $2 or (p.parent_payment_id = $2 and p.type = 'refund'))
   order by p.created_at, p.id`,
);

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
  /** The payment comes first, then its refunds by time. */
  readonly family: readonly [FamilyMember, ...FamilyMember[]];
  readonly around: DetailsRow;
};

/** Returns undefined when the client has no such payment. */
export async function findSurroundings(
  database: Database,
  clientId: string,
  paymentId: string,
): Promise<PaymentSurroundings | undefined> {
  const [rows, [around]] = await Promise.all([
    database.read(findFamily, [clientId, paymentId]),
    database.read(findAround, [clientId, paymentId]),
  ]);
  const members = rows.map((row) => ({ payment: toPayment(row), asker: row }));
  const own = members.find(({ payment }) => payment.id === paymentId.toLowerCase());
  if (!own || !around) return undefined;
  return { family: [own, ...members.filter((member) => member !== own)], around };
}
