// A card is verified and saved without a charge. Spec: Saved payment method status. Reliability P1.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aChallengedSetup,
  ageSetups,
  aSetupSession,
  defaultMethodOf,
  methodsOf,
  openSetupIntent,
  recoverSetups,
  setupsOf,
  submitCard,
  submitToken,
} from '../../../test/customers/setups.ts';
import { aCustomer } from '../../../test/harness.ts';
import {
  answerChallenge,
  decline,
  eventsOf,
  expireNow,
  readState,
} from '../../../test/payments/checkouts.ts';
import {
  aCardToken,
  aSession,
  type Checkout,
  cards,
  startWorld,
  type World,
} from '../../../test/world.ts';
import type { Advice, Ports } from '../../engine/ports.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const code = (name: string, facts?: object) =>
  expect.objectContaining({
    code: name,
    ...(facts ? { facts: expect.objectContaining(facts) } : {}),
  });

const declinesAfterChallenge = '4000008400001629';

/** The card provider, whose bank gives this advice with every decline. */
const advisingPorts = (ports: Ports, advice: Advice): Ports => ({
  ...ports,
  methodKeeper(gateway) {
    const real = ports.methodKeeper(gateway);
    return {
      ...real,
      async setUp(call) {
        const outcome = await real.setUp(call);
        return outcome.kind === 'refused' ? { ...outcome, advice } : outcome;
      },
    };
  },
});

const attempt = async (session: Checkout) =>
  (await readState(world, session)).latestTransactionAttempt;

/** Nothing was saved, and nothing was charged. */
async function expectNothingSaved(session: Checkout) {
  const methods = await methodsOf(world, session);
  expect(methods.every(({ status }) => status === 'pending')).toBe(true);
  expect(await defaultMethodOf(world, session.userId)).toBeNull();
  for (const { id } of methods) expect(await eventsOf(world, id)).toEqual([]);
  expect(await world.ledger()).toEqual([]);
}

