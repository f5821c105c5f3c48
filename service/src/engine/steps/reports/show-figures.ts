import type { ReportFigures } from '@svc/contract/reports/reports';
import { toMajor } from '../../../domain/money/money.ts';
import type { MovementSums } from '../../../storage/payment-index/movements.ts';

/** Sums of movements as callers see them, in major units of their currency. */
export function showFigures(sums: MovementSums, currency: string): ReportFigures {
  const majorOf = (minor: string) => toMajor(Number(minor), currency);
  return {
    paid: majorOf(sums.paid),
    refunded: majorOf(sums.refunded),
    refundsFailed: majorOf(sums.refunds_failed),
    paymentsFailed: majorOf(sums.payments_failed),
    chargedBack: majorOf(sums.charged_back),
    reinstated: majorOf(sums.reinstated),
    fees: majorOf(sums.fees),
    net: majorOf(sums.net),
    payments: Number(sums.payments),
    refunds: Number(sums.refunds),
    chargebacks: Number(sums.chargebacks),
    withoutFee: Number(sums.without_fee),
  };
}

export const noSums: MovementSums = {
  paid: '0',
  refunded: '0',
  refunds_failed: '0',
  payments_failed: '0',
  charged_back: '0',
  reinstated: '0',
  fees: '0',
  net: '0',
  payments: '0',
  refunds: '0',
  chargebacks: '0',
  without_fee: '0',
};

/** Sums are whole numbers of minor units, added as BigInt. */
export function addSums(all: readonly MovementSums[]): MovementSums {
  const added = { ...noSums } as Record<keyof MovementSums, string>;
  for (const sums of all) {
    for (const name of Object.keys(noSums) as (keyof MovementSums)[]) {
      added[name] = String(BigInt(added[name]) + BigInt(sums[name]));
    }
  }
  return added;
}
