// In which language a buyer is written to: of the browser that the buyer last paid with, else the language
// that the merchant has chosen. Additions §2, Mails to buyers.

import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';

// A buyer whom the merchant's server charges may have any number of payments, none of them with a locale.
const ofUser = `(select s.locale from (
     select i.payment_id, i.created_at from payment_index i
     where i.client_id = $1 and i.user_id = u.user_id
     order by i.created_at desc, i.payment_id desc limit 20) i
     join payments p on p.client_id = $1 and p.id = i.payment_id
     join checkout_sessions s on s.client_id = $1 and s.id = p.session_id
   where s.locale is not null
   order by i.created_at desc, i.payment_id desc limit 1)`;
const ofMerchant = '(select c.buyer_language from clients c where c.id = $1)';

const findForPayment = sql<{ locale: string | null }>(
  'buyer_locales.of_payment',
  `select coalesce(s.locale, ${ofUser}, ${ofMerchant}) as locale
   from payments p join payments u on u.client_id = $1 and u.id = coalesce(p.parent_payment_id, p.id)
   left join checkout_sessions s on s.client_id = $1 and s.id = u.session_id
   where p.client_id = $1 and p.id = $2`,
);
const findForUser = sql<{ locale: string | null }>(
  'buyer_locales.of_user',
  `select coalesce(${ofUser}, ${ofMerchant}) as locale from (select $2::uuid as user_id) u`,
);

/** The locale for mails about a payment, or about a refund of it. */
export async function findPaymentLocale(
  database: Database,
  clientId: string,
  paymentId: string,
): Promise<string> {
  const [row] = await database.read(findForPayment, [clientId, paymentId]);
  return row?.locale ?? 'en';
}

/** The locale for mails about a customer's cards and subscriptions. */
export async function findUserLocale(
  database: Database,
  clientId: string,
  userId: string,
): Promise<string> {
  const [row] = await database.read(findForUser, [clientId, userId]);
  return row?.locale ?? 'en';
}
