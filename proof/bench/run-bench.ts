// One run of the bench: starts everything, warms up, runs the rounds, and checks in the databases
// and at the provider that everything that was answered really happened.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { liveAccount, measureBurst } from './burst.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { measureStart, type Start } from './cold-start.ts';
import { measureLatency } from './latency.ts';
import type { Closers } from './load/closers.ts';
import type { LoadResult } from './load/load-plan.ts';
import { startLoadProcess } from './load/load-process.ts';
import type { RoundPair } from './load/statistics.ts';
import {
  type Limit,
  listMeasures,
  type Measure,
  type MeasuredSide,
  openLimit,
  type Parts,
  seededRows,
} from './measures.ts';
import { measureMemory } from './memory.ts';
import type { BenchOptions } from './options.ts';
import { measurePageOpen } from './page-open.ts';
import { residentTreeMb } from './processor.ts';
import { type Fixture, type Product, type ProviderKind, startProduct } from './product.ts';
import { type AuditedCounts, type BenchResult, type MeasureResult, roundLine } from './report.ts';
import { type Sample, takeSample } from './sample.ts';
import { measureShops } from './shops.ts';
import { measureSmallest } from './smallest.ts';
import { openUnusedRows, type Stock } from './stock.ts';
import { warmUpSide } from './warm-up.ts';
import { deliveryNames, measureDeliveries } from './webhook-deliveries.ts';

type StockedProduct = Product & { readonly stock: Stock };
type PrintLine = (line: string) => void;

type Bench = {
  readonly options: BenchOptions;
  readonly fixture: Fixture;
  readonly parts: Parts;
  readonly measures: readonly Measure[];
  readonly say: PrintLine;
};

/** Runs the bench. `closers` holds what it started, also when it fails half way. */
export async function runBench(
  options: BenchOptions,
  closers: Closers,
  say: PrintLine,
): Promise<BenchResult> {
  const loadAverage = loadavg();
  const fixture = await openFixture(closers, { say, binaries: options.postgresFolder });
  const { cluster } = fixture;
  const products = await startProducts(fixture, options, say);
  const { stub, sandbox } = products;
  const readyMb = stub && residentTreeMb(stub.service.pid);
  const starts: Start[] = [];
  if (stub && options.only.includes('start')) {
    await stub.stock.ensure(seededRows);
    for (let n = 0; n < options.starts; n++) starts.push(await measureStart(fixture, stub));
    say(`cold start measured ${starts.length} times`);
  }
  const limit = await openLimit(cluster);
  const unchecked = stub && options.only.includes('auth') ? await stub.startUnchecked() : null;
  const parts: Parts = { load: await startLoadProcess(closers), limit, products, unchecked };
  const measures = listMeasures(parts).filter(({ name }) =>
    options.only.some((chosen) => chosen === name),
  );
  const tallies = openOperationCounts();
  const bench = { options, fixture, parts, measures: measures.map(tallies.watch), say };
  const warm = await warmUpSides(bench);
  const taken = await takeRounds(bench, warm);
  const afterLoad = stub ? residentTreeMb(stub.service.pid) : 0;
  const { latency, memory, deliveries } = await measureServiceOnly(bench, tallies);
  const audits = {
    ...(stub ? { stub: await audit(stub, tallies) } : {}),
    ...(sandbox ? { sandbox: await audit(sandbox, tallies) } : {}),
  };
  await auditLimit(limit, tallies);
  const apart = await measureApart(bench, { closers, sandbox });
  return {
    conditions: {
      cores: availableParallelism(),
      loadAverage,
      postgres: cluster.version,
      node: process.versions.node,
      settings: cluster.settings,
      segmentMs: options.segmentMs,
      processes: options.processes,
    },
    measures: taken,
    starts,
    latency,
    ...apart,
    deliveries,
    memoryMb: stub && readyMb ? { ready: readyMb, afterLoad } : null,
    memory,
    audits,
  };
}

async function openFixture(
  closers: Closers,
  server: { readonly say: PrintLine; readonly binaries: string | null },
): Promise<Fixture & { cluster: Cluster }> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  await closers.add(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'logs'));
  const cluster = await startCluster(closers, server);
  server.say(`PostgreSQL ${cluster.version} runs`);
  const onLoss = (text: string) => console.error(`bench: ${text}`);
  return { cluster, closers, folder, onLoss };
}

