// Reads what a capture or a refund did to the merchant's balance at the wallet. Pure.

import { type Balance, wholeBalance } from '../../domain/payments/balance.ts';
import { type Amount, fromWalletMoney } from './money.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Like `fromWalletMoney`, but zero is an amount too. */
function amountIn(value: unknown): Amount | null {
  const { currency_code: currency, value: text } = (value ?? {}) as Fields;
  const isNothing = typeof currency === 'string' && /^0+(\.0+)?$/.test(String(text));
  return isNothing ? { amountMinor: 0, currency } : fromWalletMoney(value);
}

/**
 * Reads `seller_receivable_breakdown` of a capture; when the wallet converts, in the currency that
 * it pays out.
 */
export function balanceOfCapture(transactionId: string, breakdown: Fields): Balance | null {
  const paidOut = amountIn(breakdown.receivable_amount);
  const net = paidOut ?? amountIn(breakdown.net_amount);
  const { paypal_fee: own, paypal_fee_in_receivable_currency: converted } = breakdown;
  const fee = amountIn(paidOut ? (converted ?? own) : own);
  if (!net || fee?.currency !== net.currency) return null;
  const rate = Number((breakdown.exchange_rate as Fields | undefined)?.value);
  return wholeBalance({
    transactionId,
    feeMinor: fee.amountMinor,
    netMinor: net.amountMinor,
    currency: net.currency,
    exchangeRate: rate > 0 ? rate : null,
    availableAt: null,
  });
}

/**
 * Reads `seller_payable_breakdown` of a refund; its fee is the part of the wallet's own fee that is
 * returned.
 */
export function balanceOfRefund(transactionId: string, breakdown: Fields): Balance | null {
  const gross = amountIn(breakdown.gross_amount);
  const net = amountIn(breakdown.net_amount);
  const isConverted = breakdown.net_amount_in_receivable_currency !== undefined;
  if (!gross || gross.currency !== net?.currency || isConverted) return null;
  return wholeBalance({
    transactionId,
    // Not `-(…)`: zero would become minus zero.
    feeMinor: net.amountMinor - gross.amountMinor,
    netMinor: 0 - net.amountMinor,
    currency: net.currency,
    exchangeRate: null,
    availableAt: null,
  });
}
