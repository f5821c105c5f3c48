import type { MonthFigures, MonthReport } from '@svc/contract/reports/reports';
import { toMajor } from '../../../domain/money/money.ts';
import type { Database, Tx } from '../../../storage/database/database.ts';
import {
  type MonthClosing,
  type MonthSpan,
  readKeptMonthSums,
  readMonthSums,
  readUnbooked,
} from '../../../storage/reports/months.ts';
import type { FoundMonth } from './month-span.ts';
import { addSums, showFigures } from './show-figures.ts';

/** The sums of an open month, by currency, added up from the payments. */
export const readMonthFigures = async (tx: Tx, span: MonthSpan): Promise<MonthFigures[]> =>
  showSums(await readMonthSums(tx, span));

function showSums(sums: Awaited<ReturnType<typeof readKeptMonthSums>>): MonthFigures[] {
  const byCurrency = Map.groupBy(sums, ({ currency }) => currency);
  return [...byCurrency].map(([currency, parts]) => {
    const late = parts.find(({ is_late: isLate }) => isLate);
    return {
      currency,
      ...showFigures(addSums(parts), currency),
      late: late ? showFigures(late, currency) : null,
    };
  });
}

/** The month as it was closed or, while it is open, as it is now; `currency` selects one currency. */
export async function showMonth(
  database: Database,
  month: string,
  { found, currency }: { readonly found: FoundMonth; readonly currency: string | undefined },
): Promise<MonthReport> {
  const { span, closing, timeZone, isOver } = found;
  const figures = closing
    ? (closing.sums as MonthFigures[])
    : showSums(await readKeptMonthSums(database, span));
  const notBooked = await readUnbooked(database, span);
  const isWantedCurrency = (one: { readonly currency: string }) =>
    currency === undefined || one.currency === currency;
  return {
    month,
    timeZone,
    beginsAt: span.from.toISOString(),
    endsAt: span.to.toISOString(),
    isOver,
    closing: closing ? showClosing(closing) : null,
    currencies: figures.filter(isWantedCurrency),
    notBooked: notBooked.filter(isWantedCurrency).map((row) => ({
      currency: row.currency,
      payments: Number(row.payments),
      amount: toMajor(Number(row.amount_minor), row.currency),
    })),
  };
}

const showClosing = (closing: MonthClosing): NonNullable<MonthReport['closing']> => ({
  closedAt: closing.closed_at.toISOString(),
  closedBy: closing.closed_by_name,
  sha256: closing.sha256.toString('hex'),
  lines: closing.lines,
});
