import { rows } from '@svc/contract';
import { toMajor } from '../../domain/money/money.ts';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { expandFilters } from '../../engine/steps/payments/expand-filters.ts';
import { readPaymentTotals, type TotalsRow } from '../../storage/reports/payment-totals.ts';

/**
 * Adds up the payments that the list's filters select, exactly and by currency. Additions §2.
 * Refuses invalid_query.
 */
export const getPaymentTotals = implement(rows.getPaymentTotals)(async (input, caller, ports) => {
  const { clientId } = requireServer(caller);
  const filters = expandFilters(input);
  return ports.report(async (reader, asOf) => {
    const found = await readPaymentTotals(reader, clientId, filters);
    return {
      status: 200,
      body: { data: found.map(showTotals), asOf: asOf?.toISOString() ?? null },
    };
  });
});

function showTotals(row: TotalsRow) {
  const majorOf = (minor: number) => toMajor(minor, row.currency);
  const [captured, refunded, chargedBack, fee] = [
    Number(row.captured_minor),
    Number(row.refunded_minor),
    Number(row.charged_back_minor),
    Number(row.fee_minor),
  ];
  return {
    currency: row.currency,
    count: Number(row.rows),
    amount: majorOf(Number(row.amount_minor)),
    captured: majorOf(captured),
    refunded: majorOf(refunded),
    chargedBack: majorOf(chargedBack),
    fee: majorOf(fee),
    withoutFee: Number(row.without_fee),
    net: majorOf(captured - refunded - chargedBack - fee),
  };
}
