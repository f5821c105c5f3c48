// Balance transactions: the effect of a capture, a refund or a dispute on the account's balance.
import type Stripe from 'stripe';
import type { Actor, Call, Route } from '../core/core.ts';
import { answerList, pageRules } from '../core/lists.ts';
import { readText } from '../requests/parameters.ts';
import type { Kinds } from '../state/resources.ts';

type Booking = {
  amount: number;
  currency: string;
  fee: number;
  feeText?: string;
  source: string;
  description: string | null;
  type: 'charge' | 'refund' | 'refund_failure' | 'payment_failure_refund' | 'adjustment';
  category: string;
  /** True when the money is available at once, without the two days of `availableAfterSeconds`. */
  isAvailableAtOnce?: boolean;
  /** Unix seconds of the booked movement, when it differs from now. */
  at?: number;
};

const availableAfterSeconds = 2 * 86_400;

/** The fee: 2.9 % and 30 minor units, rounded, in every currency. */
export const feeOf = (amount: number): number => Math.round(amount * 0.029) + 30;

/** Books a balance transaction and returns its id. */
export const bookBalance = (actor: Actor, booking: Booking): string => {
  const now = booking.at ?? actor.core.clock.now();
  const object: Kinds['balance_transaction'] = {
    id: actor.core.ids.next('txn_'),
    object: 'balance_transaction',
    amount: booking.amount,
    available_on: now + (booking.isAvailableAtOnce ? 0 : availableAfterSeconds),
    balance_type: 'payments',
    created: now,
    currency: booking.currency,
    description: booking.description,
    exchange_rate: null,
    fee: booking.fee,
    fee_details: booking.fee
      ? [
          {
            amount: booking.fee,
            application: null,
            currency: booking.currency,
            description: booking.feeText ?? 'Stripe processing fees',
            type: 'stripe_fee',
          },
        ]
      : [],
    net: booking.amount - booking.fee,
    reporting_category: booking.category,
    source: booking.source,
    status: 'pending',
    type: booking.type,
  };
  actor.core.resources.insert('balance_transaction', { account: actor.account, object, notes: {} });
  return object.id;
};

/** Shows a balance transaction as available once its time has come. */
export const statusAsOf = (object: Kinds['balance_transaction'], now: number) => ({
  ...object,
  status: object.available_on <= now ? 'available' : 'pending',
});

type Sums = Map<string, number>;

const amounts = (sums: Sums) =>
  [...sums].map(([currency, amount]) => ({ amount, currency, source_types: { card: amount } }));

/** The account's balance: what may be paid out, and what still waits, per currency. */
const balance = ({ core, account }: Call): Stripe.Balance => {
  const now = core.clock.now();
  const available: Sums = new Map();
  const pending: Sums = new Map();
  for (const { object } of core.resources.list('balance_transaction', account, { limit: -1 })) {
    const isAvailable = object.available_on <= now;
    for (const [sums, net] of [
      [available, isAvailable ? object.net : 0],
      [pending, isAvailable ? 0 : object.net],
    ] as const) {
      sums.set(object.currency, (sums.get(object.currency) ?? 0) + net);
    }
  }
  // An account without bookings has a balance of nothing in its own currency.
  for (const sums of [available, pending]) if (sums.size === 0) sums.set('eur', 0);
  return {
    object: 'balance',
    available: amounts(available),
    livemode: false,
    pending: amounts(pending),
    refund_and_dispute_prefunding: {
      available: [{ amount: 0, currency: 'eur' }],
      pending: [{ amount: 0, currency: 'eur' }],
    },
  };
};

export const balanceTransactionRoutes: Route[] = [
  { method: 'GET', path: '/balance', accepts: { expand: 'list' }, run: balance },
  {
    method: 'GET',
    path: '/balance_transactions',
    accepts: { ...pageRules, source: 'text', type: 'text', currency: 'text' },
    run: (call) => {
      const wanted = {
        source: readText(call.values, 'source'),
        type: readText(call.values, 'type'),
        currency: readText(call.values, 'currency'),
      };
      const page = answerList(call, 'balance_transaction', {
        url: '/v1/balance_transactions',
        keep: (object) =>
          (wanted.source === undefined || object.source === wanted.source) &&
          (wanted.type === undefined || object.type === wanted.type) &&
          (wanted.currency === undefined || object.currency === wanted.currency),
      });
      const now = call.core.clock.now();
      return { ...page, data: page.data.map((object) => statusAsOf(object, now)) };
    },
  },
  {
    method: 'GET',
    path: '/balance_transactions/:id',
    accepts: { expand: 'list' },
    run: (call) =>
      statusAsOf(
        call.core.resources.get('balance_transaction', call.id, { account: call.account }).object,
        call.core.clock.now(),
      ),
  },
];
