// Amounts in the wallet's form: decimal text, with three currencies that have no decimals there,
// whatever ISO 4217 defines.

import { exponentOf } from '@svc/contract/values/currencies';
import { mostMinor } from '../../domain/money/money.ts';
import { walletCurrencies } from '../../domain/payments/wallet-order.ts';

const withoutDecimals = new Set(['HUF', 'JPY', 'TWD']);

export type WalletMoney = { readonly currency_code: string; readonly value: string };
export type Amount = { readonly amountMinor: number; readonly currency: string };

/**
 * Returns null when the wallet cannot take the amount: another currency, or a fraction of one
 * without decimals.
 */
export function toWalletMoney({ amountMinor, currency }: Amount): WalletMoney | null {
  if (!walletCurrencies.has(currency) || amountMinor < 1 || amountMinor > mostMinor) return null;
  const exponent = exponentOf(currency);
  const digits = String(amountMinor).padStart(exponent + 1, '0');
  const whole = digits.slice(0, digits.length - exponent);
  const fraction = digits.slice(digits.length - exponent);
  if (!withoutDecimals.has(currency)) {
    return { currency_code: currency, value: `${whole}.${fraction}` };
  }
  return /^0*$/.test(fraction) ? { currency_code: currency, value: whole } : null;
}

/** Returns the service's minor units; null for anything but a positive amount of a known currency. */
export function fromWalletMoney(value: unknown): Amount | null {
  if (typeof value !== 'object' || value === null) return null;
  const { currency_code: currency, value: text } = value as Record<string, unknown>;
  if (typeof currency !== 'string' || !walletCurrencies.has(currency)) return null;
  if (typeof text !== 'string') return null;
  const match = /^(\d{1,15})(?:\.(\d{1,4}))?$/.exec(text);
  if (!match) return null;
  const exponent = exponentOf(currency);
  const [, whole = '', fraction = ''] = match;
  if (/[1-9]/.test(fraction.slice(exponent))) return null;
  const amountMinor = Number(whole + fraction.slice(0, exponent).padEnd(exponent, '0'));
  return amountMinor > 0 && amountMinor <= mostMinor ? { amountMinor, currency } : null;
}
