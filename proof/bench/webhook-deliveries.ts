// Deliveries to merchants: their rate compared with a loop that only signs and posts and with two
// queues on PostgreSQL, the time from an event to its arrival, and what one dead endpoint costs the
// others. Contract §7, Delivery.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchDatabase, Cluster } from './cluster.ts';
import type { Closers } from './load/closers.ts';
import type { LoadResult } from './load/load-plan.ts';
import type { LoadProcess } from './load/load-process.ts';
import { median, quantile, spreadOf } from './load/statistics.ts';
import { treeCpuMs } from './processor.ts';
import type { Product } from './product.ts';
import type { Stock } from './stock.ts';
import {
  countDelivered,
  describeAttempts,
  queueDeliveries,
  type Receiver,
  replaceEndpoints,
  runSender,
  sampleBody,
  startReceiver,
  waitForDrain,
  writeEvents,
} from './webhook-fixture.ts';
import type { SenderPlan } from './webhook-sender.ts';

export const deliveryNames = ['deliveries', 'delivery-latency', 'dead-endpoint'] as const;

const sockets = 64;
const idlePerSecond = 25;
const peers = ['pg-boss', 'graphile-worker'] as const;

type RateRound = {
  readonly loop: number;
  readonly ours: number;
  /** CPU time per delivery, in microseconds. */
  readonly loopUs: number;
  readonly serviceUs: number;
  readonly postgresUs: number;
  readonly peers: Readonly<Partial<Record<(typeof peers)[number], number>>>;
};

export type DeliveryFigures = {
  readonly rates: readonly RateRound[];
  /** The time from the event's commit, before it is on disk, to its arrival. */
  readonly lateMs: readonly number[];
  readonly dead: readonly { readonly without: number; readonly beside: number }[];
  /** Queues that are not installed. */
  readonly missing: readonly string[];
};

export type DeliveryParts = {
  readonly closers: Closers;
  readonly cluster: Cluster;
  readonly load: LoadProcess;
  readonly product: Product & { readonly stock: Stock };
  readonly onResult: (result: LoadResult) => void;
  readonly say: (line: string) => void;
  /** The folder in which the queues are installed; null when there is none. */
  readonly peersFolder: string | null;
};

type Amount = { readonly rounds: number; readonly count: number };

export async function measureDeliveries(
  parts: DeliveryParts,
  only: readonly string[],
  amount: Amount,
): Promise<DeliveryFigures> {
  const receiver = await startReceiver(parts.closers);
  const found = peers.filter(
    (name) =>
      parts.peersFolder !== null && existsSync(join(parts.peersFolder, 'node_modules', name)),
  );
  const isChosen = (name: (typeof deliveryNames)[number]) => only.includes(name);
  const figures: DeliveryFigures = {
    rates: isChosen('deliveries') ? await measureRates(parts, receiver, { ...amount, found }) : [],
    lateMs: isChosen('delivery-latency') ? await measureLateness(parts, receiver) : [],
    dead: isChosen('dead-endpoint') ? await measureDead(parts, receiver, amount) : [],
    missing: isChosen('deliveries') ? peers.filter((name) => !found.includes(name)) : [],
  };
  await replaceEndpoints(parts.product, []);
  return figures;
}

const urlsOf = (receiver: Receiver, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `http://127.0.0.1:${receiver.port}/hook/${n}`);

type Rated = Amount & { readonly found: readonly (typeof peers)[number][] };

