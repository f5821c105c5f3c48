// Memory of the service over many captures: its size, and whether it still grows.

import type { LoadResult } from './load/load-plan.ts';
import type { LoadProcess } from './load/load-process.ts';
import { residentTreeMb } from './processor.ts';
import type { Product } from './product.ts';
import type { Stock } from './stock.ts';

/** The resident memory after this many captures. */
export type Resident = { readonly captures: number; readonly mb: number };

export type MemoryParts = {
  readonly load: LoadProcess;
  readonly product: Product & { readonly stock: Stock };
  readonly onResult: (result: LoadResult) => void;
  readonly say: (line: string) => void;
};

const samples = 10;
const inFlight = 32;
/** A part that takes longer is an error. */
const mostMs = 600_000;

/** Captures `total` holds in ten parts and reads the memory before and after each part. */
export async function measureMemory(
  { load, product, onResult, say }: MemoryParts,
  total: number,
): Promise<Resident[]> {
  const { origin, authorization, stock, service } = product;
  const part = Math.ceil(total / samples);
  const seen: Resident[] = [{ captures: 0, mb: residentTreeMb(service.pid) }];
  for (let captures = part; captures <= part * samples; captures += part) {
    await stock.ensure(part);
    const plan = { kind: 'http', call: 'capture', body: '', origin, authorization } as const;
    const rows = { ...stock.left(), count: part };
    const result = await load.run({ ...plan, rows, inFlight, ms: mostMs });
    stock.spend(result.used);
    onResult(result);
    seen.push({ captures, mb: residentTreeMb(service.pid) });
    say(`memory: ${Math.round(seen.at(-1)?.mb ?? 0)} MB after ${captures} captures`);
  }
  return seen;
}

/**
 * Returns the growth in MB per 100 000 captures, by least squares over the second half; the first
 * half is warm-up.
 */
export function slope(seen: readonly Resident[]): number {
  const late = seen.slice(seen.length >> 1);
  const meanOf = (values: readonly number[]) =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const x = meanOf(late.map(({ captures }) => captures));
  const y = meanOf(late.map(({ mb }) => mb));
  const over = late.reduce((sum, { captures, mb }) => sum + (captures - x) * (mb - y), 0);
  const under = late.reduce((sum, { captures }) => sum + (captures - x) ** 2, 0);
  return (over / under) * 100_000;
}

export function describeMemory(seen: readonly Resident[]): string {
  const last = seen.at(-1);
  const values = seen.map(({ mb }) => Math.round(mb)).join(' ');
  return (
    `memory (RSS of the service) after ${last?.captures} captures: ${Math.round(last?.mb ?? 0)} MB, ` +
    `slope ${slope(seen).toFixed(1)} MB per 100 000; samples ${values}`
  );
}
