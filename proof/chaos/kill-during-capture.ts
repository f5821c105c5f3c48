// kill -9 of the service at any point of captures, cancels and purchases, again and again, while
// clients repeat their requests with the same keys; at the end, the audit of everything that was
// said and done. Reliability, layer Y4.

import { setTimeout as pause } from 'node:timers/promises';
import {
  audit,
  describeViolation,
  type Movement,
  type ReceivedCall,
  type Violation,
} from './audit.ts';
import { type Ground, type Mode, openGround } from './ground.ts';
import { findPoints, type Point, placedKills, points } from './kills.ts';
import { type Random, seeded } from './random.ts';
import { type Move, Shop } from './shop.ts';

export type ChaosOptions = {
  readonly kills: number;
  readonly seed: number;
  readonly mode: Mode;
  /** Also waits until every webhook has arrived, whose lease outlives a killed process by a minute. */
  readonly awaitsDeliveries?: boolean;
  readonly onKill?: (done: number) => void;
};

export type ChaosReport = {
  readonly seed: number;
  readonly mode: Mode;
  readonly seconds: number;
  readonly violations: readonly string[];
  readonly counts: {
    readonly kills: number;
    readonly payments: number;
    readonly captures: number;
    readonly voids: number;
    readonly inDoubt: number;
    readonly refusals: number;
    readonly takeovers: number;
    readonly replays: number;
    readonly lostAnswers: number;
    readonly webhooks: number;
  };
  /** Requests that a kill met there; each must happen now and then for a run to mean much. */
  readonly sometimes: Readonly<Record<Point, number>>;
  /** Longest time from the restart after a kill to the end of a request that it met. */
  readonly slowestSettlementMs: number;
};

const settledWithinMs = 60_000;
const latestKillMs = 150;
const keyHeader = /^idempotency-key: (op-\S+)/gim;

/** Runs it all on a ground of its own. The report names every violation. */
export async function killDuringCapture(options: ChaosOptions): Promise<ChaosReport> {
  const startedAt = performance.now();
  const random = seeded(options.seed);
  const asked = new Set<string>();
  const ground = await openGround({
    mode: options.mode,
    providerLatencyMs: 6,
    record: (link, side, bytes) => {
      if (link !== 'provider' || side !== 'requests') return;
      for (const [, key = ''] of bytes.toString('latin1').matchAll(keyHeader)) asked.add(key);
    },
  });
  const shop = new Shop(ground, random);
  const run: Run = { ground, shop, random, asked, met: [], sometimes: none() };
  try {
    for (let done = 0; done < options.kills; done++) {
      await cycle(run, done);
      options.onKill?.(done + 1);
    }
    await comeToRest(run, options.awaitsDeliveries === true);
    const violations = await judge(run);
    const counts = await count(run, options.kills);
    return {
      seed: options.seed,
      mode: options.mode,
      seconds: Math.round((performance.now() - startedAt) / 100) / 10,
      violations,
      counts,
      sometimes: run.sometimes,
      slowestSettlementMs: Math.round(Math.max(0, ...run.met.map(settlementMs))),
    };
  } catch (error) {
    throw new Error(`seed ${options.seed}: ${(error as Error).message}\n${errorsOf(ground)}`, {
      cause: error,
    });
  } finally {
    await shop.close();
    await ground.close();
  }
}

/** A request that a kill met before its end, and when the service was back. */
type Met = { readonly move: Move; restartedAt: number };

type Run = {
  readonly ground: Ground;
  readonly shop: Shop;
  readonly random: Random;
  /** Provider keys that were seen on their way. */
  readonly asked: ReadonlySet<string>;
  readonly met: Met[];
  readonly sometimes: Record<Point, number>;
};

const none = (): Record<Point, number> =>
  Object.fromEntries(points.map((point) => [point, 0])) as Record<Point, number>;

const settlementMs = ({ move, restartedAt }: Met): number =>
  Math.max(0, (move.endedAt ?? Number.POSITIVE_INFINITY) - restartedAt);

/** Every other kill is placed, the placed ones in turn; the others hit by chance. */
async function cycle(run: Run, index: number): Promise<void> {
  const { ground, shop, random } = run;
  const point = index % 2 === 1 ? points[((index - 1) / 2) % points.length] : undefined;
  if (point) {
    const paymentId = await shop.hold();
    // A fault left over would keep the request from coming to its point.
    await ground.control('DELETE', '/faults');
    await placedKills[point]({ ground, shop, random, paymentId });
  } else {
    await killByChance(run);
  }
  const open = shop.moves.filter(({ endedAt }) => endedAt === null);
  for (const hit of await findPoints(ground, open, run.asked)) run.sometimes[hit] += 1;
  const met = open.map((move) => ({ move, restartedAt: Number.POSITIVE_INFINITY }));
  run.met.push(...met);
  await ground.start();
  for (const one of met) one.restartedAt = performance.now();
}

