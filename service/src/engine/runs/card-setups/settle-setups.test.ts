// Set-ups in doubt, their recovery, and the provider's notices. Reliability P1: never usable before the
// provider has verified it, and in doubt is never called failed.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  aSetupSession,
  defaultMethodOf,
  expectSaved,
  makeSetupsDue,
  methodsOf,
  openSetupIntent,
  recoverSetups,
  setupsOf,
  submitCard,
  submitToken,
} from '../../../../test/customers/setups.ts';
import { newId } from '../../../../test/harness.ts';
import {
  answerChallenge,
  decline,
  expireNow,
  readState,
} from '../../../../test/payments/checkouts.ts';
import { aCardToken, cards, startWorld, type World } from '../../../../test/world.ts';
import { claimDueSetups } from '../../../storage/payment-methods/card-setups.ts';
import type { MethodKeeper, Ports, SetupOutcome } from '../../ports.ts';
import { settleSetup } from '../../steps/card-setups/settle-setup.ts';
import { expireSessions } from '../checkout-sessions/expire-sessions.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());
afterEach(() => world.control('DELETE', '/_control/faults'));

const code = (name: string, facts?: object) =>
  expect.objectContaining({
    code: name,
    ...(facts ? { facts: expect.objectContaining(facts) } : {}),
  });

const sweep = () =>
  expireSessions(world.ports, {
    limit: 50,
    onError: (_, error) => {
      throw error;
    },
  });

const confirm = { method: 'POST', path: '/v1/setup_intents/*/confirm' };
const create = { method: 'POST', path: '/v1/setup_intents$' };
const retrieve = { method: 'GET', path: '/v1/setup_intents/*' };
const customers = { method: 'POST', path: '/v1/customers$' };

/** Loses the responses of the confirmation, and makes the set-up unreadable. */
async function loseTheConfirmation() {
  await world.fault(confirm, 'drop_reply', { count: 2 });
  await world.fault(retrieve, 'drop_reply', { count: 1 });
}

