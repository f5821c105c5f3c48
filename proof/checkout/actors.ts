// The actors of one interleaving, each through the product's own operations.

import type { Ports } from '../../service/src/engine/ports.ts';
import { expireSessions } from '../../service/src/engine/runs/checkout-sessions/expire-sessions.ts';
import { readNotices } from '../../service/src/engine/runs/notices/read-notices.ts';
import { settleInDoubt } from '../../service/src/engine/runs/payments/settle-in-doubt.ts';
import { sql } from '../../service/src/storage/database/sql.ts';
import { sessionCaller } from '../../service/test/harness.ts';
import {
  deliverNotice,
  makeNoticesDue,
  providerEvents,
} from '../../service/test/payments/notices.ts';
import {
  answerOf,
  type BuyerSession,
  buyerEmail,
  callOperation,
  type InputOf,
  ignoreUnavailable,
  type OperationAnswer,
  type OperationName,
  type PaymentChoice,
  paySession,
} from '../kit/operations.ts';
import type { Count } from '../kit/run-seeds.ts';
import { type ActorPlan, runOutside, type Scheduler } from '../kit/scheduler.ts';
import { couponCode, type Fixture } from './fixture.ts';
import type { Plan } from './plan.ts';

/** A response that an actor received. */
export type ActorAnswer = OperationAnswer & { readonly actor: string };

export type Checkout = Omit<Fixture, 'close'> & {
  readonly ports: Ports;
  readonly scheduler: Scheduler;
  readonly session: BuyerSession;
  readonly plan: Plan;
  readonly told: ActorAnswer[];
  /** Orders that were approved on the wallet's page. */
  readonly approved: string[];
  /** The totals that calls named with each card token; null for a call that named none. */
  readonly shown: Map<string, (number | null)[]>;
  readonly count: Count;
};

/** Calls an operation as the buyer and records its result. */
async function recordResult(
  checkout: Checkout,
  actor: string,
  call: () => Promise<unknown>,
): Promise<void> {
  checkout.told.push({ actor, ...(await answerOf(call)) });
}

/** Calls an operation with the nonce of the session. */
const ask = <Name extends OperationName>(
  { session, ports }: Checkout,
  name: Name,
  input: InputOf<Name>,
): Promise<unknown> => callOperation(name, input, { caller: sessionCaller(session.nonce), ports });

export const lastResultOf = ({ told }: Checkout, actor: string): ActorAnswer | undefined =>
  told.findLast((each) => each.actor === actor);

const notYet = [
  'checkout_session_data_attachment_required',
  'checkout_session_claim_pending',
  'service_unavailable',
];

/** Repeats a claim, a few times, as a page does whose claim is in progress or got no response. */
export async function repeatClaim(
  checkout: Checkout,
  actor: string,
  call: () => Promise<unknown>,
): Promise<void> {
  for (let tries = 0; tries < 4; tries++) {
    await recordResult(checkout, actor, call);
    if (!notYet.includes(lastResultOf(checkout, actor)?.code ?? '')) return;
    await checkout.scheduler.gate('waits for the claim');
  }
}

/** The actors of the checkout itself; those of its wallet are in `wallet-actors.ts`. */
export function buyerActors(checkout: Checkout): ActorPlan[] {
  const { plan } = checkout;
  const actors: ActorPlan[] = [];
  const add = (name: string, work: () => Promise<unknown>) =>
    actors.push({ name, work: () => work().catch((error) => ignoreUnavailable(name, error)) });
  const addCall = (name: string, call: () => Promise<unknown>) =>
    add(name, () => recordResult(checkout, name, call));
  for (const [n, quantity] of plan.claims.entries()) {
    addCall(`claim ${n}`, () => claim(checkout, quantity));
  }
  for (const [n, payment] of plan.payments.entries()) {
    const name = `${payment.way} ${n}`;
    add(name, () => repeatClaim(checkout, name, () => pay(checkout, n, payment)));
  }
  if (plan.coupons.length > 0) add('coupons', () => changeCoupons(checkout));
  if (plan.opensIntent) addCall('intent', () => intent(checkout));
  for (const [n, reason] of plan.declines.entries()) {
    addCall(`decline ${n}`, () => decline(checkout, reason));
  }
  const { pageCard, challenge } = plan;
  if (pageCard) add('page', () => confirmInPage(checkout, pageCard));
  if (challenge) add('bank', () => answerAtBank(checkout, challenge));
  if (plan.runsOut) add('expiry', () => runOut(checkout));
  if (plan.losesLease) add('worker', () => takeOverAttempt(checkout));
  for (let n = 0; n < plan.notices; n++) add(`notice ${n}`, () => deliver(checkout));
  return actors;
}

/** Pays with a card, and names the total that the page shows, where the plan says so. */
async function pay(checkout: Checkout, n: number, { token, way }: Plan['payments'][number]) {
  const { plan, shown } = checkout;
  const total = plan.shows[n] ? ((await readSession(checkout)).totals?.total ?? null) : null;
  shown.set(token, [...(shown.get(token) ?? []), total]);
  const named = total === null ? {} : { expectedTotal: total };
  if (way === 'vault') return charge(checkout, token, named);
  const tokenizedData = { provider: 'cardprovider', type: 'card', token } as const;
  return process(checkout, { tokenizedData, ...named });
}

const claim = (checkout: Checkout, quantity: number) =>
  ask(checkout, 'claimCheckoutSession', {
    checkoutSessionId: checkout.session.id,
    body: {
      currency: 'EUR',
      captureMethod: checkout.plan.captureMethod,
      products: [{ code: 'mug', quantity }],
      accountData: { userId: checkout.session.userId, email: buyerEmail },
    },
  });