async function measureRates(
  parts: DeliveryParts,
  receiver: Receiver,
  { rounds, count, found }: Rated,
): Promise<RateRound[]> {
  const { product, cluster, say } = parts;
  const [url = ''] = urlsOf(receiver, 1);
  const endpoints = await replaceEndpoints(product, urlsOf(receiver, 4));
  const plan = { url, body: sampleBody, secret: endpoints[0]?.secret ?? '', sockets, count };
  const opened = await openPeers(parts, found);
  const taken: RateRound[] = [];
  // The first round is a warm-up.
  for (let round = -1; round < rounds; round++) {
    const loop = await timeLoop(receiver, { ...plan, kind: 'loop' });
    const events = await writeEvents(product, Math.ceil(count / endpoints.length));
    const before = await countDelivered(product, endpoints);
    const { all } = await receiver.expect(events.length * endpoints.length);
    await queueDeliveries(product, events, endpoints);
    const started = { service: treeCpuMs([product.service.pid]), sql: treeCpuMs([cluster.pid]) };
    const arrived = await all;
    await waitForDrain(product, endpoints);
    const microseconds = (ms: number) => (ms / arrived.count) * 1000;
    const ours = {
      serviceUs: microseconds(treeCpuMs([product.service.pid]) - started.service),
      postgresUs: microseconds(treeCpuMs([cluster.pid]) - started.sql),
      ours: (arrived.count / arrived.ms) * 1000,
    };
    await waitUntilSettled(parts, endpoints, before + arrived.count);
    const others =
      round < 0 ? {} : await ratePeers(parts, { ...plan, count: Math.min(count, 10_000) }, opened);
    if (round < 0) continue;
    taken.push({ ...loop, ...ours, peers: others });
    say(`deliveries ${round + 1}/${rounds}: ${(ours.ours / loop.loop).toFixed(2)} of the loop`);
  }
  return taken;
}

async function timeLoop(receiver: Receiver, plan: SenderPlan) {
  const { all } = await receiver.expect(plan.count);
  let pid = 0;
  let cpuMs = 0;
  const sending = runSender(plan, (started) => {
    pid = started;
    cpuMs = treeCpuMs([pid]);
  });
  const arrived = await all;
  const spentMs = treeCpuMs([pid]) - cpuMs;
  await sending;
  return { loop: (plan.count / arrived.ms) * 1000, loopUs: (spentMs / plan.count) * 1000 };
}

/** Waits until every arrival is recorded; throws when a delivery was sent twice. */
async function waitUntilSettled(
  { product }: DeliveryParts,
  endpoints: Parameters<typeof countDelivered>[1],
  expected: number,
): Promise<void> {
  await waitForDrain(product, endpoints);
  const delivered = await countDelivered(product, endpoints);
  if (delivered !== expected) {
    const found = await describeAttempts(product, endpoints);
    throw new Error(`${expected} deliveries arrived, ${delivered} are recorded at once: ${found}`);
  }
}

type Peer = { readonly kind: (typeof peers)[number]; readonly database: BenchDatabase };

/** Creates a database for each queue that is installed. */
const openPeers = (
  { cluster }: DeliveryParts,
  found: readonly (typeof peers)[number][],
): Promise<Peer[]> =>
  Promise.all(
    found.map(async (kind) => {
      return { kind, database: await cluster.createDatabase(kind.replaceAll('-', '')) };
    }),
  );

async function ratePeers(
  { peersFolder }: DeliveryParts,
  plan: Omit<SenderPlan, 'kind'>,
  opened: readonly Peer[],
): Promise<RateRound['peers']> {
  const rates: Partial<Record<(typeof peers)[number], number>> = {};
  for (const { kind, database } of opened) {
    const { superuserUrl: databaseUrl } = database;
    const result = await runSender({ ...plan, kind, databaseUrl, folder: peersFolder ?? '' });
    if ('error' in result) throw new Error(`${kind}: ${result.error}`);
    rates[kind] = result.perSecond;
    // Cleans up now, so that the next measure does not pay for it.
    await database.withAdmin(async (admin) => {
      await admin.query('drop table kept_attempts');
      await admin.query('vacuum analyze');
    });
  }
  return rates;
}

/**
 * Captures with long pauses between them, each with its event, so that the service is idle at each
 * one.
 */
async function measureLateness(parts: DeliveryParts, receiver: Receiver): Promise<number[]> {
  const { product, load, onResult } = parts;
  const count = 200;
  await replaceEndpoints(product, urlsOf(receiver, 1));
  await product.stock.ensure(count);
  const { all } = await receiver.expect(count);
  const { origin, authorization, stock } = product;
  const rows = { ...stock.left(), count };
  const plan = { kind: 'open', perSecond: idlePerSecond, ms: 60_000 } as const;
  const result = await load.run({ ...plan, origin, authorization, rows });
  stock.spend(result.used);
  onResult(result);
  const { arrivals } = await all;
  const committedAt = await product.database.withAdmin(async (admin) => {
    const { rows: events } = await admin.query<{ id: string; at: string }>(
      `select 'evt_' || replace(id::text, '-', '') as id,
         extract(epoch from pg_xact_commit_timestamp(xmin)) * 1000 as at
       from events where type = 'item.purchased' and resource_type = 'payment'`,
    );
    return new Map(events.map(({ id, at }) => [id, Number(at)]));
  });
  return arrivals.map(([id, atMs]) => atMs - (committedAt.get(id) ?? Number.NaN));
}

