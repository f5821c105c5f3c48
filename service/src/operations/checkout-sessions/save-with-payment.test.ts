// A card is saved by the payment that it makes: it becomes active when the provider confirms it,
// never before, and is deleted if the payment fails. Contract §3, Process; §5. docs/decisions/saved-cards.md.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chargeBy, methodsOf, payBy, vouchedSession } from '../../../test/customers/saved-cards.ts';
import { callerOf, newId } from '../../../test/harness.ts';
import {
  answerChallenge,
  aShell,
  bodyOf,
  claim,
  eventsOf,
  paymentsOf,
  readState,
  runRecovery,
} from '../../../test/payments/checkouts.ts';
import {
  aCardToken,
  aSession,
  type Checkout,
  cards,
  startWorld,
  type World,
} from '../../../test/world.ts';
import { refuse } from '../../engine/implement.ts';
import type { Ports } from '../../engine/ports.ts';
import { sql } from '../../storage/database/sql.ts';
import { findPayment } from '../../storage/payments/payments.ts';
import { operations } from '../index.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const code = (name: string) => expect.objectContaining({ code: name });
const paymentIdOf = (answer: unknown) => (answer as { body: { paymentId: string } }).body.paymentId;

type SaveOptions = { token?: string; ports?: Ports };
const save = async (
  session: Checkout,
  number: string = cards.approved,
  given: SaveOptions = {},
) => {
  const token = given.token ?? (await aCardToken(world, session, number));
  const { ports = world.ports } = given;
  return payBy({ ...world, ports }, session, { token, saveForLater: true });
};

const paymentOf = (paymentId: string) =>
  bodyOf<{ paymentMethod: { id: string | null } | null }>(
    operations.getPayment({ paymentId }, callerOf(world.token), world.ports, refuse),
  );
const defaultOf = sql<{ default_payment_method_id: string | null }>(
  'test_default_of',
  'select default_payment_method_id from customers where id = $1',
);

