// Movements of money as an accountant books them: one for each purchase, refund and chargeback that
// the provider has booked, and another one when the provider reversed the booking. Movements are
// never netted. Additions §8.

/** The kinds of movements. */
export const movementKinds = [
  'payment',
  'payment_failed',
  'refund',
  'refund_failed',
  'chargeback',
  'chargeback_reinstated',
] as const;
export type MovementKind = (typeof movementKinds)[number];

const zeroIfNull = (column: string): string => `coalesce(${column}, 0)`;
const reversalColumn = (name: string, row = 'p'): string =>
  `(${row}.reversal #>> '{balance,${name}}')`;

/** What the booking of the payment `p` changed; without a record, what was moved. */
const bookedChange = `coalesce(p.net_minor + p.fee_minor,
  case p.type when 'purchase' then p.amount_minor else -p.amount_minor end)`;
const reversedFee = (row = 'p'): string => `${reversalColumn('feeMinor', row)}::bigint`;
/** What the reversal changed; without a record, all that was booked. */
const reversedChange = `coalesce(${reversalColumn('netMinor')}::bigint + ${reversedFee()},
  -${bookedChange})`;
const bookedCurrency = (row = 'p'): string => `coalesce(${row}.settled_currency, ${row}.currency)`;
const reversedCurrency = (row = 'p'): string =>
  `coalesce(${reversalColumn('currency', row)}, ${bookedCurrency(row)})`;

/**
 * Rows `m(payment_id, client_id, kind, booked_at, currency, change_minor, fee_minor, net_minor, transaction_id,
 * available_at)` of the payments `p` that the condition names. `currency` is the balance's; in this
 * currency net is change minus fee. An unknown fee is null and counts as zero. `change_minor` is
 * positive for incoming money: a chargeback is negative, whereas its payment's amount is positive.
 */
export const movementsOf = (which: string): string => `(
  select p.id as payment_id, p.client_id,
    case p.type when 'purchase' then 'payment' when 'refund' then 'refund'
      else case when p.amount_minor > 0 then 'chargeback' else 'chargeback_reinstated' end end as kind,
    coalesce((p.reversal ->> 'bookedAt')::timestamptz, p.financial_effective_at) as booked_at,
    ${bookedCurrency()} as currency,
    c.change_minor, p.fee_minor, c.change_minor - ${zeroIfNull('p.fee_minor')} as net_minor,
    p.balance_transaction_id as transaction_id, p.balance_available_at as available_at
  from payments p
  cross join lateral (select ${bookedChange} as change_minor) c
  where ${which} and (p.reversal is not null or (p.financial_effective_at is not null
    and case p.type when 'purchase' then p.captured_minor > 0
      when 'refund' then p.status = 'succeeded' else true end))
  union all
  select p.id, p.client_id, case p.type when 'purchase' then 'payment_failed' else 'refund_failed' end,
    (p.reversal ->> 'reversedAt')::timestamptz,
    ${reversedCurrency()},
    c.change_minor, c.fee_minor, c.change_minor - ${zeroIfNull('c.fee_minor')},
    ${reversalColumn('transactionId')}, ${reversalColumn('availableAt')}::timestamptz
  from payments p
  cross join lateral (select ${reversedFee()} as fee_minor, ${reversedChange} as change_minor) c
  where ${which} and p.reversal is not null) m`;

/** True for movements that are in no closed ledger: every movement belongs to one ledger only. */
export const notInLedger = `not exists (select from closed_ledger_lines l where l.client_id = $1
  and l.payment_id = m.payment_id and l.kind = m.kind)`;

/** The movements of the client of `$1`. */
export const movements = movementsOf('p.client_id = $1');

/**
 * The fee that is left of the bookings of a payment. Null where the provider told of none, or booked a movement and
 * its reversal in two currencies.
 */
export const leftFee = (
  row: string,
): string => `case when ${row}.reversal is null then ${row}.fee_minor
  when ${reversedCurrency(row)} = ${bookedCurrency(row)}
    and coalesce(${row}.fee_minor, ${reversedFee(row)}) is not null
    then ${zeroIfNull(`${row}.fee_minor`)} + ${zeroIfNull(reversedFee(row))} end`;

/** A row of what is left of the bookings of the payment `p`: `fee_minor`, `net_minor` and their `currency`, or nulls. */
export const leftOfBookings = `(
  select c.fee_minor, c.change_minor - c.fee_minor as net_minor,
    case when c.fee_minor is not null then ${bookedCurrency()} end as currency
  from (select ${leftFee('p')} as fee_minor,
    ${bookedChange} + case when p.reversal is null then 0 else ${reversedChange} end
      as change_minor) c)`;

const changeOf = (kind: MovementKind, sign: '' | '-'): string =>
  `case when m.kind = '${kind}' then ${sign}m.change_minor else 0 end`;
const countOf = (condition: string): string => `case when ${condition} then 1 else 0 end`;

/**
 * What a movement `m` adds to each sum. A sum is a positive number of what its name states; `fees` is what the
 * provider took.
 */
const added = {
  paid: changeOf('payment', ''),
  refunded: changeOf('refund', '-'),
  refunds_failed: changeOf('refund_failed', ''),
  payments_failed: changeOf('payment_failed', '-'),
  charged_back: changeOf('chargeback', '-'),
  reinstated: changeOf('chargeback_reinstated', ''),
  fees: zeroIfNull('m.fee_minor'),
  net: `m.change_minor - ${zeroIfNull('m.fee_minor')}`,
  payments: countOf(`m.kind = 'payment'`),
  refunds: countOf(`m.kind = 'refund'`),
  chargebacks: countOf(`m.kind = 'chargeback'`),
  without_fee: countOf('m.fee_minor is null'),
} as const;
type SumName = keyof typeof added;

/** Minor units and counts, as text. */
export type MovementSums = Readonly<Record<SumName, string>>;

export const movementSumNames = Object.keys(added) as SumName[];

/** The sums of the movements `m`, each counted as often as `weight` says. */
export const addMovements = (weight: string): string =>
  movementSumNames.map((name) => `sum(${weight} * (${added[name]})) as ${name}`).join(', ');

/** The sums of the movements `m` as text. */
export const movementSums = movementSumNames
  .map((name) => `coalesce(sum(${added[name]}), 0)::text as ${name}`)
  .join(', ');
