// The table `payments`: rows, locks, the one update. The database itself keeps the history and
// guards the transitions (`guard_payment`).

import assert from 'node:assert';
import { checkedDate } from '@svc/contract/values/instants';
import type { Balance, Reversal } from '../../domain/payments/balance.ts';
import type { Operation } from '../../domain/payments/operation.ts';
import { asItWas, type Payment } from '../../domain/payments/payment.ts';
import { bigIntegers, decimals, instants, jsonTexts, texts } from '../database/array-values.ts';
import { type AskedColumn, setParameters, valuesOf } from '../database/asked-rows.ts';
import type { Database, Tx } from '../database/database.ts';
import {
  amount,
  column,
  derived,
  rowShape,
  type Shape,
  writesOf,
  written,
  writtenAmount,
} from '../database/row-shape.ts';
import { sql } from '../database/sql.ts';

export type PaymentRow = Record<string, unknown>;

type BookedPayment = Pick<Payment, 'balance' | 'currency'>;

/** The balance record: its currency and rate only where they differ from the payment's. */
export const balanceColumns: readonly AskedColumn<BookedPayment>[] = [
  ['balance_transaction_id', texts, ({ balance }) => balance?.transactionId ?? null],
  ['fee_minor', bigIntegers, ({ balance }) => balance?.feeMinor ?? null],
  ['net_minor', bigIntegers, ({ balance }) => balance?.netMinor ?? null],
  ['settled_currency', texts, otherCurrencyOf],
  ['exchange_rate', decimals, ({ balance }) => balance?.exchangeRate?.toString() ?? null],
  ['balance_available_at', instants, ({ balance }) => balance?.availableAt ?? null],
];

/** What the end of a hold changes; the fast path writes exactly this. */
const holdEnd = {
  status: written('status', texts),
  gatewayChargeId: written('gateway_charge_id', texts),
  authorizationVoidReason: written('authorization_void_reason', texts),
  capturedMinor: writtenAmount('captured_minor', bigIntegers),
  financialEffectiveAt: written('financial_effective_at', instants),
  balance: derived(
    balanceColumns.map(([name]) => name),
    toBalance,
  ),
  authorizedAt: written('authorized_at', instants),
  capturedAt: written('captured_at', instants),
  voidedAt: written('voided_at', instants),
} satisfies Partial<Shape<Payment>>;

/** What other settlements change as well. */
const otherEnds = {
  authorizationExpiresAt: written('authorization_expires_at', instants),
  providerPaymentMethodId: written('provider_payment_method_id', texts),
  card: written('card', jsonTexts),
  reversal: {
    ...derived(['reversal'], ({ reversal }) => toReversal(reversal)),
    type: jsonTexts,
  },
  failureCode: written('failure_code', texts),
  declineCode: written('decline_code', texts),
  declineAdvice: written('decline_advice', texts),
  failureMessage: written('failure_message', texts),
} satisfies Partial<Shape<Payment>>;

const payment = rowShape<Payment>({
  ...holdEnd,
  ...otherEnds,
  id: column('id'),
  clientId: column('client_id'),
  sessionId: column('session_id'),
  userId: column('user_id'),
  externalId: column('external_id'),
  reference: column('reference'),
  email: column('email'),
  isBuyerVerified: column('is_buyer_verified'),
  type: column('type'),
  parentPaymentId: column('parent_payment_id'),
  provider: column('provider'),
  gatewayId: column('gateway_id'),
  providerIntentId: column('provider_intent_id'),
  amountMinor: amount('amount_minor'),
  currency: column('currency'),
  captureMethod: column('capture_method'),
  refundedMinor: amount('refunded_minor'),
  refundPendingMinor: amount('refund_pending_minor'),
  metadata: column('metadata'),
  isLive: column('is_live'),
  eventSeq: column('event_seq'),
  version: column('version'),
  createdAt: column('created_at'),
  updatedAt: column('updated_at'),
  refundReason: column('refund_reason'),
  providerRefundId: column('provider_refund_id'),
});

/** Columns of a payment; `p` is the table's alias. */
export const paymentColumns = payment.columns('p');

export const toPayment = payment.read;

export const holdEndColumns: readonly AskedColumn<Payment>[] = [
  ...writesOf<Payment>(holdEnd),
  ...balanceColumns,
];
const changedColumns = [...holdEndColumns, ...writesOf<Payment>(otherEnds)];

const countedFields: ReadonlySet<string> = new Set(['eventSeq', 'version', 'updatedAt']);

/** Whether `holdEndColumns` store everything that differs between the two. */
export const isHoldEnd = (before: Payment, next: Payment): boolean =>
  (Object.keys(next) as (keyof Payment)[]).every(
    (key) => key in holdEnd || countedFields.has(key) || next[key] === before[key],
  );

