// Tables as text: for a spreadsheet, for a program, or a line of JSON each. Additions §8, Files.

/** Numbers stay numbers; a text is guarded against being read as a formula. Null is empty. */
export type Cell = { readonly text: string } | { readonly decimal: string } | null;

/** `spreadsheet`: comma and point. `european`: semicolon and decimal comma. `program`: RFC 4180. */
export const tableStyles = ['spreadsheet', 'european', 'program', 'json'] as const;
export type TableStyle = (typeof tableStyles)[number];

export const textCell = (text: string | null | undefined): Cell =>
  text === null || text === undefined ? null : { text };
export const decimalCell = (decimal: string | null): Cell =>
  decimal === null ? null : { decimal };

/** A spreadsheet computes what begins so, whoever typed it into a checkout. OWASP, CSV Injection. */
const formula = /^[=+\-@\t\r]/;

const quoted = (text: string, separator: string): string =>
  /["\r\n]/.test(text) || text.includes(separator) ? `"${text.replaceAll('"', '""')}"` : text;

function written(cell: Cell, style: Exclude<TableStyle, 'json'>): string {
  if (cell === null) return '';
  const separator = style === 'european' ? ';' : ',';
  if ('decimal' in cell) {
    const decimal = style === 'european' ? cell.decimal.replace('.', ',') : cell.decimal;
    return quoted(decimal, separator);
  }
  return quoted(formula.test(cell.text) ? `'${cell.text}` : cell.text, separator);
}

/** What the file begins with; nothing for lines of JSON. */
export function tableHead(columns: readonly string[], style: TableStyle): string {
  if (style === 'json') return '';
  // Without the mark a spreadsheet reads the file in the encoding of its machine.
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
  return `${cells.map((cell) => written(cell, style)).join(separator)}\r\n`;
}

/** An amount as text, which every reader of JSON takes exactly. */
const jsonOf = (cell: Cell): string | null =>
  cell === null ? null : 'decimal' in cell ? cell.decimal : cell.text;

export const tableType = (style: TableStyle): string =>
  style === 'json' ? 'application/x-ndjson' : 'text/csv';

/** `payments_2026-11_EUR_Europe-Berlin.csv`; of a sandbox `SANDBOX_` stands before it. */
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
