// The actors of one interleaving, each through the product's own operations.

import { Refusal } from '../../service/src/domain/protocol/refusal.ts';
import { refuse } from '../../service/src/engine/implement.ts';
import { isUnavailable } from '../../service/src/engine/is-unavailable.ts';
import type { Ports } from '../../service/src/engine/ports.ts';
import { expireSessions } from '../../service/src/engine/runs/checkout-sessions/expire-sessions.ts';
import { readNotices } from '../../service/src/engine/runs/notices/read-notices.ts';
import { settleInDoubt } from '../../service/src/engine/runs/payments/settle-in-doubt.ts';
import { operations } from '../../service/src/operations/index.ts';
import { sql } from '../../service/src/storage/database/sql.ts';
import { sessionCaller } from '../../service/test/harness.ts';
import {
  deliverNotice,
  makeNoticesDue,
  providerEvents,
} from '../../service/test/payments/notices.ts';
import type { World } from '../../service/test/world.ts';
import { runOutsideTurns, type Turns } from '../kit/turns.ts';
import { answerChallenge, couponCode, newMethod, wire } from './lane.ts';
import type { Plan } from './plan.ts';

export type Session = { readonly id: string; readonly nonce: string; readonly userId: string };

/** A response that an actor received. */
export type ActorAnswer = {
  readonly actor: string;
  readonly status: number | null;
  readonly code: string | null;
  readonly body: Readonly<Record<string, unknown>> | null;
};

export type Stage = {
  readonly world: World;
  readonly walletGatewayId: string;
  readonly ports: Ports;
  readonly turns: Turns;
  readonly session: Session;
  readonly plan: Plan;
  readonly told: ActorAnswer[];
  /** Orders that were approved on the wallet's page. */
  readonly approved: string[];
  /** The totals that calls named with each card token; null for a call that named none. */
  readonly shown: Map<string, (number | null)[]>;
  readonly sometimes: Map<string, number>;
};

export const email = 'buyer@example.test';

export const countEvent = (stage: Pick<Stage, 'sometimes'>, what: string): void =>
  void stage.sometimes.set(what, (stage.sometimes.get(what) ?? 0) + 1);

const unavailable = 'unavailable';

/**
 * Calls an operation and records its result. Anything but a response, a refusal or the error that
 * the database is down is a failure.
 */
async function recordResult(
  stage: Stage,
  actor: string,
  call: () => Promise<unknown>,
): Promise<void> {
  try {
    const { status, body = null } = (await call()) as {
      status: number;
      body?: ActorAnswer['body'];
    };
    stage.told.push({ actor, status, code: null, body });
  } catch (error) {
    if (!(error instanceof Refusal) && !isUnavailable(error)) throw error;
    const code = error instanceof Refusal ? error.code : unavailable;
    stage.told.push({ actor, status: null, code, body: null });
  }
}

export const lastResultOf = ({ told }: Stage, actor: string): ActorAnswer | undefined =>
  told.findLast((each) => each.actor === actor);

const notYet = [
  'checkout_session_data_attachment_required',
  'checkout_session_claim_pending',
  unavailable,
];

/** Repeats a claim, a few times, as a page does whose claim is in progress or got no response. */
export async function repeatClaim(
  stage: Stage,
  actor: string,
  call: () => Promise<unknown>,
): Promise<void> {
  for (let tries = 0; tries < 4; tries++) {
    await recordResult(stage, actor, call);
    if (!notYet.includes(lastResultOf(stage, actor)?.code ?? '')) return;
    await stage.turns.gate('waits for the claim');
  }
}

