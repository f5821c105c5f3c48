import type { Balance as WireBalance } from '@svc/contract/payments/balance';
import { toMajor } from '../../../domain/money/money.ts';
import type { Balance } from '../../../domain/payments/balance.ts';

/** The provider's balance record as callers see it. Additions §2. */
export const showBalance = (balance: Balance | null): WireBalance =>
  balance && {
    fee: toMajor(balance.feeMinor, balance.currency),
    net: toMajor(balance.netMinor, balance.currency),
    currency: balance.currency,
    exchangeRate: balance.exchangeRate,
    transactionId: balance.transactionId,
    availableAt: balance.availableAt?.toISOString() ?? null,
  };
