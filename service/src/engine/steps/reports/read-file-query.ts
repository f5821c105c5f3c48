import type { rows } from '@svc/contract/index';
import { type PaymentColumn, paymentColumns } from '@svc/contract/reports/exports';
import type { Filter, InputOf } from '@svc/contract/rows/row';
import { containsCardNumber } from '@svc/contract/vault/card-number';
import type { TableStyle } from '../../../domain/reports/table-file.ts';
import type { Database } from '../../../storage/database/database.ts';
import type { ExportQuery } from '../../../storage/reports/payment-export.ts';
import { refuse } from '../../implement.ts';
import { mayReadNames, refuseNameFilter, type ServerCaller } from '../../require-server.ts';
import { expandFilters } from '../payments/expand-filters.ts';
import { readReportZone } from './report-zone.ts';

export type PaymentFile = {
  readonly wanted: ExportQuery;
  readonly columns: readonly PaymentColumn[];
  readonly style: TableStyle;
  readonly isLive: boolean;
  /** The month of a file that is made by itself. */
  readonly month?: string | null;
};

/**
 * Reads which payments a file has and how it is written. Refuses invalid_query, insufficient_scope,
 * raw_card_data_forbidden.
 */
export async function readFileQuery(
  input: InputOf<typeof rows.exportPayments>,
  caller: ServerCaller,
  database: Database,
): Promise<PaymentFile> {
  const { clientId } = caller;
  const columns = readColumns(input.columns, paymentColumns, caller);
  const filters = readFileFilters(input, caller);
  const { timeZone, isLive } = await readReportZone(database, clientId, input.timeZone);
  const wanted = { clientId, filters, timeZone };
  return { wanted, columns, style: input.style ?? 'program', isLive };
}

/**
 * Reads the filters of a file. They are stored with it, and in the audit log for good, so a card number in them is
 * refused: raw_card_data_forbidden. Refuses insufficient_scope for a filter by name without customers:read.
 */
export function readFileFilters(
  input: Parameters<typeof expandFilters>[0],
  caller: ServerCaller,
): Filter[] {
  const filters = expandFilters(input);
  refuseNameFilter(filters, caller);
  if (filters.some(({ values }) => values.some((value) => containsCardNumber(value)))) {
    refuse('raw_card_data_forbidden', {
      message: 'A filter has a full card number. Filter by the last four digits.',
    });
  }
  return filters;
}

/** The column with the names of customers, which not every credential may read. */
export const nameColumn = 'customer_name';

/**
 * Reads the names of columns; where none are named, all that the caller may read. Refuses invalid_query,
 * insufficient_scope.
 */
export function readColumns<Column extends string>(
  asked: string | undefined,
  columns: readonly Column[],
  caller: ServerCaller,
): readonly Column[] {
  const isWithheld = (column: string) => column === nameColumn && !mayReadNames(caller);
  if (asked === undefined) return columns.filter((column) => !isWithheld(column));
  return asked.split(',').map((name, at, all) => {
    // A column given a hundred times would make a hundred times the file.
    if (all.indexOf(name) !== at) {
      const message = `The column ${name} is given twice.`;
      return refuse('invalid_query', { param: 'columns', message });
    }
    if (isWithheld(name)) {
      const message = `The column ${name} needs the scope customers:read.`;
      return refuse('insufficient_scope', { param: 'columns', message });
    }
    const column = columns.find((known) => known === name);
    if (column) return column;
    const message = `There is no column "${name}". The columns are ${columns.join(', ')}.`;
    return refuse('invalid_query', { param: 'columns', message });
  });
}
