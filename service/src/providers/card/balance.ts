// Translates the card provider's balance transactions. Pure.

import type Stripe from 'stripe';
import {
  type Balance,
  type ReportedReversal,
  wholeBalance,
} from '../../domain/payments/balance.ts';
import { fromProviderAmount } from './amounts.ts';

type Expandable = string | Stripe.BalanceTransaction | null | undefined;

/**
 * Returns null when the transaction was not expanded or lacks a field of the record: the SDK's
 * types only promise them.
 */
export function readBalance(booked: Expandable): Balance | null {
  if (typeof booked !== 'object' || booked === null) return null;
  const { id, currency, fee, net, exchange_rate: rate, available_on: availableOn } = booked;
  const isWhole = typeof id === 'string' && typeof currency === 'string';
  if (!isWhole || !Number.isInteger(fee) || !Number.isInteger(net)) return null;
  const named = currency.toUpperCase();
  return wholeBalance({
    transactionId: id,
    feeMinor: fromProviderAmount(fee, named),
    netMinor: fromProviderAmount(net, named),
    currency: named,
    exchangeRate: typeof rate === 'number' && Number.isFinite(rate) ? rate : null,
    availableAt: Number.isInteger(availableOn) ? new Date(availableOn * 1000) : null,
  });
}

/** Returns the record of the reversal. */
export const readReversal = (booked: Expandable): { reversal?: ReportedReversal } =>
  typeof booked === 'object' && booked !== null && Number.isInteger(booked.created)
    ? { reversal: { at: new Date(booked.created * 1000), balance: readBalance(booked) } }
    : {};
