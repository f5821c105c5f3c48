// One open intent per session, which the buyer's page confirms. Spec: intents. Contract §3, Intents.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { confirmInPage, type PageIntent, pageIntent } from '../../../test/customers/in-page.ts';
import { callerOf, newId, sessionCaller } from '../../../test/harness.ts';
import {
  bodyOf,
  decline,
  eventsOf,
  expireNow,
  openIntent,
  paymentsOf,
  readState,
  runRecovery,
} from '../../../test/payments/checkouts.ts';
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
import { sql } from '../../storage/database/sql.ts';
import { operations } from '../index.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const code = (name: string) => expect.objectContaining({ code: name });

const intentOf = (session: Checkout, given: Parameters<typeof openIntent>[2] = {}) =>
  pageIntent(world, session, given);
const confirm = (intent: PageIntent, number: string) => confirmInPage(world, intent, number);

const listCaptures = async (intentId: string | null | undefined) =>
  (await world.ledger(intentId ?? '')).filter(({ kind }) => kind === 'capture').length;

describe('createPaymentIntent', () => {
  it('Spec 4.1.6 · 200: amount, currency and capture method of the cart, with what the page needs', async () => {
    const session = await aSession(world, { captureMethod: 'manual', quantity: 2 });
    const intent = await intentOf(session);
    expect(intent).toEqual({
      intentId: expect.stringMatching(/^pi_/),
      clientSecret: expect.stringContaining('_secret_'),
      provider: 'cardprovider',
      publishableKey: world.account.publishableKey,
      status: 'requires_payment_method',
      amount: 39.8,
      currency: 'EUR',
      captureMethod: 'manual',
      paymentId: expect.any(String),
    });
    expect(await readState(world, session)).toMatchObject({
      status: 'requires_action',
      paymentId: intent.paymentId,
    });
    expect(await listCaptures(intent.intentId)).toBe(0);
  });

  it('Contract §3 intents: one open intent per session: again, in parallel and for another method, the same one', async () => {
    const session = await aSession(world, { captureMethod: 'automatic' });
    const intents = await Promise.all([
      ...Array.from({ length: 6 }, () => intentOf(session)),
      intentOf(session, { paymentMethod: 'google_pay', isWallet: 'true' }),
    ]);
    expect(new Set(intents.map((intent) => intent.clientSecret)).size).toBe(1);
    expect(await intentOf(session)).toEqual(intents[0]);
    expect(await paymentsOf(world, session)).toHaveLength(1);
  });

  it('the page confirms: settled on the provider’s word, once, with its events', async () => {
    const session = await aSession(world, { captureMethod: 'automatic' });
    const intent = await intentOf(session);
    expect(await confirm(intent, cards.approved)).toEqual({ status: 'succeeded' });
    await runRecovery(world);
    expect(await readState(world, session)).toMatchObject({
      status: 'completed',
      latestTransactionAttempt: { result: 'SUCCEEDED' },
    });
    expect(await eventsOf(world, intent.paymentId)).toEqual(['item.purchased']);
    await expect(openIntent(world, session)).rejects.toEqual(code('checkout_session_completed'));
    expect(await pay(world, session)).toMatchObject({ body: { paymentId: intent.paymentId } });
    expect(await listCaptures(intent.intentId)).toBe(1);
  });

  it('a card that is declined in the page leaves the intent open for another one', async () => {
    const session = await aSession(world, { captureMethod: 'manual' });
    const intent = await intentOf(session);
    expect(await confirm(intent, cards.declined)).toMatchObject({ code: 'card_declined' });
    await runRecovery(world);
    expect(await intentOf(session)).toEqual(intent);
    expect(await confirm(intent, cards.approved)).toEqual({ status: 'requires_capture' });
    await runRecovery(world);
    expect(await readState(world, session)).toMatchObject({ status: 'authorized' });
  });

  it('the card that is shown is the one that paid, whatever was tried before', async () => {
    const session = await aSession(world, { captureMethod: 'automatic' });
    const intent = await intentOf(session);
    await confirm(intent, cards.declined);
    await runRecovery(world);
    await confirm(intent, '5555555555554444');
    await runRecovery(world);
    const { body } = (await operations.getPayment(
      { paymentId: intent.paymentId },
      callerOf(world.token),
      world.ports,
      refuse,
    )) as { body: object };
    expect(body).toMatchObject({
      status: 'succeeded',
      paymentMethod: { type: 'card', brand: 'mastercard', lastFour: '4444', expiryYear: 2034 },
    });
  });

  it('a card through process closes the open intent first: charged once', async () => {
    const session = await aSession(world, { captureMethod: 'automatic' });
    const token = await aCardToken(world, session, cards.approved);
    const intent = await intentOf(session);
    expect(await payWith(world, session, token)).toMatchObject({ body: { status: 'succeeded' } });
    expect(await confirm(intent, cards.approved)).toMatchObject({ code: expect.any(String) });
    const payments = await paymentsOf(world, session);
    expect(payments.map(({ status }) => status)).toEqual(['failed', 'succeeded']);
    expect(await listCaptures(intent.intentId)).toBe(0);
    expect(await listCaptures(payments[1]?.provider_intent_id)).toBe(1);
  });

  it('a card through process after the page had paid: the page’s payment is the answer', async () => {
    const session = await aSession(world, { captureMethod: 'automatic' });
    const token = await aCardToken(world, session, cards.approved);
    const intent = await intentOf(session);
    await confirm(intent, cards.approved);
    expect(await payWith(world, session, token)).toMatchObject({
      body: { type: 'success', paymentId: intent.paymentId },
    });
    expect(await paymentsOf(world, session)).toHaveLength(1);
    expect(await listCaptures(intent.intentId)).toBe(1);
  });

  it('page and process at once, over and over: charged once', async () => {
    for (let round = 0; round < 8; round++) {
      const session = await aSession(world, { captureMethod: 'automatic' });
      const token = await aCardToken(world, session, cards.approved);
      const intent = await intentOf(session);
      await Promise.allSettled([confirm(intent, cards.approved), payWith(world, session, token)]);
      await runRecovery(world);
      const payments = await paymentsOf(world, session);
      const charged = await Promise.all(
        payments.map((payment) => listCaptures(payment.provider_intent_id)),
      );
      expect(charged.reduce((sum, n) => sum + n, 0)).toBe(1);
      expect(await readState(world, session)).toMatchObject({ status: 'completed' });
    }
  });

  it('an intent that nobody confirmed is closed after an hour, and a new one may be opened', async () => {
    const session = await aSession(world);
    const intent = await intentOf(session);
    const age = sql(
      'test_age_intent',
      `update payment_operations set first_sent_at = first_sent_at - interval '61 minutes'
       where payment_id = $1`,
    );
    await world.database.write(age, [intent.paymentId]);
    await runRecovery(world);
    expect(await readState(world, session)).toMatchObject({
      status: 'open',
      latestTransactionAttempt: { result: 'CANCELED', declineCode: 'authentication_abandoned' },
    });
    const next = await intentOf(session);
    expect(next.intentId).not.toBe(intent.intentId);
  });

  it('409 checkout_attempt_in_progress: a card is being charged or challenged', async () => {
    const session = await aSession(world);
    await pay(world, session, cards.needs3ds);
    await expect(openIntent(world, session)).rejects.toEqual(code('checkout_attempt_in_progress'));
  });

  it('Contract §3 intent email · 422 email_mismatch · 404 checkout_session_not_found · 409 checkout_session_expired', async () => {
    const [session, other] = [await aSession(world), await aSession(world)];
    await expect(openIntent(world, session, { email: 'other@example.test' })).rejects.toEqual(
      code('email_mismatch'),
    );
    await expect(openIntent(world, session, {}, { nonce: other.nonce })).rejects.toEqual(
      code('checkout_session_not_found'),
    );
    expect(await intentOf(session, { email: 'BUYER@example.test' })).toBeDefined();
    await expireNow(world, other);
    await expect(openIntent(world, other)).rejects.toEqual(code('checkout_session_expired'));
    const canceled = await aSession(world);
    await decline(world, canceled);
    await expect(openIntent(world, canceled)).rejects.toEqual(code('checkout_session_expired'));
  });

  it('403 buyer_not_verified: a saved card of a buyer that nobody vouched for', async () => {
    const session = await aSession(world);
    const saved = { paymentMethod: newId() };
    await expect(openIntent(world, session, saved)).rejects.toEqual(code('buyer_not_verified'));
    const vouched = await createVouchedSession();
    await expect(openIntent(world, vouched, saved)).rejects.toEqual(
      code('payment_method_not_found'),
    );
  });

  it.each([
    { paymentMethod: 'google_pay' },
    { paymentMethod: 'apple_pay' },
    { paymentMethod: 'card', isWallet: 'true' as const },
  ])('422 capture_method_not_supported: by hand with %j', async (given) => {
    const session = await aSession(world, { captureMethod: 'manual' });
    await expect(openIntent(world, session, given)).rejects.toEqual(
      code('capture_method_not_supported'),
    );
    expect(await paymentsOf(world, session)).toEqual([]);
  });

  it('502 gateway_unavailable: nothing was opened, and the next call opens one', async () => {
    const session = await aSession(world);
    await world.fault({ path: '/v1/payment_intents', method: 'POST' }, 'error_503_unrecorded', {
      count: 2,
    });
    await expect(openIntent(world, session)).rejects.toEqual(code('gateway_unavailable'));
    expect(await intentOf(session)).toMatchObject({ status: 'requires_payment_method' });
  });

  it('decline closes the intent at the provider: its secret buys nothing more', async () => {
    const session = await aSession(world, { captureMethod: 'automatic' });
    const intent = await intentOf(session);
    await decline(world, session, { reason: 'wallet_canceled' });
    expect(await confirm(intent, cards.approved)).toMatchObject({ code: expect.any(String) });
    expect(await listCaptures(intent.intentId)).toBe(0);
    expect(await readState(world, session)).toMatchObject({ status: 'open' });
  });
});

