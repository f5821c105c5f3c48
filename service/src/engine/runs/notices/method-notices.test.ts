// Saved cards that change or end at the provider: any number and order of notices ends in the provider's
// state, told once. Contract §5. docs/decisions/saved-cards.md.

import type { Event } from '@svc/contract/events/events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { methodEvents, methodRow } from '../../../../test/customers/detachments.ts';
import { aSavedCard, payBy, vouchedSession } from '../../../../test/customers/saved-cards.ts';
import {
  aClub,
  advanceToRenewal,
  endAll,
  nowOf,
  renewAll,
  renewalsOf,
  subscriptionOf,
} from '../../../../test/customers/subscriptions.ts';
import { callerOf } from '../../../../test/harness.ts';
import { runRecovery } from '../../../../test/payments/checkouts.ts';
import { deliver, eventsOf, outcomes, readAll } from '../../../../test/payments/disputes.ts';
import { providerEvents } from '../../../../test/payments/notices.ts';
import { advance } from '../../../../test/payments/planted.ts';
import { startWorld, type World } from '../../../../test/world.ts';
import { operations } from '../../../operations/index.ts';
import { sql } from '../../../storage/database/sql.ts';
import { findPayment } from '../../../storage/payments/payments.ts';
import { refuse } from '../../implement.ts';
import { mailBuyers } from '../buyer-mails/mail-buyers.ts';
import { listLostNotices } from './list-lost-notices.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const providerIdOf = async (methodId: string): Promise<string> =>
  String((await methodRow(world, methodId)).provider_payment_method_id);

const control = (id: string, what: 'renew' | 'detach', body: object = {}) =>
  world.control('POST', `/_control/payment-methods/${id}/${what}`, body);

/** Delivers all of the provider's notices about the card, twice and newest first. */
async function deliverAll(id: string): Promise<void> {
  const events = (await eventsOf(world, id)).reverse();
  for (const event of [...events, ...events]) await deliver(world, event);
  await readAll(world);
  await readAll(world);
}

const toldOf = async (methodId: string, type: string): Promise<Event[]> =>
  (await methodEvents(world, methodId)).filter((event) => event.type === type);

async function readOverview() {
  const answer = await operations.getOverview({}, callerOf(world.token), world.ports, refuse);
  if (!('body' in answer)) throw new Error('an overview has a body');
  return answer.body;
}

const facts = sql<{ subject_id: string; kind: string }>(
  'test_card_facts',
  `select subject_id, kind from notification_facts where kind = 'card_removed' and stage = $1`,
);

describe('a card that its network renewed', () => {
  it('Contract §7 payment_method.updated: told once, however often and in which order the notices come', async () => {
    const { userId } = await vouchedSession(world);
    const { id } = await aSavedCard(world, { userId });
    const there = await providerIdOf(id);
    await control(there, 'renew', { expMonth: 3, expYear: 2036 });
    await control(there, 'renew', { expMonth: 4, expYear: 2039, last4: '0077' });
    await deliverAll(there);
    expect(await methodRow(world, id)).toMatchObject({
      ...{ brand: 'visa', last_four: '0077', expiry_month: 4, expiry_year: 2039 },
    });
    const [told, ...more] = await toldOf(id, 'payment_method.updated');
    expect(more).toEqual([]);
    expect(told?.data).toMatchObject({
      object: { id, status: 'active', userId, lastFour: '0077', expiryMonth: 4, expiryYear: 2039 },
      previousAttributes: { lastFour: '4242', expiryMonth: 12, expiryYear: 2034 },
    });
    await deliverAll(there);
    expect(await toldOf(id, 'payment_method.updated')).toHaveLength(1);
  });

  it('is found without its notice: in the provider’s list, by a charge, before a mail', async () => {
    await endAll(world);
    const club = await aClub(world);
    const there = await providerIdOf(club.methodId);
    const yearOf = async () => (await methodRow(world, club.methodId)).expiry_year;
    await control(there, 'renew', { expYear: 2041 });
    await listLostNotices(world.ports, { onError: (_, error) => expect.fail(String(error)) });
    await readAll(world);
    expect(await yearOf()).toBe(2041);

    // A charge shows another date than is stored: the provider is asked.
    await control(there, 'renew', { expYear: 2042 });
    await advanceToRenewal(world, club.id);
    await renewAll(world);
    expect((await renewalsOf(world, club.id)).at(-1)?.status).toBe('succeeded');
    await readAll(world);
    expect(await yearOf()).toBe(2042);
  });

  it('is not mailed as expiring; one that was not renewed is', async () => {
    await endAll(world);
    const [renewed, other] = [await aClub(world), await aClub(world)];
    await world.database.write(switchOn, [world.client.id]);
    const now = await nowOf(world);
    const thisMonth = { expMonth: now.getUTCMonth() + 1, expYear: now.getUTCFullYear() };
    for (const { methodId } of [renewed, other]) {
      await control(await providerIdOf(methodId), 'renew', thisMonth);
      await deliverAll(await providerIdOf(methodId));
    }
    const countTold = async () => (await toldOf(renewed.methodId, 'payment_method.updated')).length;
    expect(await countTold()).toBe(1);
    await control(await providerIdOf(renewed.methodId), 'renew', { expYear: 2045 });
    const onError = (_: unknown, error: unknown) => {
      throw error;
    };
    await mailBuyers(world.ports, { onError });
    expect(await world.database.read(mailed, [world.client.id])).toEqual([
      { subject_id: other.methodId },
    ]);
    expect(await countTold()).toBe(2);
  });
});

