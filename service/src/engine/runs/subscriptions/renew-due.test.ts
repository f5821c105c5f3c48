// Renewals end to end, with the clocks of sandbox and service moved together. Contract §5, §7.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { aSavedCard, beginDetachment } from '../../../../test/customers/saved-cards.ts';
import {
  aClub,
  advanceToRenewal,
  endAll,
  fundWith,
  nowOf,
  renewAll,
  renewalsOf,
  subscriptionOf,
} from '../../../../test/customers/subscriptions.ts';
import { eventsOf, runRecovery } from '../../../../test/payments/checkouts.ts';
import {
  deliverNotice,
  providerEvents,
  readAllNotices,
} from '../../../../test/payments/notices.ts';
import { advance } from '../../../../test/payments/planted.ts';
import { cards, startWorld, type World } from '../../../../test/world.ts';
import { periodEnd } from '../../../domain/payments/subscription.ts';
import { sql } from '../../../storage/database/sql.ts';
import { findMethod } from '../../../storage/payment-methods/payment-methods.ts';
import { findPayment } from '../../../storage/payments/payments.ts';
import type { Ports } from '../../ports.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());
afterEach(async () => {
  await world.control('DELETE', '/_control/faults');
  await endAll(world);
});

const day = 86_400;
const declinesOnceSaved = '4000000000000341';
const confirm = { method: 'POST', path: '/v1/payment_intents/*/confirm' };
const paymentOf = (id: string) => findPayment(world.database, world.client.id, id);
const listCaptures = async (intent: string | null | undefined) =>
  (await world.ledger(intent ?? '-')).filter(({ kind }) => kind === 'capture');

// The sandbox does not save a card that its bank has stopped.
const refuseForGood = sql(
  'test_refuse_for_good',
  "update payments set decline_code = 'stolen_card' where id = $1",
);

/** Creates a subscription that a card of its customer pays; the card then stops working. */
async function aClubWith(number: string) {
  const club = await aClub(world);
  const { id: methodId } = await aSavedCard(world, { userId: club.userId, number });
  await fundWith(world, club.id, methodId);
  return { ...club, methodId };
}