describe('processCheckoutSession with saveForLater', () => {
  it.each([
    ['automatic', 'succeeded'],
    ['manual', 'authorized'],
  ] as const)(
    '200 %s: active, the first is the default, and pays the next session',
    async (captureMethod, status) => {
      const session = await vouchedSession(world, { captureMethod });
      const answer = await save(session);
      expect(answer).toMatchObject({ body: { type: 'success', status } });
      const [method, ...more] = await methodsOf(world, session.userId);
      expect(more).toEqual([]);
      expect(method).toMatchObject({
        status: 'active',
        type: 'card',
        brand: 'visa',
        lastFour: '4242',
        expiryMonth: 12,
        expiryYear: 2034,
        sessionId: session.sessionId,
        providerCustomerId: expect.stringMatching(/^cus_/),
        providerPaymentMethodId: expect.stringMatching(/^pm_/),
        verifiedAt: expect.any(Date),
      });
      const id = method?.id ?? '';
      expect(await eventsOf(world, id)).toEqual(['payment_method.activated']);
      expect((await paymentOf(paymentIdOf(answer))).paymentMethod).toMatchObject({
        id,
        lastFour: '4242',
      });
      expect(await world.database.read(defaultOf, [session.userId])).toEqual([
        { default_payment_method_id: id },
      ]);
      const next = await vouchedSession(world, { userId: session.userId });
      expect(await payBy(world, next, { paymentMethodId: id })).toMatchObject({
        body: { type: 'success' },
      });
    },
  );

  it('saveForLater false, and without it: nothing is kept', async () => {
    const session = await vouchedSession(world);
    const token = await aCardToken(world, session, cards.approved);
    const answer = await payBy(world, session, { token, saveForLater: false });
    expect(answer).toMatchObject({ body: { type: 'success' } });
    expect(await methodsOf(world, session.userId)).toEqual([]);
    expect((await paymentOf(paymentIdOf(answer))).paymentMethod).toMatchObject({ id: null });
  });

  it('403 buyer_not_verified: nobody vouched for the buyer; nothing is charged and nothing kept', async () => {
    const session = await aSession(world);
    const token = await aCardToken(world, session, cards.approved);
    await expect(save(session, cards.approved, { token })).rejects.toEqual(
      code('buyer_not_verified'),
    );
    await expect(chargeBy(world, session, { token, saveForLater: true })).rejects.toEqual(
      code('buyer_not_verified'),
    );
    expect(await paymentsOf(world, session)).toEqual([]);
    expect(await payBy(world, session, { token })).toMatchObject({ body: { type: 'success' } });
  });

  it('403 buyer_not_verified: a claimed shell', async () => {
    const shell = await aShell(world);
    await claim(world, shell);
    const token = await aCardToken(world, shell, cards.approved);
    await expect(chargeBy(world, shell, { token, saveForLater: true })).rejects.toEqual(
      code('buyer_not_verified'),
    );
  });

  it.each([cards.declined, cards.poor, '4000000000000341'])(
    '402 card_declined for %s: what was to be saved is gone, and the next card saves its own',
    async (number) => {
      const session = await vouchedSession(world);
      await expect(save(session, number)).rejects.toEqual(code('card_declined'));
      expect(await methodsOf(world, session.userId)).toEqual([]);
      await save(session, '5555555555554444');
      expect(await methodsOf(world, session.userId)).toMatchObject([
        { status: 'active', brand: 'mastercard', lastFour: '4444' },
      ]);
    },
  );

  it('3DS: pending until the buyer has approved and the provider says so; nothing shows before', async () => {
    const session = await vouchedSession(world);
    const token = await aCardToken(world, session, cards.needs3ds);
    const answer = await save(session, cards.needs3ds, { token });
    expect(answer).toMatchObject({ body: { type: '3ds_required' } });
    expect(await methodsOf(world, session.userId)).toMatchObject([
      { status: 'pending', brand: null, lastFour: null, verifiedAt: null },
    ]);
    expect((await paymentOf(paymentIdOf(answer))).paymentMethod).toMatchObject({ id: null });
    const { challenge } = (answer as { body: { challenge: { url: string } } }).body;
    await answerChallenge(challenge.url, 'approve');
    expect(await methodsOf(world, session.userId)).toMatchObject([{ status: 'pending' }]);
    await runRecovery(world);
    const [method] = await methodsOf(world, session.userId);
    expect(method).toMatchObject({ status: 'active', lastFour: '3184' });
    expect((await paymentOf(paymentIdOf(answer))).paymentMethod).toMatchObject({ id: method?.id });
    expect(await save(session, cards.needs3ds, { token })).toMatchObject({
      body: { type: 'success' },
    });
    expect(await methodsOf(world, session.userId)).toEqual([method]);
  });

  it.each(['fail', 'cancel'])('3DS %s: forgotten with the payment', async (how) => {
    const session = await vouchedSession(world);
    const answer = await save(session, cards.needs3ds);
    const { challenge } = (answer as { body: { challenge: { url: string } } }).body;
    await answerChallenge(challenge.url, how);
    await runRecovery(world);
    expect(await readState(world, session)).toMatchObject({ status: 'open' });
    expect(await methodsOf(world, session.userId)).toEqual([]);
  });

  it('a card that was set up by its first payment is not challenged again', async () => {
    const session = await vouchedSession(world);
    const first = await save(session, '4000002500003155');
    const { challenge } = (first as { body: { challenge: { url: string } } }).body;
    await answerChallenge(challenge.url, 'approve');
    await runRecovery(world);
    const [method] = await methodsOf(world, session.userId);
    const next = await vouchedSession(world, { userId: session.userId });
    expect(await payBy(world, next, { paymentMethodId: method?.id ?? '' })).toMatchObject({
      body: { type: 'success' },
    });
  });

  it.each(['drop_request', 'drop_reply'])(
    '202 processing (%s): pending while in doubt, then active with the payment, once',
    async (fault) => {
      const session = await vouchedSession(world);
      await world.fault({ path: '/v1/payment_intents/*/confirm' }, fault, { count: 2 });
      await world.fault({ path: '/v1/payment_intents/*', method: 'GET' }, 'error_503_unrecorded', {
        count: 2,
      });
      const token = await aCardToken(world, session, cards.approved);
      const answer = await save(session, cards.approved, { token });
      await world.control('DELETE', '/_control/faults');
      expect(answer).toMatchObject({ status: 202 });
      expect(await methodsOf(world, session.userId)).toMatchObject([{ status: 'pending' }]);
      await Promise.all([runRecovery(world), runRecovery(world)]);
      await runRecovery(world);
      const [method, ...more] = await methodsOf(world, session.userId);
      expect(more).toEqual([]);
      expect(method?.status).toBe('active');
      expect(await eventsOf(world, method?.id ?? '')).toEqual(['payment_method.activated']);
      expect(await save(session, cards.approved, { token })).toMatchObject({
        body: { type: 'success', paymentId: paymentIdOf(answer) },
      });
    },
  );

  it('502 gateway_unavailable: no customer at the provider, so nothing was confirmed; the same request may try again', async () => {
    const session = await vouchedSession(world);
    const token = await aCardToken(world, session, cards.approved);
    await world.fault({ path: '/v1/customers$', method: 'POST' }, 'error_503_unrecorded', {
      count: 2,
    });
    await expect(save(session, cards.approved, { token })).rejects.toEqual(
      code('gateway_unavailable'),
    );
    expect(await methodsOf(world, session.userId)).toEqual([]);
    const answer = await save(session, cards.approved, { token });
    expect(answer).toMatchObject({ body: { type: 'success' } });
    expect(await methodsOf(world, session.userId)).toMatchObject([{ status: 'active' }]);
    const payments = await paymentsOf(world, session);
    expect(payments.map(({ status }) => status)).toEqual(['failed', 'succeeded']);
  });

  it('no customer at the provider, asked by a later holder: in doubt, never failed, until there is one', async () => {
    const session = await vouchedSession(world);
    const token = await aCardToken(world, session, cards.approved);
    const { vault } = world.ports;
    const redeem = async () => ({ kind: 'in_doubt', cause: 'no_answer' }) as const;
    const ports = { ...world.ports, vault: { ...vault, redeem } };
    expect(await save(session, cards.approved, { token, ports })).toMatchObject({ status: 202 });
    await world.fault({ path: '/v1/customers$', method: 'POST' }, 'error_503_unrecorded', {
      count: 2,
    });
    await runRecovery(world);
    await world.control('DELETE', '/_control/faults');
    expect(await paymentsOf(world, session)).toMatchObject([{ status: 'unknown' }]);
    expect(await methodsOf(world, session.userId)).toMatchObject([{ status: 'pending' }]);
    await runRecovery(world);
    expect(await readState(world, session)).toMatchObject({ status: 'completed' });
    expect(await methodsOf(world, session.userId)).toMatchObject([{ status: 'active' }]);
  });

  it('20 at once with one token: one payment, one method', async () => {
    const session = await vouchedSession(world);
    const token = await aCardToken(world, session, cards.approved);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => save(session, cards.approved, { token })),
    );
    expect(new Set(answers.map(paymentIdOf)).size).toBe(1);
    expect(await methodsOf(world, session.userId)).toHaveLength(1);
  });

  it('two sessions of a new buyer at once: one customer at the provider, two cards, one default', async () => {
    const userId = newId();
    const sessions = await Promise.all([
      vouchedSession(world, { userId }),
      vouchedSession(world, { userId }),
    ]);
    await Promise.all(sessions.map((session) => save(session)));
    const methods = await methodsOf(world, userId);
    expect(methods.map(({ status }) => status)).toEqual(['active', 'active']);
    expect(new Set(methods.map((method) => method.providerCustomerId)).size).toBe(1);
    const [row] = await world.database.read(defaultOf, [userId]);
    expect(methods.map(({ id }) => id)).toContain(row?.default_payment_method_id);
  });
});

