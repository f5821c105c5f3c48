// What contract and specification say of saving a card beyond the rows of its states: where the id is
// told, which card comes first, and every code that these calls, the customer's page and the scopes
// give. Spec 3.2. Contract §1, §3.

import { rows } from '@svc/contract';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { aToken, newId } from '../../service/test/harness.ts';
import { recoverSetups } from '../../service/test/setups.ts';
import { cards } from '../../service/test/world.ts';
import { email, type Open, refusal } from './buyer.ts';
import { bodyOf, type CardShop, type Fields, mastercard, openCardShop } from './cardholder.ts';

let shop: CardShop;
beforeAll(async () => {
  shop = await openCardShop();
});
afterEach(() => shop.control('DELETE', '/_control/faults'));
afterAll(() => shop?.close());

const readSavedMethod = async (session: Open) => (await shop.stands(session)).paymentMethodId;
const emailOf = ({ body }: Open) => String((body.accountData as Fields).email);
const intentFor = (session: Open) => shop.setupIntent(session, { email: emailOf(session) });
const confirm = { path: '/v1/setup_intents/*/confirm' };

describe('Saved payment method status', () => {
  it('Spec 3.2.2: a verified card becomes the most recently usable one: the next to take over', async () => {
    const userId = await shop.aBuyer();
    const first = await shop.aCard(userId);
    const subscription = await shop.aClub(first);
    const second = await shop.aCard(userId, mastercard);
    const third = await shop.aCard(userId, cards.needs3ds);
    const offered = bodyOf(await shop.usable(await shop.vouched(userId))).data as Fields[];
    expect(offered.map(({ id }) => id)).toEqual([first.id, third.id, second.id]);
    expect(await shop.remove(first.id)).toMatchObject({ status: 204 });
    expect((await shop.subscription(subscription.id)).paymentMethodId).toBe(third.id);
  });
});

describe('Status of a setup session', () => {
  it('Contract §3 setup status: paymentMethodId is null until the provider has verified the card, and then the id', async () => {
    const session = await shop.aSetup();
    expect(await readSavedMethod(session)).toBeNull();
    await shop.saveCard(session, cards.declined);
    expect(await readSavedMethod(session)).toBeNull();
    const token = await shop.card(session, cards.needs3ds);
    const asked = await shop.handOver(session, token);
    expect(await readSavedMethod(session)).toBeNull();
    await shop.challenge(asked, 'approve');
    expect(await readSavedMethod(session)).toBeNull();
    const { paymentMethodId } = bodyOf(await shop.handOver(session, token));
    expect(await shop.stands(session)).toMatchObject({ status: 'completed', paymentMethodId });
    expect(await shop.method(String(paymentMethodId))).toMatchObject({ status: 'active' });
  });

  it('Contract §3 setup status: null while the outcome is in doubt; the waiting read is answered with the id', async () => {
    const session = await shop.aSetup();
    await shop.fault(confirm, 'timeout_after_commit', { count: 9 });
    await shop.fault({ method: 'GET', path: '/v1/setup_intents' }, 'drop_reply', { count: 99 });
    expect(await shop.saveCard(session)).toMatchObject({
      status: 202,
      body: { type: 'processing', paymentMethodId: null },
    });
    expect(await shop.listed(session.userId)).toMatchObject([{ status: 'pending' }]);
    expect(await readSavedMethod(session)).toBeNull();
    const waiting = shop.status(session, '?wait=10');
    await shop.control('DELETE', '/_control/faults');
    await recoverSetups(shop);
    const [method] = await shop.listed(session.userId);
    expect(method).toMatchObject({ status: 'active' });
    expect((await waiting).body.data).toMatchObject({
      status: 'completed',
      paymentMethodId: method?.id,
    });
  });
});

