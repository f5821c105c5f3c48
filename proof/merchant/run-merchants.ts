// Simulated merchants, ten at a time on one service, as many as a client may have endpoints. Each
// has its own database and its own faults and crashes, drawn from its seed. Whatever happens to
// deliveries and processes, a merchant that uses the inbox ends in the service's state.

import { sql } from '../../service/src/storage/database/sql.ts';
import { type Random, seeded } from '../kit/random.ts';
import { type Count, openCounters, type SeedFixture, seedsFrom } from '../kit/run-seeds.ts';
import { judge, readTruth } from './check.ts';
import {
  anEndpoint,
  clear,
  deliver,
  type Fixture,
  openFixture,
  performAct,
  type ShopState,
  timeOf,
} from './fixture.ts';
import { Merchant, type Plan } from './merchant.ts';
import { postgresShop, type Shop, sqliteShop } from './shop.ts';

/** The number of merchants that share the service at one time. */
const merchantsAtOnce = 10;

/**
 * Opens a service for one group of merchants after the other; a seed is that of the first of ten
 * merchants.
 */
export async function openServiceGroups(): Promise<SeedFixture> {
  const fixture = await openFixture();
  return {
    async run(first) {
      const { sometimes, count } = openCounters();
      const seeds = seedsFrom(first, merchantsAtOnce);
      const violations = await runGroup(fixture, seeds, count);
      return { violations, sometimes };
    },
    close: () => fixture.close(),
  };
}

async function runGroup(
  fixture: Fixture,
  seeds: readonly number[],
  count: Count,
): Promise<string[]> {
  // Moves the clock by one millisecond, so that no event of the earlier run belongs to this one.
  await fixture.world.database.write(moveOn, []);
  const from = await timeOf(fixture);
  const opened: { merchant: Merchant; shop: Shop }[] = [];
  try {
    for (const seed of seeds) opened.push(await openMerchant(fixture, { seed, from, count }));
    const merchants = opened.map(({ merchant }) => merchant);
    await liveThrough(fixture, { merchants, random: seeded(seeds[0] ?? 0), count });
    const left = await settle(fixture, merchants);
    if (left > 0) return [`${left} deliveries do not end`];
    const truth = await readTruth(fixture, from);
    const found: string[] = [];
    for (const { merchant, shop } of opened) {
      const failures = await merchant.failures();
      const wrong = judge(await shop.known(), truth);
      const all = [...wrong, ...failures.map(({ eventId }) => `left as failing: ${eventId}`)];
      found.push(...all.map((text) => `merchant ${merchant.seed}, ${shop.kind}: ${text}`));
    }
    return found;
  } finally {
    await clear(fixture);
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
  readonly count: Count;
};

async function openMerchant(fixture: Fixture, { seed, from, count }: OpenOptions) {
  const plan = drawPlan(seeded(seed));
  const url = `https://merchant-${seed}.example.test/hooks`;
  const isPostgres = plan.random.chance(0.5);
  const shop = isPostgres ? await postgresShop(fixture.merchantsUrl, `m_${seed}`) : sqliteShop();
  const secret = await anEndpoint(fixture, url);
  const merchant = new Merchant({ seed, shop, plan, secret, svc: fixture.svc, from, count });
  fixture.listeners.set(url, (call) => merchant.send(call));
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
  readonly count: Count;
};

/** Runs the purchases, the deliveries, and the starts and deaths of processes. */
async function liveThrough(fixture: Fixture, { merchants, random, count }: Life): Promise<void> {
  const deeds: ShopState = { random, holds: [], purchases: [], clubs: [] };
  for (let left = random.whole(6, 9); left > 0; left--) {
    count(`did: ${await performAct(fixture, deeds)}`);
    for (let pass = random.whole(0, 2); pass > 0; pass--) {
      await deliver(fixture, random.chance(0.4));
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
async function settle(fixture: Fixture, merchants: readonly Merchant[]): Promise<number> {
  let left = 1;
  for (let n = 0; n < 40 && left > 0; n++) left = await deliver(fixture, n % 2 === 0);
  for (const merchant of merchants) merchant.isCalm = true;
  for (let n = 0; n < 40 && left > 0; n++) left = await deliver(fixture, n % 2 === 0);
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