/**
 * Starts the processes that the chosen measures need, one after the other, because they share the
 * machine.
 */
async function startProducts(
  fixture: Fixture,
  { only, processes }: Pick<BenchOptions, 'only' | 'processes'>,
  say: PrintLine,
) {
  const products: Partial<Record<ProviderKind, StockedProduct>> = {};
  const needed = new Set(
    only.flatMap((name): ProviderKind[] => {
      if (['capture-pgbench', 'page', 'burst', 'smallest'].includes(name)) return [];
      return [['capture-sandbox', 'shops'].includes(name) ? 'sandbox' : 'stub'];
    }),
  );
  for (const kind of needed) {
    const product = await startProduct(fixture, { kind, processes });
    products[kind] = { ...product, stock: openUnusedRows(product.seed) };
    say(`service runs on the ${kind} provider (pid ${product.service.pid}), rate limits off`);
  }
  return products;
}

/**
 * Counts the successful operations of each side, warm-up included; the audits compare with these
 * counts.
 */
function openOperationCounts() {
  const tallies = new Map<Stock, { answered: number; failed: number }>();
  const watchSide = (side: MeasuredSide): MeasuredSide => {
    const { stock } = side;
    if (!stock) return side;
    const tally = tallies.get(stock) ?? { answered: 0, failed: 0 };
    tallies.set(stock, tally);
    return {
      ...side,
      async run(ms) {
        const result = await side.run(ms);
        tally.answered += result.succeeded;
        tally.failed += result.failed;
        return result;
      },
    };
  };
  return {
    add(stock: Stock, { succeeded, failed }: { succeeded: number; failed: number }) {
      const tally = tallies.get(stock) ?? { answered: 0, failed: 0 };
      tallies.set(stock, tally);
      tally.answered += succeeded;
      tally.failed += failed;
    },
    watch: (measure: Measure): Measure => ({
      ...measure,
      limit: watchSide(measure.limit),
      ours: watchSide(measure.ours),
    }),
    of: (stock: Stock) => tallies.get(stock) ?? { answered: 0, failed: 0 },
  };
}

type Tallies = ReturnType<typeof openOperationCounts>;

/**
 * Warms every side up without counting it, and seeds as many rows as the rounds need at that rate. Returns in how many
 * runs each measure became warm, the limit's and ours.
 */
async function warmUpSides(bench: Bench): Promise<Map<Measure, string>> {
  const { options, fixture, parts, measures, say } = bench;
  const stocks = [parts.limit.stock, ...Object.values(parts.products).map(({ stock }) => stock)];
  for (const stock of stocks) await stock.ensure(seededRows);
  const needs = new Map<Stock, number>();
  const warm = new Map<Measure, string>();
  for (const measure of measures) {
    const took: number[] = [];
    for (const side of [measure.limit, measure.ours]) {
      const guess = guessRate(side, parts);
      const { perSecond, runs } = await warmUpSide(side, { ...options, guess, say });
      took.push(runs);
      if (!side.stock || !side.supply) continue;
      const need = side.supply(perSecond, options.segmentMs) * options.rounds;
      needs.set(side.stock, (needs.get(side.stock) ?? 0) + need);
    }
    warm.set(measure, took.join('+'));
  }
  for (const [stock, need] of needs) await stock.ensure(need);
  await fixture.cluster.query('checkpoint');
  say(`warmed up by runs of ${options.warmMs} ms, and seeded`);
  return warm;
}

const guessRate = ({ stock }: MeasuredSide, { limit }: Parts): number =>
  stock === limit.stock ? 8000 : 1500;

