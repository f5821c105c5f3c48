import type { Filter, SendText } from '@svc/contract/rows/row';
import { checkedDate } from '@svc/contract/values/instants';
import { dayIn } from '@svc/contract/values/zone-days';
import { fileName, tableHead, tableLine } from '../../../domain/reports/table-file.ts';
import type { Tx } from '../../../storage/database/database.ts';
import { readExport } from '../../../storage/reports/payment-export.ts';
import { paymentCells, paymentHead } from './payment-cells.ts';
import type { PaymentFile } from './read-file-query.ts';
import { sendLines } from './send-lines.ts';

/** What the transaction found before the first row. */
export type Measured = { readonly rows: number; readonly currency: string | null };

/** Returns the name of the file, with month or day, currency, time zone and number of rows in it. */
export function paymentFileName(file: PaymentFile, { rows, currency }: Measured): string {
  const { filters, timeZone } = file.wanted;
  const from = filters.find(({ field }) => field === 'createdAt')?.values[0];
  const day = from && dayIn(checkedDate(from).getTime(), timeZone);
  return fileName(
    ['payments', file.month ?? day ?? null, currency, timeZone, `${rows}-rows`],
    file,
  );
}

/** Writes head and rows of the file, all as the transaction sees them. */
export async function writePaymentFile(
  tx: Tx,
  file: PaymentFile & { readonly currency: string | null },
  { send, onRows }: { readonly send: SendText; readonly onRows?: (count: number) => void },
): Promise<void> {
  const { wanted, columns, style, currency } = file;
  const { timeZone } = wanted;
  await send(tableHead(paymentHead(columns, { timeZone, currency }), style));
  await readExport(tx, wanted, async (rows) => {
    await sendLines(send, rows, (row) => tableLine(columns, paymentCells(columns, row), style));
    onRows?.(rows.length);
  });
}

/** Encodes characters that would end a value or be read as a blank; all others stay readable. */
const encode = (text: string) =>
  encodeURIComponent(text).replace(/%(2C|2F|3A|40)/g, (code) => decodeURIComponent(code));

/** The filters as the query of the list has them: `status[eq]=failed`. */
export const filtersAsQuery = (filters: readonly Filter[]): string =>
  filters
    .map(({ field, op, values }) => `${encode(field)}[${op}]=${encode(values.join(','))}`)
    .join('&');

/** The facts of a file that the audit log keeps. */
export const fileFacts = ({ wanted, style }: Pick<PaymentFile, 'wanted' | 'style'>) => ({
  of: 'payments',
  style,
  timeZone: wanted.timeZone,
  filters: filtersAsQuery(wanted.filters),
});
