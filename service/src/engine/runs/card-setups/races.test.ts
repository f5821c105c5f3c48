// Everything that can change a setup session, at the same time and in any order: cards, repeats,
// challenges, cancels, the session's end, notices and the worker, over a provider that loses
// responses. In each order, a card is usable exactly when the provider has verified it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ageSetups,
  aSetupSession,
  confirmSetupInPage,
  defaultMethodOf,
  methodsOf,
  openSetupIntent,
  recoverSetups,
  setupsOf,
  submitToken,
} from '../../../../test/customers/setups.ts';
import {
  answerChallenge,
  decline,
  eventsOf,
  expireNow,
  readState,
} from '../../../../test/payments/checkouts.ts';
import {
  deliverNotice,
  providerEvents,
  readAllNotices,
} from '../../../../test/payments/notices.ts';
import {
  aCardToken,
  type Checkout,
  cards,
  startWorld,
  type World,
} from '../../../../test/world.ts';
import { expireSessions } from '../checkout-sessions/expire-sessions.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

/** Small, seeded: a failing round is named by its number and can be run again. */
function random(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return (state >>> 0) % below;
  };
}

const sweep = () => expireSessions(world.ports, { limit: 50, onError: () => undefined });

const faults = [
  ['POST', '/v1/setup_intents/*/confirm', 'drop_reply'],
  ['POST', '/v1/setup_intents/*/confirm', 'error_500'],
  ['POST', '/v1/setup_intents/*/cancel', 'drop_reply'],
  ['POST', '/v1/setup_intents$', 'drop_request'],
  ['GET', '/v1/setup_intents/*', 'error_503_unrecorded'],
] as const;

type CallerAnswer = { type: string; challenge?: { url: string } };

/**
 * Returns the response or the refusal that a caller gets; any other error is a bug and is thrown.
 */
async function answerOrRefusal(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call;
  } catch (error) {
    if ((error as { name?: string }).name === 'Refusal') return undefined;
    throw error;
  }
}

async function actorsOf(session: Checkout, pick: (below: number) => number) {
  const numbers = [cards.approved, cards.declined, cards.needs3ds, '5555555555554444'];
  const tokens = await Promise.all(
    [0, 1].map(() => aCardToken(world, session, numbers[pick(numbers.length)] ?? '')),
  );
  const submit = async (token: string) => {
    const told = (await answerOrRefusal(submitToken(world, session, token))) as
      | CallerAnswer
      | undefined;
    if (!told?.challenge) return;
    const outcome = ['approve', 'fail', 'cancel'][pick(3)] ?? '';
    await answerChallenge(told.challenge.url, outcome).catch(() => undefined);
  };
  const notices = async () => {
    for (const { provider_setup_id: id } of await setupsOf(world, session)) {
      for (const event of id ? await providerEvents(world, id) : []) {
        await deliverNotice(world, event);
      }
    }
    await readAllNotices(world);
  };
  const page = async () => {
    const intent = await answerOrRefusal(openSetupIntent(world, session));
    if (intent) {
      // The page's own call may meet a fault as well.
      await confirmSetupInPage(world, intent as Parameters<typeof confirmSetupInPage>[1]).catch(
        () => undefined,
      );
    }
  };
  const [one = '', two = ''] = tokens;
  const reason = (['buyer_canceled', 'authentication_abandoned'] as const)[pick(2)];
  return [
    () => submit(one),
    () => submit(one),
    () => submit(two),
    page,
    notices,
    () => recoverSetups(world).catch(() => undefined),
    () => answerOrRefusal(decline(world, session, { reason: reason ?? 'other' })),
    async () => {
      await expireNow(world, session);
      await sweep();
    },
  ];
}

async function verifiedAtProvider(session: Checkout): Promise<string[]> {
  const verified: string[] = [];
  for (const { provider_setup_id: id } of await setupsOf(world, session)) {
    if (!id) continue;
    const answer = await fetch(`${world.sandbox.url}/v1/setup_intents/${id}`, {
      headers: { authorization: `Bearer ${world.account.secretKey}` },
    });
    const { status, payment_method: method } = (await answer.json()) as {
      status: string;
      payment_method: string;
    };
    if (status === 'succeeded') verified.push(method);
  }
  return verified;
}

async function expectTruth(session: Checkout, round: number): Promise<void> {
  const told = await readState(world, session);
  const methods = await methodsOf(world, session);
  const active = methods.filter(({ status }) => status === 'active');
  const verified = await verifiedAtProvider(session);
  const facts = { round, told, methods, verified };
  expect(
    active.map(({ provider_payment_method_id: id }) => id),
    JSON.stringify(facts),
  ).toEqual(verified);
  expect(told.status === 'completed', JSON.stringify(facts)).toBe(verified.length > 0);
  const { paymentMethodId } = told as { paymentMethodId?: string | null };
  expect(paymentMethodId).toBe(active[0]?.id ?? null);
  expect(await defaultMethodOf(world, session.userId)).toBe(active[0]?.id ?? null);
  const events = await eventsOf(world, active[0]?.id ?? session.userId);
  expect(events).toEqual(active.length > 0 ? ['payment_method.activated'] : []);
  expect(['completed', 'canceled', 'expired', 'open']).toContain(told.status);
}

describe('a setup session that everything moves at once', () => {
  it('40 rounds: usable exactly where the provider verified it, told once, never charged', async () => {
    for (let round = 1; round <= 40; round += 1) {
      const pick = random(round);
      const session = await aSetupSession(world);
      for (let n = pick(3); n > 0; n -= 1) {
        const [method, path, action] = faults[pick(faults.length)] ?? faults[0];
        await world.fault({ method, path }, action, { count: 1 + pick(2) });
      }
      const actors = await actorsOf(session, pick);
      const chosen = Array.from({ length: 4 }, () => actors[pick(actors.length)] ?? sweep);
      const errors = (await Promise.allSettled(chosen.map((act) => act()))).flatMap((result) =>
        result.status === 'rejected' ? [String(result.reason)] : [],
      );
      expect(errors, `round ${round}`).toEqual([]);
      await world.control('DELETE', '/_control/faults');
      await ageSetups(world, session, 61);
      await recoverSetups(world);
      await recoverSetups(world);
      await readAllNotices(world);
      await expectTruth(session, round);
    }
    expect(await world.ledger()).toEqual([]);
  });
});
