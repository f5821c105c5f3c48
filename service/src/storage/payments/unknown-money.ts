// The table `unknown_money`: payments at a provider that carry the service's marks and have no
// payment here. A decision about one is carried out under a lease with an epoch: a lease holder that lost
// the lease changes nothing.

import type { Decision, UnknownStatus } from '../../domain/payments/unknown-money.ts';
import { runningStates } from '../../domain/payments/unknown-money.ts';
import type { Marks } from '../../domain/protocol/marks.ts';
import type { Database, Tx } from '../database/database.ts';
import { amount, amountOrNull, column, derived, rowShape } from '../database/row-shape.ts';
import { sql } from '../database/sql.ts';

export type UnknownState =
  | 'new'
  | 'requires_action'
  | 'processing'
  | 'authorized'
  | 'captured'
  | 'released';

export type UnknownMoney = {
  readonly id: string;
  readonly clientId: string;
  readonly gatewayId: string;
  readonly provider: 'cardprovider' | 'wallet';
  readonly intentId: string;
  readonly marks: Marks;
  readonly state: UnknownState;
  readonly amountMinor: number;
  readonly refundedMinor: number;
  readonly currency: string;
  readonly isDisputed: boolean;
  readonly email: string | null;
  readonly status: UnknownStatus;
  readonly foundAt: Date;
  readonly reason: string | null;
  readonly attempt: number;
  /** How often this attempt was started. */
  readonly sends: number;
  readonly firstSentAt: Date | null;
  readonly refundMinor: number | null;
  readonly providerRefundId: string | null;
  readonly adoptedPaymentId: string | null;
  readonly lastError: string | null;
  readonly epoch: number;
};

type Row = Record<string, unknown>;

const money = rowShape<UnknownMoney>({
  id: column('id'),
  clientId: column('client_id'),
  gatewayId: column('gateway_id'),
  provider: column('provider', 'g.provider'),
  intentId: column('provider_intent_id'),
  marks: derived(['payment_id', 'session_id'], (row) => ({
    paymentId: row.payment_id as string,
    sessionId: row.session_id as string | null,
  })),
  state: column('state'),
  amountMinor: amount('amount_minor'),
  refundedMinor: amount('refunded_minor'),
  currency: column('currency'),
  isDisputed: column('is_disputed'),
  email: column('email'),
  status: column('status'),
  foundAt: column('found_at'),
  reason: column('reason'),
  attempt: column('attempt'),
  sends: column('sends'),
  firstSentAt: column('first_sent_at'),
  refundMinor: amountOrNull('refund_minor'),
  providerRefundId: column('provider_refund_id'),
  adoptedPaymentId: column('adopted_payment_id'),
  lastError: column('last_error'),
  epoch: column('epoch'),
});

const columns = money.columns('u');

const toMoney = money.read;

const find = sql<Row>(
  'unknown_money.find',
  `select ${columns} from unknown_money u join gateways g on g.id = u.gateway_id
   where u.provider_intent_id = $1 or u.id::text = $1`,
);

/** Finds it by its own id, or the provider's. */
export async function findUnknown(
  database: Database,
  id: string,
): Promise<UnknownMoney | undefined> {
  const [row] = await database.read(find, [id]);
  return row && toMoney(row);
}

const lock = sql<Row>(
  'unknown_money.lock',
  `select ${columns} from unknown_money u join gateways g on g.id = u.gateway_id
   where u.provider_intent_id = $1 for update of u`,
);
const insert = sql(
  'unknown_money.insert',
  `insert into unknown_money (id, client_id, gateway_id, provider_intent_id, payment_id, session_id,
     state, amount_minor, refunded_minor, currency, is_disputed, email, status, found_at, read_at)
   select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 'watched', now, now
   from (select svc_clock() as now) as clock
   on conflict (provider_intent_id) do nothing`,
);
const update = sql(
  'unknown_money.update',
  `update unknown_money set state = $2, amount_minor = $3, refunded_minor = $4, currency = $5,
     is_disputed = $6, email = coalesce($7, email), status = $8, read_at = svc_clock(),
     told_at = case when $9 then null else told_at end,
     ended_at = case when $8 in ('adopted', 'released', 'refunded') then ended_at end
   where id = $1`,
);

/** The facts that the provider reports about it. */
export type UnknownFacts = Pick<
  UnknownMoney,
  | 'clientId'
  | 'gatewayId'
  | 'intentId'
  | 'marks'
  | 'state'
  | 'amountMinor'
  | 'refundedMinor'
  | 'currency'
  | 'isDisputed'
  | 'email'