describe('renewDue', () => {
  it('Contract §5 renewed: charges the period that is due off session, once, and tells of it', async () => {
    const club = await aClub(world);
    const before = await subscriptionOf(world, club.id);
    expect(before).toMatchObject({ status: 'active', periods: 1, amountMinor: 2400 });
    expect(before.currentPeriodEnd).toEqual(periodEnd(before.anchoredAt, 'month', 1));
    expect(await renewAll(world)).toBe(0);

    await advanceToRenewal(world, club.id);
    expect(await renewAll(world)).toBe(1);
    expect(await renewAll(world)).toBe(0);
    expect(await subscriptionOf(world, club.id)).toMatchObject({
      status: 'active',
      periods: 2,
      tries: 0,
      renewalPaymentId: null,
      currentPeriodEnd: periodEnd(before.anchoredAt, 'month', 2),
      nextRenewalAt: periodEnd(before.anchoredAt, 'month', 2),
    });
    const [renewal, ...more] = await renewalsOf(world, club.id);
    expect(more).toEqual([]);
    const payment = await paymentOf(renewal?.id ?? '');
    expect(payment).toMatchObject({
      status: 'succeeded',
      type: 'purchase',
      sessionId: null,
      userId: club.userId,
      email: 'buyer@example.test',
      amountMinor: 2400,
      captureMethod: 'automatic',
      metadata: { subscriptionId: club.id },
      card: { id: club.methodId, lastFour: '4242' },
    });
    expect(await listCaptures(renewal?.provider_intent_id)).toHaveLength(1);
    expect(await eventsOf(world, club.id)).toEqual([
      'subscription.created',
      'subscription.renewed',
    ]);
    expect(await eventsOf(world, renewal?.id ?? '')).toEqual(['payment.succeeded']);
    const method = await findMethod(world.database, world.client.id, club.methodId);
    expect(method?.lastChargedAt?.getTime()).toBeGreaterThan(before.createdAt.getTime());
  });

  it('its payment has fifty keys at most, with the subscription among them', async () => {
    const keys = Array.from({ length: 50 }, (_, n) => [`key${n}`, 'a value']);
    const club = await aClub(world, { metadata: Object.fromEntries(keys) });
    await advanceToRenewal(world, club.id);
    await renewAll(world);
    const [renewal] = await renewalsOf(world, club.id);
    const { metadata = {} } = (await paymentOf(renewal?.id ?? '')) ?? {};
    expect(metadata).toMatchObject({ subscriptionId: club.id, key0: 'a value' });
    expect(Object.keys(metadata)).toHaveLength(50);
  });

  it('the periods follow the anchor: the third one is charged two months after the first', async () => {
    const club = await aClub(world);
    const { anchoredAt } = await subscriptionOf(world, club.id);
    for (const periods of [2, 3]) {
      await advanceToRenewal(world, club.id);
      await renewAll(world);
      expect(await subscriptionOf(world, club.id)).toMatchObject({
        periods,
        currentPeriodEnd: periodEnd(anchoredAt, 'month', periods),
      });
    }
    expect(await renewalsOf(world, club.id)).toHaveLength(2);
  });

  it('behind by several periods: one charge, and the next one when the running period ends', async () => {
    const club = await aClub(world);
    await advanceToRenewal(world, club.id);
    await advance(world, 70 * day);
    expect(await renewAll(world)).toBe(1);
    expect(await renewAll(world)).toBe(0);
    expect(await renewalsOf(world, club.id)).toHaveLength(1);
    const { currentPeriodEnd, periods } = await subscriptionOf(world, club.id);
    expect(currentPeriodEnd.getTime()).toBeGreaterThan((await nowOf(world)).getTime());
    expect(periods).toBe(4);
  });

  it('4000 0000 0000 0341: past_due, retries after 1, 3, 5 and 7 days, then canceled', async () => {
    const club = await aClubWith(declinesOnceSaved);
    const dueAt = (await subscriptionOf(world, club.id)).currentPeriodEnd;
    for (const [tries, plannedDays] of [0, 1, 3, 5, 7].entries()) {
      const { nextRenewalAt } = await subscriptionOf(world, club.id);
      expect(nextRenewalAt?.getTime()).toBe(dueAt.getTime() + plannedDays * day * 1000);
      await advanceToRenewal(world, club.id);
      expect(await renewAll(world)).toBe(1);
      expect(await subscriptionOf(world, club.id)).toMatchObject({
        status: tries === 4 ? 'canceled' : 'past_due',
        tries: tries + 1,
        periods: 1,
        currentPeriodEnd: dueAt,
        renewalPaymentId: null,
      });
    }
    expect(await subscriptionOf(world, club.id)).toMatchObject({
      cancelReason: 'payment_failed',
      nextRenewalAt: null,
    });
    await advance(world, 40 * day);
    await renewAll(world);
    const tried = await renewalsOf(world, club.id);
    expect(tried.map(({ status }) => status)).toEqual(Array(5).fill('failed'));
    for (const { provider_intent_id: intent } of tried)
      expect(await listCaptures(intent)).toEqual([]);
    expect(await eventsOf(world, club.id)).toEqual([
      'subscription.created',
      'subscription.past_due',
      'subscription.canceled',
    ]);
    const method = await findMethod(world.database, world.client.id, club.methodId);
    expect(method).toMatchObject({ status: 'active', lastChargedAt: null });
  });

  it('a retry that is paid: active again, and the period counts from the anchor', async () => {
    const club = await aClubWith(declinesOnceSaved);
    const { anchoredAt } = await subscriptionOf(world, club.id);
    await advanceToRenewal(world, club.id);
    await renewAll(world);
    await fundWith(world, club.id, (await aSavedCard(world, { userId: club.userId })).id);
    await advanceToRenewal(world, club.id);
    await renewAll(world);
    expect(await subscriptionOf(world, club.id)).toMatchObject({
      status: 'active',
      tries: 0,
      periods: 2,
      currentPeriodEnd: periodEnd(anchoredAt, 'month', 2),
    });
    expect(await eventsOf(world, club.id)).toEqual([
      'subscription.created',
      'subscription.past_due',
      'subscription.renewed',
    ]);
  });

  it('a bank that wants its customer there has declined: authentication_required', async () => {
    const club = await aClubWith(cards.needs3ds);
    await advanceToRenewal(world, club.id);
    await renewAll(world);
    const [renewal] = await renewalsOf(world, club.id);
    expect(await paymentOf(renewal?.id ?? '')).toMatchObject({
      status: 'failed',
      failureCode: 'declined',
      declineCode: 'authentication_required',
    });
    expect(await subscriptionOf(world, club.id)).toMatchObject({ status: 'past_due', tries: 1 });
  });

  it('a card that its bank refused for good is not charged again; its tries pass by', async () => {
    const club = await aClub(world);
    await world.fault(confirm, 'decline', { count: 1 });
    await advanceToRenewal(world, club.id);
    await renewAll(world);
    const [renewal] = await renewalsOf(world, club.id);
    await world.database.write(refuseForGood, [renewal?.id]);
    for (const tries of [2, 3, 4, 5]) {
      await advanceToRenewal(world, club.id);
      expect(await renewAll(world)).toBe(1);
      expect(await subscriptionOf(world, club.id)).toMatchObject({ tries });
    }
    expect(await renewalsOf(world, club.id)).toHaveLength(1);
    expect(await subscriptionOf(world, club.id)).toMatchObject({
      status: 'canceled',
      cancelReason: 'payment_failed',
    });
  });

  it('unless another card has taken over: that one is charged at the next try', async () => {
    const club = await aClub(world);
    await world.fault(confirm, 'decline', { count: 1 });
    await advanceToRenewal(world, club.id);
    await renewAll(world);
    const [renewal] = await renewalsOf(world, club.id);
    await world.database.write(refuseForGood, [renewal?.id]);
    await fundWith(world, club.id, (await aSavedCard(world, { userId: club.userId })).id);
    await advanceToRenewal(world, club.id);
    await renewAll(world);
    expect(await subscriptionOf(world, club.id)).toMatchObject({ status: 'active', periods: 2 });
  });

  it('a provider out of reach is no try of the card: asked again an hour later', async () => {
    const club = await aClub(world);
    await advanceToRenewal(world, club.id);
    const { currentPeriodEnd } = await subscriptionOf(world, club.id);
    await world.fault({ path: '/v1/payment_intents' }, 'error_503_unrecorded', { count: 50 });
    expect(await renewAll(world)).toBe(1);
    await world.control('DELETE', '/_control/faults');
    const [renewal] = await renewalsOf(world, club.id);
    expect(await paymentOf(renewal?.id ?? '')).toMatchObject({ failureCode: 'unavailable' });
    const waits = await subscriptionOf(world, club.id);
    expect(waits).toMatchObject({ status: 'active', tries: 0, renewalPaymentId: null });
    const waitMs = (waits.nextRenewalAt?.getTime() ?? 0) - currentPeriodEnd.getTime();
    expect(Math.round(waitMs / 60_000)).toBe(60);
    await advanceToRenewal(world, club.id);
    await renewAll(world);
    expect(await subscriptionOf(world, club.id)).toMatchObject({ status: 'active', periods: 2 });
  });
});

