// Webhook endpoints over HTTP: every call of contract §7 that keeps them, and every code that they
// refuse with. A title begins with the row that it shows.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../service/src/storage/database/sql.ts';
import { moveClock } from '../../service/test/harness.ts';
import { aStoredEvent } from '../../service/test/payments/stored-rows.ts';
import { anEvent, deliveryOf } from '../../service/test/webhooks/webhooks.ts';
import {
  type EndpointResponse,
  expectRefused,
  farUrl,
  openWebhookFixture,
  readSecrets,
  type Shop,
  type WebhookFixture,
} from './webhooks-fixture.ts';

let fixture: WebhookFixture;
let shop: Shop;
beforeAll(async () => {
  fixture = await openWebhookFixture();
});
afterAll(() => fixture?.close());
beforeEach(async () => {
  shop = await fixture.shop();
});
afterEach(() => fixture.rest());

const all = 'GET /v1/webhook-endpoints';
const make = 'POST /v1/webhook-endpoints';

describe('createWebhookEndpoint', () => {
  it('Contract §7 create: 201 with everything that the endpoint is', async () => {
    const given = { url: farUrl, description: 'Orders', eventTypes: ['item.purchased'] };
    const { status, body } = await shop.ask(make, given);
    expect(status).toBe(201);
    const { secret, ...shown } = body;
    expect(secret).toMatch(/^svc_whsec_[A-Za-z0-9+/]{43}=$/);
    expect(shown).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      url: farUrl,
      description: 'Orders',
      eventTypes: ['item.purchased'],
      apiVersion: '2026-01-01',
      isEnabled: true,
      disabledReason: null,
      failingSince: null,
      previousSecretUntil: null,
      testFault: null,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: body.createdAt,
    });
    expect((await shop.ask(`${all}/${shown.id}`)).body).toEqual(shown);
  });

  it('Contract §7 create: the address is kept as it is called, and takes no line break', async () => {
    const typed = 'HTTPS://Hooks.Example:443/a/../in?order=7';
    const { body } = await shop.ask(make, { url: typed });
    expect(body.url).toBe('https://hooks.example/in?order=7');
    const change = `PATCH /v1/webhook-endpoints/${body.id}` as const;
    for (const url of [`${farUrl}\r\n`, `${farUrl}\n`, `\t${farUrl}`]) {
      for (const call of [make, change] as const) {
        expectRefused(await shop.ask(call, { url }), [400, 'invalid_request'], { param: 'url' });
      }
    }
    expect((await shop.ask(`${all}/${body.id}`)).body.url).toBe(body.url);
  });

  it('Contract §7 secret: in the answers of creation and rotation, and nowhere else', async () => {
    const target = await fixture.receiver();
    const { id, secret } = await shop.endpoint(target.url);
    const rotated = (await shop.ask(`${make}/${id}/rotate-secret`, {})).body.secret;
    const event = await anEvent(fixture.database, shop.client);
    await fixture.deliver();
    const texts = [
      (await shop.ask(all)).text,
      (await shop.ask(`${all}/${id}`)).text,
      (await shop.ask(`PATCH /v1/webhook-endpoints/${id}`, { description: 'x' })).text,
      (await shop.ask(`${make}/${id}/test`)).text,
      (await shop.ask(`${all}/${id}/deliveries`)).text,
      (await shop.ask(`GET /v1/events/${event.wireId}/attempts`)).text,
      (await shop.ask('GET /v1/audit-entries?limit=100')).text,
      (await shop.ask('GET /v1/events?limit=100')).text,
      JSON.stringify(target.received.map(({ headers, body }) => [headers, String(body)])),
      JSON.stringify(fixture.server.logged),
    ];
    const [row] = await fixture.database.read(readSecrets, [id]);
    texts.push(String(row?.secret_sealed), String(row?.previous_secret_sealed));
    for (const [index, text] of texts.entries()) {
      for (const value of [secret, rotated]) {
        expect(text.includes(value.slice(10, 40)), `place ${index}`).toBe(false);
      }
    }
    expect(texts).toHaveLength(12);
  });

  it('Contract §7 types: null and absent are all, a type once, an unknown one is 400', async () => {
    expect((await shop.endpoint(farUrl, { eventTypes: null })).eventTypes).toBeNull();
    const twice = { eventTypes: ['refund.created', 'item.purchased', 'refund.created'] };
    const { eventTypes } = await shop.endpoint(farUrl, twice);
    expect(eventTypes).toEqual(['item.purchased', 'refund.created']);
    for (const eventTypes of [[], ['payment.exploded'], 'item.purchased', [null]]) {
      expectRefused(await shop.ask(make, { url: farUrl, eventTypes }), [400, 'invalid_request']);
    }
  });

  it("Contract §7 version: the merchant's own unless told; one that there is not is 400", async () => {
    const { apiVersion } = await shop.endpoint(farUrl, { apiVersion: '2026-11-21' });
    expect(apiVersion).toBe('2026-11-21');
    const wrong = await shop.ask(make, { url: farUrl, apiVersion: '2031-01-01' });
    expectRefused(wrong, [400, 'invalid_request'], { param: 'apiVersion' });
  });

  it('Contract §1 webhook_endpoint_limit_reached: 409 after the tenth, exact under 50 at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => shop.ask(make, { url: farUrl })),
    );
    const made = answers.filter(({ status }) => status === 201);
    expect(made).toHaveLength(10);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expectRefused(answer, [409, 'webhook_endpoint_limit_reached']);
    }
    expect((await shop.ask(all)).body.total).toBe(10);
    // The limit is per merchant, and a deleted endpoint no longer counts.
    await (await fixture.shop()).endpoint(farUrl);
    await shop.ask(`DELETE /v1/webhook-endpoints/${made[0]?.body.id}`);
    await shop.endpoint(farUrl);
    expectRefused(await shop.ask(make, { url: farUrl }), [409, 'webhook_endpoint_limit_reached']);
  });

  it.each([
    ['plain http to the public', 'http://shop.example/', 'url_refused'],
    ['another scheme', 'ftp://shop.example/', 'url_refused'],
    ['no URL', 'shop.example/hook', 'url_refused'],
    ['user and password', 'https://a:b@shop.example/', 'url_refused'],
    ['a fragment', 'https://shop.example/#x', 'url_refused'],
    ['a low port', 'https://shop.example:25/', 'url_refused'],
    ['a private address', 'https://10.0.0.1/', 'address_refused'],
    ['link-local, where clouds keep their secrets', 'https://169.254.169.254/', 'address_refused'],
    ['a private address as one number', 'https://167772161/', 'address_refused'],
    ['a private address of IPv6', 'https://[fd00::1]/', 'address_refused'],
    ['a mapped private address', 'https://[::ffff:10.0.0.1]/', 'address_refused'],
    ['a name inside', 'https://inside.example/', 'address_refused'],
    ['a name with one address inside', 'https://both.example/', 'address_refused'],
  ])('Contract §1 webhook_url_refused: 422 for %s', async (_what, url, reason) => {
    Object.assign(fixture.names, {
      'inside.example': ['192.168.1.1'],
      'both.example': ['93.184.216.34', '10.1.2.3'],
    });
    const { id } = await shop.endpoint(farUrl);
    const answers = [
      await shop.ask(make, { url }),
      await shop.ask(`PATCH /v1/webhook-endpoints/${id}`, { url }),
    ];
    for (const answer of answers) {
      expectRefused(answer, [422, 'webhook_url_refused'], {
        param: 'url',
        errors: [{ path: 'url', code: reason, message: expect.stringMatching(/\.$/) }],
      });
    }
    expect((await shop.ask(`${all}/${id}`)).body.url).toBe(farUrl);
    expect((await shop.ask(all)).body.total).toBe(1);
  });

  it('a name that does not resolve now is taken, and fails at delivery', async () => {
    const endpoint = await shop.endpoint('https://not-yet.example/hook');
    const event = await anEvent(fixture.database, shop.client);
    await fixture.deliver();
    const state = await deliveryOf(fixture.database, event, endpoint);
    expect(state).toMatchObject({ state: 'pending', lastError: 'dns_error' });
  });
});

