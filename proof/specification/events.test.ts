// Events, type by type: each made to happen over HTTP with a real provider, read from `GET /v1/events`
// in the shape of contract §7; and what a merchant does with one. Specification, Events.

import { DatabaseSync } from 'node:sqlite';
import type { EventType } from '@svc/contract/rows/event-types';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createInbox, sqlite } from '../../libraries/server/src/inbox/inbox.ts';
import { Svc } from '../../libraries/server/src/index.ts';
import { newWebhookSecret } from '../../service/src/domain/protocol/webhook-secret.ts';
import { deliverDue } from '../../service/src/engine/runs/webhook-deliveries/deliver-due.ts';
import { webhookSender } from '../../service/src/webhooks/send.ts';
import { signatureHeaders } from '../../service/src/webhooks/sign.ts';
import { deliverDisputeEvents, dispute, step } from '../../service/test/payments/disputes.ts';
import { aGrant } from '../../service/test/people/grants.ts';
import { limits } from '../../service/test/webhooks/deliveries.ts';
import { aReceiver, loopback, type ReceivedCall } from '../../service/test/webhooks/webhooks.ts';
import { cards } from '../../service/test/world.ts';
import { anEndpoint } from '../merchant/fixture.ts';
import { bodyOf, openShop, type Shop } from './shop.ts';

type ListedEvent = {
  readonly id: string;
  readonly type: EventType;
  readonly created: number;
  readonly timestamp: string;
  readonly sequence: number;
  readonly resource: { readonly type: string; readonly id: string; readonly version: number };
  readonly data: { readonly object: Record<string, unknown>; readonly failure?: unknown };
};

const day = 86_400;
const refundFails = '4000000000005126';
const chargesDecline = '4000000000000341';

let shop: Shop;
let listed: ListedEvent[];
beforeAll(async () => {
  shop = await openShop();
  await moneyMoves(shop);
  await cardsAndClubs(shop);
  await tokens(shop);
  await runTimedEvents(shop);
  listed = await readEvents(shop);
}, 90_000);
afterAll(() => shop?.close());

async function moneyMoves(on: Shop): Promise<void> {
  const held = await on.aHold();
  await on.fault({ path: '/v1/payment_intents/*/capture' }, 'decline');
  await on.move('capture', held);
  await on.control('DELETE', '/_control/faults');
  await on.move('capture', held);
  await on.move('cancel', await on.aHold());
  await on.checkout('automatic', cards.declined);
  const bought = await on.aPurchase();
  await on.move('refunds', bought, { body: { amount: 2 } });
  const failing = (await on.checkout('automatic', refundFails)).paymentId;
  await on.move('refunds', failing, { body: { amount: 2 } });
  await on.advance(10);
  await on.hear(failing);
  await on.recover();
  const suspect = await on.aPurchase();
  const intent = await on.intentOf(suspect);
  await on.control('POST', '/_control/fraud-warnings', { intent });
  const review = await on.control('POST', '/_control/reviews', { intent });
  await on.control('POST', `/_control/reviews/${(review as { id: string }).id}/close`, {});
  await on.hear(suspect);
  const disputed = await dispute(on, await on.intentOf(await on.aPurchase()));
  await deliverDisputeEvents(on, disputed);
  await step(on, disputed, 'evidence');
  await deliverDisputeEvents(on, disputed);
  await step(on, disputed, 'close', { outcome: 'won' });
  await deliverDisputeEvents(on, disputed);
}

async function cardsAndClubs(on: Shop): Promise<void> {
  const card = await on.aCard(await on.aBuyer());
  const club = await on.aClub(card);
  await on.renew(club);
  const poor = await on.aCard(card.userId, chargesDecline);
  bodyOf(await on.remove(card.id), 204);
  await on.renew(club);
  const end = `POST /v1/subscriptions/${club.id}/cancel` as const;
  const other = await on.aClub(await on.aCard(await on.aBuyer()));
  bodyOf(await on.ask(`POST /v1/subscriptions/${other.id}/cancel`, { body: { at: 'period_end' } }));
  bodyOf(await on.ask(`POST /v1/subscriptions/${other.id}/resume`));
  bodyOf(await on.ask(end));
  bodyOf(await on.remove(poor.id), 204);
}

async function tokens(on: Shop): Promise<void> {
  const user = { id: on.token.userId };
  const { authorization } = await aGrant(on.ports, { user, client: on.client, scopes: ['mcp'] });
  const headers = { authorization };
  const made = await on.call(null, 'POST /v1/api-tokens', { headers, body: { name: 'A shop' } });
  bodyOf(await on.call(null, `DELETE /v1/api-tokens/${bodyOf(made, 201).id}`, { headers }), 204);
}

async function runTimedEvents(on: Shop): Promise<void> {
  await on.shell();
  const hold = await on.aHold();
  await on.advance(6 * day + 3600);
  await on.expire();
  await on.sweep();
  await on.control('POST', `/_control/holds/${await on.intentOf(hold)}/expire`, {});
  await on.hear(hold);
}