function toBalance(row: PaymentRow): Balance | null {
  const { balance_transaction_id: transactionId, exchange_rate: rate } = row;
  if (typeof transactionId !== 'string') return null;
  return {
    transactionId,
    feeMinor: Number(row.fee_minor),
    netMinor: Number(row.net_minor),
    currency: (row.settled_currency ?? row.currency) as string,
    exchangeRate: rate === null ? null : Number(rate),
    availableAt: row.balance_available_at as Date | null,
  };
}

/** A value after JSON: dates become strings. */
type SerializedValue<Value> = Value extends Date
  ? string
  : Value extends object
    ? { readonly [Key in keyof Value]: SerializedValue<Value[Key]> }
    : Value;

function toReversal(written: unknown): Reversal | null {
  if (!written) return null;
  const { bookedAt, reversedAt, balance } = written as SerializedValue<Reversal>;
  return {
    bookedAt: checkedDate(bookedAt),
    reversedAt: checkedDate(reversedAt),
    balance: balance && {
      ...balance,
      availableAt: balance.availableAt === null ? null : checkedDate(balance.availableAt),
    },
  };
}

function otherCurrencyOf({ balance, currency }: BookedPayment): string | null {
  return balance && balance.currency !== currency ? balance.currency : null;
}

const find = sql<PaymentRow>(
  'payments.find',
  `select ${paymentColumns} from payments p where p.client_id = $1 and p.id = $2`,
);

/** Returns one payment of the client; undefined when missing or another client's. */
export async function findPayment(
  via: Tx | Database,
  clientId: string,
  id: string,
): Promise<Payment | undefined> {
  const run = 'query' in via ? via.query : via.read;
  const [row] = await run(find, [clientId, id]);
  return row && toPayment(row);
}

const lock = sql<PaymentRow>(
  'payments.lock',
  `select ${paymentColumns} from payments p where p.client_id = $1 and p.id = $2 for update`,
);

/** Does the same and locks the payment until the transaction ends. Read the clock in a later statement. */
export async function lockPayment(
  tx: Tx,
  clientId: string,
  id: string,
): Promise<Payment | undefined> {
  const [row] = await tx.query(lock, [clientId, id]);
  return row && toPayment(row);
}

const insert = sql<PaymentRow>(
  'payments.insert',
  `insert into payments as p (id, client_id, session_id, user_id, email, type, provider, gateway_id,
     amount_minor, currency, capture_method, status, metadata, is_live, created_at, updated_at,
     is_buyer_verified, external_id, reference)
   values ($1, $2, $3, $4, $5, 'purchase', $6, $7, $8, $9, $10, 'pending', $11, $12, $13, $13, $14,
     $15, $16)
   returning ${paymentColumns}`,
);

/** Inserts a new purchase, `pending`. Fails on a second live payment of the session. */
export async function insertPurchase(
  tx: Tx,
  purchase: Pick<
    Payment,
    | 'id'
    | 'clientId'
    | 'sessionId'
    | 'userId'
    | 'email'
    | 'provider'
    | 'gatewayId'
    | 'amountMinor'
    | 'currency'
    | 'captureMethod'
    | 'metadata'
    | 'isLive'
    | 'createdAt'
    | 'isBuyerVerified'
    | 'externalId'
    | 'reference'
  >,
): Promise<Payment> {
  const [row] = await tx.query(insert, [
    purchase.id,
    purchase.clientId,
    purchase.sessionId,
    purchase.userId,
    purchase.email,
    purchase.provider,
    purchase.gatewayId,
    purchase.amountMinor,
    purchase.currency,
    purchase.captureMethod,
    purchase.metadata,
    purchase.isLive,
    purchase.createdAt,
    purchase.isBuyerVerified,
    purchase.externalId,
    purchase.reference,
  ]);
  assert(row, 'an insert returns its row');
  return toPayment(row);
}

const update = sql<PaymentRow>(
  'payments.update',
  `update payments p set event_seq = $3, updated_at = $4, ${setParameters(changedColumns, 5)}
   where p.client_id = $1 and p.id = $2
   returning ${paymentColumns}`,
);

/** Saves a locked payment with its change; the version rises by one. */
export async function updatePayment(
  tx: Tx,
  payment: Payment,
  change: Partial<Payment> & { readonly eventSeq: number; readonly updatedAt: Date },
): Promise<Payment> {
  const next = { ...payment, ...change };
  const [row] = await tx.query(update, [
    next.clientId,
    next.id,
    next.eventSeq,
    next.updatedAt,
    ...valuesOf(changedColumns, next),
  ]);
  assert(row, 'a locked payment is updated');
  return toPayment(row);
}

