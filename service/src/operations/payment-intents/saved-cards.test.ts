// Intents for a saved card, and intents that keep what pays them. Contract §3, Intents. docs/decisions/saved-cards.md.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { confirmInPage, type PageIntent, pageIntent } from '../../../test/customers/in-page.ts';
import {
  aSavedCard,
  beginDetachment,
  confirmOfferedCard,
  methodsOf,
  payBy,
  vouchedSession,
} from '../../../test/customers/saved-cards.ts';
import { callerOf, newId } from '../../../test/harness.ts';
import {
  eventsOf,
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
  startWorld,
  type World,
} from '../../../test/world.ts';
import type { PaymentMethod } from '../../domain/payments/payment-method.ts';
import { refuse } from '../../engine/implement.ts';
import { hasLiveUse } from '../../storage/payment-methods/payment-method-uses.ts';
import { findMethod } from '../../storage/payment-methods/payment-methods.ts';
import { operations } from '../index.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const code = (name: string) => expect.objectContaining({ code: name });
const readMethod = ({ clientId, id }: PaymentMethod) => findMethod(world.database, clientId, id);
const isInUse = (method: PaymentMethod) =>
  world.database.transaction(world.client.id, (tx) => hasLiveUse(tx, method));
const listCaptures = async ({ intentId }: PageIntent) =>
  (await world.ledger(intentId)).filter(({ kind }) => kind === 'capture').length;
const readShown = async ({ paymentId }: PageIntent) => {
  const caller = callerOf(world.token);
  const answer = await operations.getPayment({ paymentId }, caller, world.ports, refuse);
  return (answer as { body: { paymentMethod: { id: string | null } | null } }).body.paymentMethod;
};

async function aBuyer(number: string = cards.approved) {
  const session = await vouchedSession(world);
  return { session, method: await aSavedCard(world, { userId: session.userId, number }) };
}
const openOffered = (session: Checkout, { id }: PaymentMethod) =>
  pageIntent(world, session, { paymentMethod: id });

describe('createPaymentIntent with a saved card', () => {
  it('200 requires_confirmation: the page confirms the card that is with it; charged once, named, recent', async () => {
    const { session, method } = await aBuyer();
    const intent = await openOffered(session, method);
    expect(intent.status).toBe('requires_confirmation');
    expect(await openOffered(session, method)).toEqual(intent);
    expect(await isInUse(method)).toBe(true);
    expect(await listCaptures(intent)).toBe(0);
    expect(await confirmOfferedCard(world, intent)).toEqual({ status: 'succeeded' });
    await runRecovery(world);
    expect(await readState(world, session)).toMatchObject({ status: 'completed' });
    expect(await readShown(intent)).toMatchObject({ id: method.id });
    expect((await readMethod(method))?.lastChargedAt).not.toBeNull();
    expect(await isInUse(method)).toBe(false);
    expect(await listCaptures(intent)).toBe(1);
  });

  it('403 buyer_not_verified: nobody vouched for the buyer', async () => {
    const { session, method } = await aBuyer();
    const { userId } = session;
    const stranger = await vouchedSession(world, { userId, isVouched: false });
    await expect(openIntent(world, stranger, { paymentMethod: method.id })).rejects.toEqual(
      code('buyer_not_verified'),
    );
  });

  it('404 payment_method_not_found: unknown, of another buyer, being removed; an open intent stays', async () => {
    const { session, method } = await aBuyer();
    const other = await aBuyer();
    const going = await aSavedCard(world, { userId: session.userId });
    await beginDetachment(world, going.id);
    const open = await openOffered(session, method);
    for (const paymentMethod of [newId(), other.method.id, going.id]) {
      await expect(openIntent(world, session, { paymentMethod })).rejects.toEqual(
        code('payment_method_not_found'),
      );
    }
    expect(await openOffered(session, method)).toEqual(open);
  });

  it('another card, or none, takes the place of the open intent, which is closed first', async () => {
    const { session, method } = await aBuyer();
    const second = await aSavedCard(world, { userId: session.userId });
    const intents = [await openOffered(session, method), await openOffered(session, second)];
    intents.push(await pageIntent(world, session));
    expect(new Set(intents.map(({ intentId }) => intentId)).size).toBe(3);
    const [first, replaced, last] = intents as [PageIntent, PageIntent, PageIntent];
    for (const closed of [first, replaced]) {
      expect(await confirmOfferedCard(world, closed)).toMatchObject({ code: expect.any(String) });
    }
    expect(await confirmInPage(world, last, cards.approved)).toEqual({ status: 'succeeded' });
    await runRecovery(world);
    expect(await readState(world, session)).toMatchObject({ status: 'completed' });
    expect(await readShown(last)).toMatchObject({ id: null });
    expect((await paymentsOf(world, session)).map(({ status }) => status)).toEqual([
      'failed',
      'failed',
      'succeeded',
    ]);
  });

  it('declined in the page: the intent ends with its card, which stays as it was; the next call opens another', async () => {
    const { session, method } = await aBuyer('4000000000000341');
    const intent = await openOffered(session, method);
    expect(await confirmOfferedCard(world, intent)).toMatchObject({ code: 'card_declined' });
    const next = await openOffered(session, method);
    expect(next.intentId).not.toBe(intent.intentId);
    expect(next.status).toBe('requires_confirmation');
    expect(await confirmOfferedCard(world, next)).toMatchObject({ code: 'card_declined' });
    await runRecovery(world);
    expect(await readState(world, session)).toMatchObject({
      status: 'open',
      latestTransactionAttempt: { result: 'DECLINED', declineCode: 'generic_decline' },
    });
    expect(await readMethod(method)).toEqual(method);
    expect(await isInUse(method)).toBe(false);
  });

  it('a page that pays with another card: the payment stands, and the saved one is not called charged', async () => {
    const { session, method } = await aBuyer();
    const intent = await openOffered(session, method);
    expect(await confirmInPage(world, intent, '5555555555554444')).toEqual({ status: 'succeeded' });
    await runRecovery(world);
    expect(await readShown(intent)).toMatchObject({ id: null, lastFour: '4444' });
    expect(await readMethod(method)).toEqual(method);
    expect(await methodsOf(world, session.userId)).toHaveLength(1);
  });

  it('a card through process closes it first: charged once', async () => {
    const { session, method } = await aBuyer();
    const intent = await openOffered(session, method);
    expect(await payBy(world, session, { paymentMethodId: method.id })).toMatchObject({
      body: { status: 'succeeded' },
    });
    expect(await confirmOfferedCard(world, intent)).toMatchObject({ code: expect.any(String) });
    expect(await listCaptures(intent)).toBe(0);
  });
});