/**
 * Measures nineteen endpoints alone, and again beside a twentieth that accepts connections and
 * never answers.
 */
async function measureDead(
  parts: DeliveryParts,
  receiver: Receiver,
  { rounds, count }: Amount,
): Promise<DeliveryFigures['dead'][number][]> {
  const { product, say } = parts;
  const taken: { without: number; beside: number }[] = [];
  const rate = async (hasDead: boolean): Promise<number> => {
    const urls = urlsOf(receiver, 19);
    const hole = `http://127.0.0.1:${receiver.port}/hole`;
    const endpoints = await replaceEndpoints(product, hasDead ? [...urls, hole] : urls);
    const events = await writeEvents(product, Math.ceil(count / 19));
    const { all } = await receiver.expect(events.length * 19);
    await queueDeliveries(product, events, endpoints);
    const arrived = await all;
    await waitUntilSettled(parts, endpoints.slice(0, 19), arrived.count);
    return (arrived.count / arrived.ms) * 1000;
  };
  for (let round = -1; round < rounds; round++) {
    const without = await rate(false);
    const beside = await rate(true);
    if (round < 0) continue;
    taken.push({ without, beside });
    say(`dead endpoint ${round + 1}/${rounds}: the others keep ${(beside / without).toFixed(2)}`);
  }
  return taken;
}

const wholeText = (value: number): string => String(Math.round(value));

/** Returns the last lines of the report. */
export function describeDeliveries({ rates, lateMs, dead, missing }: DeliveryFigures): string {
  const lines: string[] = [];
  if (rates.length > 0) {
    const medianOf = (read: (round: RateRound) => number) => median(rates.map(read));
    const spread = spreadOf(rates.map((r) => r.ours / r.loop));
    lines.push(
      `deliveries: ${wholeText(medianOf((r) => r.ours))}/s, ${medianOf((r) => r.ours / r.loop).toFixed(2)} (${spread}, ${rates.length} rounds after one) of a loop ` +
        `that signs and posts over ${sockets} sockets (${wholeText(medianOf((r) => r.loop))}/s); CPU ` +
        `${wholeText(medianOf((r) => r.serviceUs))} us service + ${wholeText(medianOf((r) => r.postgresUs))} us ` +
        `PostgreSQL each, the loop ${wholeText(medianOf((r) => r.loopUs))} us`,
    );
    for (const name of peers) {
      if (missing.includes(name)) continue;
      const ratios = rates.map((r) => r.ours / (r.peers[name] ?? Number.NaN));
      const ratio = median(ratios).toFixed(1);
      const rate = wholeText(medianOf((r) => r.peers[name] ?? 0));
      lines.push(
        `  ${ratio} (${spreadOf(ratios)}) times ${name} with a row for each attempt (${rate}/s)`,
      );
    }
    if (missing.length > 0) {
      lines.push(`  not compared with ${missing.join(', ')}: not found (--peers FOLDER)`);
    }
  }
  if (lateMs.length > 0) {
    lines.push(
      `delivery, from its event's commit to its receiver: p50 ${quantile(lateMs, 0.5).toFixed(1)} ms, ` +
        `p99 ${quantile(lateMs, 0.99).toFixed(1)} ms (${lateMs.length} captures, ${idlePerSecond} a second)`,
    );
  }
  if (dead.length > 0) {
    const kept = dead.map(({ without, beside }) => beside / without);
    lines.push(
      `one dead endpoint of twenty: the others keep ${median(kept).toFixed(2)} (${spreadOf(kept)}) of their rate`,
    );
  }
  return lines.join('\n');
}