async function takeRounds(
  { options, fixture, measures, say }: Bench,
  warm: ReadonlyMap<Measure, string>,
): Promise<MeasureResult[]> {
  if (measures.length === 0) return [];
  const fastest = new Map<MeasuredSide, number>();
  const taken = measures.map((measure) => ({
    name: measure.name,
    title: measure.title,
    warmRuns: warm.get(measure) ?? '',
    rounds: [] as RoundPair<Sample>[],
  }));
  for (let round = 1; round <= options.rounds; round++) {
    for (const [at, measure] of measures.entries()) {
      const sample = async (side: MeasuredSide): Promise<Sample> => {
        // A warm-up that was slower than the rounds seeded too few rows, and a run that ends early
        // is meaningless.
        const known = fastest.get(side) ?? 0;
        await side.stock?.ensure(side.supply?.(known, options.segmentMs) ?? 0);
        const found = await takeSample(fixture.cluster, side.trees, () =>
          side.run(options.segmentMs),
        );
        fastest.set(side, Math.max(known, found.perSecond));
        return found;
      };
      // The side that runs first finds the machine colder, or less busy: the sides take turns.
      const isLimitFirst = round % 2 === 1;
      const first = await sample(isLimitFirst ? measure.limit : measure.ours);
      const second = await sample(isLimitFirst ? measure.ours : measure.limit);
      const [limit, ours] = isLimitFirst ? [first, second] : [second, first];
      taken[at]?.rounds.push({ limit, ours });
    }
    say(roundLine(round, options.rounds, taken));
  }
  return taken;
}

/** Runs the measures that have no limit, after the rounds. */
async function measureServiceOnly({ options, fixture, parts, say }: Bench, tallies: Tallies) {
  const product = parts.products.stub;
  const isChosen = (name: 'latency' | 'memory') => options.only.includes(name);
  if (!product) return { latency: [], memory: [], deliveries: null };
  const onResult = (result: LoadResult) => tallies.add(product.stock, result);
  const { load, limit } = parts;
  const common = { load, product, onResult };
  const { rounds, segmentMs } = options;
  const latency = isChosen('latency')
    ? await measureLatency(
        { load, product, limit, postgresPid: fixture.cluster.pid, onResult: tallies.add },
        { rounds, ms: segmentMs * 2 },
      )
    : [];
  if (latency.length > 0) say('added latency measured');
  const deliveries = deliveryNames.some((name) => options.only.includes(name))
    ? await measureDeliveries(
        { ...common, ...fixture, say, peersFolder: options.peersFolder },
        options.only,
        { rounds, count: options.deliveries },
      )
    : null;
  const memory = isChosen('memory')
    ? await measureMemory({ ...common, say }, options.captures)
    : [];
  return { latency, memory, deliveries };
}

/** Runs the measures that start what they need themselves, after everything else. */
async function measureApart(
  { options, fixture, say }: Bench,
  {
    closers,
    sandbox,
  }: { readonly closers: Closers; readonly sandbox?: StockedProduct | undefined },
) {
  const { only, processes, burst: captures, purchaseRates: rates, purchaseSeconds } = options;
  const rounds = Math.min(options.rounds, 3);
  const isChosen = (name: (typeof only)[number]) => only.includes(name);
  const runBursts = async () => {
    const plan = { kind: 'sandbox', label: 'burst', processes, limits: liveAccount } as const;
    const started = await startProduct(fixture, plan);
    const product = { ...started, stock: openUnusedRows(started.seed) };
    return measureBurst({ product, say }, { rounds, captures });
  };
  const amount = { rounds, captures: options.shopCaptures, say };
  return {
    burst: isChosen('burst') ? await runBursts() : [],
    smallest: isChosen('smallest')
      ? await measureSmallest(closers, { rounds, rates, seconds: purchaseSeconds, say })
      : null,
    shops: sandbox && isChosen('shops') ? await measureShops(closers, sandbox, amount) : [],
    pages: isChosen('page') ? await measurePageOpen(closers, { rounds: options.rounds, say }) : [],
  };
}

async function audit(product: StockedProduct, tallies: Tallies): Promise<AuditedCounts> {
  const found = { ...(await product.audit()), ...tallies.of(product.stock) };
  assertAudit(found);
  return found;
}

/** Throws when a counted capture did not happen, or happened twice. */
export function assertAudit(found: AuditedCounts): void {
  const { answered, failed, captured, events, operations, asked } = found;
  // A failed request may have been settled nevertheless: that is permitted, and bounded.
  const isRight = [captured, events, operations, asked].every(
    (count) => count >= answered && count <= answered + failed,
  );
  if (!isRight) throw new Error(`the captures are not what was answered: ${JSON.stringify(found)}`);
}

async function auditLimit(limit: Limit, tallies: Tallies): Promise<void> {
  const { answered } = tallies.of(limit.stock);
  const captured = await limit.countCaptured();
  if (captured !== answered) {
    throw new Error(`the limit captured ${captured} holds, but counted ${answered}`);
  }
}