describe('updateWebhookEndpoint', () => {
  const change = (id: string, body: object) => shop.ask(`PATCH /v1/webhook-endpoints/${id}`, body);

  it('Contract §7 change: what is given, and nothing else; nothing given changes nothing', async () => {
    const { secret: _, ...before } = await shop.endpoint(farUrl, { description: 'One' });
    const given = { url: 'https://shop.example:8443/two', eventTypes: ['refund.created'] };
    const { status, body } = await change(before.id, given);
    expect(status).toBe(200);
    expect(body).toEqual({ ...before, ...given, updatedAt: body.updatedAt });
    expect(String(body.updatedAt) > String(before.updatedAt)).toBe(true);
    expect((await change(before.id, {})).body).toEqual(body);
    expect((await change(before.id, given)).body).toEqual(body);
    const cleared = (await change(before.id, { description: null, eventTypes: null })).body;
    expect(cleared).toMatchObject({ description: null, eventTypes: null });
  });

  it('Contract §7 filter: from the change on, only the types named are delivered', async () => {
    const target = await fixture.receiver();
    const { id } = await shop.endpoint(target.url);
    await change(id, { eventTypes: ['refund.created'] });
    await anEvent(fixture.database, shop.client, { type: 'payment.authorized' });
    const wanted = await anEvent(fixture.database, shop.client, { type: 'refund.created' });
    await fixture.deliver();
    expect(target.received.map(({ headers }) => headers['webhook-id'])).toEqual([wanted.wireId]);
  });

  it('Contract §7 disable: what waits is cancelled, the other endpoints are told', async () => {
    const [target, other] = [await fixture.receiver(), await fixture.receiver()];
    const endpoint = await shop.endpoint(target.url);
    await shop.endpoint(other.url, { eventTypes: ['webhook_endpoint.disabled'] });
    const event = await anEvent(fixture.database, shop.client);
    const { body } = await change(endpoint.id, { isEnabled: false });
    expect(body).toMatchObject({ isEnabled: false, disabledReason: 'merchant' });
    await anEvent(fixture.database, shop.client);
    await fixture.deliver();
    expect(target.received).toEqual([]);
    expect(await deliveryOf(fixture.database, event, endpoint)).toMatchObject({
      state: 'cancelled',
    });
    const told = other.received.map((each) => JSON.parse(String(each.body)));
    expect(told).toMatchObject([
      {
        type: 'webhook_endpoint.disabled',
        sequence: 1,
        resource: { type: 'webhook_endpoint', id: endpoint.id },
        data: { object: { id: endpoint.id, isEnabled: false, disabledReason: 'merchant' } },
      },
    ]);
    // Disabling again sends no second event.
    await change(endpoint.id, { isEnabled: false, description: 'still' });
    await fixture.deliver();
    expect(other.received).toHaveLength(1);
  });

  it('Contract §7 enable: it begins anew, without what was cancelled', async () => {
    let status = 500;
    const target = await fixture.receiver((_, response) => response.writeHead(status).end());
    const endpoint = await shop.endpoint(target.url);
    const first = await anEvent(fixture.database, shop.client);
    await fixture.deliver();
    expect((await shop.ask(`${all}/${endpoint.id}`)).body.failingSince).not.toBeNull();
    await change(endpoint.id, { isEnabled: false });
    const { body } = await change(endpoint.id, { isEnabled: true });
    expect(body).toMatchObject({ isEnabled: true, disabledReason: null, failingSince: null });
    status = 200;
    const second = await anEvent(fixture.database, shop.client);
    await fixture.deliver();
    const got = target.received.map(({ headers }) => headers['webhook-id']);
    expect(got).toEqual([first.wireId, second.wireId]);
  });

  it('Contract §7 another address begins anew: the 120 hours are of the one that failed', async () => {
    const hourMs = 3_600_000;
    const refusingReceiver = () => fixture.receiver((_, response) => response.writeHead(500).end());
    const [before, after] = [await refusingReceiver(), await refusingReceiver()];
    const endpoint = await shop.endpoint(before.url);
    await anEvent(fixture.database, shop.client);
    await fixture.deliver();
    await moveClock(fixture.database, 119 * hourMs);
    // Setting the same address again changes nothing.
    await change(endpoint.id, { url: before.url });
    expect((await shop.ask(`${all}/${endpoint.id}`)).body.failingSince).not.toBeNull();
    expect((await change(endpoint.id, { url: after.url })).body.failingSince).toBeNull();
    await moveClock(fixture.database, hourMs);
    const event = await anEvent(fixture.database, shop.client);
    await fixture.deliver();
    await fixture.deliver();
    expect(after.received.length).toBeGreaterThan(0);
    const { body } = await shop.ask(`${all}/${endpoint.id}`);
    expect(body).toMatchObject({ isEnabled: true, disabledReason: null });
    expect(await deliveryOf(fixture.database, event, endpoint)).toMatchObject({ state: 'pending' });
  });

  it('Contract §7 test fault: in the sandbox, and 400 for a live merchant', async () => {
    const endpoint = await shop.endpoint(farUrl);
    for (const testFault of ['duplicate', 'reorder', null]) {
      expect((await change(endpoint.id, { testFault })).body.testFault).toBe(testFault);
    }
    expectRefused(await change(endpoint.id, { testFault: 'explode' }), [400, 'invalid_request']);
    await fixture.database.write(makeLive, [shop.client.id]);
    const live = await change(endpoint.id, { testFault: 'duplicate' });
    expectRefused(live, [400, 'invalid_request'], { param: 'testFault' });
    expect((await change(endpoint.id, { testFault: null })).status).toBe(200);
  });
});

