// What we add to the provider's own time, at half of the rate that is the most we reach: the callers
// come on a schedule, and the stub says of each request how long it was with the provider.

import type { LoadResult } from './load-plan.ts';
import type { LoadProcess } from './load-process.ts';
import type { Product } from './product.ts';
import { median, quantile } from './statistics.ts';
import type { Stock } from './stock.ts';

const providerMs = 50;

export type Latency = {
  /** The most captures a second with this provider, 128 in flight. */
  readonly kneePerSecond: number;
  /** Scheduled. */
  readonly perSecond: number;
  readonly rounds: readonly {
    readonly answered: number;
    readonly addedP50Ms: number;
    readonly addedP99Ms: number;
  }[];
};

export type LatencyParts = {
  readonly load: LoadProcess;
  readonly product: Product & { readonly stock: Stock };
  /** Hears of every run, for the audit. */
  readonly onResult: (result: LoadResult) => void;
};

/** Client's time less the provider's, by request; a request without a stamp is an error. */
export function addedMs(
  timed: readonly (readonly [row: number, ms: number])[],
  stamps: Readonly<Record<string, number>>,
): number[] {
  return timed.map(([row, ms]) => {
    const stamp = stamps[`pi_bench_${row}`];
    if (stamp === undefined) throw new Error(`the stub has not seen the request of row ${row}`);
    return ms - stamp;
  });
}

export async function measureLatency(
  { load, product, onResult }: LatencyParts,
  { rounds, ms }: { rounds: number; ms: number },
): Promise<Latency> {
  const { origin, authorization, stock, providerUrl } = product;
  const ask = async (path: string) => (await fetch(`${providerUrl}/${path}`)).json();
  const spend = (result: LoadResult): LoadResult => {
    stock.spend(result.used);
    onResult(result);
    if (result.failed > 0) throw new Error(`${result.failed} failed: ${result.firstFailure}`);
    return result;
  };
  await ask(`delay/${providerMs}`);
  try {
    // The sockets to the provider bound the rate: 64 of them at 50 ms make 1 280 a second.
    await stock.ensure(Math.ceil((1500 * ms) / 1000) + 256);
    const closed = { kind: 'http', call: 'capture', body: '', inFlight: 128 } as const;
    const rows = stock.left();
    const knee = spend(await load.run({ ...closed, origin, authorization, rows, ms }));
    const perSecond = knee.perSecond / 2;
    const taken: Latency['rounds'][number][] = [];
    // The first is warm-up: generator and service come from a closed loop.
    for (let round = -1; round < rounds; round++) {
      await stock.ensure(Math.ceil((perSecond * ms * 1.2) / 1000) + 64);
      await ask('stamps');
      const plan = { kind: 'open', origin, authorization, perSecond, ms } as const;
      const { timed = [] } = spend(await load.run({ ...plan, rows: stock.left() }));
      const added = addedMs(timed, (await ask('stamps')) as Record<string, number>);
      if (round < 0) continue;
      taken.push({
        answered: added.length,
        addedP50Ms: quantile(added, 0.5),
        addedP99Ms: quantile(added, 0.99),
      });
    }
    return { kneePerSecond: knee.perSecond, perSecond, rounds: taken };
  } finally {
    await ask('delay/0');
  }
}

export function describeLatency({ kneePerSecond, perSecond, rounds }: Latency): string {
  const of = (key: 'addedP50Ms' | 'addedP99Ms') => median(rounds.map((round) => round[key]));
  return (
    `added latency at ${Math.round(perSecond)} captures/s, half of the ${Math.round(kneePerSecond)} ` +
    `that are the most with a provider of ${providerMs} ms: p50 ${of('addedP50Ms').toFixed(1)} ms, ` +
    `p99 ${of('addedP99Ms').toFixed(1)} ms (open loop; median of ${rounds.length} runs)`
  );
}
