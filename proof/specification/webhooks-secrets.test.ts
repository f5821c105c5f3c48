// Webhook endpoints over HTTP: removal, secrets, the test call, and who may do what. Contract §7. A
// title begins with the row that it shows.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { aToken, moveClock, newId } from '../../service/test/harness.ts';
import { anEvent } from '../../service/test/webhooks/webhooks.ts';
import {
  type EndpointResponse,
  expectRefused,
  farUrl,
  openWebhookFixture,
  readSecrets,
  type Shop,
  signersOf,
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

describe('deleteWebhookEndpoint', () => {
  it('Contract §7 delete: 204, again 204, and from then on a missing one for every call', async () => {
    const target = await fixture.receiver();
    const endpoint = await shop.endpoint(target.url);
    const { id } = endpoint;
    const event = await anEvent(fixture.database, shop.client);
    const answer = await shop.ask(`DELETE /v1/webhook-endpoints/${id}`);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect((await shop.ask(`DELETE /v1/webhook-endpoints/${id}`)).status).toBe(204);
    const missing = newId();
    const calls = [
      ['GET', '', undefined],
      ['PATCH', '', { description: 'x' }],
      ['PATCH', '', { isEnabled: true, url: farUrl }],
      ['POST', '/rotate-secret', {}],
      ['POST', '/test', undefined],
      ['POST', '/redeliver', { since: '2026-01-01T00:00:00.000Z' }],
      ['GET', '/deliveries', undefined],
    ] as const;
    for (const [method, path, body] of calls) {
      const [ofDeleted, ofMissing] = await Promise.all(
        [id, missing].map((each) =>
          shop.ask(`${method} /v1/webhook-endpoints/${each}${path}`, body),
        ),
      );
      expectRefused(ofDeleted as EndpointResponse, [404, 'webhook_endpoint_not_found']);
      expectRefused(ofMissing as EndpointResponse, [404, 'webhook_endpoint_not_found']);
    }
    const named = { endpointIds: [id] };
    const redelivered = await shop.ask(`POST /v1/events/${event.wireId}/redeliver`, named);
    expectRefused(redelivered, [404, 'webhook_endpoint_not_found']);
    expect((await shop.ask(all)).body.total).toBe(0);
    await anEvent(fixture.database, shop.client);
    await fixture.deliver();
    expect(target.received).toEqual([]);
    const [row] = await fixture.database.read(readSecrets, [id]);
    expect(row).toEqual({ secret_sealed: Buffer.alloc(0), previous_secret_sealed: null });
  });

  it("Contract §1 webhook_endpoint_not_found: 404, also another merchant's, with the same bytes", async () => {
    const rival = await fixture.shop();
    const { id } = await rival.endpoint(farUrl);
    const bytesOf = ({ status, text }: EndpointResponse) =>
      `${status} ${text.replace(/req_\w+/, '')}`;
    const [foreign, missing] = [
      await shop.ask(`DELETE /v1/webhook-endpoints/${id}`),
      await shop.ask(`DELETE /v1/webhook-endpoints/${newId()}`),
    ];
    expectRefused(foreign, [404, 'webhook_endpoint_not_found']);
    expect(bytesOf(foreign)).toBe(bytesOf(missing));
    expect((await rival.ask(`${all}/${id}`)).status).toBe(200);
  });
});

describe('rotateWebhookSecret', () => {
  const rotateSecret = async (id: string, body: object = {}) => {
    const answer = await shop.ask(`${make}/${id}/rotate-secret`, body);
    expect(answer.status, answer.text).toBe(200);
    return answer.body;
  };
  const waitForDelivery = async (target: { received: { length: number } }) => {
    await anEvent(fixture.database, shop.client);
    await fixture.deliver();
    return target.received.length - 1;
  };

  it('Contract §7 rotate: the new secret signs at once, the old one too until the overlap ends', async () => {
    const target = await fixture.receiver();
    const { id, secret: old } = await shop.endpoint(target.url);
    const { secret, previousSecretUntil, ...rest } = await rotateSecret(id, {
      overlapSeconds: 600,
    });
    expect(rest).toMatchObject({ id, isEnabled: true });
    const leftMs = Date.parse(String(previousSecretUntil)) - Date.parse(String(rest.updatedAt));
    expect(leftMs).toBe(600_000);
    await waitForDelivery(target);
    expect(target.received.map((each) => signersOf(each, [secret, old]))).toEqual([[0, 1]]);
    await moveClock(fixture.database, 601_000);
    const last = await waitForDelivery(target);
    expect(signersOf(target.received[last] as never, [secret, old])).toEqual([0]);
    const shown = (await shop.ask(`${all}/${id}`)).body;
    expect(shown.previousSecretUntil).toBeNull();
  });

  it('Contract §7 rotate: a day of overlap unless told, and 0 ends the old secret at once', async () => {
    const target = await fixture.receiver();
    const { id, secret: first } = await shop.endpoint(target.url);
    const second = await rotateSecret(id);
    const untilMs = Date.parse(String(second.previousSecretUntil));
    expect(untilMs - Date.parse(String(second.updatedAt))).toBe(86_400_000);
    const third = await rotateSecret(id, { overlapSeconds: 0 });
    expect(third.previousSecretUntil).toBeNull();
    await waitForDelivery(target);
    const secrets = [first, second.secret, third.secret];
    expect(target.received.map((each) => signersOf(each, secrets))).toEqual([[2]]);
    for (const overlapSeconds of [-1, 604_801, 1.5, '60']) {
      const wrong = await shop.ask(`${make}/${id}/rotate-secret`, { overlapSeconds });
      expectRefused(wrong, [400, 'invalid_request']);
    }
  });

  it('Contract §7 rotate: twice within the overlap, the two newest sign', async () => {
    const target = await fixture.receiver();
    const { id, secret: first } = await shop.endpoint(target.url);
    const { secret: second } = await rotateSecret(id);
    const { secret: third } = await rotateSecret(id);
    await waitForDelivery(target);
    const secrets = [first, second, third];
    expect(target.received.map((each) => signersOf(each, secrets))).toEqual([[1, 2]]);
  });
});

describe('testWebhookEndpoint', () => {
  it('Contract §7 test: an event of its own, sent at once, and what came back', async () => {
    const target = await fixture.receiver((_, response) => response.end('Danke'));
    const other = await fixture.receiver();
    const { id, secret } = await shop.endpoint(target.url, { eventTypes: ['item.purchased'] });
    await shop.endpoint(other.url);
    const { status, body } = await shop.ask(`${make}/${id}/test`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      endpointId: id,
      attempt: 1,
      isRedelivery: false,
      outcome: 'delivered',
      status: 200,
      error: null,
      response: 'Danke',
      request: { url: target.url, headers: { 'webhook-id': body.eventId } },
    });
    const [sent] = target.received;
    expect(signersOf(sent as never, [secret])).toEqual([0]);
    const event = (await shop.ask(`GET /v1/events/${body.eventId}`)).body;
    expect(JSON.parse(String(sent?.body))).toEqual(event);
    expect(event).toMatchObject({ type: 'webhook_endpoint.test', resource: { id } });
    const { headers } = body.request as { headers: Record<string, string> };
    for (const [name, value] of Object.entries(headers)) {
      expect([name, sent?.headers[name]]).toEqual([name, value]);
    }
    await fixture.deliver();
    expect([target.received.length, other.received.length]).toEqual([1, 0]);
    const attempts = (await shop.ask(`GET /v1/events/${body.eventId}/attempts`)).body;
    expect(attempts.data).toEqual([body]);
  });

  it('Contract §7 test: a failure is an answer, and is not tried again', async () => {
    const target = await fixture.receiver((_, response) => response.writeHead(500).end());
    const { id } = await shop.endpoint(target.url);
    const { status, body } = await shop.ask(`${make}/${id}/test`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ outcome: 'failed', status: 500, error: 'not_2xx' });
    await moveClock(fixture.database, 86_400_000);
    await fixture.deliver();
    expect(target.received).toHaveLength(1);
    const { data } = (await shop.ask(`${all}/${id}/deliveries`)).body;
    expect(data).toMatchObject([{ eventType: 'webhook_endpoint.test', state: 'dead' }]);
    expect((await shop.ask(`${all}/${id}`)).body.failingSince).toBeNull();
  });

  it('Contract §1 webhook_endpoint_is_disabled: 409 for a test and a redelivery', async () => {
    const target = await fixture.receiver();
    const { id } = await shop.endpoint(target.url);
    const event = await anEvent(fixture.database, shop.client);
    await shop.ask(`PATCH /v1/webhook-endpoints/${id}`, { isEnabled: false });
    const since = { since: '2026-01-01T00:00:00.000Z' };
    const answers = [
      await shop.ask(`${make}/${id}/test`),
      await shop.ask(`${make}/${id}/redeliver`, since),
      await shop.ask(`POST /v1/events/${event.wireId}/redeliver`, { endpointIds: [id] }),
    ];
    for (const answer of answers) expectRefused(answer, [409, 'webhook_endpoint_is_disabled']);
    await fixture.deliver();
    expect(target.received).toEqual([]);
  });
});