const switchOn = sql(
  'test_card_mails_on',
  `with client as (update clients set buyer_mails = jsonb_build_object('cardExpires', svc_clock())
     where id = $1)
   insert into buyer_mail_cursors (client_id, event_id, cards_looked_at)
   values ($1, '00000000-0000-0000-0000-000000000000', '-infinity')
   on conflict (client_id) do update set cards_looked_at = '-infinity'`,
);
const mailed = sql<{ subject_id: string }>(
  'test_card_mails',
  `select subject_id from automatic_mails where client_id = $1 and kind = 'cardExpires'`,
);

describe('a card that was detached at the provider', () => {
  it('is gone here, and what it paid for is named: no other card pays it', async () => {
    await endAll(world);
    const club = await aClub(world);
    const there = await providerIdOf(club.methodId);
    const before = (await readOverview()).unfundedSubscriptions.total;
    await control(there, 'detach');
    await deliverAll(there);
    expect(await methodRow(world, club.methodId)).toMatchObject({
      ...{ status: 'removed', removed_by: 'provider', last_four: null },
    });
    const told = await toldOf(club.methodId, 'payment_method.deleted');
    expect(told.map(({ data }) => data.object)).toMatchObject([
      { removedBy: 'provider', subscriptionIds: [club.id], subscriptionCount: 1 },
    ]);
    expect((await subscriptionOf(world, club.id)).paymentMethodId).toBeNull();
    const { unfundedSubscriptions } = await readOverview();
    expect(unfundedSubscriptions.total).toBe(before + 1);
    expect(unfundedSubscriptions.data.map(({ id }) => id)).toContain(club.id);
    expect(await world.database.read(facts, [club.methodId])).toEqual([
      { subject_id: club.id, kind: 'card_removed' },
    ]);
    // The next card that the customer saves pays the next period.
    const { id: newCard } = await aSavedCard(world, { userId: club.userId });
    await advanceToRenewal(world, club.id);
    await renewAll(world);
    expect((await subscriptionOf(world, club.id)).paymentMethodId).toBe(newCard);
    expect((await renewalsOf(world, club.id)).at(-1)?.status).toBe('succeeded');
  });

  it('hands what it paid for to the customer’s other card', async () => {
    await endAll(world);
    const club = await aClub(world);
    const there = await providerIdOf(club.methodId);
    const { id: other } = await aSavedCard(world, { userId: club.userId });
    await control(there, 'detach');
    await deliverAll(there);
    expect((await subscriptionOf(world, club.id)).paymentMethodId).toBe(other);
    const [moved] = await toldOf(club.methodId, 'payment_method.replaced');
    expect(moved?.data.object).toMatchObject({
      ...{ replacedBy: other, subscriptionIds: [club.id], isDefaultMoved: true },
    });
    const [gone] = await toldOf(club.methodId, 'payment_method.deleted');
    expect(gone?.data.object).toMatchObject({ removedBy: 'provider', subscriptionIds: [] });
    expect(await world.database.read(facts, [club.methodId])).toHaveLength(1);
  });

  it('waits for a payment with it that has not ended', async () => {
    const session = await vouchedSession(world);
    const { id } = await aSavedCard(world, {
      ...{ userId: session.userId, number: '4000002760003184' },
    });
    const there = await providerIdOf(id);
    const paid = await payBy(world, session, { paymentMethodId: id });
    const { paymentId } = (paid as { body: { paymentId: string } }).body;
    const payment = await findPayment(world.database, world.client.id, paymentId);
    const intent = payment?.providerIntentId ?? '';
    await control(there, 'detach');
    await deliverAll(there);
    expect((await methodRow(world, id)).status).toBe('active');
    await world.control('POST', `/_control/intents/${intent}/cancel`);
    for (const event of await providerEvents(world, intent)) await deliver(world, event);
    await readAll(world);
    await runRecovery(world);
    await readAll(world);
    expect((await methodRow(world, id)).status).toBe('removed');
  });

  it('a notice about a card of other software is closed after a minute', async () => {
    const { userId } = await vouchedSession(world);
    const { id } = await aSavedCard(world, { userId });
    const [event] = await eventsOf(world, await providerIdOf(id));
    if (!event) throw new Error('an attached card was told of');
    const foreign = {
      ...event,
      id: 'evt_foreign_card',
      type: 'payment_method.updated',
      data: { object: { ...event.data.object, id: 'pm_of_other_software' } },
    };
    await deliver(world, foreign);
    await readAll(world);
    expect((await outcomes(world)).get('evt_foreign_card')).toBeNull();
    await advance(world, 61);
    await readAll(world);
    expect((await outcomes(world)).get('evt_foreign_card')).toBe('unknown_object');
  });
});
