// A merchant's press on "capture" in Medusa and Vendure beside ours: both at the sandbox, by the same generator. Each
// shop runs as proof/shops starts it, with its own plugin for the card provider, at the concurrency that suits it best.
// Its database does not wait for the disk (fsync is off there), ours does.

import { pay } from '../shops/buyer.ts';
import type { Ground } from '../shops/ground.ts';
import { openGround } from '../shops/ground.ts';
import { installShop } from '../shops/install.ts';
import { medusa } from '../shops/medusa.ts';
import type { ShopAdapter } from '../shops/shop.ts';
import { vendure } from '../shops/vendure.ts';
import { runClosedLoop } from './load/closed-loop.ts';
import type { Closers } from './load/closers.ts';
import { idOf } from './load/identifiers.ts';
import type { LoadResult } from './load/load-plan.ts';
import { median, spreadOf } from './load/statistics.ts';
import type { Product } from './product.ts';
import type { Stock } from './stock.ts';

const adapters: readonly ShopAdapter[] = [medusa, vendure];
/** Most of what a shop does is its own JavaScript in one process: more at once only wait. */
const concurrencies = [1, 4, 8];
const ourConcurrency = 32;
const buyersAtOnce = 4;

export type ShopFigures = {
  readonly name: string;
  readonly version: string;
  readonly inFlight: number;
  /** None where the shop's plugin takes the money when the order is placed, so that there is nothing to capture. */
  readonly rounds: readonly { readonly shop: LoadResult; readonly ours: LoadResult }[];
};

type Settings = {
  readonly rounds: number;
  /** Captures of a shop in each run; ours are ten times as many. */
  readonly captures: number;
  readonly say: (line: string) => void;
};

/** Measures each shop that npm brings. Throws when a capture fails on either side. */
export async function measureShops(
  closers: Closers,
  product: Product & { readonly stock: Stock },
  settings: Settings,
): Promise<ShopFigures[]> {
  const figures: ShopFigures[] = [];
  for (const adapter of adapters) {
    const missing = installShop(adapter);
    if (missing) throw new Error(missing);
    const ground = await openGround(adapter, 'built-in');
    await closers.add(() => ground.close());
    settings.say(`${adapter.name} runs`);
    figures.push(await measureShop({ adapter, ground, product }, settings));
    await ground.close();
  }
  return figures;
}

type Sides = {
  readonly adapter: ShopAdapter;
  readonly ground: Ground;
  readonly product: Product & { readonly stock: Stock };
};

async function measureShop(
  { adapter, ground, product }: Sides,
  { rounds, captures, say }: Settings,
): Promise<ShopFigures> {
  const runShop = async (inFlight: number) => {
    const presses = await makeOrders(ground, captures);
    const since = (await ground.movements(0)).at(-1)?.seq ?? 0;
    const result = await capturesOf(presses, inFlight);
    const moved = await ground.movements(since);
    const captured = moved.filter(({ kind }) => kind === 'capture').length;
    return { ...result, hasCaptured: captured === captures };
  };
  const [version = ''] = Object.values(adapter.packages);
  const runOurs = () => captureOurs(product, captures * 10);
  const { hasCaptured } = await runShop(1);
  if (!hasCaptured) {
    say(`${adapter.name}: the presses captured nothing`);
    return { name: adapter.name, version, inFlight: 1, rounds: [] };
  }
  await runOurs();
  const tried: { inFlight: number; perSecond: number }[] = [];
  for (const inFlight of concurrencies) {
    tried.push({ inFlight, perSecond: (await runShop(inFlight)).perSecond });
  }
  await runOurs();
  const best = tried.toSorted((a, b) => b.perSecond - a.perSecond)[0]?.inFlight ?? 1;
  say(
    `${adapter.name}: warm; ${tried.map((one) => `${one.perSecond.toFixed(0)}/s with ${one.inFlight}`).join(', ')}`,
  );
  const taken: ShopFigures['rounds'][number][] = [];
  for (let round = 1; round <= rounds; round++) {
    const shop = await runShop(best);
    if (!shop.hasCaptured) throw new Error(`${adapter.name} did not capture what it said`);
    taken.push({ shop, ours: await runOurs() });
    say(`${adapter.name} ${round}/${rounds}: ${describeRound(taken.at(-1))}`);
  }
  return { name: adapter.name, version, inFlight: best, rounds: taken };
}

