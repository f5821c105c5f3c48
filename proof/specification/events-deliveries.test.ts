// Events as merchants receive them: over real sockets, verified by the libraries that merchants have,
// and applied by the inbox. Spec: Events, its rules. Contract §7.

import { DatabaseSync } from 'node:sqlite';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createInbox, sqlite } from '../../libraries/server/src/inbox.ts';
import { Svc } from '../../libraries/server/src/index.ts';
import { deliverDue } from '../../service/src/engine/runs/webhook-deliveries/deliver-due.ts';
import { webhookSender } from '../../service/src/webhooks/send.ts';
import { limits } from '../../service/test/deliveries.ts';
import { moveClock } from '../../service/test/harness.ts';
import { anEvent, loopback, type ReceivedCall } from '../../service/test/webhooks.ts';
import { anEndpoint } from '../merchant/stage.ts';
import { type Merchant, openMerchant } from './merchant.ts';
import { openWebhookFixture, signersOf, type WebhookFixture } from './webhooks-fixture.ts';

const hourMs = 3_600_000;
const library = new Svc('sk_1');

let fixture: WebhookFixture;
beforeAll(async () => {
  fixture = await openWebhookFixture();
});
afterEach(() => fixture.rest());
afterAll(() => fixture?.close());

/** Delivers one real event to a new endpoint; returns the request and the endpoint's secret. */
async function aDelivery() {
  const shop = await fixture.shop();
  const receiver = await fixture.receiver();
  const endpoint = await shop.endpoint(receiver.url);
  await shop.ask(`POST /v1/webhook-endpoints/${endpoint.id}/test`);
  const [received] = receiver.received;
  if (!received) throw new Error('nothing came');
  return { received, secret: endpoint.secret, id: header(received, 'webhook-id') };
}

const textOf = (received: ReceivedCall) => received.body.toString('utf8');
const header = (received: ReceivedCall, name: string) => String(received.headers[name]);

describe('A delivery is accepted', () => {
  it('Spec 6 rule 3: by constructEvent in Svc-Signature, with the secret svc_whsec_ of the endpoint alone', async () => {
    const { received, secret, id } = await aDelivery();
    expect(secret).toMatch(/^svc_whsec_[A-Za-z0-9+/]{43}=$/);
    const signature = header(received, 'svc-signature');
    const { constructEvent } = library.webhooks;
    expect(constructEvent.call(library.webhooks, received.body, signature, secret).id).toBe(id);
    const forged = textOf(received).replace('false', 'true');
    for (const [body, used] of [
      [forged, secret],
      [textOf(received), secret.replace(/..=$/, (last) => (last === 'AA=' ? 'BA=' : 'AA='))],
      [textOf(received), secret.replace('svc_', '')],
    ] as const) {
      expect(() => library.webhooks.constructEvent(body, signature, used)).toThrow(
        expect.objectContaining({ code: 'SignatureVerificationFailed' }),
      );
    }
  });

  it('Contract §7 Standard Webhooks: by a verifier of that scheme, given the part after svc_whsec_', async () => {
    const { received, secret, id } = await aDelivery();
    const headers = Object.fromEntries(
      ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [
        name,
        header(received, name),
      ]),
    );
    const verifier = new Webhook(secret.replace('svc_whsec_', ''));
    expect(verifier.verify(textOf(received), headers)).toMatchObject({ id: id });
    expect(() => verifier.verify(textOf(received).replace('false', 'true'), headers)).toThrow();
    expect(() =>
      new Webhook(secret.replace('svc_', '')).verify(textOf(received), headers),
    ).not.toThrow();
  });

  it('Contract §7 the provider’s verifier: stripe’s own accepts Svc-Signature with the whole secret', async () => {
    const { received, secret, id } = await aDelivery();
    const stripe = new Stripe('sk_test_1');
    const signature = header(received, 'svc-signature');
    const taken = stripe.webhooks.constructEvent(received.body, signature, secret);
    expect(taken.id).toBe(id);
    const forged = textOf(received).replace('false', 'true');
    expect(() => stripe.webhooks.constructEvent(forged, signature, secret)).toThrow();
    expect(() =>
      stripe.webhooks.constructEvent(received.body, signature, secret.replace('svc_', '')),
    ).toThrow();
  });

  it('Contract §7 constructEvent: whsec_ is the provider’s scheme, as its SDK signs it; other prefixes throw', () => {
    const payload = JSON.stringify({
      id: 'evt_1',
      object: 'event',
      type: 'a',
      data: {},
      created: 1,
    });
    const secret = 'whsec_provider';
    const signed = Stripe.webhooks.generateTestHeaderString({ payload, secret });
    expect(library.webhooks.constructEvent(payload, signed, secret).id).toBe('evt_1');
    const ours = library.webhooks.generateTestHeader({ payload, secret });
    expect(Stripe.webhooks.constructEvent(payload, ours, secret).id).toBe('evt_1');
    expect(() => library.webhooks.constructEvent(payload, signed, 'secret')).toThrow(/svc_whsec_/);
  });
});

