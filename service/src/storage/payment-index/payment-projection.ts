// How the list of payments finds its rows: through the table `payment_index` and the words of
// `payment_words`. Each condition means the same as the condition of that name over `payments`.
// docs/decisions/lists.md.

import type { Filter } from '@svc/contract/rows/row';
import { idEndOf } from '../../domain/payments/payment-reference.ts';
import {
  type Column,
  type Condition,
  customersBy,
  metadataKey,
  textOps,
} from '../database/list-filters.ts';
import type { ProjectedSort, Projection } from '../database/projected-lists.ts';
import type { Reader } from '../database/reads.ts';
import { sql } from '../database/sql.ts';
import type { WordKind } from './payment-index.ts';

/** Stands for a missing instant: no instant is as late. */
const never = `'9999-12-31T23:59:59.999Z'::timestamptz`;

const operators = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

// With row-level security, PostgreSQL uses an index only for plain comparisons of numbers and
// instants.
const units = (value: string): string =>
  `least(greatest(${value} * 10000, -9000000000000000000), 9000000000000000000)`;
const isWholeFraction = (value: string): string => `${value} * 10000 = trunc(${value} * 10000)`;

function compareAmount(op: Filter['op'], value: string): string {
  const column = 'i.amount_units';
  if (op === 'in') {
    return `${column} = any(array(
      select ${units('v')}::bigint from unnest(${value}) v where ${isWholeFraction('v')}))`;
  }
  if (op === 'eq') return `(${column} = ${units(value)}::bigint and ${isWholeFraction(value)})`;
  if (op === 'ne') return `(${column} <> ${units(value)}::bigint or not ${isWholeFraction(value)})`;
  const round = op === 'gt' || op === 'lte' ? 'floor' : 'ceil';
  return `${column} ${operators[op as keyof typeof operators]} ${round}(${units(value)})::bigint`;
}

/** Instants that may be missing: the value that stands for a missing one matches nothing. */
const instantOrNone = (column: string): Column => ({
  sql: column,
  kind: 'instant',
  compare(op, value) {
    const there = `${column} < ${never}`;
    const end = `(${value} + interval '1 millisecond')`;
    if (op === 'in') return `(date_trunc('milliseconds', ${column}) = any(${value}) and ${there})`;
    if (op === 'eq') return `(${column} >= ${value} and ${column} < ${end} and ${there})`;
    if (op === 'ne') return `((${column} < ${value} or ${column} >= ${end}) and ${there})`;
    const from = op === 'gt' || op === 'lte' ? end : value;
    const sign = op === 'gt' || op === 'gte' ? '>=' : '<';
    return `(${column} ${sign} ${from} and ${there})`;
  },
});

/**
 * Stored in lower case, in the collation that compares by code point: addresses with the same
 * beginning are neighbours.
 */
const email: Column = {
  sql: 'i.email',
  kind: 'email',
  compare(op, value) {
    if (op === 'in') return `i.email = any(array(select lower(v) from unnest(${value}) v))`;
    if (op === 'startsWith') {
      return `(i.email >= lower(${value}) and i.email < lower(${value}) || chr(1114111))`;
    }
    if (op === 'eq') return `i.email = lower(${value})`;
    if (op === 'ne') return `i.email is distinct from lower(${value})`;
    return `i.email ${operators[op as keyof typeof operators]} lower(${value})`;
  },
};

const uuid = (name: string): Column => ({ sql: name, kind: 'uuid' });
const textColumn = (name: string): Column => ({ sql: name, kind: 'text' });
const instant = (name: string): Column => ({ sql: name, kind: 'instant' });

const wordCondition = (values: string, op: Filter['op'] = 'in'): string => {
  // The index has the rows of one word in the order of the list, so that the planner can stop after a page.
  const which = op === 'eq' ? `(${values})[1]` : `any(${values})`;
  return `(i.created_at, i.payment_id) in (
  select w.created_at, w.payment_id from payment_words w
  where w.client_id = i.client_id and w.word = ${which})`;
};

const prefixedWord = (kind: WordKind, value: string): string => `${kind}:${value}`;
const word = (kind: WordKind, read = (value: string) => value): Condition => ({
  kind: 'text',
  ops: ['eq', 'in'],
  read: (value) => prefixedWord(kind, read(value)),
  match: (values, { op }) => wordCondition(values, op),
});

// Old words stay: a payment with several attempts has had several ids. This condition checks that
// the payment still has the value.
const stillCondition = (condition: string): string =>
  `exists (select from payments q where q.id = i.payment_id and (${condition}))`;

/**
 * Every value of the metadata is a word, whatever its key; the payment itself is checked for the
 * key.
 */
const metadata: Condition = {
  ...word('value'),
  match: (values, filter, bind) =>
    `(${wordCondition(values)} and ${stillCondition(
      `'value:' || (q.metadata->>${bind(metadataKey(filter))}::text) = any(${values})`,
    )})`,
};

const charge: Condition = {
  ...word('charge'),
  match: (values) =>
    `(${wordCondition(values)} and ${stillCondition(`'charge:' || q.gateway_charge_id = any(${values})`)})`,
};

const atProvider: Condition = {
  kind: 'text',
  ops: ['eq', 'in'],
  match: (values) => `(${wordCondition(`array(
    select kind || v from unnest(${values}) v, unnest('{intent:,charge:,refund:}'::text[]) kind)`)}
    and ${stillCondition(`q.provider_intent_id = any(${values})
      or q.gateway_charge_id = any(${values}) or q.provider_refund_id = any(${values})`)})`,
};

