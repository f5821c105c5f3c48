// A buyer's attempt to pay. Spec: Checkout sessions, process. Contract §3.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId, sessionCaller } from '../../../test/harness.ts';
import {
  aCardToken,
  aSession,
  type Checkout,
  cards,
  pay,
  payWith,
  startWorld,
  type World,
} from '../../../test/world.ts';
import { refuse } from '../../engine/implement.ts';
import type { Advice, Ports } from '../../engine/ports.ts';
import { settleInDoubt } from '../../engine/runs/payments/settle-in-doubt.ts';
import type { Database } from '../../storage/database/database.ts';
import { sql } from '../../storage/database/sql.ts';
import { findPayment } from '../../storage/payments/payments.ts';
import { operations } from '../index.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const code = (name: string, more: object = {}) => expect.objectContaining({ code: name, ...more });
const eventsOf = sql<{ type: string }>(
  'test_process_events',
  'select type from events where resource_id = $1 order by sequence',
);
const typesOf = async (id: string) =>
  (await world.database.read(eventsOf, [id])).map((event) => event.type);
const paymentsOf = sql<{ id: string; status: string }>(
  'test_session_payments',
  'select id, status from payments where session_id = $1 order by id',
);
const statusOf = async (session: Checkout) => {
  const answer = await operations.getCheckoutSessionStatus(
    { sessionId: session.sessionId },
    sessionCaller(session.nonce),
    world.ports,
    refuse,
  );
  return (answer as { body: { data: object } }).body.data;
};
/** The card provider, whose bank gives this advice with every decline. */
const advisingPorts = (ports: Ports, advice: Advice): Ports => ({
  ...ports,
  provider(gateway) {
    const real = ports.provider(gateway);
    return {
      ...real,
      async authorize(call) {
        const outcome = await real.authorize(call);
        return outcome.kind === 'refused' ? { ...outcome, advice } : outcome;
      },
    };
  },
});
const paymentIdOf = (answer: unknown) => (answer as { body: { paymentId: string } }).body.paymentId;
const makeDue = sql(
  'test_process_due',
  `update payment_operations set lease_until = null, next_check_at = svc_clock()
   where state in ('active', 'in_doubt', 'awaiting_customer')`,
);
const recoverOperations = async () => {
  await world.database.write(makeDue, []);
  await settleInDoubt(world.ports, {
    limit: 50,
    onError: (_, error) => {
      throw error;
    },
  });
};

