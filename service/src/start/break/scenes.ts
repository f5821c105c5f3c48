// What is broken, in the order of the report. Each scene lets the shop trade, breaks something again and again until its
// time is over, mends it, and says in plain words what it did.

import { setTimeout as pause } from 'node:timers/promises';
import type { Installation } from './installation.ts';
import type { Random } from './random.ts';
import type { BrokenShop, Press } from './shop.ts';

type Stage = {
  readonly installation: Installation;
  readonly shop: BrokenShop;
  readonly random: Random;
  readonly signal: AbortSignal;
  /** True when the scene should come to its end. */
  readonly isOver: () => boolean;
};

type Scene = {
  readonly name: string;
  /** Of the time for all scenes. */
  readonly share: number;
  /** Returns what was done, or why it could not be. Every press has its answer by then. */
  run(stage: Stage): Promise<string | { readonly skipped: string }>;
};

const lanes = 8;
/** The moments of kills take turns: amid a payment, a capture, a refund. */
const turns = ['payment', 'capture', 'refund'] as const;
const counted = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;
const times = (count: number): string =>
  count === 0 ? 'never' : count === 1 ? 'once' : `${count} times`;

/** Breaks something while the shop trades, at least once, and lets every press come to its end. */
async function whileTrading(
  { shop, isOver, signal }: Stage,
  breakOnce: (index: number) => Promise<void>,
): Promise<void> {
  let isDone = false;
  const breaking = async () => {
    for (let index = 0; index === 0 || !(isOver() || signal.aborted); index++) {
      await breakOnce(index);
    }
    isDone = true;
  };
  // When breaking fails the shop stops too, and the failure is what is told.
  const broken = breaking().finally(() => {
    isDone = true;
  });
  await Promise.all([broken, shop.trade(lanes, () => isDone)]);
}

/** Counts the presses that were under way at each blow. */
function startCount(shop: BrokenShop) {
  const hit: Partial<Record<Press, number>> = {};
  let blows = 0;
  return {
    blow() {
      blows += 1;
      for (const [press, open] of Object.entries(shop.open) as [Press, number][]) {
        hit[press] = (hit[press] ?? 0) + open;
      }
    },
    said: () => {
      const kinds = turns.map((press) => counted(hit[press] ?? 0, press));
      return `${times(blows)}, hitting ${kinds[0]}, ${kinds[1]} and ${kinds[2]} under way`;
    },
  };
}

const longestWaitMs = 6000;

/** Resolves shortly after the next press of this kind has begun, or when none begins. */
async function amid(press: Press, { shop, random, signal }: Stage): Promise<void> {
  const [before, from] = [shop.begun[press], performance.now()];
  while (shop.begun[press] === before && performance.now() - from < longestWaitMs) {
    await pause(2, undefined, { signal });
  }
  await pause(random.whole(0, 90), undefined, { signal });
}

const killed = (name: 'service' | 'sandbox') => async (stage: Stage) => {
  const { installation, shop } = stage;
  const count = startCount(shop);
  await whileTrading(stage, async (index) => {
    await amid(turns[index % turns.length] ?? 'payment', stage);
    count.blow();
    await installation.kill(name);
    await installation.start(name);
  });
  return count.said();
};

/** What may become of an answer of the provider; all but the last took effect. */
const lostAnswers = ['drop_reply', 'truncated', 'late', 'html_200', 'error_500', 'drop_request'];
const calls = {
  payment: '/v1/payment_intents',
  capture: '/v1/payment_intents/*/capture',
  refund: '/v1/refunds$',
};

type Planted = { readonly faults: readonly { readonly action: string; readonly fired: number }[] };

async function loseProviderAnswers(stage: Stage): Promise<string> {
  const { installation, random, signal } = stage;
  const fired = { payment: 0, capture: 0, refund: 0 };
  await whileTrading(stage, async () => {
    for (const press of turns) {
      await installation.control('DELETE', '/faults');
      const match = { method: 'POST', path: calls[press] };
      const fault = { match, action: random.pick(lostAnswers), executes: true, delayMs: 300 };
      await installation.control('POST', '/faults', { ...fault, count: random.whole(1, 3) });
      await pause(random.whole(300, 900), undefined, { signal });
      const { faults } = await installation.control<Planted>('GET', '/faults');
      fired[press] += faults.reduce((sum, one) => sum + one.fired, 0);
    }
  });
  await installation.control('DELETE', '/faults');
  const { payment, capture, refund } = fired;
  return `${counted(payment, 'payment')}, ${counted(capture, 'capture')} and ${counted(refund, 'refund')}`;
}

async function loseOurAnswers({ shop, isOver }: Stage): Promise<string> {
  const from = shop.cut;
  await shop.trade(lanes, isOver, { cuts: 0.5 });
  return `${counted(shop.cut - from, 'answer')} lost, each press sent again with its key`;
}