describe('processCheckoutSession with a saved card', () => {
  const withSaved = (session: Checkout, more: object = {}) =>
    operations.processCheckoutSession(
      {
        sessionId: session.sessionId,
        'x-user-id': session.userId,
        body: {
          sessionId: session.sessionId,
          tokenizedData: {
            provider: 'cardprovider',
            type: 'card',
            paymentMethodId: newId(),
            ...more,
          },
          accountData: { userId: session.userId, email: 'buyer@example.test' },
        },
      },
      sessionCaller(session.nonce),
      world.ports,
      refuse,
    );

  it('403 buyer_not_verified · 404 payment_method_not_found · 400 with a token as well', async () => {
    await expect(withSaved(await aSession(world))).rejects.toEqual(code('buyer_not_verified'));
    await expect(withSaved(await createVouchedSession())).rejects.toEqual(
      code('payment_method_not_found'),
    );
    await expect(withSaved(await aSession(world), { token: 'x' })).rejects.toEqual(
      code('invalid_request'),
    );
  });

  it('422 capture_method_not_supported: a wallet on a hold, before anything is asked', async () => {
    const session = await aSession(world, { captureMethod: 'manual' });
    const given = { type: 'apple_pay', token: 'svct_x', paymentMethodId: undefined };
    await expect(withSaved(session, given)).rejects.toEqual(code('capture_method_not_supported'));
  });
});

/** Creates a session in which the merchant vouches for the buyer. */
async function createVouchedSession(): Promise<Checkout> {
  const userId = newId();
  const { id, nonce, vault } = await bodyOf<{
    id: string;
    nonce: string;
    vault: { mountToken: string };
  }>(
    operations.createCheckoutSession(
      {
        body: {
          clientId: world.client.id,
          currency: 'EUR',
          products: [{ code: 'mug', quantity: 1 }],
          accountData: { userId, email: 'buyer@example.test' },
        },
      },
      callerOf(world.token),
      world.ports,
      refuse,
    ),
  );
  return { sessionId: id, nonce, userId, mountToken: vault.mountToken };
}