describe('createPaymentIntent with saveForLater', () => {
  it('200: what pays is kept once the provider says so', async () => {
    const session = await vouchedSession(world, { captureMethod: 'manual' });
    const plain = await pageIntent(world, session);
    const intent = await pageIntent(world, session, { saveForLater: true });
    expect(intent.intentId).not.toBe(plain.intentId);
    expect(intent.status).toBe('requires_payment_method');
    expect(await confirmInPage(world, intent, cards.approved)).toEqual({
      status: 'requires_capture',
    });
    expect(await methodsOf(world, session.userId)).toMatchObject([
      { status: 'pending', brand: null },
    ]);
    await runRecovery(world);
    const [method, ...more] = await methodsOf(world, session.userId);
    expect(more).toEqual([]);
    expect(method).toMatchObject({ status: 'active', lastFour: '4242' });
    expect(await readShown(intent)).toMatchObject({ id: method?.id });
    expect(await eventsOf(world, method?.id ?? '')).toEqual(['payment_method.activated']);
  });

  it('a decline in the page leaves it open: the card that pays is the one that is kept', async () => {
    const session = await vouchedSession(world);
    const intent = await pageIntent(world, session, { saveForLater: true });
    expect(await confirmInPage(world, intent, cards.declined)).toMatchObject({
      code: 'card_declined',
    });
    await runRecovery(world);
    expect(await methodsOf(world, session.userId)).toMatchObject([{ status: 'pending' }]);
    await confirmInPage(world, intent, '5555555555554444');
    await runRecovery(world);
    expect(await methodsOf(world, session.userId)).toMatchObject([
      { status: 'active', lastFour: '4444' },
    ]);
  });

  it('a page that confirms with a card that is kept already: no second one, and that one is charged', async () => {
    const { session, method } = await aBuyer();
    const intent = await pageIntent(world, session, { saveForLater: true });
    const card = method.providerPaymentMethodId ?? '';
    expect(await confirmOfferedCard(world, intent, card)).toEqual({ status: 'succeeded' });
    await runRecovery(world);
    expect(await methodsOf(world, session.userId)).toMatchObject([
      { id: method.id, lastChargedAt: expect.any(Date) },
    ]);
    expect(await readShown(intent)).toMatchObject({ id: method.id });
  });

  it('given up: what was to be kept is forgotten', async () => {
    const session = await vouchedSession(world);
    await pageIntent(world, session, { saveForLater: true });
    const token = await aCardToken(world, session, cards.approved);
    await payBy(world, session, { token });
    expect(await methodsOf(world, session.userId)).toEqual([]);
  });

  it('403 buyer_not_verified: nobody vouched for the buyer', async () => {
    const session = await aSession(world);
    await expect(openIntent(world, session, { saveForLater: true })).rejects.toEqual(
      code('buyer_not_verified'),
    );
  });
});
