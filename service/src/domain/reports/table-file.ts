// Tables as text files: for a spreadsheet, for a program, or one line of JSON for each row.
// Additions §8, Files.

import { quoteCell, spreadsheetCell } from '@svc/contract/values/csv';

/**
 * A cell of a table. Numbers stay numbers; a text for a spreadsheet is escaped so that it is no formula. Null is
 * empty.
 */
export type Cell = { readonly text: string } | { readonly decimal: string } | null;

/** `spreadsheet`: comma and decimal point. `european`: semicolon and decimal comma. `program`: RFC 4180. */
export const tableStyles = ['spreadsheet', 'european', 'program', 'json'] as const;
export type TableStyle = (typeof tableStyles)[number];

export const textCell = (text: string | null | undefined): Cell =>
  text === null || text === undefined ? null : { text };
export const decimalCell = (decimal: string | null): Cell =>
  decimal === null ? null : { decimal };

function writeCell(cell: Cell, style: Exclude<TableStyle, 'json'>): string {
  if (cell === null) return '';
  if ('text' in cell)
    return style === 'program' ? quoteCell(cell.text) : spreadsheetCell(cell.text);
  return style === 'european' ? cell.decimal.replace('.', ',') : cell.decimal;
}

/** The beginning of the file; empty for lines of JSON. */
export function tableHead(columns: readonly string[], style: TableStyle): string {
  if (style === 'json') return '';
  // Without the byte order mark a spreadsheet reads the file in the default encoding of its machine.
  const mark = style === 'program' ? '' : '\uFEFF';
  return mark + tableLine(columns, columns.map(textCell), style);
}

export function tableLine(
  columns: readonly string[],
  cells: readonly Cell[],
  style: TableStyle,
): string {
  if (style === 'json') {
    const fields = columns.map((name, at) => [name, jsonOf(cells[at] ?? null)] as const);
    return `${JSON.stringify(Object.fromEntries(fields))}\n`;
  }
  const separator = style === 'european' ? ';' : ',';
  return `${cells.map((cell) => writeCell(cell, style)).join(separator)}\r\n`;
}

/** An amount is text, which every JSON parser reads exactly. */
const jsonOf = (cell: Cell): string | null =>
  cell === null ? null : 'decimal' in cell ? cell.decimal : cell.text;

export const tableType = (style: TableStyle): string =>
  style === 'json' ? 'application/x-ndjson' : 'text/csv';

/** `payments_2026-11_EUR_Europe-Berlin.csv`, with `SANDBOX_` before it outside live mode. */
export function fileName(
  parts: readonly (string | null)[],
  { style, isLive }: { style: TableStyle; isLive: boolean },
): string {
  const named = parts
    .flatMap((part) => part ?? [])
    .join('_')
    .replaceAll('/', '-')
    .replace(/[^\w.-]/g, '');
  return `${isLive ? '' : 'SANDBOX_'}${named}.${style === 'json' ? 'jsonl' : 'csv'}`;
}