const named: Condition = {
  kind: 'text',
  ops: textOps,
  // Nobody vouched for another buyer, who may have typed this customer's id.
  match: (values, { op }) => `(i.user_id in ${customersBy('name', 'i.client_id', { values, op })}
    and ${stillCondition('q.is_buyer_verified')})`,
};

// There are few disputes, so the disputed payments are found from them.
const ofDisputes = `(
  select d.payment_id from disputes d
  union select c.id from disputes d join payments c on c.parent_payment_id = d.payment_id)`;

const disputed: Condition = {
  kind: 'boolean',
  ops: ['eq', 'in'],
  match: (values, given) =>
    given.values.every((value) => value === 'true')
      ? `(i.payment_id in ${ofDisputes} and true = any(${values}))`
      : `(i.payment_id in ${ofDisputes}) = any(${values})`,
};

const words = {
  productCode: word('product'),
  reference: word('reference', idEndOf),
  metadata: word('value'),
};

/** Every row of the copy has its words, so a query for one word alone is counted from the words. */
const countByWord: Projection['count'] = ({ clientId, filters: [only, ...others] }, bind) => {
  if (!only || others.length > 0 || only.op !== 'eq' || !Object.hasOwn(words, only.field))
    return null;
  const { read = String } = words[only.field as keyof typeof words];
  const [value = ''] = only.values;
  return `select count(*) from payment_words w
    where w.client_id = ${bind(clientId)}::uuid and w.word = ${bind(read(value))}::text`;
};

const filters: Readonly<Record<string, Column | Condition>> = {
  id: uuid('i.payment_id'),
  email,
  userId: uuid('i.user_id'),
  status: textColumn('i.status'),
  type: textColumn('i.type'),
  currency: textColumn('i.currency'),
  captureMethod: textColumn('i.capture_method'),
  provider: textColumn('i.provider'),
  parentPaymentId: uuid('i.parent_payment_id'),
  amount: { sql: 'i.amount_units', kind: 'decimal', compare: compareAmount },
  createdAt: instant('i.created_at'),
  updatedAt: instant('i.updated_at'),
  capturedAt: instant('i.captured_at'),
  financialEffectiveAt: instantOrNone('i.effective_sort'),
  authorizationExpiresAt: instantOrNone('i.expires_sort'),
  lastFour: textColumn('i.last_four'),
  brand: textColumn('i.brand'),
  cardCountry: textColumn('i.card_country'),
  paymentMethodType: textColumn('i.method_type'),
  failureCode: textColumn('i.failure_code'),
  declineCode: textColumn('i.decline_code'),
  reason: textColumn('i.refund_reason'),
  isDisputed: disputed,
  name: named,
  providerId: atProvider,
  gatewayChargeId: charge,
  ...words,
  'metadata.<key>': metadata,
};

const sorts: Readonly<Record<string, ProjectedSort>> = {
  createdAt: instant('i.created_at'),
  updatedAt: instant('i.updated_at'),
  amount: {
    sql: 'i.amount_units',
    kind: 'decimal',
    shown: 'i.amount_units * 0.0001',
    read: (value) => `(${value} * 10000)::bigint`,
  },
  status: textColumn('i.status'),
  authorizationExpiresAt: instant('i.expires_sort'),
  financialEffectiveAt: instant('i.effective_sort'),
};

export const paymentProjection: Projection = {
  from: 'payment_index i',
  tenant: 'i.client_id',
  key: 'i.payment_id',
  sorts,
  filters,
  days: {
    from: 'payment_day_sums s',
    tenant: 's.client_id',
    count: 'payments',
    filters: {
      status: textColumn('s.status'),
      type: textColumn('s.type'),
      currency: textColumn('s.currency'),
    },
    ofPurchase: {
      status: textColumn('s.parent_status'),
      type: textColumn(`'purchase'::text`),
      currency: textColumn('s.currency'),
    },
  },
  count: countByWord,
  changed: (since) =>
    `select distinct h.payment_id as id from payment_history h where h.txid >= ${since}::bigint`,
};

// A number from another server's count of transactions, as after a dump was restored, is
// meaningless here.
const find = sql<{ watermark: string }>(
  'payment_index.find_watermark',
  `select watermark::text as watermark from payment_index_state
   where is_complete and watermark <= pg_snapshot_xmax(pg_current_snapshot())::text::bigint`,
  { isScan: true },
);

// The closed days count exactly and the statistics of the table also count what is younger; neither walks the payments.
const progress = sql<{ percent: number }>(
  'payment_index.progress',
  `select (case when watermark > pg_snapshot_xmax(pg_current_snapshot())::text::bigint then 0
       when is_complete then 100
       else least(99, 100 * backfilled / greatest(1, backfilled, closed.payments, guessed.payments)) end)::int
     as percent
   from payment_index_state,
     (select coalesce(sum(payments), 0)::bigint as payments from payment_days) closed,
     (select reltuples::bigint as payments from pg_class where oid = 'payments'::regclass) guessed`,
);

/** Returns how much of the payments the copy has, in percent; 100 as soon as it has all of them. */
export async function readCopyPercent(database: Reader): Promise<number> {
  return (await database.read(progress, []))[0]?.percent ?? 0;
}

/**
 * Returns the transaction up to which the copy has every change; undefined while older payments are
 * still being copied. A watermark that has advanced by the time of a later statement does no harm:
 * the changes in between are then read twice.
 */
export async function findWatermark(database: Reader): Promise<string | undefined> {
  const [row] = await database.read(find, []);
  return row?.watermark;
}
