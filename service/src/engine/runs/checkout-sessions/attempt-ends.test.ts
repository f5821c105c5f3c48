// How an attempt can end, and how often a session may be paid. Contract §3, §10.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { moveClock, newId, sessionCaller } from '../../../../test/harness.ts';
import {
  answerChallenge,
  decline,
  eventsOf,
  openIntent,
  paymentsOf,
  readState,
  runRecovery,
  vaultCharge,
} from '../../../../test/payments/checkouts.ts';
import {
  aCardToken,
  aSession,
  type Checkout,
  cards,
  pay,
  payWith,
  startWorld,
  type World,
} from '../../../../test/world.ts';
import { contractLimits } from '../../../http/limits/limits.ts';
import { operations } from '../../../operations/index.ts';
import { sql } from '../../../storage/database/sql.ts';
import { refuse } from '../../implement.ts';
import type { Ports } from '../../ports.ts';

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

/** A session whose buyer is in a challenge; `again` repeats the call as after the return. */
async function challenged(captureMethod: 'automatic' | 'manual', number: string = cards.needs3ds) {
  const session = await aSession(world, { captureMethod });
  const token = await aCardToken(world, session, number);
  const answer = await payWith(world, session, token);
  const { body } = answer as { body: { type: string; challenge: { url: string } } };
  expect(body.type).toBe('3ds_required');
  const processAgain = () =>
    operations.processCheckoutSession(
      {
        sessionId: session.sessionId,
        'x-user-id': session.userId,
        body: {
          sessionId: session.sessionId,
          tokenizedData: { provider: 'cardprovider', type: 'card', token },
          accountData: { userId: session.userId, email: 'buyer@example.test' },
          chv: 'result-of-the-challenge',
        },
      },
      sessionCaller(session.nonce),
      world.ports,
      refuse,
    );
  return { session, again: processAgain, url: body.challenge.url };
}

const attempt = async (session: Checkout) =>
  (await readState(world, session)).latestTransactionAttempt;

