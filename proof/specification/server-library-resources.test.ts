// The server library's calls of the card provider, over the sandbox, and of the service's resources
// with the merchant's credential. Spec 4.5. Contract §11.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Svc, SvcApiError, SvcNotFoundError } from '../../libraries/server/src/index.ts';
import { newId } from '../../service/test/harness.ts';
import { catchThrown, type Library, openLibrary } from './server-library.ts';

let library: Library;
let svc: Svc;
beforeAll(async () => {
  library = await openLibrary();
  ({ svc } = library);
});
afterAll(() => library?.close());

/** A session of the provider's own checkout, as merchants make them beside this service. */
const aProviderSession = () =>
  library.stripe.checkout.sessions.create({
    mode: 'payment',
    success_url: 'https://shop.example.test/thanks',
    line_items: [
      {
        price_data: { currency: 'eur', unit_amount: 1250, product_data: { name: 'A print' } },
        quantity: 3,
      },
      {
        price_data: { currency: 'eur', unit_amount: 400, product_data: { name: 'A frame' } },
        quantity: 1,
      },
    ],
  });

describe('provider checkout sessions', () => {
  it('Spec 4.5 sessions.retrieve and provider status: open, then complete once paid', async () => {
    const { id } = await aProviderSession();
    const open = await svc.checkout.sessions.retrieve(id);
    expect(open).toMatchObject({
      id,
      object: 'checkout.session',
      status: 'open',
      payment_status: 'unpaid',
      amount_total: 4150,
    });
    expect(open.lastResponse.statusCode).toBe(200);
    await library.control('POST', `/_control/checkout_sessions/${id}/pay`, {});
    expect(await svc.checkout.sessions.retrieve(id)).toMatchObject({
      status: 'complete',
      payment_status: 'paid',
    });
  });

  it('Spec 4.5 sessions.expire: an open one is expired; one that is not open is refused', async () => {
    const { id } = await aProviderSession();
    expect(await svc.checkout.sessions.expire(id)).toMatchObject({ id, status: 'expired' });
    expect(await svc.checkout.sessions.retrieve(id)).toMatchObject({ status: 'expired' });
    const error = await catchThrown(() => svc.checkout.sessions.expire(id));
    expect([error.type, error.wireType, error.status]).toEqual([
      'validation_error',
      'invalid_request_error',
      400,
    ]);
  });

  it('Spec 4.5 sessions.listLineItems and line items: each line has its price and quantity, over all pages', async () => {
    const { id } = await aProviderSession();
    const first = await svc.checkout.sessions.listLineItems(id, { limit: 1 });
    expect([first.data.length, first.has_more]).toEqual([1, true]);
    const lines = await svc.checkout.sessions.listLineItems(id, { limit: 1 }).toArray({ limit: 9 });
    expect(
      lines.map((line) => [line.quantity, line.price?.unit_amount, line.amount_total]),
    ).toEqual([
      [3, 1250, 3750],
      [1, 400, 400],
    ]);
  });

  it('Spec 4.5 missing session: api_error, resource_missing', async () => {
    for (const call of ['retrieve', 'expire'] as const) {
      const error = await catchThrown(() => svc.checkout.sessions[call]('cs_test_nothing'));
      expect([error.type, error.code, error.status]).toEqual([
        'api_error',
        'resource_missing',
        404,
      ]);
      expect(error.constructor).toBe(SvcNotFoundError);
    }
  });
});

describe('customers', () => {
  it('Spec 4.5 customers.create: email, name and metadata', async () => {
    const given = { email: 'ada@example.test', name: 'Ada', metadata: { order: '7' } };
    const made = await svc.customers.create(given);
    expect(made).toMatchObject({
      ...given,
      id: expect.stringMatching(/^cus_/),
      object: 'customer',
    });
    expect(await library.stripe.customers.retrieve(made.id)).toMatchObject(given);
  });

  it('Spec 4.5 required email: required, refused before the network', async () => {
    for (const params of [{}, { email: '' }, undefined]) {
      const error = await catchThrown(() => svc.customers.create(params as never));
      expect(error).toMatchObject({ type: 'validation_error', param: 'email' });
    }
  });

  it('Spec 4.5 customers.create under one key: the same key makes one customer', async () => {
    const key = { idempotencyKey: `customer-${newId()}` };
    const [one, two] = [
      await svc.customers.create({ email: 'ada@example.test' }, key),
      await svc.customers.create({ email: 'ada@example.test' }, key),
    ];
    expect(two.id).toBe(one.id);
  });

  it('Spec 4.5 customers.retrieve: as it stands at the provider', async () => {
    const { id } = await svc.customers.create({ email: 'eve@example.test' });
    expect(await svc.customers.retrieve(id)).toMatchObject({ id, email: 'eve@example.test' });
  });

  it('Spec 4.5 deleted customer: api_error, resource_missing, as one that never was', async () => {
    const { id } = await svc.customers.create({ email: 'eve@example.test' });
    await library.stripe.customers.del(id);
    for (const gone of [id, 'cus_nobody']) {
      const error = await catchThrown(() => svc.customers.retrieve(gone));
      expect(error).toBeInstanceOf(SvcApiError);
      expect([error.type, error.code, error.status]).toEqual([
        'api_error',
        'resource_missing',
        404,
      ]);
    }
  });

  it('Spec 4.5 customers.update: what is named changes, the rest stays', async () => {
    const metadata = { order: '7', note: 'gift' };
    const { id } = await svc.customers.create({ email: 'ada@example.test', name: 'Ada', metadata });
    await svc.customers.update(id, { email: 'new@example.test', metadata: { note: '' } });
    expect(await svc.customers.retrieve(id)).toMatchObject({
      email: 'new@example.test',
      name: 'Ada',
      metadata: { order: '7' },
    });
  });
});

