// The specification's rows about saving a card without a charge, over HTTP. Spec 2.4, 3.2, 4.1, 6, 7.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aClient, aCustomer, aToken, moveClock, newId } from '../../service/test/harness.ts';
import {
  ageSetups,
  confirmSetupInPage,
  defaultMethodOf,
  methodsOf,
  recoverSetups,
  type SetupIntent,
} from '../../service/test/setups.ts';
import { cards } from '../../service/test/world.ts';
import { openShop, refusal, type Shop } from './buyer.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop?.close());

const statuses = async (session: { userId: string }) =>
  (await methodsOf(shop, session)).map(({ status }) => status);

describe('Spec 3.2, Saved payment method status', () => {
  it('Spec 3.2.1: a setup session started makes a pending card, which remains unusable', async () => {
    const session = await shop.aSetup();
    expect(await statuses(session)).toEqual(['pending']);
    expect(await defaultMethodOf(shop, session.userId)).toBeNull();
    expect(await shop.stands(session)).toMatchObject({ status: 'open', paymentMethodId: null });
  });

  it('Spec 3.2.2: pending, provider verification succeeds: active, with its id told', async () => {
    const session = await shop.aSetup();
    const { status, body } = await shop.saveCard(session);
    const [method] = await methodsOf(shop, session);
    expect([status, body.type, body.paymentMethodId]).toEqual([200, 'success', method?.id]);
    expect(method?.status).toBe('active');
    expect(await shop.types(method?.id ?? '')).toEqual(['payment_method.activated']);
    expect(await shop.stands(session)).toMatchObject({
      status: 'completed',
      paymentMethodId: method?.id,
    });
  });

  it('Spec 3.2.2: pending, provider verification succeeds after 3DS: active', async () => {
    const session = await shop.aSetup();
    const token = await shop.card(session, cards.needs3ds);
    const asked = await shop.handOver(session, token);
    expect(asked.body).toMatchObject({ type: '3ds_required', paymentMethodId: null });
    expect(await statuses(session)).toEqual(['pending']);
    await shop.challenge(asked, 'approve');
    const { body } = await shop.handOver(session, token, { chv: 'back from the bank' });
    expect(body).toMatchObject({ type: 'success', paymentMethodId: expect.any(String) });
    expect(await statuses(session)).toEqual(['active']);
  });

  it('Spec 3.2.3: pending, verification declined: stays without an active method', async () => {
    const session = await shop.aSetup();
    expect(await shop.saveCard(session, cards.declined)).toMatchObject(
      refusal(402, 'card_declined', { declineCode: 'generic_decline', advice: 'try_again_later' }),
    );
    expect(await statuses(session)).toEqual(['pending']);
    expect(await shop.stands(session)).toMatchObject({
      status: 'open',
      paymentMethodId: null,
      latestTransactionAttempt: { result: 'DECLINED', declineCode: 'generic_decline' },
    });
  });

  it('Spec 3.2.3: pending, verification abandoned: stays without an active method', async () => {
    const session = await shop.aSetup();
    await shop.saveCard(session, cards.needs3ds);
    await ageSetups(shop, session, 61);
    await recoverSetups(shop);
    expect(await statuses(session)).toEqual(['pending']);
    expect(await shop.stands(session)).toMatchObject({
      status: 'open',
      latestTransactionAttempt: { result: 'CANCELED', declineCode: 'authentication_abandoned' },
    });
  });

  it('Spec 3.2.3: pending, verification processing: stays without an active method', async () => {
    const session = await shop.aSetup();
    const path = '/v1/setup_intents/*';
    await shop.fault({ method: 'POST', path: `${path}/confirm` }, 'drop_reply', { count: 2 });
    await shop.fault({ method: 'GET', path }, 'drop_reply');
    const { status, body } = await shop.saveCard(session);
    expect([status, body.type, body.paymentMethodId]).toEqual([202, 'processing', null]);
    expect(await statuses(session)).toEqual(['pending']);
    expect(await shop.stands(session)).toMatchObject({
      status: 'processing',
      paymentMethodId: null,
    });
    await recoverSetups(shop);
    expect(await statuses(session)).toEqual(['active']);
  });

  it.each(['fail', 'cancel'] as const)(
    'Spec 3.2.3: pending, authentication incomplete (%s): stays without an active method',
    async (outcome) => {
      const session = await shop.aSetup();
      const token = await shop.card(session, cards.needs3ds);
      await shop.challenge(await shop.handOver(session, token), outcome);
      expect(await shop.handOver(session, token)).toMatchObject(refusal(402, 'card_declined'));
      expect(await statuses(session)).toEqual(['pending']);
    },
  );

  it('Spec 2.4 several cards: a customer may hold several active ones', async () => {
    const session = await shop.aSetup();
    await shop.saveCard(session);
    const { userId } = session;
    await shop.saveCard(await shop.aSetup({ userId }), '5555555555554444');
    expect(await statuses(session)).toEqual(['active', 'active']);
  });

  it('Contract §3 setup status: paymentMethodId is null until verified; a waiting read returns with it', async () => {
    const session = await shop.aSetup();
    const token = await shop.card(session, cards.needs3ds);
    const asked = await shop.handOver(session, token);
    expect(await shop.stands(session)).toMatchObject({
      status: 'requires_action',
      paymentMethodId: null,
    });
    const waiting = shop.status(session, '?wait=20');
    await shop.challenge(asked, 'approve');
    const { body } = await shop.handOver(session, token);
    const { data } = (await waiting).body as { data: object };
    expect(body.paymentMethodId).toEqual(expect.any(String));
    expect(data).toMatchObject({ status: 'completed', paymentMethodId: body.paymentMethodId });
    expect(await shop.stands(await shop.open())).toMatchObject({ paymentMethodId: null });
  });

  it('Contract §5 pending: a pending card disappears an hour after its session ends', async () => {
    const session = await shop.aSetup();
    await shop.decline(session);
    await moveClock(shop.database, 61 * 60_000);
    await shop.sweep();
    expect(await statuses(session)).toEqual([]);
  });
});

