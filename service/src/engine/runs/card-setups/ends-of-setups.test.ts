// How set-ups end without their page: by the provider's notices, and with the session's time.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { vouchedSession } from '../../../../test/customers/saved-cards.ts';
import {
  aChallengedSetup,
  aSetupSession,
  confirmSetupInPage,
  expectSaved,
  methodsOf,
  openSetupIntent,
  recoverSetups,
  setupsOf,
  submitCard,
} from '../../../../test/customers/setups.ts';
import { moveClock } from '../../../../test/harness.ts';
import {
  answerChallenge,
  decline,
  eventsOf,
  expireNow,
  paymentsOf,
  readState,
} from '../../../../test/payments/checkouts.ts';
import {
  deliverNotice,
  noticeState,
  providerEvents,
  readAllNotices,
} from '../../../../test/payments/notices.ts';
import {
  aSession,
  type Checkout,
  cards,
  pay,
  startWorld,
  type World,
} from '../../../../test/world.ts';
import { expireSessions } from '../checkout-sessions/expire-sessions.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());
afterEach(() => world.control('DELETE', '/_control/faults'));

const code = (name: string) => expect.objectContaining({ code: name });

const sweep = (limit = 50) =>
  expireSessions(world.ports, {
    limit,
    onError: (_, error) => {
      throw error;
    },
  });

describe('readNotices about a set-up', () => {
  it('approved and never told by the page: the notice settles it, doubled and out of order too', async () => {
    const { session, again, url } = await aChallengedSetup(world);
    const [setup] = await setupsOf(world, session);
    await answerChallenge(url, 'approve');
    const events = await providerEvents(world, setup?.provider_setup_id ?? '');
    expect(events.map(({ type }) => type)).toEqual([
      'setup_intent.created',
      'setup_intent.requires_action',
      'setup_intent.succeeded',
    ]);
    for (const event of [...events].reverse()) {
      expect(await deliverNotice(world, event)).toBe('stored');
      expect(await deliverNotice(world, event)).toBe('duplicate');
      await readAllNotices(world);
    }
    await expectSaved(world, session);
    for (const { id } of events)
      expect(await noticeState(world, id)).toMatchObject({ is_read: true });
    expect(await again()).toMatchObject({ type: 'success' });
  });

  it('read from a copy that lags: its notice waits, and the next reading saves the card', async () => {
    const { session, url } = await aChallengedSetup(world);
    const [setup] = await setupsOf(world, session);
    await answerChallenge(url, 'approve');
    await world.fault({ method: 'GET' }, 'stale_read', { count: 9 });
    const events = await providerEvents(world, setup?.provider_setup_id ?? '');
    for (const event of events) await deliverNotice(world, event);
    await readAllNotices(world);
    expect(await readState(world, session)).toMatchObject({ status: 'requires_action' });
    await world.control('DELETE', '/_control/faults');
    await readAllNotices(world);
    await expectSaved(world, session);
    for (const { id } of events)
      expect(await noticeState(world, id)).toMatchObject({ is_read: true });
  });

  it('what a notice says is never believed: the provider is read', async () => {
    const { session } = await aChallengedSetup(world);
    const [setup] = await setupsOf(world, session);
    const [created] = await providerEvents(world, setup?.provider_setup_id ?? '');
    await deliverNotice(world, {
      ...created,
      id: `evt_forged_${Date.now()}`,
      type: 'setup_intent.succeeded',
    });
    await readAllNotices(world);
    expect(await methodsOf(world, session)).toMatchObject([{ status: 'pending' }]);
    expect(await readState(world, session)).toMatchObject({ status: 'requires_action' });
  });

  it('a page-confirmed one is settled by its notice', async () => {
    const session = await aSetupSession(world);
    const intent = await openSetupIntent(world, session);
    await confirmSetupInPage(world, intent);
    for (const event of await providerEvents(world, intent.setupIntentId)) {
      await deliverNotice(world, event);
    }
    await readAllNotices(world);
    await expectSaved(world, session);
  });

  it('one about a set-up that is not stored yet is kept for later', async () => {
    const id = `evt_early_${Date.now()}`;
    await deliverNotice(world, {
      id,
      object: 'event',
      type: 'setup_intent.succeeded',
      created: Math.floor(Date.now() / 1000),
      livemode: false,
      data: { object: { id: 'seti_unknown', object: 'setup_intent' } },
    });
    await readAllNotices(world);
    expect(await noticeState(world, id)).toMatchObject({ is_read: false });
  });
});

