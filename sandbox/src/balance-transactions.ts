// Balance transactions: the effect of a capture, a refund or a dispute on the account's balance.
import type { Actor, Route } from './core.ts';
import { answerList, pageRules } from './lists.ts';
import { text } from './parameters.ts';
import type { Kinds } from './resources.ts';

type Booking = {
  amount: number;
  currency: string;
  fee: number;
  feeText?: string;
  source: string;
  description: string | null;
  type: 'charge' | 'refund' | 'refund_failure' | 'payment_failure_refund' | 'adjustment';
  category: string;
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
    available_on: now + availableAfterSeconds,
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
export const asOfNow = (object: Kinds['balance_transaction'], now: number) => ({
  ...object,
  status: object.available_on <= now ? 'available' : 'pending',
});

export const balanceTransactionRoutes: Route[] = [
  {
    method: 'GET',
    path: '/balance_transactions',
    accepts: { ...pageRules, source: 'text', type: 'text', currency: 'text' },
    run: (call) => {
      const wanted = {
        source: text(call.values, 'source'),
        type: text(call.values, 'type'),
        currency: text(call.values, 'currency'),
      };
      const page = answerList(call, 'balance_transaction', {
        url: '/v1/balance_transactions',
        keep: (object) =>
          (wanted.source === undefined || object.source === wanted.source) &&
          (wanted.type === undefined || object.type === wanted.type) &&
          (wanted.currency === undefined || object.currency === wanted.currency),
      });
      const now = call.core.clock.now();
      return { ...page, data: page.data.map((object) => asOfNow(object, now)) };
    },
  },
  {
    method: 'GET',
    path: '/balance_transactions/:id',
    accepts: { expand: 'list' },
    run: (call) =>
      asOfNow(
        call.core.resources.get('balance_transaction', call.id, { account: call.account }).object,
        call.core.clock.now(),
      ),
  },
];
