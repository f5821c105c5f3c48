// In which language a buyer is written to: the one that was chosen for the customer, else of the browser that the
// buyer last paid with, else the language that the merchant has chosen. Additions §2, Mails to buyers.

import { languageOf } from '@svc/contract/settings/languages';
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
const chosen = '(select c.language from customers c where c.client_id = $1 and c.id = u.user_id)';

type Row = { chosen: string | null; locale: string | null };

// Whoever opens a session may name any id: what its customer chose tells a stranger nothing.
const findForPayment = sql<Row>(
  'buyer_locales.of_payment',
  `select case when u.is_buyer_verified then ${chosen} end as chosen,
     coalesce(s.locale, ${ofUser}, ${ofMerchant}) as locale
   from payments p join payments u on u.client_id = $1 and u.id = coalesce(p.parent_payment_id, p.id)
   left join checkout_sessions s on s.client_id = $1 and s.id = u.session_id
   where p.client_id = $1 and p.id = $2`,
);
const findForUser = sql<Row>(
  'buyer_locales.of_user',
  `select ${chosen} as chosen, coalesce(${ofUser}, ${ofMerchant}) as locale
   from (select $2::uuid as user_id) u`,
);

/** The chosen language; with the region of a browser that speaks it, for sums and dates. */
const localeOf = ({ chosen = null, locale = null }: Partial<Row> = {}): string =>
  chosen !== null && languageOf(locale ?? '') !== chosen ? chosen : (locale ?? 'en');

/** The locale for mails about a payment, or about a refund of it. */
export async function findPaymentLocale(
  database: Database,
  clientId: string,
  paymentId: string,
): Promise<string> {
  const [row] = await database.read(findForPayment, [clientId, paymentId]);
  return localeOf(row);
}

/** The locale for mails about a customer's cards and subscriptions, and for those of the customer's page. */
export async function findUserLocale(
  database: Database,
  clientId: string,
  userId: string,
): Promise<string> {
  const [row] = await database.read(findForUser, [clientId, userId]);
  return localeOf(row);
}
