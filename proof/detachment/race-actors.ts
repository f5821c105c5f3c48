// The actors of one race, each through the product's own operations.

import type { PaymentMethod } from '../../service/src/domain/payments/payment-method.ts';
import type { MethodKeeper, Ports } from '../../service/src/engine/ports.ts';
import { finishDetachments } from '../../service/src/engine/runs/payment-methods/finish-detachments.ts';
import { settleInDoubt } from '../../service/src/engine/runs/payments/settle-in-doubt.ts';
import { renewDue } from '../../service/src/engine/runs/subscriptions/renew-due.ts';
import { sql } from '../../service/src/storage/database/sql.ts';
import { callerOf, sessionCaller } from '../../service/test/harness.ts';
import type { Checkout, World } from '../../service/test/world.ts';
import type { ActorFixture } from '../kit/fixture.ts';
import { answerOf, callOperation, paySession, rethrow } from '../kit/operations.ts';
import { type ActorPlan, runOutside, type Scheduler } from '../kit/scheduler.ts';
import type { RacePlan } from './race-plan.ts';

/** A response that an actor received. */
export type RaceAnswer = { readonly actor: string; readonly answer: string };

export type Race = Omit<ActorFixture, 'close'> & {
  readonly ports: Ports;
  readonly scheduler: Scheduler;
  readonly plan: RacePlan;
  readonly userId: string;
  readonly cards: readonly PaymentMethod[];
  readonly sessions: readonly Checkout[];
  readonly setup: {
    readonly session: Checkout;
    readonly token: string;
    readonly methodId: string;
  } | null;
  readonly told: RaceAnswer[];
  readonly violations: string[];
  readonly count: (what: string) => void;
};

/** The ports whose detachments are watched. */
export const watchPorts = (ports: Ports, watch: Watch): Ports => ({
  ...ports,
  methodKeeper: (gateway) => {
    const keeper = ports.methodKeeper(gateway);
    return { ...keeper, detachMethod: watchDetach(keeper, watch) };
  },
});

export type Watch = {
  /** Called when the provider is about to detach a method. */
  readonly onDetach: (methodId: string) => Promise<void>;
  losesDetach: boolean;
};

const watchDetach =
  (keeper: MethodKeeper, watch: Watch): MethodKeeper['detachMethod'] =>
  async (call) => {
    await watch.onDetach(call.methodId);
    const outcome = await keeper.detachMethod(call);
    if (!watch.losesDetach) return outcome;
    watch.losesDetach = false;
    return { kind: 'in_doubt', cause: 'no_answer', trace: outcome.trace };
  };

export function racersOf(race: Race): ActorPlan[] {
  const { plan, ports, cards, sessions, setup } = race;
  const actors: ActorPlan[] = [];
  const add = (name: string, work: () => Promise<unknown>) =>
    actors.push({ name, work: () => recordAnswer(race, name, work) });
  for (const [n, card] of plan.detachments.entries()) {
    add(`remove ${n}`, () => remove(race, cards[card]?.id ?? ''));
  }
  for (const [n, card] of plan.payments.entries()) {
    const session = sessions[n];
    if (session) add(`pay ${n}`, () => pay(race, session, cards[card]?.id ?? ''));
  }
  for (let n = 0; plan.renewal !== null && n < plan.renewalPasses; n++) {
    add(`renew ${n}`, () => renewDue(ports, { limit: 20, onError: rethrow }));
  }
  if (plan.newDefault !== null) add('default', () => changeDefault(race));
  if (setup) add('setup', () => submitSetup(race, setup));
  if (setup && plan.removesPending) add('remove pending', () => remove(race, setup.methodId));
  if (plan.losesLeases) add('worker', () => takeOver(race));
  return actors;
}

async function takeOver({ world, ports, scheduler }: Race): Promise<void> {
  for (let pass = 0; pass < 2; pass++) {
    await scheduler.gate('leases run out');
    await runOutside(() => loseLeases(world));
    await finishDetachments(ports, { limit: 20, onError: rethrow });
    await settleInDoubt(ports, { limit: 20, onError: rethrow });
  }
}

/** Records an actor's response. Anything but a response or a refusal is a failure. */
async function recordAnswer(
  race: Race,
  actor: string,
  work: () => Promise<unknown>,
): Promise<void> {
  const kind = actor.replace(/ \d$/, '');
  const callActor = async () => (await work()) || { status: 0 };
  const { status, code, body } = await answerOf(callActor, () => false);
  const answer = code ?? (status > 0 ? [status, body?.type].join(' ').trim() : 'came by');
  race.told.push({ actor, answer });
  race.count(`${kind}: ${answer}`);
}

const remove = ({ world, ports }: Race, id: string) =>
  callOperation('deletePaymentMethod', { id }, { caller: callerOf(world.token), ports });

const pay = ({ ports }: Race, { sessionId: id, ...buyer }: Checkout, paymentMethodId: string) => {
  const tokenizedData = { provider: 'cardprovider', type: 'card', paymentMethodId } as const;
  return paySession(ports, { id, ...buyer }, { tokenizedData });
};

const changeDefault = ({ world, ports, plan, cards, userId }: Race) => {
  const { newDefault } = plan;
  const defaultPaymentMethodId =
    typeof newDefault === 'number' ? (cards[newDefault]?.id ?? null) : null;
  const input = { customerId: userId, body: { defaultPaymentMethodId } };
  return callOperation('updateCustomer', input, { caller: callerOf(world.token), ports });
};

const submitSetup = ({ ports }: Race, { session, token }: NonNullable<Race['setup']>) => {
  const input = { sessionId: session.sessionId, body: { token } };
  return callOperation('submitCardSetup', input, { caller: sessionCaller(session.nonce), ports });
};

// The workers' clock has milliseconds only: a detachment that is due now may count as due one
// millisecond later.
const loseDetachments = sql(
  'proof_race_lose_detachments',
  `update payment_method_detachments
   set lease_until = null, next_try_at = date_trunc('milliseconds', svc_clock())
   where state = 'running'`,
);
const loseOperations = sql(
  'proof_race_lose_operations',
  `update payment_operations set lease_until = null, next_check_at = svc_clock()
   where state in ('active', 'in_doubt')`,
);

export async function loseLeases({ database }: Pick<World, 'database'>): Promise<void> {
  await database.write(loseDetachments, []);
  await database.write(loseOperations, []);
}
