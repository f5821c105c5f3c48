// Many callers with the same request at the same moment, at two processes of the service: one
// effect, one original response, and a true response for all others. Then more callers than can be
// served. Layer Y6 of docs/guides/proof.md; contract §2, Idempotency.

import { randomUUID } from 'node:crypto';
import { heardWithinMs } from './bounds.ts';
import { type ChaosReport, countEvent, type Run, withRun } from './chaos-run.ts';
import type { Mode } from './fixture.ts';
import { plantFault } from './load.ts';
import { overload, starveConnections } from './overload.ts';
import type { Move, ReplayableAnswer, SeenRequest, Shop } from './shop.ts';

/** Returns the violations; empty when there are none. */
export type Storm = (run: Run) => Promise<string[]>;

const callersOfKey = 100;
const rivals = 20;
const refundsAtOnce = 50;

const callsOf = (shop: Shop, move: Move): SeenRequest[] =>
  shop.calls.filter((one) => one.move === move);

/**
 * Checks all responses of a storm: each must be a success, or state that the operation is in
 * progress.
 */
function judgeCalls(run: Run, move: Move, success: number): string[] {
  const calls = callsOf(run.shop, move);
  const wins = calls.filter(({ status }) => status === success);
  const originals = wins.filter(({ isReplayed }) => !isReplayed);
  const waits = calls.filter(({ code }) => code === 'payment_operation_in_progress');
  countEvent(run, 'replayed in a storm', wins.length - originals.length);
  countEvent(run, 'told that it is under way', waits.length);
  // One process may not accept this many at once; the refused callers try again.
  const shed = calls.filter(({ code }) => code === 'service_unavailable');
  const others = calls.length - wins.length - waits.length - shed.length;
  const bodies = new Set(move.answers.flatMap((one) => (one.status === success ? one.body : [])));
  const hasty = move.answers.filter(
    ({ status, retryAfter }) => (status === 409 || status === 503) && retryAfter === null,
  );
  return [
    ...(originals.length === 1 ? [] : [`I1 ${originals.length} originals: ${move.key}`]),
    ...(bodies.size === 1 ? [] : [`I1 ${bodies.size} bodies: ${move.key}`]),
    ...(others === 0 ? [] : [`I1 ${others} other answers: ${move.key}`]),
    ...hasty.map(() => `an answer that asks to wait says how long: ${move.key}`),
  ];
}

/** A hundred callers with one key and one body. */
const sameKey: Storm = async (run) => {
  const { shop } = run;
  const paymentId = await shop.hold();
  const move = shop.move('capture', paymentId, { callers: callersOfKey, isPatient: true });
  await shop.rest(heardWithinMs);
  return judgeCalls(run, move, 200);
};

/** A hundred callers with one key and two bodies: one body is accepted, the other refused. */
const twoBodiesStorm: Storm = async (run) => {
  const { shop } = run;
  const paymentId = await shop.hold();
  const manner = { key: randomUUID(), callers: callersOfKey / 2, isPatient: true };
  const moves = ['{}', '{"reference":"another"}'].map((body) =>
    shop.move('capture', paymentId, { ...manner, body }),
  );
  await shop.rest(heardWithinMs);
  const isRefused = ({ answers }: Move) =>
    answers.some(({ code }) => code === 'idempotency_key_reused') &&
    answers.every(({ status }) => status === 409 || status === 503);
  const [winner, ...more] = moves.filter((move) => !isRefused(move));
  if (!winner || more.length > 0) return [`I2 one body is accepted: ${manner.key}`];
  countEvent(run, 'refused for another body', callersOfKey / 2);
  // Their responses were checked above; the audit would see one key with two different requests.
  for (const move of moves) if (move !== winner) shop.forget(move);
  return judgeCalls(run, winner, 200);
};

/** Captures and cancels of one hold, each with a key of its own, under faults of the provider. */
const captureAgainstCancel: Storm = async (run) => {
  const { fixture, shop, random } = run;
  const paymentId = await shop.hold();
  if (random.chance(0.7)) await plantFault(fixture, random);
  const moves = Array.from({ length: rivals }, (_, index) =>
    shop.move(index % 2 === 0 ? 'capture' : 'cancel', paymentId, { isPatient: true }),
  );
  const ends = (await Promise.all(moves.map(({ ended }) => ended))).filter((one) => !!one);
  const won = new Set(ends.flatMap(({ status, kind }) => (status === 200 ? kind : [])));
  for (const kind of won) countEvent(run, `${kind} won`);
  // The provider may have refused all of them, or ended the hold by itself.
  return won.size <= 1 ? [] : [`M2 captured and cancelled: ${paymentId}`];
};