describe('who may', () => {
  it('Contract §7 role: changing takes an owner or admin; looking and delivering any member', async () => {
    const target = await fixture.receiver();
    const { id } = await shop.endpoint(target.url);
    const member = await aToken(fixture.database, shop.client, { role: 'member' });
    const admin = await aToken(fixture.database, shop.client, { role: 'admin' });
    const changes = [
      [make, { url: farUrl }],
      [`PATCH /v1/webhook-endpoints/${id}`, { description: 'x' }],
      [`${make}/${id}/rotate-secret`, {}],
      [`DELETE /v1/webhook-endpoints/${id}`, undefined],
    ] as const;
    for (const [call, body] of changes) {
      expectRefused(await shop.ask(call, body, member), [403, 'merchant_role_required']);
    }
    for (const call of [all, `${all}/${id}`, `${make}/${id}/test`] as const) {
      expect((await shop.ask(call, undefined, member)).status).toBe(200);
    }
    for (const [call, body] of changes) {
      expect((await shop.ask(call, body, admin)).status).toBeLessThan(300);
    }
  });

  it('Contract §7 audit: each change, who made it, before and after', async () => {
    const { id } = await shop.endpoint(farUrl);
    await shop.ask(`PATCH /v1/webhook-endpoints/${id}`, { description: 'Orders' });
    await shop.ask(`PATCH /v1/webhook-endpoints/${id}`, { description: 'Orders' });
    await shop.ask(`${make}/${id}/rotate-secret`, { overlapSeconds: 60 });
    await shop.ask(`DELETE /v1/webhook-endpoints/${id}`);
    await shop.ask(`DELETE /v1/webhook-endpoints/${id}`);
    const entries = (await shop.ask(`GET /v1/audit-entries?resourceId[eq]=${id}`)).body.data;
    expect(entries).toMatchObject([
      { action: 'webhook_endpoint.deleted', before: { url: farUrl, description: 'Orders' } },
      { action: 'webhook_endpoint.secret_rotated', after: { overlapSeconds: 60 } },
      {
        action: 'webhook_endpoint.changed',
        before: { description: null },
        after: { description: 'Orders' },
      },
      { action: 'webhook_endpoint.created', after: { url: farUrl, isEnabled: true } },
    ]);
    expect(entries).toHaveLength(4);
    expect(JSON.stringify(entries)).toContain(shop.owner.userId);
  });
});
