// How much time the service adds to the provider's own: at the rates of ordinary accounts, and at half of the highest
// rate that the service reaches. Callers arrive on a schedule, and the stub reports how long it held each request.

import { limitIntent } from './load/limit.ts';
import type { Load, LoadResult } from './load/load-plan.ts';
import type { LoadProcess } from './load/load-process.ts';
import { median, quantile } from './load/statistics.ts';
import type { Limit } from './measures.ts';
import { treeCpuMs } from './processor.ts';
import type { Product } from './product.ts';
import type { Stock } from './stock.ts';

/** Captures a second, with a provider that takes so long; without a rate half of the highest. */
const schedules: readonly { readonly providerMs: number; readonly perSecond?: number }[] = [
  { providerMs: 300, perSecond: 25 },
  { providerMs: 300, perSecond: 100 },
  { providerMs: 50 },
];

export type AddedLatency = {
  readonly answered: number;
  readonly addedP50Ms: number;
  readonly addedP99Ms: number;
  /** Of one capture, by the service and PostgreSQL; the generator and the stub count for nobody. */
  readonly cpuUs: number;
};

export type Latency = {
  readonly providerMs: number;
  /** The highest rate of captures per second with this provider, with 128 in flight; null where it was not asked. */
  readonly kneePerSecond: number | null;
  /** The scheduled rate. */
  readonly perSecond: number;
  /**
   * `limit` is the same schedule with two durable statements and the provider's call alone. Most of
   * its time is spent on waking up processes.
   */
  readonly rounds: readonly { readonly ours: AddedLatency; readonly limit: AddedLatency }[];
};

export type LatencyParts = {
  readonly load: LoadProcess;
  readonly product: Product & { readonly stock: Stock };
  readonly limit: Pick<Limit, 'url' | 'stock'>;
  readonly postgresPid: number;
  /** Called after every run on that stock, for the audit. */
  readonly onResult: (stock: Stock, result: LoadResult) => void;
};

/**
 * Returns the client's time less the provider's, by request. Throws for a request without a stamp.
 */
export function addedMs(
  timed: readonly (readonly [row: number, ms: number])[],
  stamps: Readonly<Record<string, number>>,
  intentOf: (row: number) => string,
): number[] {
  return timed.map(([row, ms]) => {
    const stamp = stamps[intentOf(row)];
    if (stamp === undefined) throw new Error(`the stub has not seen the request of row ${row}`);
    return ms - stamp;
  });
}

const intentOfRow = (row: number): string => `pi_bench_${row}`;

/** Measures each schedule; a run lasts `ms`, and longer at a low rate, so that its p99 is more than one capture. */
export async function measureLatency(
  parts: LatencyParts,
  { rounds, ms }: { readonly rounds: number; readonly ms: number },
): Promise<readonly Latency[]> {
  const ask = async (path: string) => (await fetch(`${parts.product.providerUrl}/${path}`)).json();
  const measured: Latency[] = [];
  try {
    for (const { providerMs, perSecond: wanted } of schedules) {
      await ask(`delay/${providerMs}`);
      const kneePerSecond = wanted === undefined ? await findKnee(parts, ms) : null;
      const perSecond = wanted ?? (kneePerSecond ?? 0) / 2;
      const plan = { perSecond, ms: Math.max(ms, (ms * 60) / perSecond) };
      const taken: Latency['rounds'][number][] = [];
      // The first round is a warm-up: generator and service were running a closed loop before.
      for (let round = -1; round < rounds; round++) {
        const pair = await takePair(parts, plan, round % 2 === 0);
        if (round >= 0) taken.push(pair);
      }
      measured.push({ providerMs, kneePerSecond, perSecond, rounds: taken });
    }
  } finally {
    await ask('delay/0');
  }
  return measured;
}

function spendRows({ onResult }: LatencyParts, from: Stock, result: LoadResult): LoadResult {
  from.spend(result.used);
  onResult(from, result);
  if (result.failed > 0) throw new Error(`${result.failed} failed: ${result.firstFailure}`);
  return result;
}

