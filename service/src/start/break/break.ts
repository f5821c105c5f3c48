// `svc break`: the scenes on an installation of their own, and at the end the provider's ledger beside the books.

import { setTimeout as pause } from 'node:timers/promises';
import type { Break, BreakReport, BreakScene } from '../../cli/line/command.ts';
import { CommandError } from '../../cli/line/command.ts';
import { type Installation, openInstallation } from './installation.ts';
import { findStrangers, isEqual, judgeOrders, sumAll } from './judge.ts';
import { seeded } from './random.ts';
import { scenes } from './scenes.ts';
import { BrokenShop, type OwnOrder } from './shop.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** What the start takes before the scenes, and the commands at the end take after them. */
const aroundMs = 40_000;
const settledWithinMs = 60_000;
const wrongAfterMs = 5000;
const heardWithinMs = 90_000;

/** Throws CommandError for settings of an installation with a provider's real account. */
export function openBreak(env: Env): Break {
  const { SVC_MODE: mode = 'sandbox', SVC_PROVIDER_URL: provider } = env;
  if (mode !== 'sandbox') {
    throw new CommandError(
      `installation_not_sandbox: these settings are of an installation in ${mode} mode, with a provider's real account. ` +
        'A break is done where no such installation runs: on another machine, or by a user without its settings. ' +
        'Nothing was started',
    );
  }
  if (provider?.startsWith('https:')) {
    throw new CommandError(
      `provider_not_sandbox: SVC_PROVIDER_URL of these settings is ${new URL(provider).origin}, which may be a real ` +
        'provider. Nothing was started',
    );
  }
  return async (wish, work) => {
    const { promise: lost, reject: onLoss } = Promise.withResolvers<never>();
    lost.catch(() => undefined);
    const begun = performance.now();
    const installation = await openInstallation({ signal: wish.signal, onLoss });
    try {
      const until = begun + wish.minutes * 60_000 - aroundMs;
      const { shop, version: server, providerUrl } = installation;
      work.opened({ ...shop, providerUrl, server, tookMs: performance.now() - begun });
      const report = await Promise.race([
        runScenes(installation, { ...wish, until }, work.told),
        lost,
      ]);
      await work.ended(report);
      return report;
    } finally {
      await installation.close();
    }
  };
}

type Wish = { readonly seed: number; readonly signal: AbortSignal; readonly until: number };

async function runScenes(
  installation: Installation,
  { seed, signal, until }: Wish,
  told: (scene: BreakScene) => void,
): Promise<BreakReport> {
  const random = seeded(seed);
  const shop = new BrokenShop(installation.shop, random, signal);
  const done: BreakScene[] = [];
  const tell = (scene: BreakScene) => {
    done.push(scene);
    told(scene);
  };
  let left = scenes.reduce((sum, { share }) => sum + share, 0);
  for (const { name, share, run } of scenes) {
    const from = shop.orders.length;
    const now = performance.now();
    // What is wrong may never settle, and each scene would wait for it.
    if (now > until + aroundMs && done.some(({ problems }) => problems.length > 0)) {
      const skipped = 'the time is over, and something is wrong already';
      tell({ name, did: '', skipped, ...countOrders([]), problems: [] });
      continue;
    }
    const end = now + (Math.max(0, until - now) * share) / left;
    left -= share;
    const isOver = () => performance.now() > end;
    const said = await run({ installation, shop, random, signal, isOver });
    signal.throwIfAborted();
    const orders = shop.orders.slice(from);
    const problems = await settle(installation, orders);
    const did = typeof said === 'string' ? { did: said } : { did: '', ...said };
    tell({ name, ...did, ...countOrders(orders), problems });
  }
  return conclude(installation, shop.orders, done);
}

const countOrders = (orders: readonly OwnOrder[]) => ({
  orders: orders.length,
  captured: orders.filter(({ capturedMinor }) => capturedMinor > 0).length,
  refunded: orders.filter(({ refundedMinor }) => refundedMinor > 0).length,
});

const readAll = async ({ readLedger, readBooks }: Installation, orders: readonly OwnOrder[]) => ({
  orders,
  ledger: await readLedger(),
  books: await readBooks(),
});

/** Waits until nothing is in doubt and these orders are right. Returns what stays wrong. */
async function settle(
  installation: Installation,
  orders: readonly OwnOrder[],
): Promise<readonly string[]> {
  const from = performance.now();
  let decidedAt = Number.POSITIVE_INFINITY;
  for (;;) {
    const isDecided = (await installation.countInDoubt()) === 0;
    const problems = judgeOrders(await readAll(installation, orders));
    const now = performance.now();
    if (isDecided && problems.length === 0) return [];
    decidedAt = isDecided ? Math.min(decidedAt, now) : Number.POSITIVE_INFINITY;
    // Where nothing is in doubt, nothing moves any more.
    if (now - decidedAt > wrongAfterMs || now - from > settledWithinMs) return problems;
    await pause(500);
  }
}

/** What the operator's own commands find. */
const commands = [['audit'], ['reconcile', '--all', '--older-than', '0s', '--rate', '1000']];

async function conclude(
  installation: Installation,
  orders: readonly OwnOrder[],
  done: readonly BreakScene[],
): Promise<BreakReport> {
  const shipped = await awaitEvents(installation, orders);
  const evidence = await readAll(installation, orders);
  const sums = sumAll(evidence);
  const inDoubt = await installation.countInDoubt();
  const ended = await Promise.all(
    commands.map(async (args) => ({
      name: `svc ${args[0]}`,
      ...(await installation.runCommand(args)),
    })),
  );
  const { wanted, heard, twice } = shipped;
  const problems = [
    ...(heard === wanted ? [] : [`the shop heard of ${heard} purchases, and ${wanted} were made`]),
    ...(twice > 0 ? [`${twice} purchases were told by two events`] : []),
    ...judgeOrders(evidence),
    ...findStrangers(evidence),
    ...sums
      .filter((one) => !isEqual(one))
      .map(({ what, currency }) => `${what} ${currency} differ`),
    ...(inDoubt > 0 ? [`${inDoubt} payments or operations are still in doubt`] : []),
    ...ended
      .filter(({ code }) => code !== 0)
      .map(({ name, said }) => `${name} found something: ${said}`),
  ];
  return { scenes: done, sums, inDoubt, commands: ended, shipped, problems };
}

/** Waits until the shop has heard of every purchase: the delivery of a killed process is sent again after its lease. */
async function awaitEvents({ shipped }: Installation, orders: readonly OwnOrder[]) {
  const wanted = orders.filter(({ capturedMinor }) => capturedMinor > 0).length;
  for (const from = performance.now(); performance.now() - from < heardWithinMs; ) {
    if (shipped.size >= wanted) break;
    await pause(500);
  }
  const twice = [...shipped.values()].filter(({ size }) => size > 1).length;
  return { wanted, heard: shipped.size, twice };
}