describe('Spec 4.1, POST /v1/checkouts/sessions/setup', () => {
  it('Spec 4.1.8: 201 session shape: checkoutMode setup, no products, no amount, an embedded vault block', async () => {
    const { body } = await shop.aSetup();
    expect(body).toMatchObject({
      checkoutMode: 'setup',
      products: [],
      totals: null,
      currency: null,
      paymentId: null,
      vault: { mountToken: expect.any(String) },
    });
  });

  it('Spec 4.1.8: session id and nonce are all that the browser needs', async () => {
    const { sessionId, nonce, userId } = await shop.aSetup();
    const bare = { sessionId, nonce, userId, mountToken: '' };
    const { body } = await shop.get(bare);
    const { mountToken } = body.vault as { mountToken: string };
    expect(body.nonce).toBeUndefined();
    expect(await shop.saveCard({ ...bare, mountToken })).toMatchObject({ status: 200 });
  });

  it('Spec 4.1 setup never processed: process on a setup session is 409 checkout_session_is_setup', async () => {
    const session = await shop.aSetup();
    expect(await shop.pay(session)).toMatchObject(refusal(409, 'checkout_session_is_setup'));
    expect(await statuses(session)).toEqual(['pending']);
  });

  it('Spec 7.3.1: 404 for an unknown and a cross-merchant user, before provider or vault work', async () => {
    const other = await aClient(shop.database);
    const foreign = await aCustomer(shop.database, other);
    const before = await requestsOf(shop);
    const [unknown, crossing] = [
      await shop.createSetup({ userId: newId() }),
      await shop.createSetup({ userId: foreign.id }),
    ];
    expect(unknown).toMatchObject(refusal(404, 'customer_not_found'));
    const withoutRequestId = ({ body: { requestId: _, ...rest } }: typeof unknown) => rest;
    expect(withoutRequestId(crossing)).toEqual(withoutRequestId(unknown));
    expect(await requestsOf(shop)).toBe(before);
    // The customer's own merchant opens one.
    const token = await aToken(shop.database, other);
    const theirs = await shop.createSetup({ userId: foreign.id }, token);
    expect(theirs).toMatchObject(refusal(409, 'gateway_not_configured'));
  });

  it('Contract §1 customer_not_found: 404, byte-identical but for the request id', async () => {
    const foreign = await aCustomer(shop.database, await aClient(shop.database));
    const answers = [
      await shop.createSetup({ userId: newId() }),
      await shop.createSetup({ userId: foreign.id }),
    ];
    const texts = answers.map(({ text, body }) => text.replace(String(body.requestId), ''));
    expect(texts[1]).toBe(texts[0]);
    expect(answers[0]).toMatchObject(refusal(404, 'customer_not_found', { retryable: false }));
  });

  it('Spec 4.1.8: successUrl and cancelUrl are optional, and checked like those of a payment', async () => {
    const userId = await shop.aCustomer();
    const successUrl = 'http://localhost:3000/saved';
    const { body } = await shop.createSetup({ userId, successUrl });
    expect(body).toMatchObject({ successUrl, cancelUrl: null });
    expect(
      await shop.createSetup({ userId, successUrl: 'http://elsewhere.example' }),
    ).toMatchObject(refusal(400, 'invalid_request', { param: 'successUrl' }));
  });

  it('Contract §3 setup life: it lives for an hour', async () => {
    const { body } = await shop.aSetup();
    const lifeMs = Date.parse(String(body.expiresAt)) - Date.parse(String(body.createdAt));
    expect(lifeMs).toBe(3600 * 1000);
  });
});

