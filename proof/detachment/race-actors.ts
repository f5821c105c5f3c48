// The actors of one race, each through the product's own operations.

import { createHash } from 'node:crypto';
import type { PaymentMethod } from '../../service/src/domain/payments/payment-method.ts';
import { Refusal } from '../../service/src/domain/protocol/refusal.ts';
import { refuse } from '../../service/src/engine/implement.ts';
import type { MethodKeeper, Ports } from '../../service/src/engine/ports.ts';
import { finishDetachments } from '../../service/src/engine/runs/payment-methods/finish-detachments.ts';
import { settleInDoubt } from '../../service/src/engine/runs/payments/settle-in-doubt.ts';
import { renewDue } from '../../service/src/engine/runs/subscriptions/renew-due.ts';
import { operations } from '../../service/src/operations/index.ts';
import { sql } from '../../service/src/storage/database/sql.ts';
import { callerOf, sessionCaller } from '../../service/test/harness.ts';
import type { Checkout, World } from '../../service/test/world.ts';
import { gatePorts, runOutsideTurns, type Turns } from '../kit/turns.ts';
import type { RacePlan } from './race-plan.ts';

/** A response that an actor received. */
export type RaceAnswer = { readonly actor: string; readonly answer: string };

export type Race = {
  readonly world: World;
  readonly ports: Ports;
  readonly turns: Turns;
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

const onError = (_: unknown, error: unknown): never => {
  throw error;
};

/** Adds the schedule's gates to the calls about customers and methods at the provider. */
export function gateRace(ports: Ports, turns: Turns, watch: Watch): Ports {
  const gateCall =
    <A extends unknown[], R>(name: string, call: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      await turns.gate(`ask ${name}`);
      const answer = await runOutsideTurns(() => call(...given));
      await turns.gate(`hear ${name}`);
      return answer;
    };
  return {
    ...gatePorts(ports, turns),
    methodKeeper: (gateway) => {
      const keeper = ports.methodKeeper(gateway);
      return {
        ...keeper,
        setUp: gateCall('setUp', keeper.setUp),
        retrieveSetup: gateCall('retrieveSetup', keeper.retrieveSetup),
        retrieveCustomer: gateCall('retrieveCustomer', keeper.retrieveCustomer),
        retrieveMethod: gateCall('retrieveMethod', keeper.retrieveMethod),
        setDefaultMethod: gateCall('setDefaultMethod', keeper.setDefaultMethod),
        detachMethod: gateCall('detachMethod', watchDetach(keeper, watch)),
      };
    },
  };
}

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

export function spawnRacers(race: Race): void {
  const { plan, turns, cards, sessions, setup } = race;
  const spawn = (name: string, work: () => Promise<unknown>) =>
    turns.spawn(name, () => recordAnswer(race, name, work));
  for (const [n, card] of plan.detachments.entries()) {
    spawn(`remove ${n}`, () => remove(race, cards[card]?.id ?? ''));
  }
  for (const [n, card] of plan.payments.entries()) {
    const session = sessions[n];
    if (session) spawn(`pay ${n}`, () => pay(race, session, cards[card]?.id ?? ''));
  }
  if (plan.renewal !== null) {
    for (let n = 0; n < plan.renewalPasses; n++) {
      spawn(`renew ${n}`, () => renewDue(race.ports, { limit: 20, onError }));
    }
  }
  if (plan.newDefault !== null) spawn('default', () => changeDefault(race));
  if (setup) {
    spawn('setup', () => submitSetup(race, setup));
    if (plan.removesPending) spawn('remove pending', () => remove(race, setup.methodId));
  }
  if (plan.losesLeases) {
    spawn('worker', async () => {
      for (let pass = 0; pass < 2; pass++) {
        await turns.gate('leases run out');
        await runOutsideTurns(() => loseLeases(race.world));
        await finishDetachments(race.ports, { limit: 20, onError });
        await settleInDoubt(race.ports, { limit: 20, onError });
      }
    });
  }
}

/** Records an actor's response. Anything but a response or a refusal is a failure. */
async function recordAnswer(
  race: Race,
  actor: string,
  work: () => Promise<unknown>,
): Promise<void> {
  const kind = actor.replace(/ \d$/, '');
  const answer = await work().then(describeAnswer, (error: unknown) => {
    if (error instanceof Refusal) return error.code;
    throw error;
  });
  race.told.push({ actor, answer });
  race.count(`${kind}: ${answer}`);
}

function describeAnswer(answer: unknown): string {
  if (typeof answer !== 'object' || answer === null) return 'came by';
  const { status, body } = answer as { status: number; body?: { type?: string } };
  return body?.type ? `${status} ${body.type}` : String(status);
}

const remove = ({ world, ports }: Race, id: string) =>
  operations.deletePaymentMethod({ id }, callerOf(world.token), ports, refuse);

const pay = ({ ports }: Race, session: Checkout, paymentMethodId: string) =>
  operations.processCheckoutSession(
    {
      sessionId: session.sessionId,
      'x-user-id': session.userId,
      body: {
        sessionId: session.sessionId,
        tokenizedData: { provider: 'cardprovider', type: 'card', paymentMethodId },
        accountData: { userId: session.userId, email: 'buyer@example.test' },
      },
    },
    sessionCaller(session.nonce),
    ports,
    refuse,
  );

const changeDefault = ({ world, ports, plan, cards, userId }: Race) =>
  operations.updateCustomer(
    {
      customerId: userId,
      body: {
        defaultPaymentMethodId:
          typeof plan.newDefault === 'number' ? (cards[plan.newDefault]?.id ?? null) : null,
      },
    },
    callerOf(world.token),
    ports,
    refuse,
  );

const submitSetup = ({ ports }: Race, { session, token }: NonNullable<Race['setup']>) =>
  operations.submitCardSetup(
    { sessionId: session.sessionId, body: { token } },
    sessionCaller(session.nonce),
    ports,
    refuse,
  );

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

/** Returns ports whose cards come from the schedule's tokens and not from typed numbers. */
export function racePorts(world: World, cards: ReadonlyMap<string, string>): Ports {
  const bySha = new Map(
    [...cards].map(([token, id]) => [createHash('sha256').update(token).digest('hex'), id]),
  );
  return {
    ...world.ports,
    vault: {
      ...world.ports.vault,
      isTokenOf: (token) => cards.has(token),
      redeem: async ({ tokenSha256 }) => {
        const providerPaymentMethodId = bySha.get(tokenSha256);
        if (!providerPaymentMethodId) return { kind: 'refused', code: 'card_token_unknown' };
        const shown = { brand: 'visa', lastFour: '4242', expiryMonth: 12, expiryYear: 2034 };
        return { kind: 'redeemed', card: { ...shown, providerPaymentMethodId, postalCode: null } };
      },
    },
  };
}