async function readEvents(on: Shop): Promise<ListedEvent[]> {
  const found: ListedEvent[] = [];
  for (let after = `evt_${'0'.repeat(32)}`; ; after = found.at(-1)?.id ?? after) {
    const page = bodyOf(await on.ask(`GET /v1/events?after=${after}&limit=100`));
    const data = page.data as ListedEvent[];
    found.push(...data);
    if (data.length === 0) return found;
  }
}

const eventsOfType = (type: EventType) => listed.filter((one) => one.type === type);

/**
 * Expects at least one event of the type, in the contract's form, about a resource of this type.
 */
const expectEvent = (type: EventType, resource: string, object: object): void => {
  expect(eventsOfType(type).length).toBeGreaterThan(0);
  for (const event of eventsOfType(type)) {
    expect(event).toMatchObject({
      id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
      object: 'event',
      resource: { type: resource, version: expect.any(Number) },
      data: { object },
    });
  }
};

const aPayment = (status: unknown) => ({ object: 'payment', type: 'purchase', status });
const aRefund = (more: object) => ({ type: 'refund', ...more });

describe('What happened is told', () => {
  it('Contract §7 payment.authorized, payment.authorization_voided, payment.authorization_expired, payment.authorization_expiring, payment.failed: carry the payment', () => {
    expectEvent('payment.authorized', 'payment', aPayment('authorized'));
    expectEvent('payment.authorization_voided', 'payment', aPayment('voided'));
    expectEvent('payment.authorization_expired', 'payment', aPayment('voided'));
    expectEvent('payment.authorization_expiring', 'payment', aPayment('authorized'));
    expectEvent('payment.failed', 'payment', aPayment('failed'));
  });

  it('Contract §7 payment.capture_failed: carries the payment and the failure', () => {
    expectEvent('payment.capture_failed', 'payment', aPayment('authorized'));
    const [failed, ...more] = eventsOfType('payment.capture_failed');
    expect(failed?.data.failure).toEqual({
      code: 'card_declined',
      message: expect.any(String),
      attempt: expect.any(Number),
    });
    expect(more).toEqual([]);
  });

  it('Contract §7 item.purchased and payment.succeeded: who bought what, once per payment, and the other where there is no item', () => {
    expectEvent('item.purchased', 'payment', {
      ...{ amount: 19.9, currency: 'EUR', customer: { email: expect.any(String) } },
      items: [{ code: 'mug', name: 'Mug', quantity: 1, totalAmount: 19.9, currency: 'EUR' }],
    });
    expectEvent('payment.succeeded', 'payment', aPayment('succeeded'));
    const told = [...eventsOfType('item.purchased'), ...eventsOfType('payment.succeeded')];
    expect(new Set(told.map(({ resource }) => resource.id)).size).toBe(told.length);
  });

  it('Contract §7 refund.created, refund.succeeded, refund.failed, chargeback.withdrawn, chargeback.reinstated: carry the row', () => {
    expectEvent('refund.created', 'payment', aRefund({ amount: 2 }));
    expectEvent('refund.succeeded', 'payment', aRefund({ status: 'succeeded' }));
    expectEvent('refund.failed', 'payment', aRefund({ status: 'refund_failed' }));
    expectEvent('chargeback.withdrawn', 'payment', { type: 'chargeback', amount: 19.9 });
    expectEvent('chargeback.reinstated', 'payment', { type: 'chargeback', amount: -19.9 });
  });

  it('Contract §7 dispute.opened, dispute.updated, dispute.closed: from its beginning to its outcome', () => {
    for (const type of ['dispute.opened', 'dispute.updated', 'dispute.closed'] as const) {
      expectEvent(type, 'dispute', {});
    }
  });

  it('Contract §7 payment.fraud_warning, payment.review_opened, payment.review_closed: name the payment', () => {
    const paymentId = expect.any(String);
    expectEvent('payment.fraud_warning', 'fraud_warning', { paymentId, isActionable: true });
    expectEvent('payment.review_opened', 'review', { paymentId });
    expectEvent('payment.review_closed', 'review', { paymentId, closedReason: 'approved' });
  });

  it('Contract §7 payment_method.activated, payment_method.replaced, payment_method.deleted: what is shown of the card', () => {
    expectEvent('payment_method.activated', 'payment_method', { lastFour: expect.any(String) });
    expectEvent('payment_method.replaced', 'payment_method', {});
    expectEvent('payment_method.deleted', 'payment_method', {});
  });

  it('Contract §7 subscription.created, subscription.renewed, subscription.past_due, subscription.cancellation_scheduled, subscription.resumed, subscription.canceled: carry the subscription', () => {
    expectEvent('subscription.created', 'subscription', { status: 'active' });
    expectEvent('subscription.renewed', 'subscription', { status: 'active' });
    expectEvent('subscription.past_due', 'subscription', { status: 'past_due' });
    const ending = { status: 'active', cancelAt: expect.any(String), nextRenewalAt: null };
    expectEvent('subscription.cancellation_scheduled', 'subscription', ending);
    expectEvent('subscription.resumed', 'subscription', { status: 'active', cancelAt: null });
    expectEvent('subscription.canceled', 'subscription', { status: 'canceled' });
  });

  it('Contract §7 checkout.session.completed, checkout.session.expired: name the session', () => {
    const session = { object: 'checkout.session' };
    expectEvent('checkout.session.completed', 'checkout_session', session);
    expectEvent('checkout.session.expired', 'checkout_session', { status: 'expired' });
  });

  it('Contract §7 api_token.created, api_token.revoked: never the value', () => {
    expectEvent('api_token.created', 'api_token', { name: 'A shop' });
    expectEvent('api_token.revoked', 'api_token', { name: 'A shop' });
    expect(JSON.stringify(listed)).not.toMatch(/"token"|svc_[0-9A-Za-z]{49}/);
  });
});

