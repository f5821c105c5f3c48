// Simulated merchants, ten at a time on one service, as many as a client may have endpoints. Each
// has its own database and its own faults and crashes, drawn from its seed. Whatever happens to
// deliveries and processes, a merchant that uses the inbox ends in the service's state.

import { sql } from '../../service/src/storage/database/sql.ts';
import { type Random, seeded } from '../kit/random.ts';
import {
  addCounts,
  runSeeds,
  type SeedFixture,
  type SeedReport,
  seedsFrom,
} from '../kit/run-seeds.ts';
import { judge, readTruth } from './check.ts';
import { Merchant, type Plan } from './merchant.ts';
import { postgresShop, type Shop, sqliteShop } from './shop.ts';
import {
  anEndpoint,
  clear,
  deliver,
  openStage,
  performAct,
  type ShopState,
  type Stage,
  timeOf,
} from './stage.ts';

export type Merchants = {
  readonly count: number;
  readonly seed: number;
  readonly lanes?: number;
  readonly onProgress?: (done: number) => void;
};

/** The number of merchants that share the service at one time. */
const merchantsAtOnce = 10;

export async function runMerchants(options: Merchants): Promise<SeedReport> {
  const { count, seed, lanes = 2, onProgress } = options;
  const last = seed + count;
  const report = await runSeeds(() => openServiceGroups(last), {
    ...{ seeds: seedsFrom(seed, Math.ceil(count / merchantsAtOnce), merchantsAtOnce), lanes },
    ...(onProgress && {
      onProgress: (done) => onProgress(Math.min(count, done * merchantsAtOnce)),
    }),
  });
  return { ...report, count: Math.min(count, report.count * merchantsAtOnce) };
}

/**
 * Opens a service for one group of merchants after the other; a seed is that of the first of ten
 * merchants.
 */
export async function openServiceGroups(before = Number.POSITIVE_INFINITY): Promise<SeedFixture> {
  const stage = await openStage();
  return {
    async run(first) {
      const sometimes: Record<string, number> = {};
      const seeds = seedsFrom(first, Math.min(merchantsAtOnce, before - first));
      const violations = await runGroup(stage, seeds, (what) =>
        addCounts(sometimes, { [what]: 1 }),
      );
      return { violations, sometimes };
    },
    close: () => stage.close(),
  };
}

async function runGroup(
  stage: Stage,
  seeds: readonly number[],
  tally: (what: string) => void,
): Promise<string[]> {
  // Moves the clock by one millisecond, so that no event of the earlier run belongs to this one.
  await stage.world.database.write(moveOn, []);
  const from = await timeOf(stage);
  const opened: { merchant: Merchant; shop: Shop }[] = [];
  try {
    for (const seed of seeds) opened.push(await openMerchant(stage, { seed, from, tally }));
    const merchants = opened.map(({ merchant }) => merchant);
    await liveThrough(stage, { merchants, random: seeded(seeds[0] ?? 0), tally });
    const left = await settle(stage, merchants);
    if (left > 0) return [`${left} deliveries do not end`];
    const truth = await readTruth(stage, from);
    const found: string[] = [];
    for (const { merchant, shop } of opened) {
      const failures = await merchant.failures();
      const wrong = judge(await shop.known(), truth);
      const all = [...wrong, ...failures.map(({ eventId }) => `left as failing: ${eventId}`)];
      found.push(...all.map((text) => `merchant ${merchant.seed}, ${shop.kind}: ${text}`));
    }
    return found;
  } finally {
    await clear(stage);
    await Promise.all(opened.map(({ shop }) => shop.close()));
  }
}

const moveOn = sql(
  'proof_merchant_move_on',
  "update clock_shift set shift = shift + interval '10 milliseconds'",
);

type OpenOptions = {
  readonly seed: number;
  readonly from: Date;
  readonly tally: (what: string) => void;
};

async function openMerchant(stage: Stage, { seed, from, tally }: OpenOptions) {
  const plan = drawPlan(seeded(seed));
  const url = `https://merchant-${seed}.example.test/hooks`;
  const isPostgres = plan.random.chance(0.5);
  const shop = isPostgres ? await postgresShop(stage.merchantsUrl, `m_${seed}`) : sqliteShop();
  const secret = await anEndpoint(stage, url);
  const count = (what: string) => tally(what);
  const merchant = new Merchant({ seed, shop, plan, secret, svc: stage.svc, from, count });
  stage.listeners.set(url, (call) => merchant.send(call));
  await merchant.open();
  return { merchant, shop };
}

function drawPlan(random: Random): Plan {
  const walks = random.chance(0.6);
  const randomRate = (most: number) => random.next() * most;
  const rates = {
    lost: randomRate(0.25),
    // A swallowed delivery is answered with 200 by a proxy in between, so nobody sends it again.
    swallowed: walks ? randomRate(0.2) : 0,
    doubled: randomRate(0.2),
    late: randomRate(0.2),
    inVain: randomRate(0.15),
    diesBefore: randomRate(0.06),
    diesAfter: randomRate(0.06),
    spoils: randomRate(0.08),
  };
  return { random, rates, walks };
}

type Life = {
  readonly merchants: readonly Merchant[];
  readonly random: Random;
  readonly tally: (what: string) => void;
};

/** Runs the purchases, the deliveries, and the starts and deaths of processes. */
async function liveThrough(stage: Stage, { merchants, random, tally }: Life): Promise<void> {
  const deeds: ShopState = { random, holds: [], purchases: [], clubs: [] };
  const count = random.whole(6, 9);
  for (let n = 0; n < count; n++) {
    tally(`did: ${await performAct(stage, deeds)}`);
    for (let pass = random.whole(0, 2); pass > 0; pass--) {
      await deliver(stage, random.chance(0.4));
      await forEachMerchant(merchants, async (merchant) => {
        if (merchant.chance(0.4)) await merchant.arrive();
        if (merchant.walks && merchant.chance(0.2)) await merchant.walk();
      });
    }
  }
}

/**
 * Without faults: sends the deliveries that are left, then lets each merchant read the list of
 * events.
 */
async function settle(stage: Stage, merchants: readonly Merchant[]): Promise<number> {
  let left = 1;
  for (let n = 0; n < 40 && left > 0; n++) left = await deliver(stage, n % 2 === 0);
  for (const merchant of merchants) merchant.isCalm = true;
  for (let n = 0; n < 40 && left > 0; n++) left = await deliver(stage, n % 2 === 0);
  await forEachMerchant(merchants, async (merchant) => {
    for (let n = 0; n < 20 && merchant.walks && !(await merchant.walk()); n++);
    await merchant.arrive();
  });
  return left;
}

const forEachMerchant = (
  merchants: readonly Merchant[],
  work: (merchant: Merchant) => Promise<void>,
) => Promise.all(merchants.map(work));