describe('processCheckoutSession with chv, after a challenge', () => {
  it('Contract §3 process success, result SUCCEEDED: approved: the call on return answers success, automatic and by hand', async () => {
    const paid = await challenged('automatic');
    await answerChallenge(paid.url, 'approve');
    expect(await paid.again()).toMatchObject({ body: { type: 'success', status: 'succeeded' } });
    expect(await attempt(paid.session)).toMatchObject({ result: 'SUCCEEDED', declineCode: null });

    const held = await challenged('manual');
    await answerChallenge(held.url, 'approve');
    expect(await held.again()).toMatchObject({ body: { type: 'success', status: 'authorized' } });
    expect(await attempt(held.session)).toMatchObject({ result: 'AUTHORIZED', declineCode: null });
  });

  it.each([
    {
      name: 'failed',
      outcome: 'fail',
      number: cards.needs3ds,
      seen: { result: 'DECLINED', declineCode: 'authentication_failed' },
    },
    {
      name: 'canceled at the bank, of which the provider says no more',
      outcome: 'cancel',
      number: cards.needs3ds,
      seen: { result: 'DECLINED', declineCode: 'authentication_failed' },
    },
    {
      name: 'timed out at the bank, the same',
      outcome: 'time_out',
      number: cards.needs3ds,
      seen: { result: 'DECLINED', declineCode: 'authentication_failed' },
    },
    {
      name: 'declined after it',
      outcome: 'approve',
      number: declinesAfterChallenge,
      seen: { result: 'DECLINED', declineCode: 'generic_decline' },
    },
  ])('$name: 402 with its own code, the intent closed', async ({ outcome, number, seen }) => {
    const { declineCode } = seen;
    const { session, again, url } = await challenged('automatic', number);
    await answerChallenge(url, outcome);
    await expect(again()).rejects.toEqual(code('card_declined', { declineCode }));
    expect(await attempt(session)).toMatchObject(seen);
    expect(await readState(world, session)).toMatchObject({ status: 'open' });
    const [failed] = await paymentsOf(world, session);
    expect(failed?.status).toBe('failed');
    expect(await eventsOf(world, failed?.id ?? '')).toEqual(['payment.failed']);
    expect(await readClosedAt(failed?.provider_intent_id)).toBe('canceled');
    await expect(again()).rejects.toEqual(code('card_declined', { declineCode }));
    expect(await pay(world, session)).toMatchObject({ body: { type: 'success' } });
  });

  it('timed out: after an hour the intent is closed at the provider, and it says so', async () => {
    const { session, again } = await challenged('automatic');
    expect(await again()).toMatchObject({ body: { type: '3ds_required' } });
    const age = sql(
      'test_age_challenge',
      `update payment_operations set first_sent_at = first_sent_at - interval '61 minutes'
       where payment_id = $1`,
    );
    const [payment] = await paymentsOf(world, session);
    await world.database.write(age, [payment?.id]);
    await runRecovery(world);
    expect(await attempt(session)).toMatchObject({
      result: 'CANCELED',
      declineCode: 'authentication_abandoned',
    });
    expect(await readClosedAt(payment?.provider_intent_id)).toBe('canceled');
  });

  it('given up after a day without workers, and closing leaves an error on record: closed all the same', async () => {
    const { session } = await challenged('automatic');
    const age = sql(
      'test_age_challenge_by_a_day',
      `update payment_operations set first_sent_at = first_sent_at - interval '25 hours'
       where payment_id = $1`,
    );
    const [payment] = await paymentsOf(world, session);
    await world.database.write(age, [payment?.id]);
    await world.fault({ path: '/v1/payment_intents/*/cancel' }, 'error_500', { count: 1 });
    await runRecovery(world);
    expect(await attempt(session)).toMatchObject({ declineCode: 'authentication_abandoned' });
    expect(await readClosedAt(payment?.provider_intent_id)).toBe('canceled');
  });

  it('an outcome that nobody came back for is found by the worker', async () => {
    const failed = await challenged('automatic');
    await answerChallenge(failed.url, 'fail');
    const approved = await challenged('automatic');
    await answerChallenge(approved.url, 'approve');
    await runRecovery(world);
    expect(await attempt(failed.session)).toMatchObject({ declineCode: 'authentication_failed' });
    expect(await attempt(approved.session)).toMatchObject({ result: 'SUCCEEDED' });
  });

  const readClosedAt = async (intentId: string | null | undefined) => {
    const response = await fetch(`${world.sandbox.url}/v1/payment_intents/${intentId}`, {
      headers: { authorization: `Bearer ${world.account.secretKey}` },
    });
    return ((await response.json()) as { status: string }).status;
  };
});