/** Creates an expired session of a payment whose page's set-up could not be read. */
async function inDoubtBesidePayment(number?: string): Promise<Checkout> {
  const session = await vouchedSession(world);
  await openSetupIntent(world, session);
  if (number) await pay(world, session, number);
  await world.fault({ path: '/v1/setup_intents' }, 'error_503_unrecorded', { count: 20 });
  await recoverSetups(world);
  await world.control('DELETE', '/_control/faults');
  expect(await setupsOf(world, session)).toMatchObject([{ state: 'in_doubt' }]);
  await expireNow(world, session);
  return session;
}

describe('expireSessions with set-ups', () => {
  it('an open challenge is closed at the provider first, then the session expires', async () => {
    const { session, url } = await aChallengedSetup(world);
    await expireNow(world, session);
    await sweep();
    expect(await readState(world, session)).toMatchObject({
      status: 'expired',
      paymentMethodId: null,
      latestTransactionAttempt: { result: 'CANCELED', declineCode: 'authentication_abandoned' },
    });
    await expect(answerChallenge(url, 'approve')).rejects.toThrow('409');
    expect(await eventsOf(world, session.sessionId)).toEqual(['checkout.session.expired']);
  });

  it('approved at the last moment: saved, and never expired', async () => {
    const { session, url } = await aChallengedSetup(world);
    await expireNow(world, session);
    await answerChallenge(url, 'approve');
    await sweep();
    await expectSaved(world, session);
    await sweep();
    await expectSaved(world, session);
  });

  it('the provider cannot be reached: the session stays until it can', async () => {
    const { session } = await aChallengedSetup(world);
    await expireNow(world, session);
    await world.fault({ path: '/v1/setup_intents' }, 'error_503_unrecorded', { count: 20 });
    await sweep();
    expect(await readState(world, session)).toMatchObject({ status: 'processing' });
    await world.control('DELETE', '/_control/faults');
    await recoverSetups(world);
    await sweep();
    expect(await readState(world, session)).toMatchObject({ status: 'expired' });
  });

  it('in doubt beside a payment: nobody else is kept from expiring, and the session goes once it is known', async () => {
    const session = await inDoubtBesidePayment();
    const other = await aSession(world);
    await expireNow(world, other);
    await sweep(1);
    expect(await eventsOf(world, other.sessionId)).toEqual(['checkout.session.expired']);
    expect(await eventsOf(world, session.sessionId)).toEqual([]);
    await recoverSetups(world);
    await sweep();
    expect(await eventsOf(world, session.sessionId)).toEqual(['checkout.session.expired']);
  });

  it('in doubt beside a challenge: that is closed all the same', async () => {
    const session = await inDoubtBesidePayment(cards.needs3ds);
    await sweep();
    expect(await paymentsOf(world, session)).toMatchObject([{ status: 'failed' }]);
    expect(await eventsOf(world, session.sessionId)).toEqual([]);
    await recoverSetups(world);
    await sweep();
    expect(await eventsOf(world, session.sessionId)).toEqual(['checkout.session.expired']);
  });

  it('Contract §5 pending: a pending card is listed for an hour after its session ended, then it is gone', async () => {
    const [ended, saved] = [await aSetupSession(world), await aSetupSession(world)];
    await expect(submitCard(world, ended, cards.declined)).rejects.toEqual(code('card_declined'));
    await decline(world, ended);
    await submitCard(world, saved);
    await moveClock(world.database, 59 * 60_000);
    await sweep();
    expect(await methodsOf(world, ended)).toMatchObject([{ status: 'pending' }]);
    await moveClock(world.database, 2 * 60_000);
    await sweep();
    expect(await methodsOf(world, ended)).toEqual([]);
    expect(await methodsOf(world, saved)).toMatchObject([{ status: 'active' }]);
  });
});
