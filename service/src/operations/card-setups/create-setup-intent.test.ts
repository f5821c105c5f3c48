// The one setup intent of a session, which the buyer's page confirms. Spec: setup-intents. Contract §3.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { vouchedSession } from '../../../test/customers/saved-cards.ts';
import {
  ageSetups,
  aSetupSession,
  confirmSetupInPage,
  methodsOf,
  openSetupIntent,
  recoverSetups,
  setupsOf,
  submitCard,
} from '../../../test/customers/setups.ts';
import { aCustomer, callerOf } from '../../../test/harness.ts';
import {
  answerChallenge,
  aShell,
  claim,
  decline,
  eventsOf,
  expireNow,
  readState,
} from '../../../test/payments/checkouts.ts';
import { deliverNotice, providerEvents, readAllNotices } from '../../../test/payments/notices.ts';
import {
  aSession,
  type Checkout,
  cards,
  pay,
  startWorld,
  type World,
} from '../../../test/world.ts';
import { refuse } from '../../engine/implement.ts';
import type { Ports } from '../../engine/ports.ts';
import { contractLimits } from '../../http/limits/limits.ts';
import { sql } from '../../storage/database/sql.ts';
import { operations } from '../index.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const code = (name: string) => expect.objectContaining({ code: name });

/** Gives the session's set-up to another process, which holds it for so long. */
const lease = sql(
  'test_setup_lease',
  `update card_setups set state = 'active', lease_owner = gen_random_uuid(),
     lease_until = svc_clock() + $2::interval where session_id = $1`,
);

