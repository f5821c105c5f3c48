// Imports a catalog line by line, in batches of one transaction each. Contract §8.

import type { LineRead, ProductLine } from '../../../domain/money/product-line.ts';
import { uuidPattern } from '../../../domain/protocol/uuid.ts';
import {
  type BatchCounts,
  findClients,
  putProducts,
} from '../../../storage/catalog/import-products.ts';
import { findClient } from '../../../storage/clients/clients.ts';
import type { Tx } from '../../../storage/database/database.ts';
import type { Ports } from '../../ports.ts';
import { recordOperatorChange } from '../../steps/audit-log/record-without-request.ts';

/** Small enough that a batch holds its locks only for milliseconds. */
const batchSize = 500;

export type NumberedLine = { readonly line: number; readonly read: LineRead };

export type RefusedLine = {
  readonly line: number;
  readonly product: string;
  readonly code: string;
  readonly reason: string;
};

export type ProductImport = {
  readonly clientId: string;
  readonly lines: AsyncIterable<NumberedLine>;
  /** Everything is checked as in a real run, and nothing is saved. */
  readonly isDryRun: boolean;
  readonly signal: AbortSignal;
  onRefused(refused: RefusedLine): Promise<void> | void;
};

export type ImportSums = {
  readonly created: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly refused: number;
  /** False when the import was aborted; products written before that stay. */
  readonly isComplete: boolean;
};

const reasons = {
  kind_differs: 'The catalog has this product with another kind or interval, which never change.',
  price_required: 'A new product needs a price in some currency.',
} as const;

/** Lines that wait for their transaction, and the lines among them that are already refused. */
type Batch = {
  readonly lines: Map<string, { readonly line: number; readonly product: ProductLine }>;
  readonly refused: RefusedLine[];
};
const emptyBatch = (): Batch => ({ lines: new Map(), refused: [] });

const repeatedLine = (line: number, { at, code }: { at: number; code: string }): RefusedLine => ({
  line,
  product: code,
  code: 'code_repeated',
  reason: `Lines ${at} and ${line} have the same code; line ${at} stands.`,
});

/**
 * Adds and changes products as the lines state. Repeating it changes nothing. A code that an
 * earlier line has is refused with both line numbers. Refusals are reported in the order of the
 * lines.
 */
export async function importProducts(
  ports: Pick<Ports, 'database' | 'newId'>,
  given: ProductImport,
): Promise<ImportSums> {
  const sums = { created: 0, changed: 0, unchanged: 0, refused: 0 };
  const lineOf = new Map<string, number>();
  let batch = emptyBatch();
  const flushBatch = async () => {
    const { lines, refused } = batch;
    batch = emptyBatch();
    if (lines.size > 0) {
      const products = [...lines.values()].map(({ product }) => product);
      const written = await write(ports, given, products);
      sums.created += written.created;
      sums.changed += written.changed;
      sums.unchanged += written.unchanged;
      for (const { code, reason } of written.refused) {
        const line = lines.get(code)?.line ?? 0;
        refused.push({ line, product: code, code: reason, reason: reasons[reason] });
      }
    }
    sums.refused += refused.length;
    for (const one of refused.toSorted((a, b) => a.line - b.line)) await given.onRefused(one);
  };
  for await (const { line, read } of given.lines) {
    if (given.signal.aborted) return { ...sums, isComplete: false };
    if (batch.lines.size + batch.refused.length >= batchSize) await flushBatch();
    if ('problems' in read) {
      for (const { path, code, message } of read.problems.slice(0, 1)) {
        const reason = path === '' ? message : `${path}: ${message}`;
        batch.refused.push({ line, product: read.code ?? '', code, reason });
      }
      continue;
    }
    const { code } = read.product;
    const at = lineOf.get(code);
    if (at !== undefined) {
      batch.refused.push(repeatedLine(line, { at, code }));
      continue;
    }
    lineOf.set(code, line);
    batch.lines.set(code, { line, product: read.product });
  }
  await flushBatch();
  return { ...sums, isComplete: true };
}

/** Thrown to roll back the transaction of a dry run. */
class DryRunRollback extends Error {
  readonly sums: BatchCounts;

  constructor(sums: BatchCounts) {
    super('a dry run is undone');
    this.sums = sums;
  }
}

async function write(
  { database, newId }: Pick<Ports, 'database' | 'newId'>,
  { clientId, isDryRun }: ProductImport,
  products: readonly ProductLine[],
): Promise<BatchCounts> {
  try {
    return await database.transaction(clientId, async (tx) => {
      const sums = await putProducts(tx, clientId, products);
      if (isDryRun) throw new DryRunRollback(sums);
      if (sums.created + sums.changed > 0) await recordBatch(tx, clientId, { sums, newId });
      return sums;
    });
  } catch (error) {
    if (!(error instanceof DryRunRollback)) throw error;
    return error.sums;
  }
}

/** Writes one audit entry for each batch, because an import may have thousands of lines. */
const recordBatch = (
  tx: Tx,
  clientId: string,
  { sums, newId }: { readonly sums: BatchCounts; readonly newId: Ports['newId'] },
): Promise<void> =>
  recordOperatorChange(
    tx,
    {
      action: 'catalog.imported',
      resourceType: 'client',
      resourceId: clientId,
      clientId,
      after: { created: sums.created, changed: sums.changed },
    },
    { newId },
  );

/** Finds the client of that id, or the only client; otherwise returns the clients to choose from. */
export async function findImportClient(
  { database }: Pick<Ports, 'database'>,
  wanted: string | undefined,
): Promise<{ readonly id: string } | { readonly choices: readonly string[] }> {
  const isId = wanted !== undefined && uuidPattern.test(wanted);
  const named = isId ? await findClient(database, wanted) : undefined;
  if (named) return { id: named.id };
  const clients = await findClients(database);
  const [only] = wanted === undefined && clients.length === 1 ? clients : [];
  return only ? { id: only.id } : { choices: clients.map(({ id, name }) => `${id} ${name}`) };
}
