import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import {
  type ProductColumns,
  readProductColumns,
  readProductLine,
} from '../../domain/money/product-line.ts';
import type { Ports } from '../../engine/ports.ts';
import {
  findImportClient,
  type ImportSums,
  importProducts,
  type NumberedLine,
} from '../../engine/runs/operator/import-products.ts';
import { interruptedCode, type OperatorCommand, type Surroundings } from '../line/command.ts';
import { type CsvDefect, type CsvRecord, readCsv } from '../line/csv-reader.ts';
import { readFlags, UsageError } from '../line/flags.ts';
import { startProgress } from '../line/progress.ts';
import { openReport } from '../line/report.ts';

const help = `svc import-products: adds and changes products of the catalog from a CSV file

The first line names the columns: code, name, and where wanted kind, interval, active, and one
price_EUR, price_USD, … per currency. Separated by comma, semicolon or tab; UTF-8. New codes are
added, known ones changed where the line differs; currencies that a line leaves empty keep their
price. Running it again changes nothing. A code may stand on one line only; a later line with it is
refused. A line that is refused stops no other. Exits with 1 when
one was refused. It needs the settings of the service.

  --file FILE     the CSV file
  --dry-run       check every line, and write nothing
  --report FILE   every refused line with number, product, code and reason, as CSV
  --client ID     the merchant; optional if there is only one
  --database URL  the database; overrides DATABASE_URL
  --data DIR      the data folder of npm start (default .svc); overrides environment variables
`;

const flagTable = {
  file: { type: 'string' },
  'dry-run': { type: 'boolean' },
  report: { type: 'string' },
  client: { type: 'string' },
  database: { type: 'string' },
} as const;

const reportColumns = ['line', 'product', 'code', 'reason'];

/** The most refused lines that are printed; the report has all of them. */
const shownLines = 10;

export const importProductsCommand: OperatorCommand = {
  name: 'import-products',
  summary: 'add and change products from a CSV file',
  help,
  async run(args, around) {
    const flags = readFlags(args, flagTable);
    const text = (name: keyof typeof flagTable) => flags[name] as string | undefined;
    const file = text('file');
    if (!file) throw new UsageError('--file is missing: the CSV file to read');
    const bytes = await sizeOf(file);
    const { ports, close } = await around.openPorts(text('database'));
    try {
      return await runImport(ports, around, {
        ...{ file, bytes },
        clientId: await chooseClient(ports, text('client')),
        report: text('report'),
        isDryRun: flags['dry-run'] === true,
      });
    } finally {
      await close();
    }
  },
};

type Source = { readonly file: string; readonly bytes: number };
type ImportOptions = Source & {
  readonly clientId: string;
  readonly report: string | undefined;
  readonly isDryRun: boolean;
};

async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => error);
  if ('size' in found && found.isFile()) return found.size;
  throw new UsageError(`${file} cannot be read: ${'code' in found ? found.code : 'no file'}`);
}

async function chooseClient(ports: Ports, wanted: string | undefined): Promise<string> {
  const client = await findImportClient(ports, wanted);
  if ('id' in client) return client.id;
  const why = wanted === undefined ? '--client is missing' : `--client ${wanted} is no client`;
  throw new UsageError(`${why}; there are:\n${client.choices.join('\n')}`);
}

async function runImport(
  ports: Ports,
  around: Surroundings,
  wanted: ImportOptions,
): Promise<number> {
  const { clientId, isDryRun } = wanted;
  const progress = startProgress('import-products', around.err, { unit: 'kB' });
  const target = wanted.report && { format: 'csv' as const, file: wanted.report };
  const report = target
    ? await openReport(target, reportColumns, { command: 'import-products' })
    : null;
  let shown = 0;
  try {
    const onProgress = (done: number) =>
      progress.at(Math.round(done / 1000), Math.round(wanted.bytes / 1000));
    const sums = await importProducts(ports, {
      ...{ clientId, isDryRun, signal: around.signal },
      lines: readLines(wanted, onProgress),
      async onRefused(refused) {
        await report?.add(refused);
        shown += 1;
        if (shown > shownLines) return;
        progress.end();
        const name = refused.product === '' ? '' : `, product ${refused.product}`;
        around.out.write(`line ${refused.line}${name}: ${refused.code}: ${refused.reason}\n`);
      },
    });
    progress.end();
    print(sums, { isDryRun, hidden: shown - shownLines }, around);
    if (!sums.isComplete) {
      await report?.discard();
      return interruptedCode;
    }
    await report?.finish({});
    return sums.refused === 0 ? 0 : 1;
  } catch (error) {
    progress.end();
    await report?.discard();
    throw error;
  }
}

/** Yields the products of the file, line by line, with no more than one piece in memory. */
async function* readLines(
  { file }: Source,
  onProgress: (bytes: number) => void,
): AsyncGenerator<NumberedLine> {
  let columns: ProductColumns | undefined;
  for await (const record of readCsv(readPieces(file, onProgress))) {
    if (columns) yield { line: record.line, read: readRecord(columns, record) };
    else columns = columnsOf(record);
  }
  if (!columns) throw new UsageError(`${file} is empty`);
}

async function* readPieces(
  file: string,
  onProgress: (bytes: number) => void,
): AsyncGenerator<string> {
  // The decoder removes the byte order mark; bytes that are not UTF-8 become U+FFFD, and their line
  // is refused.
  const decoder = new TextDecoder('utf-8');
  let bytes = 0;
  for await (const piece of createReadStream(file)) {
    if (bytes === 0) assertNotUtf16(file, piece as Buffer);
    yield decoder.decode(piece as Buffer, { stream: true });
    bytes += (piece as Buffer).length;
    onProgress(bytes);
  }
  yield decoder.decode();
}

/**
 * Refuses the file as a whole: otherwise each of its lines would be refused, or the first as
 * unknown columns.
 */
function assertNotUtf16(file: string, head: Buffer): void {
  const mark = head.length < 2 ? 0 : head.readUInt16BE(0);
  if (mark !== 0xfffe && mark !== 0xfeff && !head.subarray(0, 200).includes(0)) return;
  throw new UsageError(`${file} is UTF-16, or no text; save it as CSV in UTF-8`);
}

function columnsOf(record: CsvRecord | CsvDefect): ProductColumns {
  if ('code' in record) throw new UsageError(`line ${record.line}: ${record.message}`);
  const columns = readProductColumns(record.cells);
  if ('problem' in columns) throw new UsageError(columns.problem);
  return columns;
}

function readRecord(columns: ProductColumns, record: CsvRecord | CsvDefect): NumberedLine['read'] {
  if ('cells' in record) return readProductLine(columns, record.cells);
  return { problems: [{ path: '', code: record.code, message: record.message }] };
}

function print(
  sums: ImportSums,
  { isDryRun, hidden }: { readonly isDryRun: boolean; readonly hidden: number },
  { out }: Surroundings,
): void {
  if (hidden > 0) out.write(`and ${hidden} more lines were refused; --report lists all of them\n`);
  const { created, changed, unchanged, refused } = sums;
  const counts = `${created} created, ${changed} changed, ${unchanged} unchanged, ${refused} refused`;
  out.write(`${isDryRun ? 'dry run, nothing was written: ' : ''}${counts}\n`);
  if (!sums.isComplete) out.write('broken off: what was imported until here stays; run it again\n');
}
