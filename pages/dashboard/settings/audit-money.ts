// Sums of the audit log.

import { exponentOf } from '@svc/contract/values/currencies';
import type { Values } from '../../kit/audit/audit-words.ts';
import { money } from '../../kit/money.ts';

/** Replaces an amount and its currency, also within, by a sum in words, such as `€19.90` as `amount`. */
export function withMoney(values: Values): Values {
  const { amount, amountMinor, currency, ...others } = values;
  if (typeof currency !== 'string') {
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, sumsIn(value)]));
  }
  if (typeof amount === 'number') return { ...others, amount: money(amount, currency) };
  if (typeof amountMinor !== 'number') return values;
  return { ...others, amount: money(amountMinor / 10 ** exponentOf(currency), currency) };
}

function sumsIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sumsIn);
  return typeof value === 'object' && value !== null ? withMoney(value as Values) : value;
}