describe('processCheckoutSession', () => {
  it('Spec 6.1 · Spec 2.2 latestTransactionAttempt.result · Spec 2.3 captureMethod · Contract §3 status authorized, result AUTHORIZED · Contract §2 pending to authorized: manual: a hold, payment.authorized, session authorized with its expiry', async () => {
    const session = await aSession(world, { captureMethod: 'manual' });
    const answer = await pay(world, session);
    expect(answer).toMatchObject({
      status: 200,
      body: { type: 'success', status: 'authorized', sessionId: session.sessionId },
    });
    expect(await statusOf(session)).toMatchObject({
      status: 'authorized',
      paymentId: paymentIdOf(answer),
      latestTransactionAttempt: { result: 'AUTHORIZED', declineCode: null },
    });
    expect(await typesOf(paymentIdOf(answer))).toEqual(['payment.authorized']);
    expect(await typesOf(session.sessionId)).toEqual(['checkout.session.completed']);
    const kinds = (await world.ledger()).map((entry) => entry.kind);
    expect(kinds).not.toContain('capture');
  });

  it('Spec 4.1.5 · Contract §3 status completed · Contract §2 pending to succeeded: automatic: paid at once, one item.purchased', async () => {
    const session = await aSession(world, { captureMethod: 'automatic', quantity: 2 });
    const answer = await pay(world, session);
    expect(answer).toMatchObject({ body: { type: 'success', status: 'succeeded' } });
    expect(await typesOf(paymentIdOf(answer))).toEqual(['item.purchased']);
    const payment = await findPayment(world.database, world.client.id, paymentIdOf(answer));
    expect(payment).toMatchObject({ amountMinor: 3980, capturedMinor: 3980, status: 'succeeded' });
    expect(await statusOf(session)).toMatchObject({ status: 'completed' });
  });

  it('a currency without decimals is charged in whole units', async () => {
    const session = await aSession(world, { captureMethod: 'automatic', currency: 'JPY' });
    const answer = await pay(world, session);
    const payment = await findPayment(world.database, world.client.id, paymentIdOf(answer));
    const [entry] = await world.ledger(payment?.providerIntentId ?? '');
    expect(entry?.amount).toBe(2500);
  });

  it('the same request again answers the same, without a second payment', async () => {
    const session = await aSession(world);
    const token = await aCardToken(world, session, cards.approved);
    const first = await payWith(world, session, token);
    expect(await payWith(world, session, token)).toEqual(first);
    expect(await world.database.read(paymentsOf, [session.sessionId])).toHaveLength(1);
  });

  it('20 at once with the same token: one payment, one answer', async () => {
    const session = await aSession(world);
    const token = await aCardToken(world, session, cards.approved);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => payWith(world, session, token)),
    );
    expect(new Set(answers.map(paymentIdOf)).size).toBe(1);
    expect(await world.database.read(paymentsOf, [session.sessionId])).toHaveLength(1);
  });

  it('Contract §3 attempt · 409 checkout_attempt_in_progress: other cards at once, one live payment', async () => {
    const session = await aSession(world, { captureMethod: 'automatic' });
    const tokens = await Promise.all(
      Array.from({ length: 5 }, () => aCardToken(world, session, cards.approved)),
    );
    const answers = await Promise.allSettled(tokens.map((token) => payWith(world, session, token)));
    const refused = answers.filter((answer) => answer.status === 'rejected');
    for (const answer of refused) {
      expect(answer.reason).toEqual(code('checkout_attempt_in_progress'));
    }
    const ids = answers.flatMap((answer) =>
      answer.status === 'fulfilled' ? [paymentIdOf(answer.value)] : [],
    );
    expect(new Set(ids).size).toBe(1);
    expect(await world.database.read(paymentsOf, [session.sessionId])).toHaveLength(1);
  });

  it.each([
    [cards.declined, 'generic_decline', 'try_again_later'],
    [cards.poor, 'insufficient_funds', 'try_again_later'],
    [cards.lost, 'lost_card', 'do_not_try_again'],
  ])(
    'Contract §3 advice try_again_later, advice do_not_try_again, result DECLINED · Contract §2 pending to failed · 402 card_declined for %s: %s, %s; the session reopens',
    async (number, decline, advice) => {
      const session = await aSession(world);
      const token = await aCardToken(world, session, number);
      const refusal = code('card_declined', {
        facts: expect.objectContaining({ declineCode: decline, advice }),
      });
      await expect(payWith(world, session, token)).rejects.toEqual(refusal);
      await expect(payWith(world, session, token)).rejects.toEqual(refusal);
      expect(await statusOf(session)).toMatchObject({
        status: 'open',
        latestTransactionAttempt: { result: 'DECLINED', declineCode: decline },
      });
      const [failed] = await world.database.read(paymentsOf, [session.sessionId]);
      expect(await typesOf(failed?.id ?? '')).toEqual(['payment.failed']);
      const answer = await pay(world, session);
      expect(answer).toMatchObject({ body: { type: 'success' } });
      const payments = await world.database.read(paymentsOf, [session.sessionId]);
      expect(payments.map((payment) => payment.status)).toEqual(['failed', 'authorized']);
    },
  );

  it('advice is the provider’s own, and the same when the call is repeated', async () => {
    const session = await aSession(world);
    const token = await aCardToken(world, session, cards.declined);
    const refusal = code('card_declined', {
      facts: expect.objectContaining({
        declineCode: 'generic_decline',
        advice: 'do_not_try_again',
      }),
    });
    const ports = advisingPorts(world.ports, 'do_not_try_again');
    await expect(payWith({ ...world, ports }, session, token)).rejects.toEqual(refusal);
    await expect(payWith(world, session, token)).rejects.toEqual(refusal);
  });

  it('Contract §3 token, replay · 400 invalid_request: a token of another session, or an unknown one, buys nothing', async () => {
    const mine = await aSession(world);
    const other = await aSession(world);
    const token = await aCardToken(world, other, cards.approved);
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const own = await aCardToken(world, mine, cards.approved);
    // The last two bits of the last letter carry no data: another spelling of the same bytes is no
    // token.
    const respelled = own.slice(0, -1) + letters[letters.indexOf(own.at(-1) ?? '') ^ 1];
    for (const wrong of [token, 'svct_unknown', respelled]) {
      await expect(payWith(world, mine, wrong)).rejects.toEqual(
        code('invalid_request', {
          facts: expect.objectContaining({ param: 'tokenizedData.token' }),
        }),
      );
    }
    expect(await statusOf(mine)).toMatchObject({ status: 'open' });
    expect(await world.database.read(paymentsOf, [mine.sessionId])).toEqual([]);
    expect(await payWith(world, other, token)).toMatchObject({ body: { type: 'success' } });
    // A settled session replays its success, whatever is sent.
    expect(await payWith(world, other, 'svct_unknown')).toMatchObject({
      body: { type: 'success' },
    });
  });

  it('403 buyer_mismatch: another user id or email', async () => {
    const session = await aSession(world);
    const token = await aCardToken(world, session, cards.approved);
    const stranger = { ...session, userId: newId() };
    await expect(payWith(world, stranger, token)).rejects.toEqual(code('buyer_mismatch'));
    expect(await world.database.read(paymentsOf, [session.sessionId])).toHaveLength(0);
  });

  it('404 checkout_session_not_found: a wrong nonce and an unknown session alike', async () => {
    const session = await aSession(world);
    const token = await aCardToken(world, session, cards.approved);
    const other = await aSession(world);
    for (const wrong of [
      { ...session, nonce: other.nonce },
      { ...session, sessionId: newId() },
    ]) {
      await expect(payWith(world, wrong, token)).rejects.toEqual(
        code('checkout_session_not_found'),
      );
    }
  });

  it('Spec 3.1.5 · Contract §3 status requires_action, process 3ds_required: 3ds_required: the challenge, then the provider’s word settles it', async () => {
    const session = await aSession(world);
    const answer = await pay(world, session, cards.needs3ds);
    expect(answer).toMatchObject({ status: 200, body: { type: '3ds_required' } });
    expect(await statusOf(session)).toMatchObject({ status: 'requires_action' });
    const { challenge } = (answer as { body: { challenge: { url: string } } }).body;
    expect(challenge.url).toContain(world.sandbox.url);
    await recoverOperations();
    expect(await statusOf(session)).toMatchObject({ status: 'requires_action' });
    const approved = await fetch(challenge.url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'outcome=approve',
      redirect: 'manual',
    });
    expect(approved.status).toBeLessThan(400);
    await recoverOperations();
    expect(await statusOf(session)).toMatchObject({ status: 'authorized' });
  });

  it('3ds given up: after an hour the intent is closed, the attempt failed, the session open', async () => {
    const session = await aSession(world);
    const answer = await pay(world, session, cards.needs3ds);
    const age = sql(
      'test_age_operation',
      `update payment_operations set first_sent_at = first_sent_at - interval '61 minutes'
       where payment_id = $1`,
    );
    await world.database.write(age, [paymentIdOf(answer)]);
    await recoverOperations();
    expect(await statusOf(session)).toMatchObject({
      status: 'open',
      latestTransactionAttempt: { declineCode: 'authentication_abandoned' },
    });
    const payment = await findPayment(world.database, world.client.id, paymentIdOf(answer));
    expect(payment?.status).toBe('failed');
  });

  it('502 gateway_unavailable: nothing was confirmed, so the buyer may try again', async () => {
    const session = await aSession(world);
    const token = await aCardToken(world, session, cards.approved);
    await world.fault({ path: '/v1/payment_intents', method: 'POST' }, 'error_503_unrecorded', {
      count: 2,
    });
    await expect(payWith(world, session, token)).rejects.toEqual(code('gateway_unavailable'));
    expect(await statusOf(session)).toMatchObject({ status: 'open' });
    // The refusal is retryable, so the same request works: its token needs no redeeming.
    expect(await payWith(world, session, token)).toMatchObject({ body: { type: 'success' } });
    expect(await payWith(world, session, token)).toMatchObject({ body: { type: 'success' } });
    const payments = await world.database.read(paymentsOf, [session.sessionId]);
    expect(payments.map((payment) => payment.status)).toEqual(['failed', 'authorized']);
  });

  it('the end of an attempt lost on the way, a newer one ended meanwhile: its own end is the answer', async () => {
    const session = await aSession(world);
    const token = await aCardToken(world, session, cards.approved);
    const isDown = () =>
      world.fault({ path: '/v1/payment_intents', method: 'POST' }, 'error_503_unrecorded', {
        count: 2,
      });
    let nth = 0;
    const transaction: Database['transaction'] = async (clientId, work) => {
      nth += 1;
      const done = await world.database.transaction(clientId, work);
      // The first commit claims, the second one settles.
      if (nth !== 2) return done;
      await isDown();
      await expect(payWith(world, session, token)).rejects.toEqual(code('gateway_unavailable'));
      throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    };
    await isDown();
    const ports = { ...world.ports, database: { ...world.database, transaction } };
    await expect(payWith({ ...world, ports }, session, token)).rejects.toEqual(
      code('gateway_unavailable'),
    );
    expect(nth).toBeGreaterThan(2);
    const payments = await world.database.read(paymentsOf, [session.sessionId]);
    expect(payments.map((payment) => payment.status)).toEqual(['failed', 'failed']);
    expect(await payWith(world, session, token)).toMatchObject({ body: { type: 'success' } });
  });

  it('a confirmation whose failure is on the provider’s record: closed, and the buyer may try again', async () => {
    const session = await aSession(world, { captureMethod: 'automatic' });
    const token = await aCardToken(world, session, cards.approved);
    await world.fault({ path: '/v1/payment_intents/*/confirm' }, 'error_500');
    await expect(payWith(world, session, token)).rejects.toEqual(code('gateway_unavailable'));
    expect(await statusOf(session)).toMatchObject({ status: 'open' });
    expect(await payWith(world, session, token)).toMatchObject({ body: { status: 'succeeded' } });
  });

  it('a process that died, and an intent that can no longer be made: nothing was charged', async () => {
    const session = await aSession(world, { captureMethod: 'automatic' });
    const token = await aCardToken(world, session, cards.approved);
    const dying: Ports = {
      ...world.ports,
      provider: (gateway) => ({
        ...world.ports.provider(gateway),
        authorize: () => Promise.reject(new Error('planted')),
      }),
    };
    const died = payWith({ ...world, ports: dying }, session, token);
    await expect(died).rejects.toThrow('planted');
    await world.fault({ path: '/v1/payment_intents$', method: 'POST' }, 'error_500');
    await recoverOperations();
    expect(await statusOf(session)).toMatchObject({ status: 'open' });
    expect(await payWith(world, session, token)).toMatchObject({ body: { status: 'succeeded' } });
  });

  it('Contract §3 status processing, process processing · Contract §2 pending to unknown, unknown to succeeded · 202 processing: a lost confirmation is never called failed, and recovery settles it', async () => {
    const session = await aSession(world, { captureMethod: 'automatic' });
    const token = await aCardToken(world, session, cards.approved);
    await world.fault({ path: '/v1/payment_intents/*/confirm' }, 'drop_request', { count: 2 });
    const answer = await payWith(world, session, token);
    expect(answer).toMatchObject({ status: 202, body: { type: 'processing', status: 'unknown' } });
    expect(await typesOf(paymentIdOf(answer))).toEqual([]);
    await expect(pay(world, session)).rejects.toEqual(code('checkout_attempt_in_progress'));
    await recoverOperations();
    expect(await statusOf(session)).toMatchObject({ status: 'completed' });
    expect(await typesOf(paymentIdOf(answer))).toEqual(['item.purchased']);
    expect(await payWith(world, session, token)).toMatchObject({ body: { status: 'succeeded' } });
  });

  it('a confirmation that executed without an answer is found, charged once', async () => {
    const session = await aSession(world, { captureMethod: 'automatic' });
    await world.fault({ path: '/v1/payment_intents/*/confirm' }, 'drop_reply');
    const answer = await pay(world, session);
    expect(answer).toMatchObject({ body: { status: 'succeeded' } });
    const payment = await findPayment(world.database, world.client.id, paymentIdOf(answer));
    const entries = await world.ledger(payment?.providerIntentId ?? '');
    expect(entries.filter((entry) => entry.kind === 'capture')).toHaveLength(1);
  });
});