describe('Every event', () => {
  it('Spec 6 rule 4: payload shapes are those of contract §7, the same fields in every event', () => {
    const fields = ['id', 'object', 'type', 'created', 'timestamp', 'apiVersion', 'clientId'];
    const rest = ['livemode', 'sequence', 'resource', 'request', 'data'];
    for (const event of listed) {
      expect(Object.keys(event)).toEqual([...fields, ...rest]);
      expect(Object.keys(event.resource)).toEqual(['type', 'id', 'version']);
      expect(event.created).toBe(Math.floor(Date.parse(event.timestamp) / 1000));
      expect(event.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(JSON.stringify(event).length).toBeLessThan(20_000);
      expect(event).toMatchObject({ clientId: shop.client.id, livemode: false });
    }
  });

  it('Contract §7 sequence: counts per resource from 1, without gaps, in the order of the list', () => {
    const counted = new Map<string, number>();
    for (const { resource, sequence } of listed) {
      const next = (counted.get(resource.id) ?? 0) + 1;
      expect([resource, sequence]).toEqual([resource, next]);
      counted.set(resource.id, next);
    }
    expect(Math.max(...counted.values())).toBeGreaterThan(2);
  });
});

describe('What a merchant does with an event', () => {
  it('Contract §7 Standard Webhooks: accepted by a verifier of that scheme, and by the provider’s own', () => {
    const body = JSON.stringify({ id: 'evt_1', object: 'event', type: 'a', data: {}, created: 1 });
    const current = newWebhookSecret(Buffer.alloc(32, 7));
    const headers = signatureHeaders({
      body,
      eventId: 'evt_1',
      secrets: [current],
      now: new Date(),
    });
    const standard = new Webhook(current.replace('svc_whsec_', ''));
    expect(standard.verify(body, { ...headers })).toMatchObject({ id: 'evt_1' });
    expect(() => standard.verify(body.replace('evt_1', 'evt_2'), { ...headers })).toThrow();
    const { webhooks } = Stripe;
    const own = String(headers['svc-signature']);
    expect(webhooks.constructEvent(body, own, current)).toMatchObject({ id: 'evt_1' });
    expect(() => webhooks.constructEvent(body.replace('evt_1', 'evt_2'), own, current)).toThrow();
  });

  it('Spec 6 rule 1: once, after capture returned succeeded and the handler took item.purchased', async () => {
    const received = await aReceiver();
    const secret = await anEndpoint({ world: shop }, received.url);
    const paymentId = await shop.aHold();
    const deliver = async () => {
      const ports = { ...shop.ports, sendWebhook: webhookSender({ allow: loopback }) };
      while ((await deliverDue(ports, limits)).sent > 0);
      return received.received;
    };
    const database = new DatabaseSync(':memory:');
    database.exec('create table shipped (payment text)');
    const inbox = createInbox({
      database: sqlite(database),
      svc: { request: async () => ({ data: [], nextCursor: null }) },
      from: 'beginning',
      apply: {
        'item.purchased': ({ data }, tx) =>
          tx.prepare('insert into shipped values (?)').run(data.object.paymentId),
      },
    });
    await inbox.migrate();
    const take = new Svc('sk_1').webhooks.toFetchHandler(inbox.receive, secret);
    const acceptAll = async (all: readonly ReceivedCall[]) => {
      for (const one of all) {
        const headers = { 'svc-signature': String(one.headers['svc-signature']) };
        const request = new Request(received.url, {
          method: 'POST',
          body: String(one.body),
          headers,
        });
        expect((await take(request)).status).toBe(200);
      }
    };
    const listShipped = () => database.prepare('select payment from shipped').all();

    const eventsOfPayment = (all: readonly ReceivedCall[]) =>
      all.filter((one) =>
        String(one.body).includes(`"resource":{"type":"payment","id":"${paymentId}"`),
      );
    await acceptAll(eventsOfPayment(await deliver()));
    expect(listShipped()).toEqual([]);
    expect((await shop.move('capture', paymentId)).body.status).toBe('succeeded');
    await acceptAll(eventsOfPayment(await deliver()));
    await acceptAll(eventsOfPayment(await deliver()));
    expect(listShipped().map((row) => ({ ...row }))).toEqual([{ payment: paymentId }]);
    await received.close();
  });
});
