// Pages of saved methods with the customer, what they pay for, and tombstones. Additions §5, Saved cards.

import { defineList, type List } from '../database/lists.ts';
import { type MethodRow, methodColumns } from './payment-methods.ts';

export type SavedCardRow = MethodRow & {
  readonly is_default: boolean;
  readonly subscriptions: number;
  readonly customer_email: string;
  readonly customer_name: string | null;
};

/** The month after which the card ends, as text that sorts like the month. */
const expiry = `lpad(m.expiry_year::text, 4, '0') || '-' || lpad(m.expiry_month::text, 2, '0')`;

export const listSavedCardRows: List<SavedCardRow> = defineList({
  name: 'saved_cards.list',
  from: `payment_methods m
    join customers c on c.client_id = m.client_id and c.id = m.user_id`,
  columns: `${methodColumns}, c.email as customer_email, c.name as customer_name,
    coalesce(c.default_payment_method_id = m.id, false) as is_default,
    m.client_id as of_client, m.id as method`,
  joins: `left join lateral (select count(*)::int as subscriptions from subscriptions s
    where s.client_id = page.of_client and s.payment_method_id = page.method
      and s.status <> 'canceled') more on true`,
  tenant: 'm.client_id',
  key: { sql: 'm.id', kind: 'uuid' },
  sorts: { createdAt: { sql: 'm.created_at', kind: 'instant' } },
  filters: {
    id: { sql: 'm.id', kind: 'uuid' },
    userId: { sql: 'm.user_id', kind: 'uuid' },
    type: { sql: 'm.type', kind: 'text' },
    provider: { sql: 'm.provider', kind: 'text' },
    status: { sql: 'm.status', kind: 'text' },
    isDefault: {
      sql: 'coalesce(c.default_payment_method_id = m.id, false)',
      kind: 'boolean',
    },
    expiresBefore: { sql: expiry, kind: 'text', compare: (_, month) => `${expiry} < ${month}` },
    createdAt: { sql: 'm.created_at', kind: 'instant' },
    removedAt: { sql: 'm.removed_at', kind: 'instant' },
  },
});
