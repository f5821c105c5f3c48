// Amounts as the wallet writes them: decimal text, of three currencies without decimals whatever
// ISO 4217 says.

import { exponentOf, mostMinor } from '../../domain/money/money.ts';
import { walletCurrencies } from '../../domain/payments/wallet-order.ts';

const withoutDecimals = new Set(['HUF', 'JPY', 'TWD']);

export type WalletMoney = { readonly currency_code: string; readonly value: string };
export type Amount = { readonly amountMinor: number; readonly currency: string };

/** Null when the wallet cannot take it: another currency, or cents of one without. */
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

/** Our minor units; null for anything that is no positive amount of a currency we know. */
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