>;

/**
 * Stores what was read from the provider. `next` returns the new status for the stored row. The row
 * is locked, and `isNews` is true when it is open now and was not before.
 */
export async function saveUnknown(
  tx: Tx,
  facts: UnknownFacts,
  { newId, next }: { newId: string; next: (row: UnknownMoney) => UnknownStatus },
): Promise<{ readonly row: UnknownMoney; readonly isNews: boolean }> {
  const { marks, state, amountMinor, refundedMinor, currency, isDisputed, email } = facts;
  const said = [state, amountMinor, refundedMinor, currency, isDisputed, email];
  await tx.query(insert, [
    ...[newId, facts.clientId, facts.gatewayId, facts.intentId, marks.paymentId, marks.sessionId],
    ...said,
  ]);
  const [found] = await tx.query(lock, [facts.intentId]);
  if (!found) throw new Error(`${facts.intentId} belongs to another merchant`);
  const row = toMoney(found);
  const status = next(row);
  const isNews = status === 'open' && row.status !== 'open';
  await tx.query(update, [row.id, ...said, status, isNews]);
  return { row: { ...row, state, amountMinor, refundedMinor, isDisputed, status }, isNews };
}

const countWatched = sql<{ count: number }>(
  'unknown_money.count_watched',
  `select count(*)::int as count from unknown_money u where u.client_id = $1 and u.status = 'watched'`,
);

/** Counts the merchant's payments with our marks in which no money has moved. */
export async function countWatchedOf(database: Database, clientId: string): Promise<number> {
  const [row] = await database.read(countWatched, [clientId]);
  return row?.count ?? 0;
}

const isUnsettled = `u.status not in ('adopted', 'released', 'refunded', 'settled')`;

type NamedRow = Row & { client_name: string; of_merchant: number };

/**
 * The rows that match `which`, with their number per merchant and each row's place in it, so that the caller can
 * limit them per merchant: a merchant can fill the list, since it can make any number of payments with our marks at
 * an account of its own.
 */
const perMerchant = (which: string): string =>
  `(select id, client_id, count(*) over (partition by client_id)::int as of_merchant,
      row_number() over (partition by client_id order by found_at, id) as place
    from unknown_money u where ${which})`;

const listOpen = sql<NamedRow>(
  'unknown_money.list_open',
  `select ${columns}, c.name as client_name, of.of_merchant
   from ${perMerchant(`${isUnsettled} and u.status <> 'watched'`)} of
   join unknown_money u on u.id = of.id
   join gateways g on g.id = u.gateway_id join clients c on c.id = u.client_id
   where of.place <= $1
   order by min(u.found_at) over (partition by u.client_id), u.client_id, u.found_at, u.id`,
);

export type OpenMoney = UnknownMoney & {
  readonly clientName: string;
  /** How many its merchant has in all, of which a list has a part. */
  readonly ofMerchant: number;
};

const toOpenMoney = (row: NamedRow): OpenMoney => ({
  ...toMoney(row),
  clientName: row.client_name,
  ofMerchant: row.of_merchant,
});

/**
 * Lists what the operator has to decide or is deciding, merchant by merchant, the oldest first: of each
 * merchant `most` at most.
 */
export const listOpenMoney = async (database: Database, most: number): Promise<OpenMoney[]> =>
  (await database.read(listOpen, [most])).map(toOpenMoney);

const listToLook = sql<Row>(
  'unknown_money.list_to_look',
  `select ${columns}
   from (select id, row_number() over (partition by client_id order by read_at) as place
     from unknown_money u
     where ${isUnsettled} and u.read_at < (select svc_clock()) - interval '30 minutes') of
   join unknown_money u on u.id = of.id join gateways g on g.id = u.gateway_id
   order by of.place, u.read_at limit $1`,
);

/**
 * Lists rows that were not read for half an hour, those of the merchants by turns, the least recently read
 * of each first.
 */
export async function listMoneyToLookAt(database: Database, most: number): Promise<UnknownMoney[]> {
  return (await database.read(listToLook, [most])).map(toMoney);
}

const claim = sql<{ id: string }>(
  'unknown_money.claim',
  `update unknown_money u set status = $2, reason = coalesce($3, reason), epoch = epoch + 1,
     sends = sends + 1, first_sent_at = coalesce(first_sent_at, svc_clock()),
     refund_minor = case when $2 = 'refunding' then coalesce(refund_minor, amount_minor - refunded_minor) end,
     lease_until = svc_clock() + $4 * interval '1 millisecond'
   where id = $1 and (status = 'open' or status = $2)
     and coalesce(lease_until <= svc_clock(), true)
   returning id`,
);

