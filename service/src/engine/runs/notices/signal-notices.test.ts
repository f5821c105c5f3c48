// Warnings of fraud and reviews of the provider: any number and order of notices ends in the provider's
// state, told once. Additions §2.

import { violationsOf } from '@svc/contract/events/check-event';
import type { Event } from '@svc/contract/events/events';
import type { PaymentDetails } from '@svc/contract/payments/payments';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callerOf } from '../../../../test/harness.ts';
import {
  aPurchase,
  deliver,
  deliverDisputeEvents,
  dispute,
  eventsOf,
  outcomes,
  readAll,
} from '../../../../test/payments/disputes.ts';
import { advance, aRefund } from '../../../../test/payments/planted.ts';
import { startWorld, type World } from '../../../../test/world.ts';
import { operations } from '../../../operations/index.ts';
import { sql } from '../../../storage/database/sql.ts';
import { refuse } from '../../implement.ts';
import { settleSignal } from '../../steps/fraud-signals/settle-signal.ts';
import { listLostNotices } from './list-lost-notices.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const raise = async (what: 'fraud-warnings' | 'reviews', body: object): Promise<string> =>
  ((await world.control('POST', `/_control/${what}`, body)) as { id: string }).id;
const closeReview = (id: string, reason?: string) =>
  world.control('POST', `/_control/reviews/${id}/close`, { reason });

/** Delivers all of the provider's notices about the signal, twice and newest first. */
async function deliverAll(id: string): Promise<void> {
  const events = (await eventsOf(world, id)).reverse();
  for (const event of [...events, ...events]) await deliver(world, event);
  await readAll(world);
  await readAll(world);
}

const detailsOf = async (paymentId: string): Promise<PaymentDetails> => {
  const query = { page: 1, limit: 20, sortField: 'createdAt', sortDirection: 'DESC' } as const;
  const answer = await operations.getPaymentDetails(
    { ...query, paymentId },
    callerOf(world.token),
    world.ports,
    refuse,
  );
  if (!('body' in answer)) throw new Error('details have a body');
  return answer.body;
};

const findEvents = sql<{ payload: string }>(
  'test_signal_events',
  'select payload from events where resource_id = $1 order by sequence',
);
async function toldOf(id: string | undefined): Promise<Event[]> {
  const rows = await world.database.read(findEvents, [id]);
  const events = rows.map(({ payload }) => JSON.parse(payload) as Event);
  for (const event of events) expect(violationsOf(event)).toEqual([]);
  return events;
}
const typesOf = async (id: string | undefined) => (await toldOf(id)).map(({ type }) => type);

async function listed(kind: 'warning' | 'review'): Promise<string[]> {
  const query = { page: 1, limit: 100, sortField: 'createdAt', sortDirection: 'DESC' } as const;
  const filters = [{ field: 'fraudSignal', op: 'eq', values: [kind] }] as const;
  const answer = await operations.listPayments(
    { ...query, filters },
    callerOf(world.token),
    world.ports,
    refuse,
  );
  if (!('body' in answer)) throw new Error('a list has a body');
  return answer.body.data.map(({ id }) => id);
}

describe('a warning of fraud', () => {
  it('Contract §7 payment.fraud_warning: told once, however often and in which order the notices come', async () => {
    const { paymentId, intent } = await aPurchase(world);
    const there = await raise('fraud-warnings', { intent, fraudType: 'misc' });
    await deliverAll(there);
    const [warning, ...more] = (await detailsOf(paymentId)).fraudWarnings;
    expect(more).toEqual([]);
    expect(warning).toMatchObject({
      ...{ paymentId, providerWarningId: there, fraudType: 'misc', isActionable: true },
      ...{ clientId: world.client.id, livemode: false, version: 0 },
    });
    expect((await toldOf(warning?.id)).map(({ type, data }) => [type, data.object])).toEqual([
      ['payment.fraud_warning', warning],
    ]);
    expect(await listed('warning')).toContain(paymentId);
    await aRefund(world, paymentId);
    await deliverAll(there);
    const [ended] = (await detailsOf(paymentId)).fraudWarnings;
    expect(ended).toMatchObject({ id: warning?.id, isActionable: false, version: 1 });
    expect(await typesOf(warning?.id)).toEqual(['payment.fraud_warning']);
    expect(await listed('warning')).not.toContain(paymentId);
  });

  it('needs nobody once the payment is refunded or disputed, even while the provider’s word lags', async () => {
    const [refunded, disputed] = [await aPurchase(world), await aPurchase(world)];
    const warnings = [];
    for (const { intent } of [refunded, disputed]) {
      warnings.push(await raise('fraud-warnings', { intent }));
    }
    for (const id of warnings) await deliverAll(id);
    expect(await listed('warning')).toEqual(
      expect.arrayContaining([refunded.paymentId, disputed.paymentId]),
    );
    await aRefund(world, refunded.paymentId);
    await deliverDisputeEvents(world, await dispute(world, disputed.intent));
    // The provider's notices about the warnings have not come.
    for (const { paymentId } of [refunded, disputed]) {
      expect((await detailsOf(paymentId)).fraudWarnings[0]?.isActionable).toBe(true);
      expect(await listed('warning')).not.toContain(paymentId);
    }
  });

  it('of a payment that is disputed already is stored, and listed nowhere', async () => {
    const { paymentId, intent } = await aPurchase(world);
    await deliverDisputeEvents(world, await dispute(world, intent));
    await deliverAll(await raise('fraud-warnings', { intent }));
    expect((await detailsOf(paymentId)).fraudWarnings).toMatchObject([{ isActionable: false }]);
    expect(await listed('warning')).not.toContain(paymentId);
  });

  it('is found without its notice in the provider’s list', async () => {
    const { paymentId, intent } = await aPurchase(world);
    await raise('fraud-warnings', { intent });
    await listLostNotices(world.ports, { onError: (_, error) => expect.fail(String(error)) });
    await readAll(world);
    expect((await detailsOf(paymentId)).fraudWarnings).toHaveLength(1);
  });

  it('is not brought back by an older copy of it; after a failed refund it may be', async () => {
    const { paymentId, intent } = await aPurchase(world);
    const there = await raise('fraud-warnings', { intent });
    await aRefund(world, paymentId);
    await deliverAll(there);
    const said = {
      ...{ kind: 'warning' as const, signalId: there, intentId: intent, closedReason: null },
      ...{ reason: 'made_with_stolen_card', isOpen: true, raisedAt: new Date() },
    };
    const word = { clientId: world.client.id, purchaseId: paymentId, said, mayLag: false };
    const isActionable = async () => (await detailsOf(paymentId)).fraudWarnings[0]?.isActionable;
    expect(await settleSignal({ ...word, askedAt: new Date(0) }, world.ports)).toBe('behind');
    const askedAt = new Date(Date.now() + 3_600_000);
    expect(await settleSignal({ ...word, askedAt, mayLag: true }, world.ports)).toBe('behind');
    expect(await isActionable()).toBe(false);
    expect(await settleSignal({ ...word, askedAt }, world.ports)).toBe('settled');
    expect(await isActionable()).toBe(true);
  });
});