/** Sends more partial refunds at once than the payment can cover. */
const partialRefunds: Storm = async (run) => {
  const { shop } = run;
  const paymentId = await shop.hold();
  const captured = await shop.move('capture', paymentId, { isPatient: true }).ended;
  const { amount } = JSON.parse(captured?.body ?? '{}') as { amount: number };
  const part = 0.5;
  const moves = Array.from({ length: refundsAtOnce }, () =>
    shop.refund(paymentId, part, { isPatient: true }),
  );
  const ends = await Promise.all(moves.map(({ ended }) => ended));
  const count = (wanted: number) => ends.filter((one) => one?.status === wanted).length;
  const [given, refused] = [count(201), count(422)];
  countEvent(run, 'refund refused for want of money', refused);
  const most = Math.floor(amount / part);
  return given === most && refused === refundsAtOnce - most
    ? []
    : [`M9 ${given} refunds given and ${refused} refused of ${amount}: ${paymentId}`];
};

/** Pays one session by many requests at once, with two cards. */
const oneSessionStorm: Storm = async (run) => {
  const { shop, fixture } = run;
  const session = await shop.tokenised('automatic');
  const other = { ...session, token: await shop.cardToken(session) };
  const moves = [session, other].map((one) =>
    shop.purchase(one, { callers: rivals / 2, isPatient: true }),
  );
  const ends = await Promise.all(moves.map(({ ended }) => ended));
  await shop.rest(heardWithinMs);
  const payments = new Set(ends.flatMap((one) => paymentOf(one)));
  countEvent(
    run,
    'an attempt told that one is under way',
    countCode(shop, moves, 'checkout_attempt_in_progress'),
  );
  const { rows } = await fixture.owner.query<{ live: number }>(
    `select count(*)::int as live from payments where session_id = $1 and type = 'purchase'
       and status not in ('failed', 'voided')`,
    [session.id],
  );
  return rows[0]?.live === 1 && payments.size === 1
    ? []
    : [`M11 ${rows[0]?.live} live payments, ${payments.size} told: session ${session.id}`];
};

const paymentOf = (answer: ReplayableAnswer | undefined): string[] =>
  answer?.status === 200 && answer.paymentId ? [answer.paymentId] : [];

const countCode = (shop: Shop, moves: readonly Move[], wanted: string): number =>
  shop.calls.filter(({ move, code }) => code === wanted && moves.includes(move)).length;

const storms = {
  'one key, 100 callers': sameKey,
  'one key, two bodies, 100 callers': twoBodiesStorm,
  'capture against cancel, 20 callers': captureAgainstCancel,
  'partial refunds, 50 at once': partialRefunds,
  'one session, 20 callers': oneSessionStorm,
  'more callers than can be served': overload,
  'a database that gives no connection': starveConnections,
} as const satisfies Record<string, Storm>;

type StormName = keyof typeof storms;
export const stormNames = Object.keys(storms) as StormName[];

/** What must happen in the storms, or they prove nothing. */
export const wantedOfStorms: readonly string[] = [
  ...Object.keys(storms),
  'replayed in a storm',
  'refused for another body',
  'capture won',
  'cancel won',
  'refund refused for want of money',
  'an attempt told that one is under way',
  'refused for too many',
  'served among too many',
  'refused for want of a connection',
  ...['captures', 'voids', 'refunds', 'replays'],
];

export type StormOptions = {
  /** How often each storm runs. */
  readonly times: Readonly<Partial<Record<StormName, number>>>;
  readonly seed: number;
  readonly mode: Mode;
  readonly runsCommands?: boolean;
  readonly onStorm?: (done: number) => void;
  readonly signal?: AbortSignal;
};

/** Divides the total among the storms, by the cost of each. */
export function shareStorms(total: number): Record<StormName, number> {
  const share = (part: number) => Math.max(1, Math.round(total * part));
  const others = {
    'one key, 100 callers': share(0.1),
    'one key, two bodies, 100 callers': share(0.06),
    'partial refunds, 50 at once': share(0.03),
    'one session, 20 callers': share(0.06),
    'more callers than can be served': share(0.02),
    'a database that gives no connection': share(0.01),
  };
  const taken = Object.values(others).reduce((sum, one) => sum + one, 0);
  return { ...others, 'capture against cancel, 20 callers': Math.max(1, total - taken) };
}

/** Runs all storms on a fixture of their own. The report names every violation. */
export function runStorms(options: StormOptions): Promise<ChaosReport> {
  const { times, seed, mode, signal, onStorm } = options;
  return withRun(
    { seed, mode, processes: 2, loops: 0, leaseMs: 30_000, env: { SVC_MAX_IN_FLIGHT: '60' } },
    {
      awaitsDeliveries: () => false,
      runsCommands: options.runsCommands === true,
      chaos: async (run) => {
        let done = 0;
        for (const name of stormNames) {
          let left = times[name] ?? 0;
          const runLane = async () => {
            while (left-- > 0 && !signal?.aborted) {
              const wrong = await storms[name](run);
              run.problems.push(...wrong.map((one) => `${name}: ${one}`));
              countEvent(run, name);
              onStorm?.(++done);
            }
          };
          // A storm under faults mostly waits, so several of them run at once.
          const beside = storms[name] === captureAgainstCancel ? 5 : 1;
          await Promise.all(Array.from({ length: beside }, runLane));
          await run.fixture.control('DELETE', '/faults');
        }
      },
    },
  );
}