/** Returns the ids of a whole list. */
const idsOf = async (list: AsyncIterable<{ id: string }>): Promise<string[]> => {
  const ids: string[] = [];
  for await (const { id } of list) ids.push(id);
  return ids;
};

describe('payments', () => {
  it('retrieve, and refund once per key', async () => {
    const paymentId = await library.aPurchase();
    const paid = await svc.payments.retrieve(paymentId);
    expect(paid).toMatchObject({ id: paymentId, status: 'succeeded', type: 'purchase' });
    const key = { idempotencyKey: `refund-${paymentId}` };
    const refund = await svc.payments.refund(paymentId, { amount: 5, reason: 'other' }, key);
    expect(refund).toMatchObject({ type: 'refund', amount: 5, parentPaymentId: paymentId });
    const again = await svc.payments.refund(paymentId, { amount: 5, reason: 'other' }, key);
    expect(again.id).toBe(refund.id);
    const reused = await catchThrown(() => svc.payments.refund(paymentId, { amount: 6 }, key));
    expect([reused.code, reused.constructor.name]).toEqual([
      'idempotency_key_reused',
      'SvcConflictError',
    ]);
    const rest = await svc.payments.refund(paymentId);
    expect(rest.amountMinor).toBe(paid.amountMinor - 500);
  });

  it('list: filters, and every page by for await, autoPagingEach and toArray', async () => {
    const made = [await library.aPurchase(), await library.aHold(), await library.aPurchase()];
    const newest = [...made].reverse();
    const params = { limit: 2, id: { in: made } };
    const page = await svc.payments.list(params);
    expect(page).toMatchObject({ page: 1, limit: 2, total: 3 });
    expect(page.data.map(({ id }) => id)).toEqual(newest.slice(0, 2));
    expect(page.lastResponse.statusCode).toBe(200);
    expect(await idsOf(svc.payments.list(params))).toEqual(newest);
    const seen: string[] = [];
    await svc.payments.list(params).autoPagingEach(({ id }) => seen.push(id) < 3);
    expect(seen).toEqual(newest);
    expect(await svc.payments.list(params).toArray({ limit: 1 })).toMatchObject([
      { id: newest[0] },
    ]);
    const held = await svc.payments.list({ ...params, status: { eq: 'authorized' } });
    expect(held.data.map(({ id }) => id)).toEqual([made[1]]);
  });
});

describe('setupSessions and paymentMethods', () => {
  it('create, retrieve and getStatus, until the verified card is listed, then deleted', async () => {
    const userId = await library.aBuyer();
    const made = await svc.setupSessions.create({ userId });
    expect(made).toMatchObject({ checkoutMode: 'setup', products: [] });
    const { id, nonce } = made;
    expect(await svc.setupSessions.retrieve(id, nonce)).toMatchObject({ id, status: 'open' });
    expect(await svc.setupSessions.getStatus(id, nonce)).toMatchObject({ paymentMethodId: null });
    const mountToken = made.vault?.mountToken ?? '';
    await library.saveCard({ sessionId: id, nonce, userId, mountToken });
    const { paymentMethodId } = await svc.setupSessions.getStatus(id, nonce);
    const active = { userUuid: userId, status: { eq: 'active' } } as const;
    const listed = await svc.paymentMethods.list(active).toArray({ limit: 10 });
    expect(listed).toMatchObject([{ id: paymentMethodId, brand: 'visa', lastFour: '4242' }]);
    const gone = await svc.paymentMethods.delete(String(paymentMethodId));
    expect(gone).toEqual({ id: paymentMethodId, deleted: true });
    expect(gone.lastResponse.statusCode).toBe(204);
    expect((await svc.paymentMethods.list(active)).total).toBe(0);
  });

  it('create of an unknown customer: api_error, customer_not_found', async () => {
    const error = await catchThrown(() => svc.setupSessions.create({ userId: newId() }));
    expect(error).toMatchObject({ type: 'api_error', code: 'customer_not_found', status: 404 });
  });
});