/** Orders that are paid and held. Returns for each the press that captures it. */
async function makeOrders({ shop, block, builtInKey }: Ground, count: number) {
  const presses: (() => Promise<{ status: number; text: string }>)[] = [];
  let begun = 0;
  const lane = async () => {
    while (begun++ < count) {
      const cart = await shop.createCart({ currency: 'EUR', amount: 20 });
      const payable = await shop.startPayment(cart);
      const said = await pay({ ...block, builtInKey } as typeof block, payable);
      if (said !== 'paid') throw new Error(said);
      const placed = await shop.placeOrder(cart);
      if (placed.status !== 200) throw new Error(placed.text);
      presses.push(await shop.openCapture(cart));
    }
  };
  await Promise.all(Array.from({ length: buyersAtOnce }, lane));
  return presses;
}

const lasting = { isOnce: true, ms: 600_000 } as const;

const assertAll = (result: LoadResult): LoadResult => {
  if (result.failed > 0)
    throw new Error(`${result.failed} captures failed: ${result.firstFailure}`);
  return result;
};

async function capturesOf(
  presses: Awaited<ReturnType<typeof makeOrders>>,
  inFlight: number,
): Promise<LoadResult> {
  const rows = { first: 0, count: presses.length };
  const once = async (row: number) => {
    const said = await presses[row]?.();
    if (said?.status !== 200) throw new Error(`${said?.status} ${said?.text}`);
  };
  return assertAll(await runClosedLoop({ ...lasting, rows, inFlight }, once));
}

async function captureOurs(
  { origin, authorization, stock }: Sides['product'],
  count: number,
): Promise<LoadResult> {
  await stock.ensure(count);
  const rows = { ...stock.left(), count };
  const headers = { 'content-type': 'application/json', authorization };
  const once = async (row: number) => {
    const answer = await fetch(`${origin}/v1/payments/${idOf('payment', row)}/capture`, {
      method: 'PUT',
      headers: { ...headers, 'idempotency-key': `bench-${row}` },
      body: '{}',
    });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${answer.status} ${text}`);
  };
  const result = assertAll(
    await runClosedLoop({ ...lasting, rows, inFlight: ourConcurrency }, once),
  );
  stock.spend(count);
  return result;
}

const describeRound = (round: ShopFigures['rounds'][number] | undefined): string =>
  `${round?.shop.perSecond.toFixed(0)}/s, ours ${round?.ours.perSecond.toFixed(0)}/s`;

/** Returns a line for each shop. */
export function describeShops(figures: readonly ShopFigures[]): string {
  const lines = figures.map(({ name, version, inFlight, rounds }) => {
    if (rounds.length === 0)
      return `  ${name} ${version}: its plugin takes the money at once, and captures nothing`;
    const of = (side: 'shop' | 'ours', key: 'perSecond' | 'p50Ms') =>
      median(rounds.map((round) => round[side][key]));
    const ratios = rounds.map(({ shop, ours }) => ours.perSecond / shop.perSecond);
    return (
      `  ${name} ${version}: ${of('shop', 'perSecond').toFixed(0)}/s with ${inFlight} in flight, p50 ` +
      `${of('shop', 'p50Ms').toFixed(0)} ms; ours ${of('ours', 'perSecond').toFixed(0)}/s with ${ourConcurrency}, p50 ` +
      `${of('ours', 'p50Ms').toFixed(0)} ms: ${median(ratios).toFixed(1)} times (${spreadOf(ratios)}, ${rounds.length} rounds)`
    );
  });
  return ['captures of shops beside ours, at the sandbox, by one generator (fetch)', ...lines].join(
    '\n',
  );
}