describe('submitCardSetup', () => {
  it('Spec 3.2.2 · Spec 6 setup emits nothing, rule 2 · Contract §3 setup status · 200 success: active on the provider’s word, default of the customer, told once', async () => {
    const session = await aSetupSession(world, { successUrl: '/saved' });
    expect(await methodsOf(world, session)).toMatchObject([{ status: 'pending', brand: null }]);
    const answer = await submitCard(world, session);
    const [method] = await methodsOf(world, session);
    expect(answer).toEqual({
      type: 'success',
      sessionId: session.sessionId,
      paymentMethodId: method?.id,
      redirectUrl: expect.anything(),
    });
    expect(method).toMatchObject({
      status: 'active',
      type: 'card',
      brand: 'visa',
      last_four: '4242',
      provider_payment_method_id: expect.stringMatching(/^pm_/),
      provider_customer_id: expect.stringMatching(/^cus_/),
    });
    expect(await readState(world, session)).toMatchObject({
      status: 'completed',
      paymentId: null,
      paymentMethodId: method?.id,
      latestTransactionAttempt: { result: 'SUCCEEDED', declineCode: null },
    });
    expect(await eventsOf(world, method?.id ?? '')).toEqual(['payment_method.activated']);
    expect(await eventsOf(world, session.sessionId)).toEqual(['checkout.session.completed']);
    expect(await defaultMethodOf(world, session.userId)).toBe(method?.id);
    expect(await world.ledger()).toEqual([]);
  });

  it('Spec 2.4 several cards: a second card is saved beside the first, for the same customer at the provider', async () => {
    const { id: userId } = await aCustomer(world.database, world.client);
    await submitCard(world, await aSetupSession(world, { userId }));
    await submitCard(world, await aSetupSession(world, { userId }), '5555555555554444');
    const [first, second] = await methodsOf(world, { userId });
    expect([first?.status, second?.status]).toEqual(['active', 'active']);
    expect(second?.provider_customer_id).toBe(first?.provider_customer_id);
    expect(await defaultMethodOf(world, userId)).toBe(first?.id);
  });

  it('the same token again replays the success; another one is 409 checkout_session_completed', async () => {
    const session = await aSetupSession(world);
    const [token, other] = [
      await aCardToken(world, session, cards.approved),
      await aCardToken(world, session, cards.approved),
    ];
    const first = await submitToken(world, session, token);
    expect(await submitToken(world, session, token)).toEqual(first);
    await expect(submitToken(world, session, other)).rejects.toEqual(
      code('checkout_session_completed'),
    );
    expect(await methodsOf(world, session)).toHaveLength(1);
  });

  it('Spec 3.2.3 · 402 card_declined with its advice: the session reopens, no method is active', async () => {
    const session = await aSetupSession(world);
    const token = await aCardToken(world, session, cards.lost);
    const refusal = code('card_declined', { declineCode: 'lost_card', advice: 'do_not_try_again' });
    await expect(submitToken(world, session, token)).rejects.toEqual(refusal);
    // The same token cannot start another attempt.
    await expect(submitToken(world, session, token)).rejects.toEqual(refusal);
    const [setup] = await setupsOf(world, session);
    expect(await readState(world, session)).toMatchObject({
      status: 'open',
      paymentMethodId: null,
      latestTransactionAttempt: { id: setup?.id, result: 'DECLINED', declineCode: 'lost_card' },
    });
    expect(await setupsOf(world, session)).toHaveLength(1);
    await expectNothingSaved(session);
  });

  it('advice is the provider’s own, and the same when the call is repeated', async () => {
    const session = await aSetupSession(world);
    const token = await aCardToken(world, session, cards.declined);
    const refusal = code('card_declined', {
      declineCode: 'generic_decline',
      advice: 'do_not_try_again',
    });
    const ports = advisingPorts(world.ports, 'do_not_try_again');
    await expect(submitToken({ ...world, ports }, session, token)).rejects.toEqual(refusal);
    await expect(submitToken(world, session, token)).rejects.toEqual(refusal);
    // The next card has a token of its own.
    await expect(submitCard(world, session, cards.declined)).rejects.toEqual(
      code('card_declined', { advice: 'try_again_later' }),
    );
  });

  it('a further card replaces the declined one', async () => {
    const session = await aSetupSession(world);
    await expect(submitCard(world, session, cards.declined)).rejects.toEqual(code('card_declined'));
    expect(await methodsOf(world, session)).toMatchObject([
      { status: 'pending', last_four: '0002' },
    ]);
    await submitCard(world, session, '5555555555554444');
    expect(await methodsOf(world, session)).toMatchObject([
      { status: 'active', brand: 'mastercard', last_four: '4444' },
    ]);
  });

  it('404 checkout_session_not_found · 409 checkout_session_not_setup · expired · 400 for a foreign token', async () => {
    const [session, other, over] = [
      await aSetupSession(world),
      await aSetupSession(world),
      await aSetupSession(world),
    ];
    const token = await aCardToken(world, session, cards.approved);
    await expect(submitToken(world, session, token, { nonce: other.nonce })).rejects.toEqual(
      code('checkout_session_not_found'),
    );
    const payment = await aSession(world);
    await expect(submitCard(world, payment)).rejects.toEqual(code('checkout_session_not_setup'));
    await expect(submitToken(world, other, token)).rejects.toEqual(
      code('invalid_request', { param: 'token' }),
    );
    const late = await aCardToken(world, over, cards.approved);
    await expireNow(world, over);
    await expect(submitToken(world, over, late)).rejects.toEqual(code('checkout_session_expired'));
    expect(await setupsOf(world, other)).toEqual([]);
    await decline(world, other);
    await expect(submitCard(world, other)).rejects.toEqual(code('checkout_session_expired'));
  });

  it('400 invalid_request: a token that is no good any more, which the status tells too', async () => {
    const session = await aSetupSession(world);
    const redeem = async () => ({ kind: 'refused', code: 'card_token_expired' }) as const;
    const ports = { ...world.ports, vault: { ...world.ports.vault, redeem } };
    const token = await aCardToken(world, session, cards.approved);
    await expect(submitToken(world, session, token, { ports })).rejects.toEqual(
      code('invalid_request', { param: 'token' }),
    );
    expect(await readState(world, session)).toMatchObject({
      status: 'open',
      latestTransactionAttempt: { result: 'ERROR', declineCode: 'card_token_expired' },
    });
  });

  it('409 checkout_attempt_in_progress: another card at once; one card is saved', async () => {
    const session = await aSetupSession(world);
    const tokens = await Promise.all(
      ['4242424242424242', '5555555555554444', '6011111111111117'].map((number) =>
        aCardToken(world, session, number),
      ),
    );
    const answers = await Promise.allSettled(
      tokens.map((token) => submitToken(world, session, token)),
    );
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const codes = answers.flatMap((answer) =>
      answer.status === 'rejected' ? [(answer.reason as { code: string }).code] : [],
    );
    for (const each of codes) {
      expect(['checkout_attempt_in_progress', 'checkout_session_completed']).toContain(each);
    }
    const methods = await methodsOf(world, session);
    expect(methods.map(({ status }) => status)).toEqual(['active']);
    expect(await setupsOf(world, session)).toHaveLength(1);
  });

  it('the same token many times at once: one set-up, one answer', async () => {
    const session = await aSetupSession(world);
    const token = await aCardToken(world, session, cards.approved);
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => submitToken(world, session, token)),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]?.type).toBe('success');
    const [method] = await methodsOf(world, session);
    expect(await eventsOf(world, method?.id ?? '')).toEqual(['payment_method.activated']);
  });

  it('409 checkout_attempt_in_progress: a card beside one whose bank still asks', async () => {
    const { session } = await aChallengedSetup(world);
    await expect(submitCard(world, session)).rejects.toEqual(code('checkout_attempt_in_progress'));
  });

  it('429 rate_limited: the calls of a session are counted, and its declined cards', async () => {
    const limits = {
      processPerMinute: 100,
      processPerHour: 100,
      processPauseMinutes: 30,
      sessionDeclines: 2,
      setupsPerHour: 10,
      tokensPerHour: 60,
    };
    const limitedPorts = (more: object): Ports => ({
      ...world.ports,
      settings: { ...world.ports.settings, attemptLimits: { ...limits, ...more } },
    });
    const [slow, locked] = [await aSetupSession(world), await aSetupSession(world)];
    const ports = limitedPorts({ processPerMinute: 1 });
    const declineSetup = (session: Checkout, given: Ports) =>
      submitCard(world, session, cards.declined, { ports: given });
    await expect(declineSetup(slow, ports)).rejects.toEqual(code('card_declined'));
    await expect(declineSetup(slow, ports)).rejects.toEqual(code('rate_limited'));
    for (let n = 0; n < 2; n += 1) {
      await expect(declineSetup(locked, limitedPorts({}))).rejects.toEqual(code('card_declined'));
    }
    await expect(
      submitCard(world, locked, cards.approved, { ports: limitedPorts({}) }),
    ).rejects.toEqual(code('rate_limited', { retryable: false }));
    // The response does not ask for a wait of a minute, although the limit per minute is exceeded
    // too.
    const both = { ports: limitedPorts({ processPerMinute: 2 }) };
    await expect(submitCard(world, locked, cards.approved, both)).rejects.toEqual(
      code('rate_limited', { retryable: false }),
    );
    await expectNothingSaved(locked);
  });
});