describe('Setup intents', () => {
  it('Contract §3 setup intents: sessionId, email and paymentMethodType; one open per session; beside a payment too', async () => {
    const session = await shop.aSetup();
    const first = await intentFor(session);
    expect(first).toMatchObject({
      status: 200,
      body: {
        data: {
          setupIntentId: expect.stringMatching(/^seti_/),
          clientSecret: expect.stringContaining('_secret_'),
          provider: 'cardprovider',
          publishableKey: shop.account.publishableKey,
          status: 'requires_payment_method',
        },
      },
    });
    const again = await Promise.all([intentFor(session), intentFor(session), intentFor(session)]);
    expect(again.map(({ body }) => body)).toEqual(Array(3).fill(first.body));
    for (const [more, param] of [
      [{ paymentMethodType: 'sepa' }, 'paymentMethodType'],
      [{ email: 'nobody' }, 'email'],
      [{ amount: 5 }, 'amount'],
    ] as const) {
      const answer = await shop.setupIntent(session, { email: emailOf(session), ...more });
      expect(answer).toMatchObject(refusal(400, 'invalid_request', { param }));
    }
    const paying = await shop.vouched(await shop.aBuyer());
    expect(await shop.setupIntent(paying, { email })).toMatchObject({ status: 200 });
    expect(await shop.payWith(paying, { token: await shop.card(paying) })).toMatchObject({
      status: 200,
    });
  });
});

describe('Contract §1, codes of saving a card', () => {
  it('Contract §1 checkout_session_not_setup: 409 for a card handed over to a session that takes a payment', async () => {
    const session = await shop.vouched(await shop.aBuyer());
    expect(await shop.saveCard(session)).toMatchObject(refusal(409, 'checkout_session_not_setup'));
    expect(await shop.pay(session)).toMatchObject({ status: 200 });
  });

  it('Contract §1 checkout_session_completed, checkout_attempt_in_progress: 409 for another card, and for an intent', async () => {
    const [done, busy] = [await shop.aSetup(), await shop.aSetup()];
    await shop.saveCard(done);
    for (const answer of [await shop.saveCard(done, mastercard), await intentFor(done)]) {
      expect(answer).toMatchObject(refusal(409, 'checkout_session_completed'));
    }
    await shop.fault(confirm, 'timeout_after_commit', { count: 9 });
    await shop.fault({ method: 'GET', path: '/v1/setup_intents' }, 'drop_reply', { count: 99 });
    await shop.saveCard(busy);
    for (const answer of [await shop.saveCard(busy, mastercard), await intentFor(busy)]) {
      expect(answer).toMatchObject(refusal(409, 'checkout_attempt_in_progress'));
    }
  });

  it('Contract §1 checkout_session_expired: 409 for a card and for an intent after the hour', async () => {
    const session = await shop.aSetup();
    const token = await shop.card(session);
    await shop.advance(3600);
    for (const answer of [await shop.handOver(session, token), await intentFor(session)]) {
      expect(answer).toMatchObject(refusal(409, 'checkout_session_expired'));
    }
  });

  it('Contract §1 checkout_session_not_found: 404, the same for a wrong nonce and an unknown session', async () => {
    const session = await shop.aSetup();
    const token = await shop.card(session);
    for (const stranger of [
      { ...session, nonce: 'wrong' },
      { ...session, sessionId: newId() },
    ]) {
      for (const answer of [
        await shop.handOver(stranger, token),
        await intentFor(stranger),
        await shop.usable(stranger),
      ]) {
        expect(answer).toMatchObject(refusal(404, 'checkout_session_not_found'));
      }
    }
    expect(await shop.listed(session.userId)).toMatchObject([{ status: 'pending' }]);
  });

  it('Contract §1 gateway_unavailable: 502 where nothing was verified, the provider out of reach; 409 gateway_not_configured without a gateway', async () => {
    const userId = await shop.aBuyer({ country: 'JP' });
    await shop.plant(`update gateways set countries = '{DE}' where id = $1`, [shop.gatewayId]);
    const { status, body } = await shop
      .createSetup({ userId })
      .finally(() =>
        shop.plant(`update gateways set countries = '{}' where id = $1`, [shop.gatewayId]),
      );
    expect({ status, body }).toMatchObject(refusal(409, 'gateway_not_configured'));
    const session = await shop.aSetup();
    await shop.fault({ method: 'POST', path: '/v1/customers' }, 'drop_request', { count: 9 });
    expect(await shop.saveCard(session)).toMatchObject(refusal(502, 'gateway_unavailable'));
    await shop.control('DELETE', '/_control/faults');
    expect(await shop.saveCard(session)).toMatchObject({ status: 200 });
  });

  it('Contract §1 gateway_outcome_unknown: 502 for an open intent that cannot be read, and for a card that it may still rival', async () => {
    const session = await shop.aSetup();
    const first = await intentFor(session);
    await shop.fault({ method: 'GET', path: '/v1/setup_intents' }, 'drop_reply', { count: 9 });
    expect(await intentFor(session)).toMatchObject(refusal(502, 'gateway_outcome_unknown'));
    await shop.control('DELETE', '/_control/faults');
    expect((await intentFor(session)).body).toEqual(first.body);
    // A card of the form replaces it once it is closed, but not while that is unknown.
    const cancel = '/v1/setup_intents/*/cancel';
    await shop.fault({ path: cancel }, 'timeout_after_commit', { count: 9 });
    await shop.fault({ method: 'GET', path: '/v1/setup_intents' }, 'drop_reply', { count: 9 });
    const token = await shop.card(session);
    expect(await shop.handOver(session, token)).toMatchObject(
      refusal(502, 'gateway_outcome_unknown'),
    );
    expect(await shop.listed(session.userId)).toMatchObject([{ status: 'pending' }]);
    await shop.control('DELETE', '/_control/faults');
    await recoverSetups(shop);
    expect(await shop.handOver(session, token)).toMatchObject({ status: 200 });
  });
});