describe('a review', () => {
  it('Contract §7 payment.review_opened · Contract §7 payment.review_closed: each told once, and how it ended', async () => {
    const { paymentId, intent } = await aPurchase(world);
    const there = await raise('reviews', { intent });
    await deliverAll(there);
    const reviewOf = async () => (await detailsOf(paymentId)).reviews;
    const [review] = await reviewOf();
    expect(review).toMatchObject({
      ...{ paymentId, providerReviewId: there, isOpen: true },
      ...{ openedReason: 'rule', closedReason: null, version: 0 },
    });
    expect(await listed('review')).toContain(paymentId);
    await closeReview(there, 'approved');
    await deliverAll(there);
    const closed = { ...review, isOpen: false, closedReason: 'approved', version: 1 };
    expect(await reviewOf()).toMatchObject([{ ...closed, updatedAt: expect.any(String) }]);
    expect(await typesOf(review?.id)).toEqual(['payment.review_opened', 'payment.review_closed']);
    expect(await listed('review')).not.toContain(paymentId);
  });

  it('that ended before anybody heard of it is opened and closed', async () => {
    const { paymentId, intent } = await aPurchase(world);
    const there = await raise('reviews', { intent, openedReason: 'manual' });
    await closeReview(there, 'acknowledged');
    const closing = (await eventsOf(world, there)).at(-1);
    if (!closing) throw new Error('a closed review was told of');
    await deliver(world, closing);
    await readAll(world);
    const [review] = (await detailsOf(paymentId)).reviews;
    expect(review).toMatchObject({ closedReason: 'acknowledged', openedReason: 'manual' });
    expect((await toldOf(review?.id)).map(({ type, sequence }) => [type, sequence])).toEqual([
      ['payment.review_opened', 1],
      ['payment.review_closed', 2],
    ]);
  });
});

const change = (what: string) =>
  sql(
    `test_signal_${what.length}`,
    `update fraud_signals set ${what} where provider_signal_id = $1`,
  );

describe('the database', () => {
  it.each([
    ['ends without an event', "is_open = false, closed_reason = 'approved'"],
    ['has an end while it is open', "closed_reason = 'approved'"],
    ['is of another kind', "kind = 'warning'"],
    ['counts an event that is not there', 'event_seq = event_seq + 1'],
  ])('refuses a review that %s', async (_, what) => {
    const { intent } = await aPurchase(world);
    const there = await raise('reviews', { intent });
    await deliverAll(there);
    const changed = world.database.write(change(what), [there]);
    await expect(changed).rejects.toMatchObject({ code: expect.stringMatching(/^23/) });
  });
});

describe('a notice about a charge that is no payment of ours', () => {
  it('is closed after a day and stores nothing, also where it names another payment', async () => {
    const [mine, other] = [await aPurchase(world), await aPurchase(world)];
    const there = await raise('fraud-warnings', { intent: mine.intent });
    const [event] = await eventsOf(world, there);
    if (!event) throw new Error('a warning was told of');
    const about = (id: string, intent: string) => ({
      ...{ ...event, id },
      data: { object: { ...event.data.object, payment_intent: intent } },
    });
    await deliver(world, about('evt_foreign_warning', 'pi_of_other_software'));
    await deliver(world, about('evt_of_another', other.intent));
    await readAll(world);
    const outcomeOf = async (id: string) => (await outcomes(world)).get(id);
    expect(await outcomeOf('evt_foreign_warning')).toBeNull();
    expect(await outcomeOf('evt_of_another')).toBe('not_ours');
    await advance(world, 86_401);
    await readAll(world);
    expect(await outcomeOf('evt_foreign_warning')).toBe('unknown_object');
    for (const { paymentId } of [mine, other]) {
      expect((await detailsOf(paymentId)).fraudWarnings).toEqual([]);
    }
  });
});
