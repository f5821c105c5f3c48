// Events, type by type: each made to happen over HTTP with a real provider, read from `GET /v1/events`
// in the shape of contract §7. What webhook endpoints bring about: events-deliveries.test.ts.

import type { EventType } from '@svc/contract/events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deliverDisputeEvents, dispute, step } from '../../service/test/disputes.ts';
import { aGrant } from '../../service/test/grants.ts';
import { cards } from '../../service/test/world.ts';
import { bodyOf, type CardShop, openCardShop } from './cardholder.ts';

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

let shop: CardShop;
let listed: ListedEvent[];
beforeAll(async () => {
  shop = await openCardShop();
  await moneyMoves(shop);
  await cardsAndClubs(shop);
  await tokens(shop);
  await runTimedEvents(shop);
  listed = await readEvents(shop);
}, 90_000);
afterAll(() => shop?.close());

async function moneyMoves(on: CardShop): Promise<void> {
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
  const disputed = await dispute(on, await on.intentOf(await on.aPurchase()));
  await deliverDisputeEvents(on, disputed);
  await step(on, disputed, 'evidence');
  await deliverDisputeEvents(on, disputed);
  await step(on, disputed, 'close', { outcome: 'won' });
  await deliverDisputeEvents(on, disputed);
}

async function cardsAndClubs(on: CardShop): Promise<void> {
  const card = await on.aCard(await on.aBuyer());
  const club = await on.aClub(card);
  await on.renew(club);
  const poor = await on.aCard(card.userId, chargesDecline);
  bodyOf(await on.remove(card.id), 204);
  await on.renew(club);
  bodyOf(await on.ask(`POST /v1/subscriptions/${club.id}/cancel`));
  bodyOf(await on.remove(poor.id), 204);
}

async function tokens(on: CardShop): Promise<void> {
  const user = { id: on.token.userId };
  const { authorization } = await aGrant(on.ports, { user, client: on.client, scopes: ['mcp'] });
  const headers = { authorization };
  const made = await on.call(null, 'POST /v1/api-tokens', { headers, body: { name: 'A shop' } });
  bodyOf(await on.call(null, `DELETE /v1/api-tokens/${bodyOf(made, 201).id}`, { headers }), 204);
}

async function runTimedEvents(on: CardShop): Promise<void> {
  await on.shell();
  const hold = await on.aHold();
  await on.advance(6 * day + 3600);
  await on.expire();
  await on.sweep();
  await on.control('POST', `/_control/holds/${await on.intentOf(hold)}/expire`, {});
  await on.hear(hold);
}