async function killByChance({ ground, shop, random }: Run): Promise<void> {
  const [session, ...payments] = await Promise.all([
    shop.tokenised('automatic'),
    ...Array.from({ length: random.whole(3, 5) }, () => shop.hold()),
  ]);
  if (random.chance(0.8)) await plantFault(ground, random);
  for (const paymentId of payments) {
    const kind = random.chance(0.75) ? 'capture' : 'cancel';
    shop.move(kind, paymentId, { callers: random.chance(0.25) ? 3 : 1 });
    if (random.chance(0.2)) shop.move(kind === 'capture' ? 'cancel' : 'capture', paymentId);
    if (random.chance(0.5)) await pause(random.whole(0, 25));
  }
  shop.purchase(session);
  await pause(random.whole(0, latestKillMs));
  await ground.kill();
}

const faults = [
  'drop_reply',
  'drop_request',
  'error_500',
  'error_503_unrecorded',
  'error_429',
  'decline',
  'truncated',
  'late',
  'slow',
];

async function plantFault(ground: Ground, random: Random): Promise<void> {
  await ground.control('POST', '/faults', {
    match: { path: `/v1/payment_intents/*/${random.pick(['capture', 'capture', 'cancel'])}` },
    action: random.pick(faults),
    count: random.whole(1, 5),
    delayMs: random.whole(10, 400),
  });
}

/** Faults off; every client has heard an end, and nothing is left to do. */
async function comeToRest(run: Run, awaitsDeliveries: boolean): Promise<void> {
  const { ground, shop } = run;
  await ground.control('DELETE', '/faults');
  const deadline = performance.now() + settledWithinMs + (awaitsDeliveries ? 90_000 : 0);
  await shop.rest(settledWithinMs);
  while (performance.now() < deadline) {
    const { rows } = await ground.owner.query<{ open: number; undelivered: number }>(`select
      (select count(*) from payment_operations where state not in ('succeeded', 'failed'))::int
        + (select count(*) from provider_inbox where processed_at is null)::int as open,
      (select count(*) from webhook_deliveries where state = 'pending')::int as undelivered`);
    const [left] = rows;
    if (left?.open === 0 && (!awaitsDeliveries || left.undelivered === 0)) break;
    await pause(100);
  }
  // Keys that have their end answer with it again.
  for (const move of shop.moves) if (move.endedAt !== null) await shop.once(move);
}

async function judge({ ground, shop, met }: Run): Promise<string[]> {
  const { entries } = await ground.control<{ entries: Movement[] }>('GET', '/ledger');
  const { requests } = await ground.control<{ requests: ReceivedCall[] }>('GET', '/requests');
  const client = await ground.owner.connect();
  let violations: Violation[];
  try {
    violations = await audit(client, { ledger: entries, calls: requests, answers: shop.answers });
  } finally {
    client.release();
  }
  const slow = met.filter((one) => settlementMs(one) > settledWithinMs);
  const twice = new Map<string, Set<string>>();
  for (const { id, body } of ground.received) {
    twice.set(id, (twice.get(id) ?? new Set()).add(body));
  }
  const changed = [...twice].filter(([, bodies]) => bodies.size > 1);
  return [
    ...violations.map(describeViolation),
    ...slow.map(({ move }) => `R1 settled within 60 s of the restart: ${move.kind} ${move.key}`),
    ...changed.map(([id]) => `E6 a delivery has the same bytes each time: ${id}`),
    ...(ground.forged() > 0 ? [`E10 every delivery is signed: ${ground.forged()} are not`] : []),
  ];
}

async function count({ ground, shop }: Run, kills: number): Promise<ChaosReport['counts']> {
  const { rows } = await ground.owner.query<
    Omit<ChaosReport['counts'], 'kills' | 'replays' | 'lostAnswers' | 'webhooks'>
  >(`select (select count(*) from payments)::int as payments,
      (select count(*) from payments where status = 'succeeded')::int as captures,
      (select count(*) from payments where status = 'voided')::int as voids,
      (select count(distinct operation_id) from operation_attempts
        where outcome = 'in_doubt')::int as "inDoubt",
      (select count(*) from operation_attempts where outcome = 'refused')::int as refusals,
      (select count(*) from payment_operations where epoch > attempt)::int as takeovers`);
  const [counted] = rows;
  if (!counted) throw new Error('a count has a row');
  return {
    ...counted,
    kills,
    replays: shop.answers.filter(({ isReplayed }) => isReplayed).length,
    lostAnswers: shop.moves.reduce((sum, { lost }) => sum + lost, 0),
    webhooks: ground.received.length,
  };
}

/** The service's last words about bugs. */
const errorsOf = (ground: Ground): string =>
  ground
    .logs()
    .service.split('\n')
    .filter((line) => line.includes('"level":"error"'))
    .slice(-5)
    .join('\n');

/** The report for a reader. */
export function describeReport(report: ChaosReport): string {
  const { counts, sometimes, violations } = report;
  const list = (of: object) =>
    Object.entries(of)
      .map(([name, value]) => `  ${name.padEnd(30)} ${value}`)
      .join('\n');
  return `${report.mode} provider, seed ${report.seed}, ${report.seconds} s
${list(counts)}
  ${'slowest settlement'.padEnd(30)} ${report.slowestSettlementMs} ms
killed
${list(sometimes)}
${violations.length === 0 ? 'no violation' : `VIOLATIONS\n  ${violations.join('\n  ')}`}`;
}
