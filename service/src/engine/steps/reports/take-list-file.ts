// A list as a file: its rows at one moment, in the caller's columns and style. Additions §8, Files.

import { mostRows } from '@svc/contract/reports/export-limits';
import type { Bulk, BulkFile, Filter, TextFile } from '@svc/contract/rows/row';
import { msOf } from '@svc/contract/values/instants';
import { wallMs } from '@svc/contract/values/zone-days';
import {
  type Cell,
  fileName,
  type TableStyle,
  tableHead,
  tableLine,
  tableType,
  textCell,
} from '../../../domain/reports/table-file.ts';
import type { ListFile } from '../../../storage/database/cursor.ts';
import { refuse } from '../../implement.ts';
import type { Ports } from '../../ports.ts';
import type { ServerCaller } from '../../require-server.ts';
import { recordChange } from '../audit-log/record-change.ts';
import { readColumns, readFileFilters } from './read-file-query.ts';
import { readReportZone } from './report-zone.ts';
import { sendLines } from './send-lines.ts';
import { mostRowsFor, takeInBulk } from './take-in-bulk.ts';
import { filtersAsQuery } from './write-payment-file.ts';

/** Each column by its name: the cell, given what is shown of a row and the time zone of the file. */
type ListCells<Column extends string, Shown> = Readonly<
  Record<Column, (shown: Shown, timeZone: string) => Cell>
>;

/** A list's file: what it is called, its rows, and its columns in their order. */
export type ListFileSpec<Column extends string, Row, Shown> = {
  readonly name: string;
  readonly file: ListFile<Row>;
  readonly columns: readonly Column[];
  /** Called once for each row. */
  readonly show: (row: Row, reader: ServerCaller) => Shown;
  readonly cells: ListCells<Column, Shown>;
  /** The columns whose times are those of the file's zone. */
  readonly local: readonly Column[];
};

type FileInput = {
  readonly filters: readonly Filter[];
  readonly style?: TableStyle | undefined;
  readonly columns?: string | undefined;
  readonly timeZone?: string | undefined;
};

/** `2026-11-27 18:00:00`, as the zone's clock shows it. */
export function localCell(instant: string | null, timeZone: string): Cell {
  if (instant === null) return null;
  const wall = new Date(wallMs(msOf(instant), timeZone)).toISOString();
  return textCell(wall.slice(0, 19).replace('T', ' '));
}

/**
 * Returns the file for the answer. Refuses, in order: invalid_query, insufficient_scope, raw_card_data_forbidden, export_too_large,
 * recent_sign_in_required.
 */
export async function takeListFile<Column extends string, Row, Shown>(
  row: { readonly bulk: Bulk },
  { name, file, columns: known, show, cells, local }: ListFileSpec<Column, Row, Shown>,
  input: FileInput,
  { caller, ports }: { readonly caller: ServerCaller; readonly ports: Ports },
): Promise<BulkFile> {
  const { database } = ports;
  const { clientId } = caller;
  const columns = readColumns(input.columns, known, caller);
  const wanted = { clientId, filters: readFileFilters({ filters: [...input.filters] }, caller) };
  const { timeZone, isLive } = await readReportZone(database, clientId, input.timeZone);
  const style = input.style ?? 'program';
  const most = mostRowsFor(row, caller) ?? mostRows;
  const before = await file.count(database, wanted, most + 1);
  const facts = { of: name, style, timeZone, filters: filtersAsQuery(wanted.filters) };
  const change = { resourceType: 'client', resourceId: clientId, after: facts };
  const head = columns.map((each) => (local.includes(each) ? `${each} (${timeZone})` : each));
  const text: TextFile = {
    type: tableType(style),
    async write(begin) {
      await database.transaction(
        clientId,
        async (tx) => {
          const rows = await file.count(tx, wanted, most + 1);
          if (rows > most) return refuse('export_too_large');
          const send = begin(fileName([name, timeZone, `${rows}-rows`], { style, isLive }));
          await send(tableHead(head, style));
          await file.read(tx, wanted, (some) =>
            sendLines(send, some, (each) => {
              const shown = show(each, caller);
              const line = columns.map((column) => cells[column](shown, timeZone));
              return tableLine(columns, line, style);
            }),
          );
          const after = { ...facts, rows };
          await recordChange(tx, caller, { ...change, action: 'export.made', after }, ports);
        },
        ["transaction_isolation = 'repeatable read'"],
      );
    },
  };
  return takeInBulk(row, { caller, rows: before, change, file: text }, ports);
}
