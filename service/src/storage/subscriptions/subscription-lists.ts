import type { Subscription } from '../../domain/payments/subscription.ts';
import { defineListFile, type ListFile } from '../database/cursor.ts';
import type { Database } from '../database/database.ts';
import { nullsLast } from '../database/list-filters.ts';
import { defineList, type List, type ListTable, type Predicate } from '../database/lists.ts';
import { sql } from '../database/sql.ts';
import {
  externalIdOfSubscription,
  type SubscriptionRow,
  subscriptionColumns,
  toSubscription,
} from './subscriptions.ts';

/** Limits a list to running subscriptions whose card is good until the end of that month at most. */
export const cardExpiresBy = (month: Date): Predicate => {
  const values = [String(month.getUTCFullYear()), String(month.getUTCMonth() + 1)];
  return {
    shape: 'card_expires',
    values,
    write: (bind) => `s.status <> 'canceled' and s.end_reason is null
      and exists (select from payment_methods m
      where m.id = s.payment_method_id and m.client_id = s.client_id
        and (m.expiry_year, m.expiry_month) <= (${bind(values[0])}::int, ${bind(values[1])}::int))`,
  };
};

/** Limits a list to running subscriptions that cost something and that no card pays. */
export const hasNoCard: Predicate = {
  shape: 'no_card',
  values: [],
  write: () => `s.status <> 'canceled' and s.payment_method_id is null and s.amount_minor > 0`,
};

const table: ListTable = {
  name: 'subscriptions.list',
  from: 'subscriptions s',
  columns: subscriptionColumns,
  joins: `left join lateral (select c.email as customer_email, c.name as customer_name
    from customers c where c.client_id = page.client_id and c.id = page.user_id limit 1) more on true`,
  tenant: 's.client_id',
  key: { sql: 's.id', kind: 'uuid' },
  sorts: {
    createdAt: { sql: 's.created_at', kind: 'instant' },
    updatedAt: { sql: 's.updated_at', kind: 'instant' },
    nextRenewalAt: { sql: nullsLast('s.next_renewal_at'), kind: 'instant' },
  },
  filters: {
    id: { sql: 's.id', kind: 'uuid' },
    userId: { sql: 's.user_id', kind: 'uuid' },
    externalId: { sql: externalIdOfSubscription, kind: 'text' },
    status: { sql: 's.status', kind: 'text' },
    productCode: { sql: 's.product_code', kind: 'text' },
    paymentMethodId: { sql: 's.payment_method_id', kind: 'uuid' },
    nextRenewalAt: { sql: 's.next_renewal_at', kind: 'instant' },
    createdAt: { sql: 's.created_at', kind: 'instant' },
  },
};

/** Lists one page of the merchant's subscriptions. Contract §2, Lists. */
export const listSubscriptionRows: List<SubscriptionRow> = defineList(table);

/** The same list as a file. */
export const subscriptionFile: ListFile<SubscriptionRow> = defineListFile(table);

const listSubscriptions = sql<SubscriptionRow>(
  'customer_pages.subscriptions',
  `select ${subscriptionColumns} from subscriptions s
   where s.client_id = $1 and s.user_id = $2
   order by s.status = 'canceled', s.created_at desc, s.id desc limit 100`,
);

/** Lists the customer's subscriptions, those that have ended last. */
export async function listPageSubscriptions(
  database: Database,
  { clientId, userId }: { readonly clientId: string; readonly userId: string },
): Promise<Subscription[]> {
  return (await database.read(listSubscriptions, [clientId, userId])).map(toSubscription);
}