describe('Contract §1, codes of the customer’s page', () => {
  it('Contract §1 customer_page_token_required, customer_page_not_found: 401 without a token, 404 for a wrong one and for a link opened before', async () => {
    const calls = [
      ['GET', '/payment-methods'],
      ['DELETE', `/payment-methods/${newId()}`],
      ['POST', '/setup-sessions'],
      ['PATCH', '/default'],
    ] as const;
    for (const [method, path] of calls) {
      const request = (headers: Record<string, string>) =>
        shop.call(null, `${method} /v1/customer-page${path}`, {
          headers,
          ...(method === 'PATCH' ? { body: { paymentMethodId: newId() } } : {}),
        });
      expect(await request({})).toMatchObject(refusal(401, 'customer_page_token_required'));
      expect(await request({ 'x-customer-page-token': 'wrong' })).toMatchObject(
        refusal(404, 'customer_page_not_found'),
      );
    }
    const links = `POST /v1/customers/${await shop.aBuyer()}/page-links` as const;
    const link = String(bodyOf(await shop.ask(links, { body: {} }), 201).url).split('#')[1];
    const openPageLink = () => shop.call(null, 'POST /v1/customer-page/open', { body: { link } });
    expect(await openPageLink()).toMatchObject({ status: 200 });
    expect(await openPageLink()).toMatchObject(refusal(404, 'customer_page_not_found'));
  });
});

describe('Contract §1, who may', () => {
  /** The rows that came with saved cards, for merchants. */
  const called = Object.values(rows)
    .filter(({ auth, call }) => auth === 'server' && /setup|customers|methods|subscr/.test(call))
    .map(({ call }) => call.replace(/\{\w+\}/, newId()) as `GET /${string}`);

  it('Contract §1 insufficient_scope, authentication_required: on every call of the merchant', async () => {
    expect(called.length).toBeGreaterThanOrEqual(10);
    const token = await aToken(shop.database, shop.client, { scopes: ['catalog:read'] });
    for (const call of called) {
      const userId = newId();
      const body = call.endsWith('/setup')
        ? { userId }
        : call.endsWith('customers')
          ? { email }
          : {};
      const given = /^(POST|PATCH)/.test(call) ? { body } : {};
      expect([call, await shop.ask(call, { ...given, token })]).toMatchObject([
        call,
        refusal(403, 'insufficient_scope'),
      ]);
      expect([call, await shop.ask(call, { ...given, token: null })]).toMatchObject([
        call,
        refusal(401, 'authentication_required'),
      ]);
    }
  });

  it('Contract §1 merchant_role_required: 403 for a member who cancels a subscription', async () => {
    const { id } = await shop.aClub(await shop.aCard(await shop.aBuyer()));
    const token = await aToken(shop.database, shop.client, { role: 'member' });
    expect(await shop.ask(`POST /v1/subscriptions/${id}/cancel`, { token })).toMatchObject(
      refusal(403, 'merchant_role_required'),
    );
    expect(await shop.subscription(id)).toMatchObject({ status: 'active' });
  });
});
