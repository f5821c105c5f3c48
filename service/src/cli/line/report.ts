// Reports as files: CSV (RFC 4180) or one JSON document, written row by row. A file gets its name
// only once it is complete.

import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { spreadsheetCell } from '@svc/contract/values/csv';
import { CommandError } from './command.ts';

export type Cell = string | number | null;
export type Row = Readonly<Record<string, Cell>>;

export type Report = {
  add(row: Row): Promise<void>;
  /** Moves the complete file to its name; `summary` ends a JSON document. */
  finish(summary: object): Promise<void>;
  /** Deletes the unfinished file. */
  discard(): Promise<void>;
};

export type ReportTarget = { readonly format: 'csv' | 'json'; readonly file: string };

const flushBytes = 64 * 1024;

/** Starts a report with these columns. */
export async function openReport(
  target: ReportTarget,
  columns: readonly string[],
  head: object,
): Promise<Report> {
  const place = await placeOf(target.file);
  const part = `${place}.part`;
  const handle = await open(part, 'w', 0o600);
  const writer = new Lines(handle);
  const isJson = target.format === 'json';
  const start = JSON.stringify(head).slice(0, -1);
  await writer.write(isJson ? `${start},"rows":[` : csvLine(columns));
  let count = 0;
  return {
    async add(row) {
      count += 1;
      const picked = Object.fromEntries(columns.map((column) => [column, row[column] ?? null]));
      await writer.write(
        isJson
          ? `${count === 1 ? '' : ','}\n${JSON.stringify(picked)}`
          : csvLine(columns.map((column) => row[column] ?? null)),
      );
    },
    async finish(summary) {
      if (isJson) await writer.write(`\n],${JSON.stringify(summary).slice(1)}\n`);
      await writer.flush();
      await handle.close();
      await rename(part, place);
    },
    async discard() {
      await handle.close().catch(() => undefined);
      await rm(part, { force: true });
    },
  };
}

/**
 * Resolves a link, so that the link itself stays. A device or a pipe is refused, because the report
 * would replace it.
 */
async function placeOf(file: string): Promise<string> {
  const found = await stat(file).catch(() => undefined);
  if (found && !found.isFile())
    throw new CommandError(`cannot write the report to ${file}: it is not a file`);
  return realpath(file).catch(() => file);
}

class Lines {
  #kept = '';
  readonly #handle: FileHandle;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  async write(text: string): Promise<void> {
    this.#kept += text;
    if (this.#kept.length >= flushBytes) await this.flush();
  }

  async flush(): Promise<void> {
    const text = this.#kept;
    this.#kept = '';
    // Writes everything or throws: a single `write` may write only a part, for example when the
    // disk fills up.
    await this.#handle.writeFile(text);
  }
}

/** Returns a line of RFC 4180, with its CRLF. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(csvCell).join(',')}\r\n`;

const csvCell = (cell: Cell): string =>
  typeof cell === 'string' ? spreadsheetCell(cell) : String(cell ?? '');

/** Returns `1 payment` or `2 payments`. */
export const countedNoun = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Writes columns of equal width, two spaces apart; the last one is not padded. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, text] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, text.length);
    }
  }
  return rows
    .map((row) =>
      row
        .map((text, column) => text.padEnd(column === row.length - 1 ? 0 : (widths[column] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}
