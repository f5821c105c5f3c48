// Sums of the audit log.

import type { AuditEntry } from '@svc/contract/settings/audit-log';
import { exponentOf } from '@svc/contract/values/currencies';
import type { Values } from '../../kit/audit/audit-words.ts';
import { money } from '../../kit/money.ts';

/** Amounts in major units, by the names that the service gives them. */
const sums = ['amount', 'amountOff', 'perRefund', 'perDay'];

/** Replaces amounts and their currency, also within, by sums in words, such as `€19.90` as `amount`. */
export function withMoney(values: Values): Values {
  const { amountMinor, currency, ...others } = values;
  if (typeof currency !== 'string') {
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, sumsIn(value)]));
  }
  const written = Object.fromEntries(
    sums.flatMap((name) => {
      const sum = others[name];
      return typeof sum === 'number' ? [[name, money(sum, currency)]] : [];
    }),
  );
  if (typeof amountMinor === 'number') {
    written.amount = money(amountMinor / 10 ** exponentOf(currency), currency);
  }
  return Object.keys(written).length > 0 ? { ...others, ...written } : values;
}

/** The sum that an entry is about, such as `€19.90` of a refund; null where it is about none. */
export function sumOf({ after }: Pick<AuditEntry, 'after'>): string | null {
  const sum = after && withMoney(after).amount;
  return typeof sum === 'string' ? sum : null;
}

function sumsIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sumsIn);
  return typeof value === 'object' && value !== null ? withMoney(value as Values) : value;
}
