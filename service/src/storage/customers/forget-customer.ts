// Forgets a customer by the database's own function, the only place that may change what its guards keep.
// docs/decisions/buyers.md.

import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

/** Something of a customer that has not ended: its kind, such as `checkout_session`, its id and its state. */
export type Unfinished = {
  readonly kind: string;
  readonly id: string;
  readonly state: string;
  /** Begun by somebody whom nobody vouched for: forgetting ends it. */
  readonly isStrangers: boolean;
};

const list = sql<Unfinished>(
  'customers.list_unfinished',
  `select kind, id, state, is_strangers as "isStrangers" from unfinished_of_customer($1, $2)
   order by kind, id`,
  { isLong: true },
);

/**
 * Lists what prevents the customer's erasure: payments, subscriptions, disputes and other work that has not
 * ended, and saved cards (`payment_method`).
 */
export const listUnfinished = (tx: Tx, clientId: string, userId: string): Promise<Unfinished[]> =>
  tx.query(list, [clientId, userId]);

/** How many rows were blanked or deleted, by table; without tables where there was none. */
export type Blanked = Readonly<Record<string, number>>;

export const withRows = (blanked: Blanked): Blanked =>
  Object.fromEntries(Object.entries(blanked).filter(([, many]) => many > 0));

/** Another buyer of the same address: the merchant decides whether it is the same person. */
export type OtherOfAddress = { readonly id: string; readonly externalId: string | null };

type Said = {
  readonly forgotten?: boolean;
  readonly blanked?: Blanked;
  readonly others?: readonly OtherOfAddress[];
  readonly unfinished?: readonly (Omit<Unfinished, 'isStrangers'> & { is_strangers: boolean })[];
};

const forget = sql<{ said: Said | null }>(
  'customers.forget',
  'select forget_customer($1, $2, $3) as said',
  { isLong: true },
);

export type Forgotten =
  | { readonly kind: 'missing' }
  | { readonly kind: 'unfinished'; readonly unfinished: readonly Unfinished[] }
  /** Forgotten before: only what people have written down since was erased now. */
  | { readonly kind: 'before'; readonly blanked: Blanked }
  | {
      readonly kind: 'forgotten';
      readonly blanked: Blanked;
      readonly others: readonly OtherOfAddress[];
    };

/**
 * Forgets the customer, unless something of it has not ended; the caller then undoes the transaction. With
 * `onlyCounts` saved cards do not hinder it, and the caller undoes the transaction too, or the database has done so.
 */
export async function forgetInDatabase(
  tx: Tx,
  { clientId, userId, onlyCounts }: { clientId: string; userId: string; onlyCounts: boolean },
): Promise<Forgotten> {
  const [row] = await tx.query(forget, [clientId, userId, onlyCounts]);
  if (!row?.said) return { kind: 'missing' };
  const { forgotten, blanked: counts = {}, others = [], unfinished } = row.said;
  if (unfinished) {
    const named = unfinished.map(({ is_strangers: isStrangers, ...each }) => ({
      ...each,
      isStrangers,
    }));
    return { kind: 'unfinished', unfinished: named };
  }
  const blanked = withRows(counts);
  return forgotten ? { kind: 'forgotten', blanked, others } : { kind: 'before', blanked };
}

const vaulted = sql<{ id: string }>(
  'customers.list_vaulted',
  `select distinct p.provider_payment_method_id as id from payments p
   join payment_index i on i.payment_id = p.id
   where i.client_id = $1 and i.user_id = $2 and p.provider_payment_method_id is not null
     and p.created_at > svc_clock() - interval '3 days'`,
);

/** The provider's methods of the customer's payments that the vault may still have a token of: it keeps one for a day. */
export const listVaulted = async (
  tx: Tx,
  clientId: string,
  userId: string,
): Promise<readonly string[]> => (await tx.query(vaulted, [clientId, userId])).map(({ id }) => id);

export type ToDelete = {
  /** How many saved cards are not removed. */
  readonly methods: number;
  /** The provider's own ids of the customer. */
  readonly providerCustomers: readonly string[];
};

const toDelete = sql<ToDelete>(
  'customers.find_to_delete',
  `select (select count(*)::int from payment_methods
       where client_id = $1 and user_id = $2 and status <> 'removed') as methods,
     array(select provider_customer_id from provider_customers
       where client_id = $1 and user_id = $2 order by 1) as "providerCustomers"`,
);

export async function findToDelete(
  database: Database,
  clientId: string,
  userId: string,
): Promise<ToDelete> {
  const [row] = await database.read(toDelete, [clientId, userId]);
  return row ?? { methods: 0, providerCustomers: [] };
}