describe('money of a renewal that goes back later', () => {
  it('a capture taken back: told of the payment, the period stands, and the next one is charged', async () => {
    const club = await aClub(world);
    await advanceToRenewal(world, club.id);
    await renewAll(world);
    const renewed = await subscriptionOf(world, club.id);
    const [renewal] = await renewalsOf(world, club.id);
    const intent = renewal?.provider_intent_id ?? '';
    await world.control('POST', `/_control/intents/${intent}/take_back`);
    for (const event of await providerEvents(world, intent)) await deliverNotice(world, event);
    await readAllNotices(world);
    expect(await paymentOf(renewal?.id ?? '')).toMatchObject({
      status: 'failed',
      failureCode: 'capture_taken_back',
      metadata: { subscriptionId: club.id },
    });
    expect((await eventsOf(world, renewal?.id ?? '')).at(-1)).toBe('payment.capture_failed');
    expect(await subscriptionOf(world, club.id)).toEqual(renewed);
    expect(await renewAll(world)).toBe(0);
    await advanceToRenewal(world, club.id);
    await renewAll(world);
    expect(await subscriptionOf(world, club.id)).toMatchObject({ status: 'active', periods: 3 });
    expect(await eventsOf(world, club.id)).toEqual([
      'subscription.created',
      'subscription.renewed',
      'subscription.renewed',
    ]);
  });
});