describe('declineCheckoutSession', () => {
  it('Contract §3 reason authentication_abandoned, result CANCELED · 200: an open challenge is closed at the provider, the session stays open for another try', async () => {
    const { session, again } = await challenged('automatic');
    const answer = await decline(world, session, { reason: 'authentication_abandoned' });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        data: {
          status: 'open',
          latestTransactionAttempt: {
            result: 'CANCELED',
            declineCode: 'authentication_abandoned',
          },
        },
      },
    });
    expect(await decline(world, session, { reason: 'authentication_abandoned' })).toEqual(answer);
    await expect(again()).rejects.toEqual(code('card_declined'));
    expect(await pay(world, session)).toMatchObject({ body: { type: 'success' } });
  });

  it('an attempt by its id ends alone; one that is over changes nothing', async () => {
    const { session } = await challenged('automatic');
    const attemptId = (await attempt(session))?.id ?? '';
    expect(
      await decline(world, session, { reason: 'buyer_canceled', attemptId: newId() }),
    ).toMatchObject({ body: { data: { status: 'requires_action' } } });
    expect(await decline(world, session, { reason: 'buyer_canceled', attemptId })).toMatchObject({
      body: { data: { status: 'open', latestTransactionAttempt: { result: 'CANCELED' } } },
    });
  });

  it.each(['buyer_canceled', 'other'] as const)(
    'Contract §3 reason buyer_canceled, reason other, status canceled: %s ends the session, with what is open in it',
    async (reason) => {
      const { session } = await challenged('automatic');
      const ended = { body: { data: { status: 'canceled' } } };
      expect(await decline(world, session, { reason })).toMatchObject(ended);
      expect(await decline(world, session, { reason })).toMatchObject(ended);
      await expect(pay(world, session)).rejects.toEqual(code('checkout_session_expired'));
      const [payment] = await paymentsOf(world, session);
      expect(payment?.status).toBe('failed');
    },
  );

  it('409 checkout_session_expired: no card is charged on a canceled session', async () => {
    const session = await aSession(world);
    const token = await aCardToken(world, session, cards.approved);
    await decline(world, session);
    // One code covers both ends, so its message names both.
    await expect(payWith(world, session, token)).rejects.toMatchObject({
      code: 'checkout_session_expired',
      message: expect.stringContaining('expired or was canceled'),
    });
  });

  it('Contract §3 decline · 409 checkout_session_completed: after success, by hand and automatic', async () => {
    for (const captureMethod of ['automatic', 'manual'] as const) {
      const session = await aSession(world, { captureMethod });
      await pay(world, session);
      await expect(decline(world, session)).rejects.toEqual(code('checkout_session_completed'));
    }
  });

  it.each([
    ['automatic', 'completed'],
    ['manual', 'authorized'],
  ] as const)(
    '409 checkout_session_completed: the buyer had approved before, and that counts (%s, %s)',
    async (captureMethod, status) => {
      const { session, url } = await challenged(captureMethod);
      await answerChallenge(url, 'approve');
      await expect(decline(world, session)).rejects.toEqual(code('checkout_session_completed'));
      expect(await readState(world, session)).toMatchObject({ status });
    },
  );

  it('409 checkout_attempt_in_progress: what is in doubt is nobody’s to end', async () => {
    const session = await aSession(world, { captureMethod: 'automatic' });
    await world.fault({ path: '/v1/payment_intents/*/confirm' }, 'drop_request', { count: 2 });
    await pay(world, session);
    await expect(decline(world, session)).rejects.toEqual(code('checkout_attempt_in_progress'));
    await runRecovery(world);
    expect(await readState(world, session)).toMatchObject({ status: 'completed' });
  });

  it('502 gateway_outcome_unknown: the provider does not confirm the end', async () => {
    const { session } = await challenged('automatic');
    await world.fault({ path: '/v1/payment_intents/*/cancel' }, 'drop_request', { count: 2 });
    await expect(decline(world, session)).rejects.toEqual(code('gateway_outcome_unknown'));
    await runRecovery(world);
    expect(['open', 'requires_action']).toContain((await readState(world, session)).status);
    expect(await decline(world, session)).toMatchObject({ body: { data: { status: 'canceled' } } });
  });

  it('404 checkout_session_not_found: a wrong nonce', async () => {
    const [mine, other] = [await aSession(world), await aSession(world)];
    await expect(decline(world, mine, undefined, { nonce: other.nonce })).rejects.toEqual(
      code('checkout_session_not_found'),
    );
  });

  it('a decline and a payment at once, over and over: paid or canceled, never both', async () => {
    for (let round = 0; round < 8; round++) {
      const session = await aSession(world, { captureMethod: 'automatic' });
      const token = await aCardToken(world, session, cards.approved);
      const [paid, declined] = await Promise.allSettled([
        payWith(world, session, token),
        decline(world, session),
      ]);
      const { status } = await readState(world, session);
      expect(status).toBe(paid.status === 'fulfilled' ? 'completed' : 'canceled');
      expect(declined.status).toBe(paid.status === 'fulfilled' ? 'rejected' : 'fulfilled');
    }
  });
});

