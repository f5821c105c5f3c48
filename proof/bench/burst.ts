// A shop that captures everything at once on an account of which the provider takes so many calls a second, and the
// buyers who pay meanwhile. The sandbox has the provider's limiter; docs/decisions/pace.md is how the service keeps it.

import { setTimeout as pause } from 'node:timers/promises';
import { type Dispatcher, Pool } from 'undici';
import { buy } from './buyers.ts';
import { idOf } from './load/identifiers.ts';
import { runOpenLoop } from './load/open-loop.ts';
import { median, quantile } from './load/statistics.ts';
import type { AccountLimits, Product } from './product.ts';
import type { Stock } from './stock.ts';

/** What the provider takes of a live account, as it publishes it: docs/guides/provider-limits.md. */
export const liveAccount: AccountLimits = { perSecond: 100, endpointPerSecond: 25 };

const json = { 'content-type': 'application/json' };
const buyersPerSecond = 5;
/** How much longer than the provider's limit allows a burst may take before the bench gives up. */
const patience = 3;

type Waits = { readonly p50Ms: number; readonly p99Ms: number; readonly bought: number };

export type BurstRound = {
  readonly captures: number;
  /** How often the shop was told to wait, by status and code. */
  readonly told: Readonly<Record<string, number>>;
  /** Until the shop had heard of each that it is captured. */
  readonly heardMs: number;
  /** Until the last was captured, in ms; null where some never were. */
  readonly allMs: number | null;
  readonly captured: number;
  /** Captures that merchants would hear of as failed. */
  readonly failed: number;
  /** How many calls the provider refused for their number. */
  readonly refused: number;
  /** Of buyers who pay meanwhile, and of as many who pay without the burst. */
  readonly beside: Waits;
  readonly alone: Waits;
};

type BurstParts = {
  readonly product: Product & { readonly stock: Stock };
  readonly say: (line: string) => void;
};

/** Runs bursts of so many captures. The first round is a warm-up. */
export async function measureBurst(
  parts: BurstParts,
  { rounds, captures }: { readonly rounds: number; readonly captures: number },
): Promise<BurstRound[]> {
  const { say } = parts;
  const ms = (captures / liveAccount.endpointPerSecond) * 1000;
  const taken: BurstRound[] = [];
  await limit(parts, true);
  const warm = await payFor(parts, ms);
  say(`burst: warm after ${warm.bought} purchases`);
  for (let round = 1; round <= rounds; round++) {
    // The sides take turns in running first.
    const before = round % 2 === 1 ? await payFor(parts, ms) : null;
    const burst = await runBurst(parts, captures, ms);
    taken.push({ ...burst, alone: before ?? (await payFor(parts, ms)) });
    say(`burst ${round}/${rounds}: ${describeRound(taken.at(-1) as BurstRound)}`);
  }
  return taken;
}

