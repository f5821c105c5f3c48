// Pages of payments, for merchants and for the buyer of one session. Spec: GET /v1/payments.

import { isDatabaseTrouble } from '@svc/contract/servers/database-trouble';
import { Refusal } from '../../domain/protocol/refusal.ts';
import type { Database } from '../database/database.ts';
import { nullsLast, payerNameOf } from '../database/list-filters.ts';
import {
  defineList,
  type List,
  type ListQuery,
  type ListTable,
  type Predicate,
} from '../database/lists.ts';
import { isProjected, listProjected, type ProjectedTable } from '../database/projected-lists.ts';
import type { Reader } from '../database/reads.ts';
import { sql } from '../database/sql.ts';
import { majorSql } from '../payment-index/major-units.ts';
import {
  findWatermark,
  paymentProjection,
  readCopyPercent,
} from '../payment-index/payment-projection.ts';
import { conditions } from './payment-conditions.ts';
import { type PaymentRow, paymentColumns } from './payments.ts';

const major = majorSql('p');

/** The filters of the list over the table's rows; `p` is its alias. */
export const paymentFilters: ListTable['filters'] = {
  id: { sql: 'p.id', kind: 'uuid' },
  email: { sql: 'p.email', kind: 'email' },
  userId: { sql: 'p.user_id', kind: 'uuid' },
  externalId: { sql: 'p.external_id', kind: 'text' },
  sessionId: { sql: 'p.session_id', kind: 'uuid' },
  status: { sql: 'p.status', kind: 'text' },
  type: { sql: 'p.type', kind: 'text' },
  currency: { sql: 'p.currency', kind: 'text' },
  captureMethod: { sql: 'p.capture_method', kind: 'text' },
  provider: { sql: 'p.provider', kind: 'text' },
  gatewayChargeId: { sql: 'p.gateway_charge_id', kind: 'text' },
  parentPaymentId: { sql: 'p.parent_payment_id', kind: 'uuid' },
  amount: { sql: major, kind: 'decimal' },
  createdAt: { sql: 'p.created_at', kind: 'instant' },
  updatedAt: { sql: 'p.updated_at', kind: 'instant' },
  capturedAt: { sql: 'p.captured_at', kind: 'instant' },
  financialEffectiveAt: { sql: 'p.financial_effective_at', kind: 'instant' },
  authorizationExpiresAt: { sql: 'p.authorization_expires_at', kind: 'instant' },
  lastFour: { sql: "(p.card->>'lastFour')", kind: 'text' },
  brand: { sql: "(p.card->>'brand')", kind: 'text' },
  cardCountry: { sql: "(p.card->>'country')", kind: 'text' },
  paymentMethodType: { sql: "(p.card->>'type')", kind: 'text' },
  failureCode: { sql: 'p.failure_code', kind: 'text' },
  declineCode: { sql: 'p.decline_code', kind: 'text' },
  reason: { sql: 'p.refund_reason', kind: 'text' },
  ...conditions,
};

const table: ListTable = {
  name: 'payments.list',
  days: {
    table: 'payment_days',
    count: 'payments',
    closed: 'payment_days_closed',
    sortField: 'createdAt',
  },
  from: 'payments p',
  columns: paymentColumns,
  joins: `left join lateral (select ${payerNameOf('page')} as customer_name) more on true`,
  tenant: 'p.client_id',
  key: { sql: 'p.id', kind: 'uuid' },
  sorts: {
    createdAt: { sql: 'p.created_at', kind: 'instant' },
    updatedAt: { sql: 'p.updated_at', kind: 'instant' },
    amount: { sql: major, kind: 'decimal' },
    status: { sql: 'p.status collate "C"', kind: 'text' },
    authorizationExpiresAt: { sql: nullsLast('p.authorization_expires_at'), kind: 'instant' },
    financialEffectiveAt: { sql: nullsLast('p.financial_effective_at'), kind: 'instant' },
  },
  filters: paymentFilters,
};

const listDirectly: List<PaymentRow> = defineList(table);

/**
 * Lists one page of the merchant's payments, refunds and chargebacks. What the table's own order does not answer
 * is looked up in its copy, as soon as that has every payment.
 */
export const listPaymentRows: List<PaymentRow> = async (database, clientId, query) => {
  const isPlain = query.filters.length === 0 && query.sortField === 'createdAt';
  if (isPlain || query.within?.length) return listDirectly(database, clientId, query);
  const on = await findProjected(database, query);
  if (on) return listProjected<PaymentRow>(database, on, { clientId, query });
  return untilPrepared(database, query, listDirectly(database, clientId, query));
};

type ProjectedQuery = Pick<ListQuery, 'filters'> & Partial<Pick<ListQuery, 'sortField'>>;

/** Whether the copy knows every field of the query. */
const isInCopy = ({ sortField = 'createdAt', filters }: ProjectedQuery): boolean =>
  Object.hasOwn(paymentProjection.sorts, sortField) && isProjected(paymentProjection, filters);

/**
 * Awaits a read of the payments that takes the place of one of the copy while that is being made. Refuses
 * search_being_prepared where the payments are too many for it.
 */
export async function untilPrepared<T>(
  database: Reader,
  query: ProjectedQuery,
  read: Promise<T>,
): Promise<T> {
  try {
    return await read;
  } catch (error) {
    if (!isDatabaseTrouble(error) || !isInCopy(query)) throw error;
    throw new Refusal('search_being_prepared', {
      preparedPercent: await readCopyPercent(database),
    });
  }
}

/** The copy, where it knows every field of the query and has every payment. */
export async function findProjected(
  database: Reader,
  query: ProjectedQuery,
): Promise<ProjectedTable | undefined> {
  if (!isInCopy(query)) return undefined;
  const watermark = await findWatermark(database);
  return watermark === undefined ? undefined : { projection: paymentProjection, table, watermark };
}

const { joins: _, ...idTable } = table;

/** Lists the same page for callers who may see only ids. */
export const listPaymentIds: List<{ id: string }> = defineList({
  ...idTable,
  name: 'payments.list_ids',
  columns: 'p.id',
});

/** Limits a list to payments of that session whose email is the claimed one. Contract §2, Lists (b). */
export const limitToSession = (session: {
  readonly id: string;
  readonly email: string | null;
}): Predicate => ({
  shape: 'of_session',
  values: [session.id],
  write: (bind) => `p.session_id = ${bind(session.id)}::uuid and p.email = ${bind(session.email)}`,
});

type SessionRow = {
  readonly id: string;
  readonly client_id: string;
  readonly email: string | null;
};

const findSession = sql<SessionRow>(
  'payments.find_session_of_nonce',
  `select s.id, s.client_id, s.email from checkout_sessions s
   where s.nonce_sha256 = $1`,
);

/** Returns the session of a nonce, found by the hash alone, with the email of its claim. */
export async function findSessionOfNonce(
  database: Database,
  nonceSha256: Buffer,
): Promise<SessionRow | undefined> {
  const [row] = await database.read(findSession, [nonceSha256]);
  return row;
}