describe('events', () => {
  it('list and retrieve; listAfter and poll give what follows, oldest first', async () => {
    const before = (await svc.events.list({ limit: 1 })).data[0]?.id ?? '';
    const paymentId = await library.aPurchase();
    const wanted = ['checkout.session.completed', 'item.purchased'];
    const listAfter = async () => svc.events.listAfter(before, { limit: 1 }).toArray({ limit: 50 });
    await expect
      .poll(async () => (await listAfter()).map(({ type }) => type).sort())
      .toEqual(wanted);
    const events = await listAfter();
    const purchased = events.find(({ type }) => type === 'item.purchased');
    if (purchased?.type !== 'item.purchased') throw new Error('nothing was purchased');
    expect(purchased.data.object.paymentId).toBe(paymentId);
    expect(await svc.events.retrieve(purchased.id)).toEqual(purchased);
    const stop = new AbortController();
    const polled: string[] = [];
    const poll = { after: before, intervalMs: 100 };
    for await (const { id } of svc.events.poll(poll, { signal: stop.signal })) {
      polled.push(id);
      if (polled.length === events.length) void library.aHold();
      if (polled.length > events.length) stop.abort();
    }
    expect(polled.slice(0, events.length)).toEqual(events.map(({ id }) => id));
  });
});

describe('webhookEndpoints', () => {
  it('create, test, list, retrieve, update, rotateSecret, redeliver and delete', async () => {
    const { url } = library.receiver;
    const made = await svc.webhookEndpoints.create({ url, eventTypes: ['item.purchased'] });
    expect(made.secret).toMatch(/^svc_whsec_/);
    const { id } = made;
    const tried = await svc.webhookEndpoints.test(id);
    expect(tried).toMatchObject({ endpointId: id, outcome: 'delivered', status: 200 });
    const [delivered] = library.receiver.received;
    const { body = '', headers } = delivered ?? {};
    const event = svc.webhooks.constructEvent(body, headers?.['svc-signature'], made.secret);
    expect(event).toMatchObject({ id: tried.eventId, type: 'webhook_endpoint.test' });
    expect(await idsOf(svc.webhookEndpoints.list())).toContain(id);
    expect(await svc.webhookEndpoints.retrieve(id)).toMatchObject({ id, url, isEnabled: true });
    const rotated = await svc.webhookEndpoints.rotateSecret(id, { overlapSeconds: 60 });
    expect(rotated.secret).not.toBe(made.secret);
    await library.aPurchase();
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const again = await svc.webhookEndpoints.redeliver(id, { since, status: 'all' });
    expect(again.lastResponse.statusCode).toBe(202);
    const [delivery] = await svc.webhookEndpoints.listDeliveries(id).toArray({ limit: 5 });
    expect(delivery).toMatchObject({ endpointId: id, eventType: 'item.purchased' });
    const eventId = String(delivery?.eventId);
    expect(await svc.events.listAttempts(eventId)).toMatchObject({ data: [], total: 0 });
    expect(await svc.events.redeliver(eventId, { endpointIds: [id] })).toMatchObject({
      deliveries: expect.any(Number),
    });
    expect(await svc.webhookEndpoints.update(id, { isEnabled: false })).toMatchObject({
      isEnabled: false,
    });
    expect(await svc.webhookEndpoints.delete(id)).toEqual({ id, deleted: true });
    expect(await catchThrown(() => svc.webhookEndpoints.retrieve(id))).toMatchObject({
      status: 404,
    });
  });
});

describe('apiTokens', () => {
  it('create, list, retrieve, rotate and delete with a Bearer token, of the options or of the call', async () => {
    const accessToken = await library.anAccessToken(['mcp', 'payments:read']);
    const person = library.svcWith({ ...library.credential, accessToken });
    const made = await person.apiTokens.create({ name: 'till' });
    expect(made.token).toMatch(/^svc_/);
    expect((await svc.apiTokens.list({ accessToken })).data).toMatchObject(
      expect.arrayContaining([expect.objectContaining({ id: made.id, name: 'till' })]),
    );
    expect(await svc.apiTokens.retrieve(made.id, { accessToken })).not.toHaveProperty('token');
    const till = library.svcWith({ ...library.credential, apiToken: made.token });
    expect((await till.payments.list({ limit: 1 })).page).toBe(1);
    const { token } = await person.apiTokens.rotate(made.id, { overlapSeconds: 0 });
    expect(token).not.toBe(made.token);
    expect(await person.apiTokens.delete(made.id)).toEqual({ id: made.id, deleted: true });
    const error = await catchThrown(() => till.payments.list());
    expect(error).toMatchObject({ type: 'authentication_error', status: 401 });
  });

  it('without an access token: authentication_error before the network; Basic is not tried', async () => {
    const error = await catchThrown(() => svc.apiTokens.list());
    expect(error).toMatchObject({ type: 'authentication_error', code: 'AccessTokenRequired' });
    expect(error.status).toBeUndefined();
  });

  it('Bearer alone serves the other resources too', async () => {
    const accessToken = await library.anAccessToken(['payments:read']);
    const bearer = library.svcWith({ accessToken });
    expect((await bearer.payments.list({ limit: 1 })).page).toBe(1);
    const error = await catchThrown(() => bearer.paymentMethods.list());
    expect(error).toMatchObject({ code: 'insufficient_scope', status: 403 });
  });
});
