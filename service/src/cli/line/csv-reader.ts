// Reads CSV (RFC 4180) as a stream, one record at a time: with comma, semicolon or tab, with LF,
// CRLF or CR, with or without a byte order mark. An unreadable line is reported as a defect, and
// reading continues after it. No library is used, because none handles the last two of these
// without changes. docs/decisions/catalog.md.

export type CsvRecord = { readonly line: number; readonly cells: readonly string[] };
export type CsvDefect = { readonly line: number; readonly code: string; readonly message: string };

const separators = [',', ';', '\t'] as const;

/** A record longer than this has a quote that was never closed, or is not CSV. */
const longestRecord = 64 * 1024;

/** Yields the records of a text that arrives in pieces; lines count from 1, blank ones are left out. */
export async function* readCsv(
  pieces: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<CsvRecord | CsvDefect> {
  let head = '';
  let machine: CsvMachine | undefined;
  for await (const piece of pieces) {
    if (machine) {
      yield* machine.read(piece);
      continue;
    }
    head += piece;
    // A first line that only names the separator is followed by the line with the columns.
    const isNaming = /^"?sep=/i.test(head);
    const isWhole = isNaming ? /[\r\n]+[^\r\n]*[\r\n]/.test(head) : /[\r\n]/.test(head);
    if (!isWhole && head.length < longestRecord) continue;
    machine = startMachine(head);
    yield* machine.read(withoutNames(head));
  }
  if (!machine) {
    machine = startMachine(head);
    yield* machine.read(withoutNames(head));
  }
  yield* machine.end();
}

/** Excel's own first line, `sep=;`, which is not a record. */
const naming = /^(?:sep=([,;\t])|"sep=([,;\t])")(\r\n|\r|\n)/i;

function startMachine(head: string): CsvMachine {
  const [, plain, quoted] = naming.exec(head) ?? [];
  const named = plain ?? quoted;
  return named === undefined ? new CsvMachine(separatorOf(head)) : new CsvMachine(named, 2);
}

const withoutNames = (head: string): string => head.replace(naming, '');

/** Returns the separator that is most frequent in the first line, outside of quotes. */
function separatorOf(head: string): string {
  const [line = ''] = head.split(/[\r\n]/, 1);
  const bare = line.replace(/"[^"]*"/g, '');
  const count = (separator: string) => bare.split(separator).length;
  return separators.reduce<string>((best, one) => (count(one) > count(best) ? one : best), ',');
}

type State = 'start' | 'plain' | 'quoted' | 'closed' | 'skipped';

class CsvMachine {
  readonly #separator: string;
  #state: State = 'start';
  #cells: string[] = [];
  #cell = '';
  #length = 0;
  #line: number;
  #startLine: number;
  #isAfterCr = false;
  #defect: Omit<CsvDefect, 'line'> | null = null;

  /** `line` is the number of the first line that it reads. */
  constructor(separator: string, line = 1) {
    this.#separator = separator;
    this.#line = line;
    this.#startLine = line;
  }

  *read(piece: string): Generator<CsvRecord | CsvDefect> {
    for (const char of piece) {
      const isLfOfCrlf = char === '\n' && this.#isAfterCr;
      this.#isAfterCr = char === '\r';
      if (isLfOfCrlf) {
        if (this.#state === 'quoted') this.#cell += char;
        continue;
      }
      const isBreak = char === '\n' || char === '\r';
      if (isBreak) this.#line += 1;
      if (isBreak && this.#state !== 'quoted') yield* this.#endRecord();
      else this.#take(char);
    }
  }

  *end(): Generator<CsvRecord | CsvDefect> {
    if (this.#state === 'quoted') this.#fail('quote_not_closed');
    if (this.#length > 0) yield* this.#endRecord();
  }

  #take(char: string): void {
    this.#length += 1;
    if (this.#length > longestRecord && this.#state !== 'skipped') {
      this.#skip(this.#state === 'quoted' ? 'quote_not_closed' : 'line_too_long');
    }
    switch (this.#state) {
      case 'skipped':
        return;
      case 'quoted':
        if (char === '"') this.#state = 'closed';
        else this.#cell += char;
        return;
      case 'closed':
        // Two quotes in a quoted cell mean one quote.
        if (char === '"') this.#append(char, 'quoted');
        else if (char === this.#separator) this.#endCell();
        else if (char !== ' ') this.#skip('quote_misplaced');
        return;
      default:
        if (char === this.#separator) this.#endCell();
        else if (char === '"' && this.#state === 'start') this.#startQuoted();
        else this.#append(char, char === ' ' && this.#state === 'start' ? 'start' : 'plain');
    }
  }

  /** Spaces before a quote do not belong to the cell, like those after it. */
  #startQuoted(): void {
    this.#cell = '';
    this.#state = 'quoted';
  }

  #append(char: string, state: State): void {
    this.#cell += char;
    this.#state = state;
  }

  #endCell(): void {
    this.#cells.push(this.#cell);
    this.#cell = '';
    this.#state = 'start';
  }

  #fail(code: keyof typeof defects): void {
    this.#defect ??= { code, message: defects[code] };
  }

  /** Skips the rest of this line. */
  #skip(code: keyof typeof defects): void {
    this.#fail(code);
    this.#state = 'skipped';
  }

  *#endRecord(): Generator<CsvRecord | CsvDefect> {
    this.#endCell();
    const [line, cells, defect] = [this.#startLine, this.#cells, this.#defect];
    this.#cells = [];
    this.#defect = null;
    this.#length = 0;
    this.#startLine = this.#line;
    if (defect) yield { line, ...defect };
    else if (cells.some((cell) => cell.trim() !== '')) yield { line, cells };
  }
}

const defects = {
  quote_not_closed: 'A quote is opened and not closed; the lines after it are lost with it.',
  quote_misplaced: 'Something follows the closing quote of a cell.',
  line_too_long: 'The line is over 64 kB.',
} as const;
