// How much time the service adds to the provider's own, at half of the highest rate that it
// reaches. Callers arrive on a schedule, and the stub reports how long it held each request.

import { limitIntent } from './load/limit.ts';
import type { Load, LoadResult } from './load/load-plan.ts';
import type { LoadProcess } from './load/load-process.ts';
import { median, quantile } from './load/statistics.ts';
import type { Limit } from './measures.ts';
import type { Product } from './product.ts';
import type { Stock } from './stock.ts';

const providerMs = 50;

export type AddedLatency = {
  readonly answered: number;
  readonly addedP50Ms: number;
  readonly addedP99Ms: number;
};

export type Latency = {
  /** The highest rate of captures per second with this provider, with 128 in flight. */
  readonly kneePerSecond: number;
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

export async function measureLatency(
  { load, product, limit, onResult }: LatencyParts,
  { rounds, ms }: { rounds: number; ms: number },
): Promise<Latency> {
  const { origin, authorization, stock, providerUrl } = product;
  const request = async (path: string) => (await fetch(`${providerUrl}/${path}`)).json();
  const spendRows = (from: Stock, result: LoadResult): LoadResult => {
    from.spend(result.used);
    onResult(from, result);
    if (result.failed > 0) throw new Error(`${result.failed} failed: ${result.firstFailure}`);
    return result;
  };
  const add = async (from: Stock, plan: Load, intentOf: (row: number) => string) => {
    await request('stamps');
    const { timed = [] } = spendRows(from, await load.run(plan));
    const added = addedMs(timed, (await request('stamps')) as Record<string, number>, intentOf);
    const [addedP50Ms, addedP99Ms] = [quantile(added, 0.5), quantile(added, 0.99)];
    return { answered: added.length, addedP50Ms, addedP99Ms };
  };
  await request(`delay/${providerMs}`);
  try {
    // The sockets to the provider bound the rate: 64 of them at 50 ms make 1 280 a second.
    await stock.ensure(Math.ceil((1500 * ms) / 1000) + 256);
    const closed = { kind: 'http', call: 'capture', body: '', inFlight: 128 } as const;
    const rows = stock.left();
    const knee = spendRows(stock, await load.run({ ...closed, origin, authorization, rows, ms }));
    const perSecond = knee.perSecond / 2;
    const taken: Latency['rounds'][number][] = [];
    // The first round is a warm-up: generator and service were running a closed loop before.
    for (let round = -1; round < rounds; round++) {
      const need = Math.ceil((perSecond * ms * 1.2) / 1000) + 64;
      await stock.ensure(need);
      await limit.stock.ensure(need);
      const at = { perSecond, ms };
      const measureLimit = () => {
        const { url } = limit;
        const left = limit.stock.left();
        return add(
          limit.stock,
          { kind: 'open-limit', url, providerUrl, rows: left, ...at },
          limitIntent,
        );
      };
      const measureService = () =>
        add(stock, { kind: 'open', origin, authorization, rows: stock.left(), ...at }, intentOfRow);
      // The two sides take turns in running first.
      const first = round % 2 === 0 ? await measureLimit() : null;
      const ours = await measureService();
      const pair = { ours, limit: first ?? (await measureLimit()) };
      if (round >= 0) taken.push(pair);
    }
    return { kneePerSecond: knee.perSecond, perSecond, rounds: taken };
  } finally {
    await request('delay/0');
  }
}

export function describeLatency({ kneePerSecond, perSecond, rounds }: Latency): string {
  const medianOf = (side: 'ours' | 'limit', key: 'addedP50Ms' | 'addedP99Ms') =>
    median(rounds.map((round) => round[side][key])).toFixed(1);
  return (
    `added latency at ${Math.round(perSecond)} captures/s, half of the ${Math.round(kneePerSecond)} ` +
    `that are the most with a provider of ${providerMs} ms: p50 ${medianOf('ours', 'addedP50Ms')} ms, ` +
    `p99 ${medianOf('ours', 'addedP99Ms')} ms; two durable statements and the same provider without a ` +
    `service: p50 ${medianOf('limit', 'addedP50Ms')} ms, p99 ${medianOf('limit', 'addedP99Ms')} ms ` +
    `(open loop; median of ${rounds.length} runs each)`
  );
}