// Locks payment before operation, in the common lock order; the operation is locked so that no
// process takes it over before the intent is stored.
const setIntent = sql<{ id: string }>(
  'payments.set_intent',
  `with locked as materialized (
     select p.id from payments p
     where p.client_id = $1 and p.id = $2
       and (p.provider_intent_id is null or p.provider_intent_id = $3)
     for no key update),
   held as materialized (
     select o.payment_id from payment_operations o join locked on locked.id = o.payment_id
     where o.client_id = $1 and o.id = $4 and o.epoch = $5 and o.finished_at is null
     for share of o)
   update payments p set provider_intent_id = $3, updated_at = svc_clock()
   from held where p.client_id = $1 and p.id = held.payment_id
   returning p.id`,
);

/**
 * Stores the provider's intent, once. Returns false when the payment has another intent, or another
 * process holds the operation: a call that was interrupted for a day may create a second intent,
 * because the provider has forgotten its key, and that intent must not be paid.
 */
export async function setProviderIntent(
  database: Database,
  { id: operationId, clientId, paymentId, epoch }: Operation,
  intentId: string,
): Promise<boolean> {
  const values = [clientId, paymentId, intentId, operationId, epoch];
  return (await database.write(setIntent, values)).length > 0;
}

const setCard = sql(
  'payments.set_card',
  `update payments set provider_payment_method_id = $3, card = $4, updated_at = svc_clock()
   where client_id = $1 and id = $2 and provider_payment_method_id is null`,
);

/** Stores, once, what pays: the provider's payment method and the card details that may be shown. */
export async function setPaymentCard(
  database: Database,
  payment: { readonly clientId: string; readonly id: string },
  providerPaymentMethodId: string,
  card: NonNullable<Payment['card']>,
): Promise<void> {
  await database.write(setCard, [payment.clientId, payment.id, providerPaymentMethodId, card]);
}

const copyCard = sql<PaymentRow>(
  'payments.copy_card',
  `update payments p set provider_payment_method_id = $3, card = $4, updated_at = $5
   where p.client_id = $1 and p.id = $2 returning ${paymentColumns}`,
);

/** Gives a new payment the card of an earlier attempt. */
export async function copyPaymentCard(
  tx: Tx,
  payment: Payment,
  card: { providerPaymentMethodId: string; facts: NonNullable<Payment['card']> },
): Promise<Payment> {
  const { clientId, id, createdAt } = payment;
  const values = [clientId, id, card.providerPaymentMethodId, card.facts, createdAt];
  const [row] = await tx.query(copyCard, values);
  assert(row, 'a new payment is updated');
  return toPayment(row);
}

const findByIntent = sql<{ client_id: string; id: string }>(
  'payments.find_by_intent',
  `select client_id, id from payments
   where gateway_id = $1 and provider_intent_id = $2 and type = 'purchase'`,
);

/** Finds the payment of a provider's notice, which states only the gateway and the intent. */
export async function findPaymentByIntent(
  database: Database,
  gatewayId: string,
  intentId: string,
): Promise<{ clientId: string; id: string } | undefined> {
  const [row] = await database.read(findByIntent, [gatewayId, intentId]);
  return row && { clientId: row.client_id, id: row.id };
}

type PastRow = PaymentRow & {
  past_status: Payment['status'];
  past_reason: Payment['authorizationVoidReason'];
  past_captured: string;
  past_refunded: string;
  past_version: number;
  past_changed_at: Date;
};

// A version has the time of the operation that wrote it.
const findPast = sql<PastRow>(
  'payments.find_past',
  `select ${paymentColumns}, h.status as past_status, h.authorization_void_reason as past_reason,
     h.captured_minor as past_captured, h.refunded_minor as past_refunded, h.version as past_version,
     h.changed_at as past_changed_at
   from payment_operations o join payments p on p.client_id = o.client_id and p.id = o.payment_id
   cross join lateral (select * from payment_history h where h.payment_id = p.id
     order by h.changed_at <= o.finished_at desc, h.version desc limit 1) h
   where o.client_id = $1 and o.id = $2`,
);

/** Returns the payment of a finished operation as the operation left it. */
export async function findPastPayment(
  database: Database,
  { clientId, id }: Pick<Operation, 'clientId' | 'id'>,
): Promise<Payment> {
  const [row] = await database.read(findPast, [clientId, id]);
  assert(row, 'an operation has its payment, and a payment its history');
  return asItWas(toPayment(row), {
    status: row.past_status,
    authorizationVoidReason: row.past_reason,
    capturedMinor: Number(row.past_captured),
    refundedMinor: Number(row.past_refunded),
    version: row.past_version,
    updatedAt: row.past_changed_at,
  });
}