async function pressTwice({ shop, isOver }: Stage): Promise<string> {
  await shop.trade(3, isOver, { presses: 3 });
  return 'each button three times at once, half the time by a second person too';
}

const refused = /^(checkout_session_|checkout_attempt_|payment_)/;

/** Two tabs with sessions of one order: the second replaces the first one while that is being paid. */
async function payInTwoTabs({ shop, random, isOver, signal }: Stage): Promise<string> {
  let pairs = 0;
  const paid = { captureMethod: 'automatic', mayRefuse: refused };
  for (; pairs === 0 || !(isOver() || signal.aborted); pairs++) {
    const order = shop.newOrder();
    const first = await shop.openSession(order, { captureMethod: 'automatic' });
    if (!first) continue;
    const secondTab = async () => {
      await pause(random.whole(0, 200), undefined, { signal });
      const more = { captureMethod: 'automatic', replaces: true };
      const manner = { key: `${order.reference}-2`, mayRefuse: refused };
      const second = await shop.openSession(order, more, manner);
      return second && shop.pay(order, second, paid);
    };
    const ends = await Promise.all([shop.pay(order, first, paid), secondTab()]);
    const bought = ends.filter((payment) => payment !== undefined);
    if (bought.length !== 1) order.problems.push(`${bought.length} of two tabs paid`);
  }
  return times(pairs);
}

const noticeFaults = ['drop_webhook', 'duplicate_webhook', 'reorder_webhooks'] as const;

/** Answers are lost too: only then do notices of the provider matter. */
async function loseNotices(stage: Stage): Promise<string> {
  const { installation, random, signal } = stage;
  const fired: Record<string, number> = {};
  await whileTrading(stage, async () => {
    await installation.control('DELETE', '/faults');
    for (const action of noticeFaults) {
      const fault = { match: { event: '*' }, action, count: random.whole(2, 8) };
      await installation.control('POST', '/faults', fault);
    }
    const lost = { match: { method: 'POST' }, action: 'drop_reply', count: 2 };
    await installation.control('POST', '/faults', lost);
    await pause(1500, undefined, { signal });
    const { faults } = await installation.control<Planted>('GET', '/faults');
    for (const { action, fired: count } of faults) fired[action] = (fired[action] ?? 0) + count;
  });
  await installation.control('DELETE', '/faults');
  const [lost = 0, doubled = 0, late = 0] = noticeFaults.map((name) => fired[name]);
  return `${lost} lost, ${doubled} doubled, ${late} out of order, and ${fired.drop_reply ?? 0} answers lost`;
}

async function endDatabase(stage: Stage): Promise<string> {
  const { installation, random, signal } = stage;
  const done = [0, 0, 0];
  await whileTrading(stage, async (index) => {
    const way = index % done.length;
    await amid(turns[index % turns.length] ?? 'payment', stage);
    await Promise.all([
      installation.endDatabase(way === 0 ? 'SIGINT' : 'SIGKILL'),
      ...(way === 2 ? [installation.kill('service')] : []),
    ]);
    await pause(random.whole(100, 1000), undefined, { signal });
    await installation.startDatabase();
    if (way === 2) await installation.start('service');
    done[way] = (done[way] ?? 0) + 1;
  });
  const [stopped = 0, killed = 0, both = 0] = done;
  return `stopped ${times(stopped)}, killed ${times(killed)}, killed together with the service ${times(both)}`;
}

async function fillDisk(stage: Stage): Promise<string | { skipped: string }> {
  const { installation, random, signal } = stage;
  if (!installation.refuseWrites(false)) {
    return { skipped: "writes are refused by Linux's prlimit, which does not work here" };
  }
  let filled = 0;
  await whileTrading(stage, async () => {
    await amid('capture', stage);
    installation.refuseWrites(true);
    filled += 1;
    await pause(random.whole(1500, 3000), undefined, { signal });
    // It may have ended by itself.
    if (installation.isDatabaseUp()) installation.refuseWrites(false);
    await installation.startDatabase();
  });
  return `${times(filled)}, for seconds, every write of PostgreSQL failed (RLIMIT_FSIZE)`;
}

export const scenes: readonly Scene[] = [
  { name: 'kill -9 of the service', share: 6, run: killed('service') },
  { name: "the provider's answers lost", share: 3, run: loseProviderAnswers },
  { name: 'our answers lost on their way to the shop', share: 2, run: loseOurAnswers },
  { name: 'pressed twice', share: 2, run: pressTwice },
  { name: 'two tabs pay one order', share: 1, run: payInTwoTabs },
  { name: "the provider's notices", share: 2, run: loseNotices },
  { name: 'kill -9 of the provider', share: 2, run: killed('sandbox') },
  { name: 'end of PostgreSQL', share: 4, run: endDatabase },
  { name: 'full disk', share: 2, run: fillDisk },
];