describe('createSetupIntent', () => {
  it.each(['card', 'google_pay', 'apple_pay', 'wallet_express_checkout'] as const)(
    'Spec 4.1.7 · 200 for %s: what the page’s own provider code needs, and one pending method',
    async (paymentMethodType) => {
      const session = await vouchedSession(world);
      const intent = await openSetupIntent(world, session, { paymentMethodType });
      expect(intent).toEqual({
        setupIntentId: expect.stringMatching(/^seti_/),
        clientSecret: expect.stringContaining('_secret_'),
        provider: 'cardprovider',
        publishableKey: world.account.publishableKey,
        status: 'requires_payment_method',
      });
      const type = paymentMethodType === 'wallet_express_checkout' ? 'card' : paymentMethodType;
      expect(await methodsOf(world, session)).toMatchObject([{ status: 'pending', type }]);
    },
  );

  it('Contract §3 setup intents: one open per session: again, in parallel and for another type, the same one', async () => {
    const session = await aSetupSession(world);
    const intents = await Promise.all([
      ...Array.from({ length: 5 }, () => openSetupIntent(world, session)),
      openSetupIntent(world, session, { paymentMethodType: 'apple_pay' }),
    ]);
    expect(new Set(intents.map(({ clientSecret }) => clientSecret)).size).toBe(1);
    expect(await setupsOf(world, session)).toHaveLength(1);
    expect(await methodsOf(world, session)).toHaveLength(1);
    expect(await readState(world, session)).toMatchObject({ status: 'requires_action' });
  });

  it('the page confirms: active on the provider’s word, found by the worker without any notice', async () => {
    const session = await aSetupSession(world);
    const intent = await openSetupIntent(world, session);
    expect(await confirmSetupInPage(world, intent)).toEqual({ status: 'succeeded' });
    // The provider has verified the card, but we have not read that yet.
    expect(await methodsOf(world, session)).toMatchObject([{ status: 'pending' }]);
    await recoverSetups(world);
    const [method] = await methodsOf(world, session);
    expect(method).toMatchObject({ status: 'active', last_four: '4242' });
    expect(await readState(world, session)).toMatchObject({
      status: 'completed',
      paymentMethodId: method?.id,
    });
    await expect(openSetupIntent(world, session)).rejects.toEqual(
      code('checkout_session_completed'),
    );
  });

  it('beside a payment: a method of its own, and neither disturbs the other', async () => {
    const session = await vouchedSession(world);
    const intent = await openSetupIntent(world, session);
    expect(await readState(world, session)).toMatchObject({
      status: 'open',
      paymentMethodId: null,
    });
    expect(await pay(world, session)).toMatchObject({ body: { type: 'success' } });
    await confirmSetupInPage(world, intent, '5555555555554444');
    await recoverSetups(world);
    const methods = await methodsOf(world, session);
    expect(methods).toMatchObject([{ status: 'active', brand: 'mastercard' }]);
    expect(await readState(world, session)).toMatchObject({ status: 'completed' });
    expect(await eventsOf(world, session.sessionId)).toEqual(['checkout.session.completed']);
  });

  it('beside a payment that is still open: again it says that it succeeded', async () => {
    const session = await vouchedSession(world);
    const intent = await openSetupIntent(world, session);
    await confirmSetupInPage(world, intent);
    expect(await openSetupIntent(world, session)).toEqual({ ...intent, status: 'succeeded' });
    const next = await openSetupIntent(world, session);
    expect(next.setupIntentId).not.toBe(intent.setupIntentId);
  });

  it('a bank that asks is told as requires_action', async () => {
    const session = await aSetupSession(world);
    const intent = await openSetupIntent(world, session);
    const { url } = await confirmSetupInPage(world, intent, cards.needs3ds);
    expect(await openSetupIntent(world, session)).toMatchObject({ status: 'requires_action' });
    await answerChallenge(url ?? '', 'approve');
    await recoverSetups(world);
    expect(await readState(world, session)).toMatchObject({ status: 'completed' });
  });

  it('a card declined in the page leaves it open for another one', async () => {
    const session = await aSetupSession(world);
    const intent = await openSetupIntent(world, session);
    expect(await confirmSetupInPage(world, intent, cards.declined)).toEqual({
      code: 'card_declined',
    });
    await recoverSetups(world);
    expect(await openSetupIntent(world, session)).toEqual(intent);
    await confirmSetupInPage(world, intent);
    await recoverSetups(world);
    expect(await methodsOf(world, session)).toMatchObject([{ status: 'active' }]);
  });

  it('cards declined in the page count by their notices, and the limit closes it', async () => {
    const session = await aSetupSession(world);
    const intent = await openSetupIntent(world, session);
    const attemptLimits = {
      processPerMinute: 100,
      processPerHour: 100,
      processPauseMinutes: 30,
      sessionDeclines: 2,
      setupsPerHour: 10,
      tokensPerHour: 60,
    };
    const ports: Ports = {
      ...world.ports,
      settings: { ...world.ports.settings, attemptLimits },
    };
    for (let n = 0; n < 2; n += 1) await confirmSetupInPage(world, intent, cards.declined);
    for (const event of await providerEvents(world, intent.setupIntentId)) {
      await deliverNotice(world, event);
    }
    await recoverSetups(world, ports);
    expect(await setupsOf(world, session)).toMatchObject([{ failure_code: 'declined' }]);
    expect(await confirmSetupInPage(world, intent)).toMatchObject({
      code: 'setup_intent_unexpected_state',
    });
    await expect(openSetupIntent(world, session, {}, { ports })).rejects.toEqual(
      code('rate_limited'),
    );
    await readAllNotices(world);
  });

  it('the notice of the last decline closes it while a process looks at it', async () => {
    const session = await aSetupSession(world);
    const intent = await openSetupIntent(world, session);
    const attemptLimits = { ...contractLimits, sessionDeclines: 2 };
    const settings = { ...world.ports.settings, attemptLimits };
    const ports: Ports = { ...world.ports, settings };
    await world.database.write(lease, [session.sessionId, '1 hour']);
    const judged = [];
    for (let n = 0; n < 5; n += 1) {
      judged.push(await confirmSetupInPage(world, intent, cards.declined));
      for (const event of await providerEvents(world, intent.setupIntentId)) {
        await deliverNotice(world, event);
      }
      await readAllNotices({ ...world, ports });
    }
    expect(judged.filter((said) => 'code' in said && said.code === 'card_declined')).toHaveLength(
      2,
    );
    await world.database.write(lease, [session.sessionId, '-1 second']);
    await recoverSetups(world, ports);
    expect(await setupsOf(world, session)).toMatchObject([{ failure_code: 'declined' }]);
    await readAllNotices(world);
  });

  it('one declined in the page counts before its notice: at the repeat, and where a card takes over', async () => {
    const attemptLimits = { ...contractLimits, sessionDeclines: 1 };
    const ports: Ports = {
      ...world.ports,
      settings: { ...world.ports.settings, attemptLimits },
    };
    const [repeated, replaced] = [await aSetupSession(world), await aSetupSession(world)];
    for (const session of [repeated, replaced]) {
      await confirmSetupInPage(world, await openSetupIntent(world, session), cards.declined);
    }
    await expect(openSetupIntent(world, repeated, {}, { ports })).rejects.toEqual(
      code('rate_limited'),
    );
    await expect(submitCard(world, replaced, cards.approved, { ports })).rejects.toEqual(
      code('rate_limited'),
    );
    expect(await setupsOf(world, replaced)).toMatchObject([{ failure_code: 'declined' }]);
    await readAllNotices(world);
  });

  it('429 rate_limited: ten in an hour for one customer, beside payments and by themselves together', async () => {
    const attemptLimits = { ...contractLimits };
    const ports: Ports = {
      ...world.ports,
      settings: { ...world.ports.settings, attemptLimits },
    };
    const { id: userId } = await aCustomer(world.database, world.client);
    await aSetupSession(world, { userId });
    const sessions = await Promise.all(
      Array.from({ length: 12 }, () => vouchedSession(world, { userId })),
    );
    const openIntent = (session: Checkout) => openSetupIntent(world, session, {}, { ports });
    const settled = await Promise.allSettled(sessions.map(openIntent));
    const refused = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(refused).toHaveLength(3);
    for (const reason of refused) {
      expect(reason).toMatchObject({ code: 'rate_limited' });
      expect(reason.facts.retryAfter).toBeGreaterThan(3500);
    }
    // An open session returns the same intent again, and failed set-ups still count.
    const [first] = sessions.filter((_, index) => settled[index]?.status === 'fulfilled');
    if (!first) throw new Error('nine are open');
    await openIntent(first);
    await decline(world, first);
    const create = operations.createSetupSession(
      { body: { userId } },
      callerOf(world.token),
      ports,
      refuse,
    );
    await expect(create).rejects.toEqual(code('rate_limited'));
    await openIntent(await vouchedSession(world));
  });

  it('an hour unused: closed at the provider; a payment’s session keeps no pending method', async () => {
    const [setup, payment] = [await aSetupSession(world), await vouchedSession(world)];
    const intents = [await openSetupIntent(world, setup), await openSetupIntent(world, payment)];
    await ageSetups(world, setup, 61);
    await ageSetups(world, payment, 61);
    await recoverSetups(world);
    for (const intent of intents) {
      expect(await confirmSetupInPage(world, intent)).toMatchObject({
        code: 'setup_intent_unexpected_state',
      });
    }
    expect(await methodsOf(world, setup)).toMatchObject([{ status: 'pending' }]);
    expect(await methodsOf(world, payment)).toEqual([]);
  });

  it('canceling the checkout closes its setup intent too', async () => {
    const session = await vouchedSession(world);
    const intent = await openSetupIntent(world, session);
    await decline(world, session);
    expect(await confirmSetupInPage(world, intent)).toMatchObject({
      code: 'setup_intent_unexpected_state',
    });
    expect(await readState(world, session)).toMatchObject({ status: 'canceled' });
  });

  it('404 · 409 data_attachment_required · 422 email_mismatch · 403 buyer_not_verified · expired · in progress', async () => {
    const [session, other, over, shell, unvouched] = [
      await vouchedSession(world),
      await vouchedSession(world),
      await vouchedSession(world),
      await aShell(world),
      await aSession(world),
    ];
    await expect(openSetupIntent(world, session, {}, { nonce: other.nonce })).rejects.toEqual(
      code('checkout_session_not_found'),
    );
    await expect(openSetupIntent(world, shell)).rejects.toEqual(
      code('checkout_session_data_attachment_required'),
    );
    await claim(world, shell);
    await expect(openSetupIntent(world, shell)).rejects.toEqual(code('buyer_not_verified'));
    await expect(openSetupIntent(world, session, { email: 'x@y.test' })).rejects.toEqual(
      code('email_mismatch'),
    );
    await expect(openSetupIntent(world, unvouched)).rejects.toEqual(code('buyer_not_verified'));
    await expireNow(world, over);
    await expect(openSetupIntent(world, over)).rejects.toEqual(code('checkout_session_expired'));
    expect(await methodsOf(world, session)).toEqual([]);
  });

  it('502 gateway_unavailable: nothing was opened, and the next call opens one', async () => {
    const session = await vouchedSession(world);
    const match = { path: '/v1/setup_intents$', method: 'POST' };
    await world.fault(match, 'error_503_unrecorded', { count: 2 });
    await expect(openSetupIntent(world, session)).rejects.toEqual(code('gateway_unavailable'));
    expect(await methodsOf(world, session)).toEqual([]);
    expect(await openSetupIntent(world, session)).toMatchObject({
      status: 'requires_payment_method',
    });
  });
});