export function spawnActors(stage: Stage): void {
  const { plan, turns } = stage;
  turns.plan(plan.death);
  const spawn = (name: string, work: () => Promise<void>) =>
    turns.spawn(name, () => work().catch(ignoreUnavailable));
  for (const [n, quantity] of plan.claims.entries()) {
    spawn(`claim ${n}`, () => recordResult(stage, `claim ${n}`, () => claim(stage, quantity)));
  }
  for (const [n, { token, way }] of plan.payments.entries()) {
    const call = way === 'process' ? process : charge;
    const pay = async () => {
      const total = plan.shows[n] ? await readTotal(stage) : null;
      stage.shown.set(token, [...(stage.shown.get(token) ?? []), total]);
      return call(stage, token, total === null ? {} : { expectedTotal: total });
    };
    spawn(`${way} ${n}`, () => repeatClaim(stage, `${way} ${n}`, pay));
  }
  if (plan.coupons.length > 0) spawn('coupons', () => changeCoupons(stage));
  if (plan.opensIntent) spawn('intent', () => recordResult(stage, 'intent', () => intent(stage)));
  for (const [n, reason] of plan.declines.entries()) {
    spawn(`decline ${n}`, () => recordResult(stage, `decline ${n}`, () => decline(stage, reason)));
  }
  if (plan.pageCard) spawn('page', () => confirmInPage(stage, plan.pageCard ?? ''));
  if (plan.challenge) spawn('bank', () => answerAtBank(stage, plan.challenge ?? 'fail'));
  if (plan.runsOut) spawn('expiry', () => runOut(stage));
  if (plan.losesLease) spawn('worker', () => takeOverAttempt(stage));
  for (let n = 0; n < plan.notices; n++) spawn(`notice ${n}`, () => deliver(stage));
}

/** A worker whose database is down leaves its work to the next one. */
const ignoreUnavailable = (error: unknown): void => {
  if (!isUnavailable(error)) throw error;
};

const callerOf = ({ session }: Stage) => sessionCaller(session.nonce);

const claim = (stage: Stage, quantity: number) =>
  operations.claimCheckoutSession(
    {
      checkoutSessionId: stage.session.id,
      body: {
        currency: 'EUR',
        captureMethod: stage.plan.captureMethod,
        products: [{ code: 'mug', quantity }],
        accountData: { userId: stage.session.userId, email },
      },
    },
    callerOf(stage),
    stage.ports,
    refuse,
  );

/** Returns the total that a page shows after reading its session. */
async function readTotal(stage: Stage): Promise<number | null> {
  const answer = await operations.getCheckoutSession(
    { checkoutSessionId: stage.session.id },
    callerOf(stage),
    stage.ports,
    refuse,
  );
  return (answer as { body: { totals: { total: number } | null } }).body.totals?.total ?? null;
}

async function changeCoupons(stage: Stage): Promise<void> {
  for (const isOn of stage.plan.coupons) {
    await repeatClaim(stage, 'coupons', () =>
      operations.updateSessionCoupons(
        { checkoutSessionId: stage.session.id, body: { couponCodes: isOn ? [couponCode] : [] } },
        callerOf(stage),
        stage.ports,
        refuse,
      ),
    );
    if (stage.told.at(-1)?.code === null) countEvent(stage, 'the coupons were changed');
  }
}

type ProcessOptions = { readonly expectedTotal?: number };

const process = (stage: Stage, token: string, named: ProcessOptions) =>
  operations.processCheckoutSession(
    {
      sessionId: stage.session.id,
      'x-user-id': stage.session.userId,
      body: {
        sessionId: stage.session.id,
        tokenizedData: { provider: 'cardprovider', type: 'card', token },
        accountData: { userId: stage.session.userId, email },
        ...named,
      },
    },
    callerOf(stage),
    stage.ports,
    refuse,
  );

const charge = (stage: Stage, token: string, named: ProcessOptions) =>
  operations.processVaultCharge(
    { sessionId: stage.session.id, body: { token, ...named } },
    callerOf(stage),
    stage.ports,
    refuse,
  );

const intent = (stage: Stage) =>
  operations.createPaymentIntent(
    { body: { sessionId: stage.session.id, email, paymentMethod: 'card' } },
    callerOf(stage),
    stage.ports,
    refuse,
  );

const decline = (stage: Stage, reason: Plan['declines'][number]) =>
  operations.declineCheckoutSession(
    { sessionId: stage.session.id, body: { reason } },
    callerOf(stage),
    stage.ports,
    refuse,
  );