async function findKnee(parts: LatencyParts, ms: number): Promise<number> {
  const { origin, authorization, stock } = parts.product;
  // The sockets to the provider bound the rate: 64 of them at 50 ms make 1 280 a second.
  await stock.ensure(Math.ceil((1500 * ms) / 1000) + 256);
  const closed = { kind: 'http', call: 'capture', body: '', inFlight: 128 } as const;
  const plan = { ...closed, origin, authorization, rows: stock.left(), ms };
  return spendRows(parts, stock, await parts.load.run(plan)).perSecond;
}

type Rate = { readonly perSecond: number; readonly ms: number };

/** Runs both sides once; the sides take turns in running first. */
async function takePair(parts: LatencyParts, rate: Rate, isLimitFirst: boolean) {
  const { product, limit, postgresPid } = parts;
  const { origin, authorization, stock, providerUrl } = product;
  const add = async (from: Stock, plan: Load, intentOf: (row: number) => string) => {
    const readStamps = async () => (await fetch(`${providerUrl}/stamps`)).json();
    await readStamps();
    const roots = from === stock ? [product.service.pid, postgresPid] : [postgresPid];
    const before = treeCpuMs(roots);
    const { timed = [] } = spendRows(parts, from, await parts.load.run(plan));
    const cpuUs = ((treeCpuMs(roots) - before) * 1000) / timed.length;
    const added = addedMs(timed, (await readStamps()) as Record<string, number>, intentOf);
    const [addedP50Ms, addedP99Ms] = [quantile(added, 0.5), quantile(added, 0.99)];
    return { answered: added.length, addedP50Ms, addedP99Ms, cpuUs };
  };
  const need = Math.ceil((rate.perSecond * rate.ms * 1.2) / 1000) + 64;
  await stock.ensure(need);
  await limit.stock.ensure(need);
  const measureLimit = () => {
    const rows = limit.stock.left();
    const plan = { kind: 'open-limit', url: limit.url, providerUrl, rows, ...rate } as const;
    return add(limit.stock, plan, limitIntent);
  };
  const measureService = () =>
    add(stock, { kind: 'open', origin, authorization, rows: stock.left(), ...rate }, intentOfRow);
  const first = isLimitFirst ? await measureLimit() : null;
  const ours = await measureService();
  return { ours, limit: first ?? (await measureLimit()) };
}

/** Returns a line for each schedule. */
export const describeLatency = (measured: readonly Latency[]): string =>
  [
    'added latency (open loop; medians of the runs; limit: two durable statements and the same provider, no service)',
    ...measured.map(describeSchedule),
  ].join('\n');

function describeSchedule({ providerMs, kneePerSecond, perSecond, rounds }: Latency): string {
  const medianOf = (side: 'ours' | 'limit', key: keyof AddedLatency) =>
    median(rounds.map((round) => round[side][key]));
  const pair = (key: 'addedP50Ms' | 'addedP99Ms') => {
    const ratios = rounds.map(({ ours, limit }) => ours[key] / limit[key]);
    const [ours, limit] = [medianOf('ours', key), medianOf('limit', key)];
    const spread = `${Math.min(...ratios).toFixed(1)} to ${Math.max(...ratios).toFixed(1)}`;
    return `${ours.toFixed(1)} ms, limit ${limit.toFixed(1)}, ratio ${median(ratios).toFixed(1)} (${spread})`;
  };
  const knee = kneePerSecond === null ? '' : `, half of the ${Math.round(kneePerSecond)} at most`;
  const [ours, limit] = [medianOf('ours', 'cpuUs'), medianOf('limit', 'cpuUs')].map(Math.round);
  return (
    `  ${Math.round(perSecond)} a second${knee}, provider ${providerMs} ms: p50 ${pair('addedP50Ms')}; ` +
    `p99 ${pair('addedP99Ms')}; CPU ${ours} us, limit ${limit}`
  );
}