const makeLive = sql('proof_make_live', 'update clients set is_live = true where id = $1');

describe('listWebhookEndpoints', () => {
  it('Contract §7 list: newest first, by filter and page, with the exact total', async () => {
    const made: string[] = [];
    for (const index of [1, 2, 3, 4]) {
      made.push((await shop.endpoint(`https://shop.example/${index}`)).id);
    }
    await shop.ask(`PATCH /v1/webhook-endpoints/${made[1]}`, { isEnabled: false });
    await shop.ask(`DELETE /v1/webhook-endpoints/${made[3]}`);
    await (await fixture.shop()).endpoint(farUrl);
    const idsOf = ({ body }: EndpointResponse) => [body.data.map((each) => each.id), body.total];
    expect(idsOf(await shop.ask(all))).toEqual([[made[2], made[1], made[0]], 3]);
    expect(idsOf(await shop.ask(`${all}?limit=1&page=2`))).toEqual([[made[1]], 3]);
    expect(idsOf(await shop.ask(`${all}?isEnabled[eq]=false`))).toEqual([[made[1]], 1]);
    const url = encodeURIComponent('https://shop.example/1');
    expect(idsOf(await shop.ask(`${all}?url[eq]=${url}`))).toEqual([[made[0]], 1]);
    expectRefused(await shop.ask(`${all}?secret[eq]=x`), [400, 'invalid_query']);
  });
});

describe('listEvents', () => {
  it('Contract §7 after: oldest first, and 400 for who asks for the newest first', async () => {
    const times = ['2026-01-01', '2026-01-02', '2026-01-03'].map((day) => `${day}T00:00:00Z`);
    const ids: string[] = [];
    for (const createdAt of times) {
      ids.push((await aStoredEvent(fixture.database, shop.client, { createdAt })).id);
    }
    const list = (query: string) => shop.ask(`GET /v1/events?after=${ids[0]}${query}`);
    for (const query of ['', '&sortDirection=ASC', '&sortField=createdAt']) {
      const { data } = (await list(query)).body;
      const found = data.map((one) => one.id);
      expect(found, query).toEqual(ids.slice(1));
    }
    for (const query of ['&sortDirection=DESC', '&limit=1&sortDirection=DESC']) {
      expectRefused(await list(query), [400, 'invalid_query'], { param: 'sortDirection' });
    }
    expect((await shop.ask('GET /v1/events?sortDirection=DESC')).status).toBe(200);
  });
});