/** Returns the session as a page reads it. */
export async function readSession(checkout: Checkout): Promise<SessionView> {
  const input = { checkoutSessionId: checkout.session.id };
  return ((await ask(checkout, 'getCheckoutSession', input)) as { body: SessionView }).body;
}

type SessionView = {
  readonly totals: { readonly total: number } | null;
  readonly gateways: { readonly wallet?: { readonly orderId: string } };
};

async function changeCoupons(checkout: Checkout): Promise<void> {
  const checkoutSessionId = checkout.session.id;
  for (const isOn of checkout.plan.coupons) {
    const body = { couponCodes: isOn ? [couponCode] : [] };
    await repeatClaim(checkout, 'coupons', () =>
      ask(checkout, 'updateSessionCoupons', { checkoutSessionId, body }),
    );
    if (checkout.told.at(-1)?.code === null) checkout.count('the coupons were changed');
  }
}

export const process = ({ ports, session }: Checkout, choice: PaymentChoice) =>
  paySession(ports, session, choice);

const charge = (checkout: Checkout, token: string, named: Pick<PaymentChoice, 'expectedTotal'>) =>
  ask(checkout, 'processVaultCharge', {
    ...{ sessionId: checkout.session.id, body: { token, ...named } },
  });

const intent = (checkout: Checkout) =>
  ask(checkout, 'createPaymentIntent', {
    body: { sessionId: checkout.session.id, email: buyerEmail, paymentMethod: 'card' },
  });

const decline = (checkout: Checkout, reason: Plan['declines'][number]) =>
  ask(checkout, 'declineCheckoutSession', {
    ...{ sessionId: checkout.session.id, body: { reason } },
  });

/** Confirms an intent in the buyer's page, whatever else happens. */
async function confirmInPage(checkout: Checkout, number: string): Promise<void> {
  const { scheduler, account } = checkout;
  for (let turn = 0; turn < 12; turn++) {
    await scheduler.gate('looks for its intent');
    const given = checkout.told.find(({ actor, body }) => actor === 'intent' && body);
    const { data } = (given?.body ?? {}) as {
      data?: { intentId: string; clientSecret: string };
    };
    if (!data) continue;
    const said = await account.post(`/v1/payment_intents/${data.intentId}/confirm`, {
      ...{ payment_method: await account.makeCard(number), client_secret: data.clientSecret },
    });
    checkout.count(said.error ? 'the page’s confirmation was refused' : 'the page confirmed');
    return;
  }
}

const intents = sql<{ provider_intent_id: string }>(
  'proof_intents',
  `select provider_intent_id from payments
   where session_id = $1 and provider = 'cardprovider' and provider_intent_id is not null order by id`,
);

export const intentsOf = async ({ world, session }: Pick<Checkout, 'world' | 'session'>) =>
  (await runOutside(() => world.database.read(intents, [session.id]))).map(
    (row) => row.provider_intent_id,
  );

/** Answers the bank's challenge once there is one. */
async function answerAtBank(
  checkout: Checkout,
  outcome: 'approve' | 'fail' | 'cancel',
): Promise<void> {
  for (let turn = 0; turn < 12; turn++) {
    await checkout.scheduler.gate('looks for a challenge');
    const newest = (await intentsOf(checkout)).at(-1);
    if (!newest || !(await checkout.account.answerChallenge(newest, outcome))) continue;
    checkout.count(`a challenge: ${outcome}`);
    return;
  }
}

const endTime = sql(
  'proof_end_time',
  "update checkout_sessions set expires_at = svc_clock() - interval '2 hours' where id = $1",
);

/** Expires the session and runs the worker that ends sessions, twice. */
async function runOut(checkout: Checkout): Promise<void> {
  await checkout.scheduler.gate('time is over');
  await runOutside(() => checkout.world.database.write(endTime, [checkout.session.id]));
  for (let pass = 0; pass < 2; pass++) {
    await expireSessions(checkout.ports, {
      limit: 20,
      onError: ignoreUnavailable,
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
async function takeOverAttempt(checkout: Checkout): Promise<void> {
  await checkout.scheduler.gate('a lease runs out');
  await runOutside(() => checkout.world.database.write(loseLease, [checkout.session.id]));
  await runRecovery(checkout);
}

/** Runs one pass of the recovery worker; returns how many operations it claimed. */
export const runRecovery = ({ ports }: Checkout): Promise<number> =>
  settleInDoubt(ports, { limit: 20, onError: ignoreUnavailable });

/** Runs one pass over every notice that has not been read. */
export async function readAll({ world, ports }: Checkout): Promise<void> {
  await runOutside(() => world.database.write(makeNoticesDue, []));
  await readNotices(ports, { limit: 200, onError: ignoreUnavailable });
}

/**
 * Delivers the provider's newest event about the session as a notice, and runs the worker that
 * reads it.
 */
async function deliver(checkout: Checkout): Promise<void> {
  const world = { ...checkout.world, ports: checkout.ports, database: checkout.ports.database };
  for (let turn = 0; turn < 12; turn++) {
    await checkout.scheduler.gate('the provider sends a notice');
    const newest = (await intentsOf(checkout)).at(-1);
    const events = newest ? await runOutside(() => providerEvents(checkout.world, newest)) : [];
    const event = events.at(-1);
    if (!event) continue;
    await deliverNotice(world, event);
    await readAll(checkout);
    if ((await runRecovery(checkout)) > 0) checkout.count('a notice settled an attempt');
    return;
  }
}