describe('card-testing caps', () => {
  const limitedPorts = (): Ports => ({
    ...world.ports,
    settings: { ...world.ports.settings, attemptLimits: contractLimits },
  });
  const payLimited = (session: Checkout, token: string) =>
    payWith({ ...world, ports: limitedPorts() }, session, token);

  it('Contract §10 process a minute · 429 rate_limited: the seventh call within a minute, on any process, with the time to wait', async () => {
    const session = await aSession(world);
    const token = await aCardToken(world, session, cards.approved);
    // Each call has its own ports, like a separate process.
    for (let n = 0; n < 6; n++) await payLimited(session, token);
    await expect(payLimited(session, token)).rejects.toEqual(
      code('rate_limited', { retryAfter: expect.any(Number) }),
    );
    await moveClock(world.database, 61_000);
    expect(await payLimited(session, token)).toMatchObject({ body: { type: 'success' } });
  });

  it('twelve calls at once: six are taken', async () => {
    const session = await aSession(world);
    const token = await aCardToken(world, session, cards.approved);
    const answers = await Promise.allSettled(
      Array.from({ length: 12 }, () => payLimited(session, token)),
    );
    const refused = answers.filter((answer) => answer.status === 'rejected');
    expect(refused).toHaveLength(6);
    for (const { reason } of refused) expect(reason).toEqual(code('rate_limited'));
  });

  it('Contract §10 process an hour · 429 rate_limited: the 21st call within an hour, for half an hour', async () => {
    const session = await aSession(world);
    const token = await aCardToken(world, session, cards.approved);
    for (let n = 0; n < 20; n++) {
      await payLimited(session, token);
      await moveClock(world.database, 20_000);
    }
    await expect(payLimited(session, token)).rejects.toEqual(
      code('rate_limited', { retryAfter: 1800 }),
    );
    await moveClock(world.database, 29 * 60_000);
    await expect(payLimited(session, token)).rejects.toEqual(code('rate_limited'));
    await moveClock(world.database, 61_000);
    expect(await payLimited(session, token)).toMatchObject({ body: { type: 'success' } });
  });

  it('429 rate_limited: five declined cards, and the session takes no sixth, until it is over', async () => {
    const session = await aSession(world);
    for (let n = 0; n < 5; n++) {
      const token = await aCardToken(world, session, cards.declined);
      await expect(payLimited(session, token)).rejects.toEqual(code('card_declined'));
      await moveClock(world.database, 20_000);
    }
    const good = await aCardToken(world, session, cards.approved);
    await expect(payLimited(session, good)).rejects.toEqual(
      code('rate_limited', {
        retryable: false,
        message: expect.stringContaining('Start a new checkout'),
      }),
    );
    expect(await paymentsOf(world, session)).toHaveLength(5);
    const other = await aSession(world);
    expect(await payLimited(other, await aCardToken(world, other, cards.approved))).toMatchObject({
      body: { type: 'success' },
    });
  });

  it('429 rate_limited: calls that waited for an open intent to close meet the same lock', async () => {
    const session = await aSession(world);
    for (let n = 0; n < 4; n++) {
      const token = await aCardToken(world, session, cards.declined);
      await expect(payLimited(session, token)).rejects.toEqual(code('card_declined'));
      await moveClock(world.database, 20_000);
    }
    await openIntent(world, session, {}, { ports: limitedPorts() });
    const tokens = await Promise.all(
      Array.from({ length: 4 }, () => aCardToken(world, session, cards.declined)),
    );
    // Each call finds the intent that blocks it, and reads it again once it is closed.
    const answers = await Promise.allSettled(
      tokens.map((token) => vaultCharge(world, session, token, { ports: limitedPorts() })),
    );
    const codes = answers.map((each) => each.status === 'rejected' && each.reason.code);
    expect(codes.filter((each) => each === 'card_declined')).toHaveLength(1);
    const open = ['card_declined', 'rate_limited', 'checkout_attempt_in_progress'];
    expect(open).toEqual(expect.arrayContaining(codes));
  });

  it('a call that is refused for its session is not counted', async () => {
    const session = await aSession(world);
    const token = await aCardToken(world, session, cards.approved);
    const stranger = { ...session, userId: newId() };
    for (let n = 0; n < 8; n++) {
      await expect(payLimited(stranger, token)).rejects.toEqual(code('buyer_mismatch'));
    }
    expect(await payLimited(session, token)).toMatchObject({ body: { type: 'success' } });
  });
});