describe('renewDue, when the provider is out of reach late', () => {
  /** Returns the minutes until the next try, after a try that reached no provider. */
  async function waitAfterSilence(id: string): Promise<number> {
    await world.fault({ path: '/v1/payment_intents' }, 'error_503_unrecorded', { count: 50 });
    expect(await renewAll(world)).toBe(1);
    await world.control('DELETE', '/_control/faults');
    const { nextRenewalAt } = await subscriptionOf(world, id);
    const waitMs = (nextRenewalAt?.getTime() ?? 0) - (await nowOf(world)).getTime();
    return Math.round(waitMs / 60_000);
  }

  it('days after the end of the period, for nothing ran: an hour, and then ever more rarely', async () => {
    const club = await aClub(world);
    await advanceToRenewal(world, club.id);
    await advance(world, 3 * day);
    for (const minutes of [60, 60, 120, 240]) {
      expect(await waitAfterSilence(club.id)).toBe(minutes);
      await advanceToRenewal(world, club.id);
    }
    expect(await subscriptionOf(world, club.id)).toMatchObject({ status: 'past_due', tries: 0 });
    expect(await renewAll(world)).toBe(1);
    expect(await subscriptionOf(world, club.id)).toMatchObject({ status: 'active' });
  });

  it('at the retry of a declined card: an hour, whatever was before the decline', async () => {
    const club = await aClub(world);
    await advanceToRenewal(world, club.id);
    expect(await waitAfterSilence(club.id)).toBe(60);
    await advanceToRenewal(world, club.id);
    await world.fault(confirm, 'decline', { count: 1 });
    await renewAll(world);
    await advanceToRenewal(world, club.id);
    expect(await subscriptionOf(world, club.id)).toMatchObject({ status: 'past_due', tries: 1 });
    expect(await waitAfterSilence(club.id)).toBe(60);
    expect(await subscriptionOf(world, club.id)).toMatchObject({ tries: 1 });
  });
});

describe('renewDue, when something breaks', () => {
  it('killed between claim and call: recovery charges it once, and no other renewal starts', async () => {
    const club = await aClub(world);
    await advanceToRenewal(world, club.id);
    const dead: Ports = {
      ...world.ports,
      provider: () => {
        throw new Error('killed');
      },
    };
    await expect(renewAll(world, dead)).rejects.toThrow('killed');
    expect(await renewAll(world)).toBe(0);
    const [renewal] = await renewalsOf(world, club.id);
    expect(renewal).toMatchObject({ status: 'pending', provider_intent_id: null });
    await runRecovery(world);
    await renewAll(world);
    const [settled, ...more] = await renewalsOf(world, club.id);
    expect(more).toEqual([]);
    expect(settled?.status).toBe('succeeded');
    expect(await listCaptures(settled?.provider_intent_id)).toHaveLength(1);
    expect(await subscriptionOf(world, club.id)).toMatchObject({ status: 'active', periods: 2 });
  });

  it('an answer that is lost is in doubt: nothing moves and nothing is charged again until it is known', async () => {
    const club = await aClub(world);
    await advanceToRenewal(world, club.id);
    await world.fault(confirm, 'drop_reply', { count: 9 });
    const read = { method: 'GET', path: '/v1/payment_intents' };
    await world.fault(read, 'error_503_unrecorded', { count: 99 });
    expect(await renewAll(world)).toBe(1);
    const stands = await subscriptionOf(world, club.id);
    const [renewal] = await renewalsOf(world, club.id);
    expect(renewal?.status).toBe('unknown');
    expect(stands).toMatchObject({ status: 'active', periods: 1, renewalPaymentId: renewal?.id });
    await advance(world, 2 * day);
    expect(await renewAll(world)).toBe(0);
    await world.control('DELETE', '/_control/faults');
    await runRecovery(world);
    expect(await subscriptionOf(world, club.id)).toMatchObject({
      status: 'active',
      periods: 2,
      renewalPaymentId: null,
    });
    expect(await renewalsOf(world, club.id)).toHaveLength(1);
    expect(await listCaptures(renewal?.provider_intent_id)).toHaveLength(1);
    expect(await eventsOf(world, club.id)).toEqual([
      'subscription.created',
      'subscription.renewed',
    ]);
  });

  it('eight workers at once: one renewal for each subscription', async () => {
    const clubs = await Promise.all([aClub(world), aClub(world), aClub(world)]);
    for (const { id } of clubs) await advanceToRenewal(world, id);
    const moved = await Promise.all(Array.from({ length: 8 }, () => renewAll(world)));
    expect(moved.reduce((sum, count) => sum + count, 0)).toBe(3);
    for (const { id } of clubs) {
      expect((await renewalsOf(world, id)).map(({ status }) => status)).toEqual(['succeeded']);
      expect(await subscriptionOf(world, id)).toMatchObject({ periods: 2 });
    }
  });

  it('a method that is being removed is not charged: the renewal waits for the detachment', async () => {
    const club = await aClub(world);
    await advanceToRenewal(world, club.id);
    await beginDetachment(world, club.methodId);
    expect(await renewAll(world)).toBe(0);
    expect(await renewalsOf(world, club.id)).toEqual([]);
    expect(await subscriptionOf(world, club.id)).toMatchObject({ status: 'active', tries: 0 });
  });
});