/** Confirms an intent in the buyer's page, whatever else happens. */
async function confirmInPage(stage: Stage, number: string): Promise<void> {
  const { turns, world } = stage;
  for (let turn = 0; turn < 12; turn++) {
    await turns.gate('looks for its intent');
    const given = stage.told.find(({ actor, body }) => actor === 'intent' && body);
    const { data } = (given?.body ?? {}) as {
      data?: { intentId: string; clientSecret: string };
    };
    if (!data) continue;
    const method = await newMethod(world, number);
    const said = await wire(world, {
      path: `/v1/payment_intents/${data.intentId}/confirm`,
      key: 'publishableKey',
      fields: { payment_method: method, client_secret: data.clientSecret },
    });
    countEvent(stage, said.error ? 'the page’s confirmation was refused' : 'the page confirmed');
    return;
  }
}

const intents = sql<{ provider_intent_id: string }>(
  'proof_intents',
  `select provider_intent_id from payments
   where session_id = $1 and provider = 'cardprovider' and provider_intent_id is not null order by id`,
);

export const intentsOf = async ({ world, session }: Pick<Stage, 'world' | 'session'>) =>
  (await runOutsideTurns(() => world.database.read(intents, [session.id]))).map(
    (row) => row.provider_intent_id,
  );

/** Answers the bank's challenge once there is one. */
async function answerAtBank(stage: Stage, outcome: 'approve' | 'fail' | 'cancel'): Promise<void> {
  for (let turn = 0; turn < 12; turn++) {
    await stage.turns.gate('looks for a challenge');
    const newest = (await intentsOf(stage)).at(-1);
    if (!newest || !(await answerChallenge(stage.world, newest, outcome))) continue;
    countEvent(stage, `a challenge: ${outcome}`);
    return;
  }
}

const endTime = sql(
  'proof_end_time',
  "update checkout_sessions set expires_at = svc_clock() - interval '2 hours' where id = $1",
);

/** Expires the session and runs the worker that ends sessions, twice. */
async function runOut(stage: Stage): Promise<void> {
  await stage.turns.gate('time is over');
  await runOutsideTurns(() => stage.world.database.write(endTime, [stage.session.id]));
  for (let pass = 0; pass < 2; pass++) {
    await expireSessions(stage.ports, {
      limit: 20,
      onError: (_, error) => ignoreUnavailable(error),
    });
  }
}

const loseLease = sql(
  'proof_lose_lease',
  `update payment_operations set lease_until = null, next_check_at = svc_clock()
   where state in ('active', 'in_doubt') and payment_id in (
     select id from payments where session_id = $1)`,
);

/** Lets the recovery worker take over the attempt from a lease holder that was too slow. */
async function takeOverAttempt(stage: Stage): Promise<void> {
  await stage.turns.gate('a lease runs out');
  await runOutsideTurns(() => stage.world.database.write(loseLease, [stage.session.id]));
  await runRecovery(stage);
}

/** Runs one pass of the recovery worker; returns how many operations it claimed. */
export const runRecovery = ({ ports }: Stage): Promise<number> =>
  settleInDoubt(ports, { limit: 20, onError: (_, error) => ignoreUnavailable(error) });

/** Runs one pass over every notice that has not been read. */
export async function readAll({ world, ports }: Stage): Promise<void> {
  await runOutsideTurns(() => world.database.write(makeNoticesDue, []));
  await readNotices(ports, { limit: 200, onError: (_, error) => ignoreUnavailable(error) });
}

/**
 * Delivers the provider's newest event about the session as a notice, and runs the worker that
 * reads it.
 */
async function deliver(stage: Stage): Promise<void> {
  const world = { ...stage.world, ports: stage.ports, database: stage.ports.database };
  for (let turn = 0; turn < 12; turn++) {
    await stage.turns.gate('the provider sends a notice');
    const newest = (await intentsOf(stage)).at(-1);
    const events = newest ? await runOutsideTurns(() => providerEvents(stage.world, newest)) : [];
    const event = events.at(-1);
    if (!event) continue;
    await deliverNotice(world, event);
    await readAll(stage);
    if ((await runRecovery(stage)) > 0) countEvent(stage, 'a notice settled an attempt');
    return;
  }
}