describe('submitCardSetup with chv, after a challenge', () => {
  it('200 3ds_required: the way to the bank; nothing is active, no id is told', async () => {
    const { session, again } = await aChallengedSetup(world);
    expect(await again()).toMatchObject({
      type: '3ds_required',
      paymentMethodId: null,
      challenge: {
        kind: 'redirect',
        url: expect.stringContaining('/3ds/seti_'),
        returnUrl: `http://localhost:4000/c/${session.sessionId}`,
      },
    });
    expect(await readState(world, session)).toMatchObject({
      status: 'requires_action',
      paymentMethodId: null,
    });
    await expectNothingSaved(session);
  });

  it('approved: the call on return answers success', async () => {
    const { session, again, url } = await aChallengedSetup(world);
    await answerChallenge(url, 'approve');
    const answer = await again();
    expect(answer).toMatchObject({ type: 'success', paymentMethodId: expect.any(String) });
    expect(await attempt(session)).toMatchObject({ result: 'SUCCEEDED' });
  });

  it.each([
    {
      how: 'fail',
      number: cards.needs3ds,
      result: 'DECLINED',
      declineCode: 'authentication_failed',
    },
    {
      how: 'cancel',
      number: cards.needs3ds,
      result: 'CANCELED',
      declineCode: 'authentication_canceled',
    },
    {
      how: 'approve',
      number: declinesAfterChallenge,
      result: 'DECLINED',
      declineCode: 'generic_decline',
    },
  ])('$how, $declineCode: 402, told apart, and the session is open again', async (given) => {
    const { how, number, result, declineCode } = given;
    const { session, again, url } = await aChallengedSetup(world, number);
    await answerChallenge(url, how);
    await expect(again()).rejects.toEqual(code('card_declined', { declineCode }));
    expect(await readState(world, session)).toMatchObject({
      status: 'open',
      latestTransactionAttempt: { result, declineCode },
    });
    await expectNothingSaved(session);
    expect(await submitCard(world, session)).toMatchObject({ type: 'success' });
  });

  it('given up: decline closes it at the provider, and its bank’s page opens nothing more', async () => {
    const { session, again, url } = await aChallengedSetup(world);
    await decline(world, session, { reason: 'authentication_abandoned' });
    expect(await readState(world, session)).toMatchObject({
      status: 'open',
      latestTransactionAttempt: { result: 'CANCELED', declineCode: 'authentication_abandoned' },
    });
    await expect(answerChallenge(url, 'approve')).rejects.toThrow('409');
    await expect(again()).rejects.toEqual(
      code('card_declined', { declineCode: 'authentication_abandoned' }),
    );
    await expectNothingSaved(session);
  });

  it('nobody came back for an hour: closed at the provider by the worker', async () => {
    const { session, url } = await aChallengedSetup(world);
    await ageSetups(world, session, 61);
    await recoverSetups(world);
    expect(await readState(world, session)).toMatchObject({
      status: 'open',
      latestTransactionAttempt: { result: 'CANCELED', declineCode: 'authentication_abandoned' },
    });
    await expect(answerChallenge(url, 'approve')).rejects.toThrow('409');
    await expectNothingSaved(session);
  });

  it('approved and never told: the worker finds it, an hour later too', async () => {
    const { session, url } = await aChallengedSetup(world);
    await answerChallenge(url, 'approve');
    await ageSetups(world, session, 61);
    await recoverSetups(world);
    expect(await readState(world, session)).toMatchObject({
      status: 'completed',
      paymentMethodId: expect.any(String),
    });
  });

  it('a card through the form closes the page’s open intent first', async () => {
    const session = await aSetupSession(world);
    const token = await aCardToken(world, session, cards.approved);
    const intent = await openSetupIntent(world, session);
    expect(await submitToken(world, session, token)).toMatchObject({ type: 'success' });
    const setups = await setupsOf(world, session);
    expect(setups.map(({ state }) => state)).toEqual(['failed', 'succeeded']);
    expect(setups[0]?.provider_setup_id).toBe(intent.setupIntentId);
  });
});
