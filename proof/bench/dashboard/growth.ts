// What a merchant with many payments waits for beside one with few: each question, captures and sessions, and the
// hourly comparison, at each size, and how many times as long the largest takes as the smallest.

import type { Cluster } from '../cluster.ts';
import type { LoadProcess } from '../load/load-process.ts';
import { median } from '../load/statistics.ts';
import { serviceSide } from '../measures.ts';
import type { Product } from '../product.ts';
import { type Sample, takeSample } from '../sample.ts';
import { openUnusedRows } from '../stock.ts';
import { warmUpSide } from '../warm-up.ts';
import type { Figure } from './measure-question.ts';

/** A merchant of so many purchases. */
export type Site = { readonly rows: number; readonly product: Product };

const writes = [
  { name: 'capture, one at a time', call: 'capture', inFlight: 1 },
  { name: 'capture, 32 in flight', call: 'capture', inFlight: 32 },
  { name: 'session, one at a time', call: 'session', inFlight: 1 },
  { name: 'session, 32 in flight', call: 'session', inFlight: 32 },
] as const;

export type WriteFigure = {
  readonly name: string;
  readonly rows: number;
  readonly samples: readonly Sample[];
};

type WriteParts = {
  readonly cluster: Cluster;
  readonly load: LoadProcess;
  readonly sites: readonly Site[];
  readonly rounds: number;
  readonly ms: number;
  readonly warmRuns: number;
  readonly say: (line: string) => void;
};

/** Measures captures and sessions, one size after the other in every round. */
export async function measureWrites(parts: WriteParts): Promise<WriteFigure[]> {
  const { cluster, load, sites, rounds, ms, warmRuns, say } = parts;
  const stocked = sites.map(({ rows, product }) => ({
    rows,
    product: { ...product, stock: openUnusedRows(product.seed) },
  }));
  const figures: WriteFigure[] = [];
  for (const { name, ...plan } of writes) {
    const sides = stocked.map(({ rows, product }) => ({
      side: serviceSide({ load }, product, plan),
      figure: { name, rows, samples: [] as Sample[] },
    }));
    const rates = new Map<unknown, number>();
    for (const { side } of sides) {
      const warmUp = { warmMs: ms, warmRuns, guess: 40 * plan.inFlight, say };
      rates.set(side, (await warmUpSide(side, warmUp)).perSecond);
    }
    for (let round = 0; round < rounds; round++) {
      const inTurn = round % 2 === 0 ? sides : sides.toReversed();
      for (const { side, figure } of inTurn) {
        await side.stock?.ensure(side.supply?.(rates.get(side) ?? 0, ms) ?? 0);
        const sample = await takeSample(cluster, side.trees, () => side.run(ms));
        if (sample.failed > 0) throw new Error(`${sample.failed} failed: ${sample.firstFailure}`);
        figure.samples.push(sample);
      }
    }
    figures.push(...sides.map(({ figure }) => figure));
  }
  return figures;
}

const atWidth = (value: number, width = 8): string => value.toFixed(1).padStart(width);
const times = (of: readonly number[]): string => `${((of.at(-1) ?? 0) / (of[0] ?? 0)).toFixed(2)}`;

/** The figures of a question, one for each size, as a line. */
export function growthLine(figures: readonly Figure[]): string {
  const [p50, p95] = [figures.map(({ p50Ms }) => p50Ms), figures.map(({ p95Ms }) => p95Ms)];
  const sizes = figures.map(({ p50Ms, p95Ms }) => `${atWidth(p50Ms)} ${atWidth(p95Ms)}`);
  const refused = figures.filter(({ refused }) => refused > 0);
  const isOver = figures.some(({ p95Ms, mostMs }) => p95Ms > mostMs);
  const verdict = refused.length > 0 ? `refused ${refused[0]?.status}` : isOver ? 'over' : '';
  const name = (figures[0]?.name ?? '').padEnd(36);
  return `${name} ${sizes.join('  ')}   ${times(p50).padStart(6)} ${times(p95).padStart(6)}  ${verdict}`.trimEnd();
}

export const growthHead = (sites: readonly Site[]): string =>
  `${'p50 and p95 in ms, with so many purchases'.padEnd(36)} ${sites.map(({ rows }) => String(rows).padStart(13)).join('  ')}   ratio p50, p95`;

/** A line for each write and size: medians of the rounds, with their spread. */
export function describeWrites(figures: readonly WriteFigure[]): string {
  return figures
    .map(({ name, rows, samples }) => {
      const of = (key: 'p50Ms' | 'p99Ms' | 'cpuUs' | 'walBytes' | 'perSecond' | 'foreign') =>
        median(samples.map((sample) => sample[key]));
      const all = samples.map(({ p50Ms }) => p50Ms);
      const spread = `${Math.min(...all).toFixed(1)} to ${Math.max(...all).toFixed(1)}`;
      const facts = [
        `p50 ${atWidth(of('p50Ms'))} (${spread}) ms  p99 ${atWidth(of('p99Ms'))} ms`,
        `${Math.round(of('perSecond'))}/s`.padStart(7),
        `CPU ${Math.round(of('cpuUs'))} us  WAL ${Math.round(of('walBytes'))} bytes`,
        `foreign CPU ${Math.round(of('foreign') * 100)} %`,
      ];
      return `${name.padEnd(24)} ${String(rows).padStart(9)}  ${facts.join('  ')}`;
    })
    .join('\n');
}