describe('processVaultCharge with saveForLater', () => {
  it('200: saved by its payment', async () => {
    const session = await vouchedSession(world);
    const token = await aCardToken(world, session, cards.approved);
    expect(await chargeBy(world, session, { token, saveForLater: true })).toMatchObject({
      body: { type: 'success' },
    });
    expect(await methodsOf(world, session.userId)).toMatchObject([{ status: 'active' }]);
  });
});

const subscriptions = sql<{ payment_method_id: string; status: string; product_code: string }>(
  'test_subscriptions_of',
  'select payment_method_id, status, product_code from subscriptions where session_id = $1',
);
const subscriptionsOf = (session: Checkout) =>
  world.database.read(subscriptions, [session.sessionId]);
const club = [{ code: 'club', quantity: 1 }];

describe('processCheckoutSession of a cart with a subscription', () => {
  it('200: the card is kept without being asked for, and funds the subscription', async () => {
    const session = await vouchedSession(world, { products: club });
    const token = await aCardToken(world, session, cards.approved);
    const answer = await payBy(world, session, { token });
    expect(answer).toMatchObject({ body: { type: 'success' } });
    const [method] = await methodsOf(world, session.userId);
    expect(method?.status).toBe('active');
    expect(await subscriptionsOf(session)).toEqual([
      { payment_method_id: method?.id, status: 'active', product_code: 'club' },
    ]);
    const payment = await findPayment(world.database, world.client.id, paymentIdOf(answer));
    expect(payment?.card?.id).toBe(method?.id);
  });

  it('200 with a saved card: it funds the subscription, and nothing else is kept', async () => {
    const first = await vouchedSession(world);
    await save(first);
    const [method] = await methodsOf(world, first.userId);
    const session = await vouchedSession(world, { products: club, userId: first.userId });
    await payBy(world, session, { paymentMethodId: method?.id ?? '' });
    expect(await subscriptionsOf(session)).toMatchObject([{ payment_method_id: method?.id }]);
    expect(await methodsOf(world, first.userId)).toHaveLength(1);
  });

  it('402 card_declined: no subscription, nothing kept', async () => {
    const session = await vouchedSession(world, { products: club });
    const token = await aCardToken(world, session, cards.declined);
    await expect(payBy(world, session, { token })).rejects.toEqual(code('card_declined'));
    expect(await subscriptionsOf(session)).toEqual([]);
    expect(await methodsOf(world, session.userId)).toEqual([]);
  });

  it('403 buyer_not_verified: a subscription is renewed with a kept card, so somebody vouches for its buyer', async () => {
    const opened = vouchedSession(world, { products: club, isVouched: false });
    await expect(opened).rejects.toEqual(code('buyer_not_verified'));
  });
});