/**
 * Claims the row for a decision; returns undefined when another process holds it, or another
 * decision was taken.
 */
export async function claimUnknown(
  database: Database,
  { id }: Pick<UnknownMoney, 'id'>,
  wish: { readonly decision: Decision; readonly reason: string | null; readonly leaseMs: number },
): Promise<UnknownMoney | undefined> {
  const values = [id, runningStates[wish.decision], wish.reason, wish.leaseMs];
  const [row] = await database.write(claim, values);
  return row && findUnknown(database, row.id);
}

const isMine = sql<{ adopted_payment_id: string | null }>(
  'unknown_money.lock_mine',
  `select adopted_payment_id from unknown_money
   where id = $1 and epoch = $2 and status = 'adopting' for update`,
);
const setAdopted = sql(
  'unknown_money.set_adopted',
  'update unknown_money set adopted_payment_id = $2 where id = $1',
);

/** Returns the payment that it has become so far; undefined when another process holds it. */
export async function lockAdoption(
  tx: Tx,
  { id, epoch }: UnknownMoney,
): Promise<{ paymentId: string | null } | undefined> {
  const [row] = await tx.query(isMine, [id, epoch]);
  return row && { paymentId: row.adopted_payment_id };
}

export async function setAdoptedPayment(tx: Tx, id: string, paymentId: string): Promise<void> {
  await tx.query(setAdopted, [id, paymentId]);
}

export type UnknownEnd = {
  readonly status: UnknownStatus;
  /** The provider's newer state, if it was read. */
  readonly state?: UnknownState;
  readonly refundedMinor?: number;
  readonly providerRefundId?: string | null;
  readonly error?: string | null;
  /** The provider refused the request for good: the next send uses another key. */
  readonly isRefused?: boolean;
};

const finish = sql<{ id: string }>(
  'unknown_money.finish',
  `update unknown_money set status = $3, state = coalesce($4, state),
     refunded_minor = coalesce($5, refunded_minor), provider_refund_id = $6, last_error = $7,
     attempt = attempt + $8::boolean::int, sends = case when $8 then 0 else sends end,
     first_sent_at = case when $8 then null else first_sent_at end,
     refund_minor = case when $8 then null else refund_minor end,
     lease_until = null, read_at = svc_clock(),
     ended_at = case when $3 in ('adopted', 'released', 'refunded') then svc_clock() end
   where id = $1 and epoch = $2 and status in ('adopting', 'releasing', 'refunding')
   returning id`,
);

/** Ends the lease on a decision; returns false when another process holds it by now. */
export async function finishUnknown(tx: Tx, row: UnknownMoney, end: UnknownEnd): Promise<boolean> {
  const values = [
    ...[row.id, row.epoch, end.status, end.state ?? null, end.refundedMinor ?? null],
    end.providerRefundId === undefined ? row.providerRefundId : end.providerRefundId,
    ...[end.error ?? null, end.isRefused === true],
  ];
  return (await tx.query(finish, values)).length > 0;
}

const listUntold = sql<NamedRow & { is_told_lately: boolean }>(
  'unknown_money.list_untold',
  `select ${columns}, c.name as client_name, of.of_merchant,
     exists (select from unknown_money t where t.told_at > (select svc_clock()) - interval '1 hour')
       as is_told_lately
   from ${perMerchant(`u.status = 'open' and u.told_at is null`)} of
   join unknown_money u on u.id = of.id and u.status = 'open' and u.told_at is null
   join gateways g on g.id = u.gateway_id join clients c on c.id = u.client_id
   where of.place <= $1
   order by u.found_at, u.id for update of u skip locked`,
);
const setTold = sql(
  'unknown_money.set_told',
  `update unknown_money set told_at = svc_clock()
   where client_id = any($1::uuid[]) and status = 'open' and told_at is null`,
);

/**
 * Locks and returns rows that the operator was not told about, `most` of each merchant; empty while the
 * last mail is younger than an hour.
 */
export async function lockUntold(tx: Tx, most: number): Promise<OpenMoney[]> {
  const rows = await tx.query(listUntold, [most]);
  return rows[0]?.is_told_lately === false ? rows.map(toOpenMoney) : [];
}

/** Marks all of the merchants: the mail counts those that it does not list. */
export async function markNotified(tx: Tx, clientIds: readonly string[]): Promise<void> {
  await tx.query(setTold, [clientIds]);
}