describe('An endpoint is told of', () => {
  /**
   * An endpoint that fails until `isWell`; a second endpoint of the merchant gets the events about
   * it.
   */
  const aFailing = async () => {
    const shop = await fixture.shop();
    const [bad, good] = [
      await fixture.receiver((_, response) => response.writeHead(500).end()),
      await fixture.receiver(),
    ];
    const endpoint = await shop.endpoint(bad.url);
    await shop.endpoint(good.url, { eventTypes: told });
    return { shop, endpoint, good };
  };
  const told = [
    'webhook_endpoint.failing',
    'webhook_endpoint.disabled',
    'webhook_endpoint.test',
  ] as const;
  const parseReceived = (received: readonly ReceivedCall[]) =>
    received.map(
      (one) =>
        JSON.parse(textOf(one)) as { type: string; resource: object; data: { object: object } },
    );
  const failFor = async (shop: Awaited<ReturnType<typeof aFailing>>['shop'], hours: number) => {
    await moveClock(fixture.database, hours * hourMs);
    await anEvent(fixture.database, shop.client);
    await fixture.deliver();
  };

  it('Contract §7 webhook_endpoint.failing: once, at 60 hours of failures, to the other endpoints', async () => {
    const { shop, endpoint, good } = await aFailing();
    await failFor(shop, 0);
    await failFor(shop, 59);
    expect(good.received).toEqual([]);
    await failFor(shop, 1.1);
    await failFor(shop, 1);
    expect(parseReceived(good.received)).toMatchObject([
      {
        type: 'webhook_endpoint.failing',
        resource: { type: 'webhook_endpoint', id: endpoint.id },
        data: { object: { id: endpoint.id, isEnabled: true } },
      },
    ]);
    expect(textOf(good.received[0] as ReceivedCall)).not.toContain('svc_whsec_');
  });

  it('Contract §7 webhook_endpoint.disabled: after 120 hours of failures, to the other endpoints', async () => {
    const { shop, endpoint, good } = await aFailing();
    await failFor(shop, 0);
    await failFor(shop, 120.1);
    expect(parseReceived(good.received).at(-1)).toMatchObject({
      type: 'webhook_endpoint.disabled',
      data: { object: { id: endpoint.id, isEnabled: false, disabledReason: 'failing' } },
    });
  });

  it('Contract §7 webhook_endpoint.test: to that endpoint alone', async () => {
    const shop = await fixture.shop();
    const [own, other] = [await fixture.receiver(), await fixture.receiver()];
    const endpoint = await shop.endpoint(own.url);
    await shop.endpoint(other.url);
    expect((await shop.ask(`POST /v1/webhook-endpoints/${endpoint.id}/test`)).status).toBe(200);
    await fixture.deliver();
    expect(parseReceived(own.received)).toMatchObject([{ type: 'webhook_endpoint.test' }]);
    expect(other.received).toEqual([]);
  });

  it('Contract §7 event.request: a test names the call that asked for it', async () => {
    const shop = await fixture.shop();
    const target = await fixture.receiver();
    const endpoint = await shop.endpoint(target.url);
    const before = fixture.server.logged.length;
    await shop.ask(`POST /v1/webhook-endpoints/${endpoint.id}/test`);
    const call = fixture.server.logged
      .slice(before)
      .find((line) => JSON.stringify(line).includes('testWebhookEndpoint'));
    const { request } = JSON.parse(textOf(target.received[0] as ReceivedCall));
    expect(request).toEqual({ id: expect.stringMatching(/^req_/), idempotencyKey: null });
    expect(JSON.stringify(call)).toContain(request.id);
  });
});

describe('An item is fulfilled', () => {
  let shop: Merchant;
  beforeAll(async () => {
    shop = await openMerchant();
  });
  afterAll(() => shop?.close());

  it('Spec 6 rule 1: once, after capture returned succeeded and the handler took item.purchased', async () => {
    const received = await fixture.receiver();
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
    const take = library.webhooks.toFetchHandler(inbox.receive, secret);
    const acceptAll = async (all: readonly ReceivedCall[]) => {
      for (const one of all) {
        const headers = { 'svc-signature': header(one, 'svc-signature') };
        const request = new Request(received.url, { method: 'POST', body: textOf(one), headers });
        expect((await take(request)).status).toBe(200);
      }
    };
    const listShipped = () => database.prepare('select payment from shipped').all();

    const eventsOfPayment = (all: readonly ReceivedCall[]) =>
      all.filter((one) => textOf(one).includes(`"resource":{"type":"payment","id":"${paymentId}"`));
    await acceptAll(eventsOfPayment(await deliver()));
    expect(listShipped()).toEqual([]);
    expect((await shop.move('capture', paymentId)).body.status).toBe('succeeded');
    await acceptAll(eventsOfPayment(await deliver()));
    await acceptAll(eventsOfPayment(await deliver()));
    expect(listShipped().map((row) => ({ ...row }))).toEqual([{ payment: paymentId }]);
  });

  it('Spec 6 rule 5: delivery, retry and ordering are those of contract §7: again until 2xx, in order, the same bytes', async () => {
    let isWell = false;
    const receiver = await fixture.receiver((_, response) =>
      response.writeHead(isWell ? 204 : 503).end(),
    );
    const owner = await fixture.shop();
    const { secret } = await owner.endpoint(receiver.url);
    const resourceId = crypto.randomUUID();
    const first = await anEvent(fixture.database, owner.client, { resourceId, sequence: 1 });
    const second = await anEvent(fixture.database, owner.client, { resourceId, sequence: 2 });
    await fixture.deliver();
    isWell = true;
    await moveClock(fixture.database, 6500);
    await fixture.deliver();
    const came = receiver.received.map((one) => [header(one, 'webhook-id'), textOf(one)]);
    const [one, two] = [first, second].map(({ wireId, payload }) => [wireId, payload]);
    expect(came).toEqual([one, one, two]);
    for (const received of receiver.received) expect(signersOf(received, [secret])).toEqual([0]);
  });
});