describe('a set-up in doubt', () => {
  it('202 processing without an id; nothing is active; the same token then finds the success', async () => {
    const session = await aSetupSession(world);
    const token = await aCardToken(world, session, cards.approved);
    await loseTheConfirmation();
    expect(await submitToken(world, session, token)).toEqual({
      type: 'processing',
      sessionId: session.sessionId,
      paymentMethodId: null,
    });
    expect(await methodsOf(world, session)).toMatchObject([{ status: 'pending' }]);
    expect(await readState(world, session)).toMatchObject({
      status: 'processing',
      paymentMethodId: null,
      latestTransactionAttempt: { result: 'UNKNOWN' },
    });
    await expect(submitCard(world, session)).rejects.toEqual(code('checkout_attempt_in_progress'));
    expect(await submitToken(world, session, token)).toMatchObject({ type: 'success' });
    await expectSaved(world, session);
  });

  it('the worker settles it, with the same key, as the success that it was', async () => {
    const session = await aSetupSession(world);
    await loseTheConfirmation();
    expect(await submitCard(world, session)).toMatchObject({ type: 'processing' });
    await recoverSetups(world);
    await expectSaved(world, session);
    expect(await recoverSetups(world)).toBeUndefined();
    await expectSaved(world, session);
  });

  it('the worker settles it as the decline that it was', async () => {
    const session = await aSetupSession(world);
    await world.fault(confirm, 'drop_reply', { count: 2 });
    await world.fault(retrieve, 'drop_reply', { count: 1 });
    expect(await submitCard(world, session, cards.poor)).toMatchObject({ type: 'processing' });
    await recoverSetups(world);
    expect(await readState(world, session)).toMatchObject({
      status: 'open',
      latestTransactionAttempt: { result: 'DECLINED', declineCode: 'insufficient_funds' },
    });
    expect(await methodsOf(world, session)).toMatchObject([{ status: 'pending' }]);
  });

  it('neither decline nor the end of its time ends it: only the provider’s word', async () => {
    const session = await aSetupSession(world);
    await loseTheConfirmation();
    await submitCard(world, session);
    await expect(decline(world, session)).rejects.toEqual(code('checkout_attempt_in_progress'));
    await expireNow(world, session);
    await sweep();
    expect(await readState(world, session)).toMatchObject({ status: 'processing' });
    await recoverSetups(world);
    await expectSaved(world, session);
  });

  it('the holder died before anything was sent: the worker goes on from the row', async () => {
    const session = await aSetupSession(world);
    const token = await aCardToken(world, session, cards.approved);
    const dead: Ports = {
      ...world.ports,
      vault: {
        ...world.ports.vault,
        redeem: () => Promise.reject(new Error('the process is gone')),
      },
    };
    await expect(submitToken(world, session, token, { ports: dead })).rejects.toThrow('gone');
    expect(await setupsOf(world, session)).toMatchObject([
      { state: 'active', provider_setup_id: null },
    ]);
    await recoverSetups(world);
    await expectSaved(world, session);
  });

  it('the holder died after the provider had verified it: found by its stored id', async () => {
    const session = await aSetupSession(world);
    const token = await aCardToken(world, session, cards.approved);
    const dying = withKeeper(async (keeper, call) => {
      await keeper.setUp(call);
      throw new Error('the process is gone');
    });
    await expect(submitToken(world, session, token, { ports: dying })).rejects.toThrow('gone');
    expect(await methodsOf(world, session)).toMatchObject([{ status: 'pending' }]);
    await recoverSetups(world);
    await expectSaved(world, session);
  });

  it('a holder that was taken over confirms nothing and writes nothing', async () => {
    const session = await aSetupSession(world);
    const token = await aCardToken(world, session, cards.approved);
    let wasTakenOver = false;
    const slow = withKeeper(async (keeper, call) =>
      keeper.setUp({
        ...call,
        onSetup: async (id) => {
          if (!wasTakenOver) {
            wasTakenOver = true;
            await recoverSetups(world);
          }
          return call.onSetup(id);
        },
      }),
    );
    expect(await submitToken(world, session, token, { ports: slow })).toMatchObject({
      type: 'success',
    });
    expect(wasTakenOver).toBe(true);
    await expectSaved(world, session);
  });

  it('a holder that was taken over confirms nothing: what was told as failed is verified nowhere', async () => {
    const session = await aSetupSession(world);
    const token = await aCardToken(world, session, cards.approved);
    let made = '';
    const slow = withKeeper(async (keeper, call) =>
      keeper.setUp({
        ...call,
        onSetup: async (id) => {
          if (made === '') {
            made = id;
            await world.fault(create, 'error_503_unrecorded', { count: 2 });
            await recoverSetups(world);
          }
          return call.onSetup(id);
        },
      }),
    );
    await expect(submitToken(world, session, token, { ports: slow })).rejects.toEqual(
      code('gateway_unavailable'),
    );
    expect(await setupsOf(world, session)).toMatchObject([
      { state: 'failed', failure_code: 'unavailable' },
    ]);
    const answer = await fetch(`${world.sandbox.url}/v1/setup_intents/${made}`, {
      headers: { authorization: `Bearer ${world.account.secretKey}` },
    });
    expect(await answer.json()).toMatchObject({ status: 'requires_payment_method' });
  });

  it('a holder with an older epoch writes nothing, whatever it was told', async () => {
    const session = await aSetupSession(world);
    await loseTheConfirmation();
    await submitCard(world, session);
    const holdSetups = async () => {
      await makeSetupsDue(world);
      const due = await claimDueSetups(world.database, { limit: 50, owner: newId(), ms: 30_000 });
      return due.find(({ setup }) => setup.sessionId === session.sessionId)?.setup;
    };
    const [older, newer] = [await holdSetups(), await holdSetups()];
    if (!older || !newer) throw new Error('the set-up is not due');
    const declined: SetupOutcome = {
      kind: 'refused',
      code: 'declined',
      declineCode: null,
      trace: { httpStatus: 402, providerCode: null, requestId: null },
    };
    expect(await settleSetup(older, declined, world.ports)).toBeUndefined();
    expect(await setupsOf(world, session)).toMatchObject([{ state: 'in_doubt' }]);
    await recoverSetups(world);
    await expectSaved(world, session);
  });

  it('verified for another customer: in doubt, and never this one’s card', async () => {
    const session = await aSetupSession(world);
    const token = await aCardToken(world, session, cards.approved);
    const mistaken = withKeeper(async (keeper, call) => {
      const outcome = await keeper.setUp(call);
      return 'setup' in outcome
        ? { ...outcome, setup: { ...outcome.setup, customerId: 'cus_of_somebody_else' } }
        : outcome;
    });
    expect(await submitToken(world, session, token, { ports: mistaken })).toMatchObject({
      type: 'processing',
      paymentMethodId: null,
    });
    expect(await methodsOf(world, session)).toMatchObject([{ status: 'pending' }]);
    await recoverSetups(world);
    await expectSaved(world, session);
  });

  it('502 gateway_unavailable: nothing was confirmed, and the same card may try again', async () => {
    const session = await aSetupSession(world);
    const token = await aCardToken(world, session, cards.approved);
    await world.fault(create, 'error_503_unrecorded', { count: 2 });
    await expect(submitToken(world, session, token)).rejects.toEqual(code('gateway_unavailable'));
    expect(await readState(world, session)).toMatchObject({
      status: 'open',
      latestTransactionAttempt: { result: 'ERROR' },
    });
    await world.fault(customers, 'error_503_unrecorded', { count: 1 });
    expect(await submitToken(world, session, token)).toMatchObject({ type: 'success' });
    await expectSaved(world, session);
  });

  it('the customer cannot be made at the provider: unavailable, and the next try makes one', async () => {
    const session = await aSetupSession(world);
    const token = await aCardToken(world, session, cards.approved);
    await world.fault(customers, 'error_503_unrecorded', { count: 4 });
    await expect(submitToken(world, session, token)).rejects.toEqual(code('gateway_unavailable'));
    await world.control('DELETE', '/_control/faults');
    expect(await submitToken(world, session, token)).toMatchObject({ type: 'success' });
    await expectSaved(world, session);
  });

  it('P1: at no call of the provider is the method usable, nor its default, nor its id told', async () => {
    for (const number of [cards.approved, cards.needs3ds]) {
      const session = await aSetupSession(world);
      const seen: string[] = [];
      const checkMethod = async () => {
        const [method] = await methodsOf(world, session);
        const { paymentMethodId } = (await readState(world, session)) as {
          paymentMethodId?: null;
        };
        const standard = await defaultMethodOf(world, session.userId);
        seen.push(`${method?.status} ${paymentMethodId} ${standard}`);
      };
      const ports = portsWithChecks(checkMethod);
      const token = await aCardToken(world, session, number);
      const first = await submitToken(world, session, token, { ports });
      expect(first.type).toBe(number === cards.needs3ds ? '3ds_required' : 'success');
      if (first.challenge) {
        await answerChallenge(first.challenge.url, 'approve');
        await checkMethod();
        await submitToken(world, session, token, { ports });
      }
      expect(seen.length).toBeGreaterThan(1);
      expect(new Set(seen)).toEqual(new Set(['pending null null']));
      await expectSaved(world, session);
    }
  });

  it('a card that is saved already stays the one method that it is', async () => {
    const first = await aSetupSession(world);
    await submitCard(world, first);
    const [known] = await methodsOf(world, first);
    const session = await aSetupSession(world, { userId: first.userId });
    const intent = await openSetupIntent(world, session);
    const body = new URLSearchParams({
      payment_method: known?.provider_payment_method_id ?? '',
      client_secret: intent.clientSecret,
    });
    await fetch(`${world.sandbox.url}/v1/setup_intents/${intent.setupIntentId}/confirm`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.account.publishableKey}` },
      body,
    });
    await recoverSetups(world);
    expect(await methodsOf(world, session)).toMatchObject([{ id: known?.id, status: 'active' }]);
    expect(await readState(world, session)).toMatchObject({
      status: 'completed',
      paymentMethodId: known?.id,
    });
  });
});

type SetUp = MethodKeeper['setUp'];

const withKeeper = (
  setUp: (keeper: MethodKeeper, call: Parameters<SetUp>[0]) => ReturnType<SetUp>,
): Ports => ({
  ...world.ports,
  methodKeeper: (gateway) => {
    const keeper = world.ports.methodKeeper(gateway);
    return { ...keeper, setUp: (call) => setUp(keeper, call) };
  },
});

/** Checks the method before and after each call that a set-up makes. */
const portsWithChecks = (look: () => Promise<void>): Ports => ({
  ...world.ports,
  methodKeeper: (gateway) => {
    const keeper = world.ports.methodKeeper(gateway);
    const checkAround =
      <A extends unknown[], R>(call: (...given: A) => Promise<R>) =>
      async (...given: A): Promise<R> => {
        await look();
        const answer = await call(...given);
        await look();
        return answer;
      };
    return {
      ...keeper,
      createCustomer: checkAround(keeper.createCustomer),
      setUp: checkAround(keeper.setUp),
      retrieveSetup: checkAround(keeper.retrieveSetup),
    };
  },
});