describe('Spec 6, Events', () => {
  it('Spec 6 setup emits nothing: no purchase or fulfilment events, and no charge', async () => {
    const session = await shop.aSetup();
    await shop.saveCard(session, cards.declined);
    await shop.saveCard(session);
    const [method] = await methodsOf(shop, session);
    expect(await shop.types(session.sessionId)).toEqual(['checkout.session.completed']);
    expect(await shop.types(method?.id ?? '')).toEqual(['payment_method.activated']);
    const { body } = await shop.ask('GET /v1/events?limit=100');
    const types = (body.data as { type: string }[]).map(({ type }) => type);
    expect(types.filter((type) => /^(payment\.|item\.)/.test(type))).toEqual([]);
    expect(await shop.ledger()).toEqual([]);
    expect(await shop.chargesAsked()).toBe(0);
  });

  it('Contract §5: no event and no answer of it carries a secret, a provider id or a card number', async () => {
    const session = await shop.aSetup();
    const token = await shop.card(session, cards.approved);
    const texts = [
      (await shop.handOver(session, token)).text,
      (await shop.status(session)).text,
      JSON.stringify((await shop.ask('GET /v1/events?limit=100')).body),
    ];
    const [method] = await methodsOf(shop, session);
    for (const text of texts) {
      expect(text).not.toMatch(/pm_|cus_|seti_|_secret_|svct_|4242424242424242/);
      expect(text).not.toContain(method?.provider_payment_method_id);
    }
  });
});

describe('Spec 4.1, POST /v1/checkouts/payments/setup-intents', () => {
  const emailOf = ({ body }: { body: Record<string, unknown> }) =>
    (body.accountData as { email: string }).email;

  it.each(['card', 'google_pay', 'apple_pay', 'wallet_express_checkout'])(
    'Spec 4.1.7: payment method type %s is an intent of the session, never a charge',
    async (paymentMethodType) => {
      const session = await shop.aSetup();
      const given = { email: emailOf(session), paymentMethodType };
      const { status, body } = await shop.setupIntent(session, given);
      expect(status).toBe(200);
      const intent = body.data as SetupIntent;
      expect(Object.keys(intent).sort()).toEqual([
        'clientSecret',
        'provider',
        'publishableKey',
        'setupIntentId',
        'status',
      ]);
      await confirmSetupInPage(shop, intent);
      await recoverSetups(shop);
      expect(await statuses(session)).toEqual(['active']);
      expect(await shop.ledger()).toEqual([]);
    },
  );

  it('Contract §3 setup intents: 400 for another type, 422 for another email, 403 for a buyer nobody vouched for', async () => {
    const session = await shop.aSetup();
    const wrong = { email: emailOf(session), paymentMethodType: 'sepa' };
    expect(await shop.setupIntent(session, wrong)).toMatchObject(refusal(400, 'invalid_request'));
    expect(await shop.setupIntent(session, { email: 'else@example.test' })).toMatchObject(
      refusal(422, 'email_mismatch'),
    );
    const unvouched = await shop.open();
    expect(await shop.setupIntent(unvouched, { email: 'buyer@example.test' })).toMatchObject(
      refusal(403, 'buyer_not_verified'),
    );
  });

  it('Contract §3 saved cards: paying with one or saving one needs a buyer attached under the credential', async () => {
    const session = await shop.open();
    const refused = refusal(403, 'buyer_not_verified');
    const token = await shop.card(session);
    for (const answer of [
      await shop.payWith(session, { paymentMethodId: newId() }),
      await shop.payWith(session, { token, saveForLater: true }),
      await shop.intent(session, { paymentMethod: newId() }),
      await shop.setupIntent(session, { email: 'buyer@example.test' }),
    ]) {
      expect(answer).toMatchObject(refused);
    }
    expect(await methodsOf(shop, session)).toEqual([]);
    expect(await shop.chargesAsked()).toBe(0);
  });

  it('Spec 7.3.6: unclaimed setup intents are 409 checkout_session_data_attachment_required', async () => {
    const shell = await shop.shell();
    expect(await shop.setupIntent(shell, { email: 'buyer@example.test' })).toMatchObject(
      refusal(409, 'checkout_session_data_attachment_required'),
    );
  });
});

/** Returns the number of calls that the provider received. */
async function requestsOf({ control }: Shop): Promise<number> {
  const { requests } = (await control('GET', '/_control/requests')) as { requests: unknown[] };
  return requests.length;
}
