import assert from 'node:assert';
import { createHash } from 'node:crypto';
import { rows } from '@svc/contract';
import type { MonthFigures } from '@svc/contract/reports/reports';
import { toMajor } from '../../domain/money/money.ts';
import { tableHead, tableLine } from '../../domain/reports/table-file.ts';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import {
  ledgerCells,
  ledgerColumns,
  ledgerFields,
  ledgerHead,
} from '../../engine/steps/reports/ledger-lines.ts';
import { findMonth } from '../../engine/steps/reports/month-span.ts';
import { readReportZone } from '../../engine/steps/reports/report-zone.ts';
import { readMonthFigures, showMonth } from '../../engine/steps/reports/show-month.ts';
import { readClock } from '../../storage/database/clock.ts';
import { isUniqueViolation, type Tx } from '../../storage/database/database.ts';
import {
  type ClosedLine,
  insertClosedLines,
  insertMonthClosing,
  type MonthSpan,
  readLedger,
} from '../../storage/reports/months.ts';

/**
 * Closes a month: stores its sums and every line of its ledger, all read at one moment. Movements
 * that are booked into the month later belong to the next open month. Additions §8. Refuses, in
 * order: merchant_role_required, month_closed, month_not_over.
 */
export const closeMonth = implement(rows.closeMonth)(async ({ month }, caller, ports, refuse) => {
  const { clientId, userId } = requireServer(caller, rows.closeMonth);
  const { database } = ports;
  const { timeZone } = await readReportZone(database, clientId, undefined);
  const { span, closing, isOver } = await findMonth(database, clientId, { month, timeZone });
  if (closing) return refuse('month_closed');
  if (!isOver) return refuse('month_not_over');
  const id = ports.newId();
  try {
    await database.transaction(
      clientId,
      async (tx) => {
        const figures = await readMonthFigures(tx, span);
        const kept = await keepLines(tx, { id, span, timeZone });
        assertAddsUp(figures, kept.net);
        await insertMonthClosing(tx, {
          ...{ id, clientId, month, timeZone, from: span.from, to: span.to },
          ...{ columns: ledgerColumns, lines: kept.lines, sums: figures, sha256: kept.sha256 },
          ...{ closedBy: userId, closedAt: await readClock(tx) },
        });
        const change = { action: 'month.closed', resourceType: 'month', resourceId: id };
        const after = { month, timeZone, lines: kept.lines, sha256: kept.sha256.toString('hex') };
        await recordChange(tx, caller, { ...change, after }, ports);
      },
      ["transaction_isolation = 'repeatable read'"],
    );
  } catch (error) {
    // Another request closed the month meanwhile.
    if (isUniqueViolation(error)) return refuse('month_closed');
    throw error;
  }
  const found = await findMonth(database, clientId, { month, timeZone });
  return { status: 200, body: await showMonth(database, month, { found, currency: undefined }) };
});

async function keepLines(
  tx: Tx,
  { id, span, timeZone }: { id: string; span: MonthSpan; timeZone: string },
): Promise<{ lines: number; sha256: Buffer; net: ReadonlyMap<string, bigint> }> {
  const { clientId } = span;
  const net = new Map<string, bigint>();
  const digest = createHash('sha256');
  digest.update(tableHead(ledgerHead(ledgerColumns, { timeZone, currency: null }), 'program'));
  let lines = 0;
  await readLedger(tx, span, { timeZone, currency: null }, async (found) => {
    const written = found.map((row): ClosedLine => {
      lines += 1;
      const fields = ledgerFields(row);
      digest.update(tableLine(ledgerColumns, ledgerCells(ledgerColumns, fields), 'program'));
      const { currency, payment_id, kind } = row;
      net.set(currency, (net.get(currency) ?? 0n) + BigInt(row.net_minor));
      return { place: lines, payment_id, kind, currency, fields };
    });
    await insertClosedLines(tx, { clientId, closingId: id }, written);
  });
  return { lines, sha256: digest.digest(), net };
}

/**
 * Lines and figures come from two statements, so a month whose lines do not add up to its figures
 * is not closed.
 */
function assertAddsUp(figures: readonly MonthFigures[], net: ReadonlyMap<string, bigint>): void {
  const isWhole =
    figures.length === net.size &&
    figures.every(({ currency, net: sum }) => toMajor(Number(net.get(currency)), currency) === sum);
  assert(isWhole, 'the lines of a ledger add up to its month');
}
