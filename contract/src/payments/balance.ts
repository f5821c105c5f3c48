import { type Static, Type } from 'typebox';

/** The provider's balance record of a payment, refund or chargeback. */
export const Balance = Type.Unsafe<null | {
  fee: number;
  net: number;
  currency: string;
  exchangeRate: number | null;
  transactionId: string;
  availableAt: string | null;
}>({
  type: ['object', 'null'],
  description:
    "The provider's record of the movement: `net` is what its balance changed by, out is negative. Null " +
    'before money moved, where the provider told none, and for movements of before it was kept.',
  properties: {
    fee: { type: 'number', description: 'Major units of `currency`.' },
    net: { type: 'number', description: 'Major units of `currency`.' },
    currency: { type: 'string', description: 'Of the balance.' },
    exchangeRate: {
      type: ['number', 'null'],
      description:
        "The rate from the payment's currency to the balance's; null if they are the same.",
    },
    transactionId: { type: 'string' },
    availableAt: { type: ['string', 'null'], format: 'date-time' },
  },
  required: ['fee', 'net', 'currency', 'exchangeRate', 'transactionId', 'availableAt'],
});
export type Balance = Static<typeof Balance>;