const control = async (url: string, body?: object): Promise<unknown> => {
  const answer = await fetch(url, {
    method: body ? 'POST' : 'GET',
    headers: json,
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (!answer.ok) throw new Error(`the sandbox answered ${url}: ${await answer.text()}`);
  return answer.json();
};

/** Turns the account's limits at the provider on, or off while holds are made. */
const limit = ({ product }: BurstParts, isOn: boolean): Promise<unknown> =>
  control(
    `${product.providerUrl}/_control/limits`,
    isOn ? { setting: 'on', ...liveAccount } : { setting: 'off' },
  );

const readRefused = async ({ product }: BurstParts): Promise<number> => {
  const { requests } = (await control(`${product.providerUrl}/_control/requests`)) as {
    requests: { status: number }[];
  };
  return requests.filter(({ status }) => status === 429).length;
};

/** Buyers arrive on a schedule for so long. Throws when one could not pay. */
async function payFor({ product }: BurstParts, ms: number): Promise<Waits> {
  const waits: number[] = [];
  const count = Math.ceil((buyersPerSecond * ms * 2) / 1000);
  const { failed, firstFailure } = await runOpenLoop(
    { rows: { first: 0, count }, perSecond: buyersPerSecond, ms },
    async () => void waits.push(await buy(product)),
  );
  if (failed > 0) throw new Error(`${failed} buyers could not pay: ${firstFailure}`);
  return { p50Ms: quantile(waits, 0.5), p99Ms: quantile(waits, 0.99), bought: waits.length };
}

const answerOf = async ({ statusCode: status, headers, body }: Dispatcher.ResponseData) => ({
  ...{ status, text: await body.text() },
  afterSeconds: Number(headers['retry-after']),
});

/** Connections of one address over the service's limit are closed without an answer: tried again a second later. */
const answerOfClosed = (error: { readonly code?: string }) => ({
  ...{ status: 'closed', text: JSON.stringify({ code: error.code }), afterSeconds: 1 },
});

/** Captures as a shop's program does: where it is asked to wait it waits, and repeats with the same key. */
async function captureAll({ product }: BurstParts, rows: readonly number[]) {
  // From an address of its own: the service counts the requests that are open from one.
  const pool = new Pool(product.origin, {
    connections: rows.length,
    localAddress: '127.0.0.2',
  });
  const told: Record<string, number> = {};
  const capture = async (row: number): Promise<void> => {
    const { authorization } = product;
    const headers = { ...json, authorization, 'idempotency-key': `bench-${row}` };
    const path = `/v1/payments/${idOf('payment', row)}/capture`;
    for (;;) {
      const { status, text, afterSeconds } = await pool
        .request({ method: 'PUT', path, headers, body: '{}' })
        .then(answerOf, answerOfClosed);
      if (status === 200) return;
      const code = `${status} ${(JSON.parse(text) as { code: string }).code}`;
      told[code] = (told[code] ?? 0) + 1;
      if (!(afterSeconds > 0)) throw new Error(`capture: ${text}`);
      await pause(afterSeconds * 1000);
    }
  };
  const began = performance.now();
  try {
    const ended = await Promise.allSettled(rows.map(capture));
    const refused = ended.find(({ status }) => status === 'rejected') as { reason?: unknown };
    return { told, heardMs: performance.now() - began, refusal: refused?.reason };
  } finally {
    await pool.close();
  }
}

const countsOf = ({ product }: BurstParts) =>
  product.database.withAdmin(async (admin) => {
    const { rows } = await admin.query<{ captured: number; failed: number }>(
      `select count(*) filter (where e.type = 'item.purchased' and p.capture_method = 'manual')::int as captured,
         count(*) filter (where e.type like '%failed')::int as failed
       from events e join payments p on p.id = e.resource_id`,
    );
    return rows[0] ?? { captured: 0, failed: 0 };
  });

async function runBurst(parts: BurstParts, captures: number, ms: number) {
  const { stock } = parts.product;
  await limit(parts, false);
  await stock.ensure(captures);
  await limit(parts, true);
  const { first } = stock.left();
  const before = { ...(await countsOf(parts)), refused: await readRefused(parts) };
  const began = performance.now();
  const heard = captureAll(
    parts,
    Array.from({ length: captures }, (_, at) => first + at),
  );
  const bought = payFor(parts, ms);
  let allMs: number | null = null;
  while (allMs === null && performance.now() - began < ms * patience + 10_000) {
    await pause(100);
    const { captured } = await countsOf(parts);
    if (captured - before.captured >= captures) allMs = performance.now() - began;
  }
  const [{ told, heardMs, refusal }, beside] = await Promise.all([heard, bought]);
  if (refusal) parts.say(`burst: refused: ${refusal}`);
  stock.spend(captures);
  const after = { ...(await countsOf(parts)), refused: await readRefused(parts) };
  return {
    ...{ captures, allMs, heardMs, told, beside },
    captured: after.captured - before.captured,
    failed: after.failed - before.failed,
    refused: after.refused - before.refused,
  };
}

const seconds = (ms: number | null): string =>
  ms === null ? 'never' : `${(ms / 1000).toFixed(1)} s`;
const waits = ({ p50Ms, p99Ms }: Waits): string =>
  `p50 ${p50Ms.toFixed(0)}, p99 ${p99Ms.toFixed(0)} ms`;

const describeRound = ({ captures, captured, allMs, refused, beside, alone }: BurstRound): string =>
  `${captured} of ${captures} captured, the last after ${seconds(allMs)}; provider refused ${refused} calls; ` +
  `buyers ${waits(beside)}, alone ${waits(alone)}`;

/** Returns the block of the report. */
export function describeBurst(rounds: readonly BurstRound[], processes: number): string {
  const [first] = rounds;
  if (!first) return '';
  const sum = (read: (round: BurstRound) => number) =>
    rounds.reduce((total, round) => total + read(round), 0);
  const all = rounds.map(({ allMs }) => allMs ?? Number.POSITIVE_INFINITY);
  const share = (100 * sum(({ captured }) => captured)) / sum(({ captures }) => captures);
  const of = (side: 'beside' | 'alone', key: 'p50Ms' | 'p99Ms') =>
    median(rounds.map((round) => round[side][key]));
  const both = (key: 'p50Ms' | 'p99Ms') =>
    `${of('beside', key).toFixed(0)} ms, alone ${of('alone', key).toFixed(0)}`;
  const more = of('beside', 'p99Ms') - of('alone', 'p99Ms');
  return [
    `burst of ${first.captures} captures at once, ${liveAccount.endpointPerSecond} a second of an endpoint and ` +
      `${liveAccount.perSecond} of the account; ${processes} process(es), ${rounds.length} rounds`,
    `  captured ${share.toFixed(1)} %, the last after ${seconds(median(all))} (${all.map(seconds).join(', ')}); ` +
      `failed ${sum(({ failed }) => failed)}; calls refused by the provider ${sum(({ refused }) => refused)}; ` +
      `the shop had heard of all after ${seconds(median(rounds.map(({ heardMs }) => heardMs)))}, told to wait: ` +
      (Object.entries(first.told)
        .map(([code, times]) => `${code} ${times} times`)
        .join(', ') || 'never'),
    `  ${buyersPerSecond} buyers a second beside it, their payment: p50 ${both('p50Ms')}; p99 ${both('p99Ms')}: ` +
      `${more.toFixed(0)} ms later`,
  ].join('\n');
}