async function readEvents(on: CardShop): Promise<ListedEvent[]> {
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
const expectEvent = (type: EventType, resource: string, object: object) => () => {
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

describe('The four of the specification, and item.purchased', () => {
  it(
    'Contract §7 payment.authorized: carries the payment',
    expectEvent('payment.authorized', 'payment', aPayment('authorized')),
  );
  it('Contract §7 payment.capture_failed: carries the payment and the failure', () => {
    expectEvent('payment.capture_failed', 'payment', aPayment('authorized'))();
    const [failed, ...more] = eventsOfType('payment.capture_failed');
    expect(failed?.data.failure).toMatchObject({
      code: 'card_declined',
      attempt: expect.any(Number),
    });
    expect(Object.keys(Object(failed?.data.failure))).toEqual(['code', 'message', 'attempt']);
    expect(more).toEqual([]);
  });
  it(
    'Contract §7 payment.authorization_voided: carries the payment',
    expectEvent('payment.authorization_voided', 'payment', aPayment('voided')),
  );
  it(
    'Contract §7 payment.authorization_expired: carries the payment',
    expectEvent('payment.authorization_expired', 'payment', aPayment('voided')),
  );
  it('Contract §7 item.purchased: carries who bought what, once per payment', () => {
    expectEvent('item.purchased', 'payment', {
      ...{ amount: 19.9, currency: 'EUR', customer: { email: expect.any(String) } },
      items: [{ code: 'mug', name: 'Mug', quantity: 1, totalAmount: 19.9, currency: 'EUR' }],
    })();
    const payments = eventsOfType('item.purchased').map(({ resource }) => resource.id);
    expect(new Set(payments).size).toBe(payments.length);
  });
});

describe('What the contract adds', () => {
  it(
    'Contract §7 payment.authorization_expiring: a day before the hold ends',
    expectEvent('payment.authorization_expiring', 'payment', aPayment('authorized')),
  );
  it(
    'Contract §7 payment.failed: after a decline',
    expectEvent('payment.failed', 'payment', aPayment('failed')),
  );
  it('Contract §7 payment.succeeded: where item.purchased is not emitted, and only there', () => {
    expectEvent('payment.succeeded', 'payment', aPayment('succeeded'))();
    const items = new Set(eventsOfType('item.purchased').map(({ resource }) => resource.id));
    expect(
      eventsOfType('payment.succeeded').filter(({ resource }) => items.has(resource.id)),
    ).toEqual([]);
  });
  it(
    'Contract §7 refund.created: carries the refund row',
    expectEvent('refund.created', 'payment', { type: 'refund', amount: 2 }),
  );
  it(
    'Contract §7 refund.succeeded: carries the refund row',
    expectEvent('refund.succeeded', 'payment', { type: 'refund', status: 'succeeded' }),
  );
  it(
    'Contract §7 refund.failed: carries the refund row',
    expectEvent('refund.failed', 'payment', { type: 'refund', status: 'refund_failed' }),
  );
  it('Contract §7 dispute.opened: at once', expectEvent('dispute.opened', 'dispute', {}));
  it('Contract §7 dispute.updated: as it goes on', expectEvent('dispute.updated', 'dispute', {}));
  it('Contract §7 dispute.closed: with its outcome', expectEvent('dispute.closed', 'dispute', {}));
  it(
    'Contract §7 chargeback.withdrawn: the money was taken',
    expectEvent('chargeback.withdrawn', 'payment', { type: 'chargeback' }),
  );
  it(
    'Contract §7 chargeback.reinstated: the money came back',
    expectEvent('chargeback.reinstated', 'payment', { type: 'chargeback' }),
  );
  it(
    'Contract §7 payment_method.activated: carries the card as it is shown',
    expectEvent('payment_method.activated', 'payment_method', { lastFour: expect.any(String) }),
  );
  it(
    'Contract §7 payment_method.deleted: by the merchant',
    expectEvent('payment_method.deleted', 'payment_method', {}),
  );
  it(
    'Contract §7 payment_method.replaced: what it funded has moved',
    expectEvent('payment_method.replaced', 'payment_method', {}),
  );
  it(
    'Contract §7 subscription.created: bought in a checkout',
    expectEvent('subscription.created', 'subscription', { status: 'active' }),
  );
  it(
    'Contract §7 subscription.renewed: another period is paid',
    expectEvent('subscription.renewed', 'subscription', { status: 'active' }),
  );
  it(
    'Contract §7 subscription.past_due: the saved card declined',
    expectEvent('subscription.past_due', 'subscription', { status: 'past_due' }),
  );
  it(
    'Contract §7 subscription.canceled: carries the subscription',
    expectEvent('subscription.canceled', 'subscription', { status: 'canceled' }),
  );
  it(
    'Contract §7 checkout.session.completed: names the payment',
    expectEvent('checkout.session.completed', 'checkout_session', { object: 'checkout.session' }),
  );
  it(
    'Contract §7 checkout.session.expired: nothing was paid',
    expectEvent('checkout.session.expired', 'checkout_session', { status: 'expired' }),
  );
  it('Contract §7 api_token.created: never its value', () => {
    expectEvent('api_token.created', 'api_token', { name: 'A shop' })();
    expect(JSON.stringify(eventsOfType('api_token.created'))).not.toMatch(
      /"token"|svc_[0-9A-Za-z]{49}/,
    );
  });
  it(
    'Contract §7 api_token.revoked: no program comes in with it any more',
    expectEvent('api_token.revoked', 'api_token', { name: 'A shop' }),
  );
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

  it('Spec 6 rule 2: card setup sessions emit no purchase or fulfilment events, and charge nothing', () => {
    const [saved] = eventsOfType('payment_method.activated');
    expect(saved).toBeDefined();
    const about = listed.filter(({ data }) =>
      JSON.stringify(data).includes(String(saved?.resource.id)),
    );
    const first = about.findIndex(({ type }) => type === 'payment_method.activated');
    expect(about.slice(0, first)).toEqual([]);
    const setups = new Set(listed.filter(({ type }) => type === 'item.purchased'));
    for (const { data } of setups) expect(data.object.items).not.toEqual([]);
  });
});
