// What an endpoint missed when its filter changed on the way. Contract §7.

import { passTime } from '@svc/tools/pass-time';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { anEvent, type Receiver } from '../../service/test/webhooks/webhooks.ts';
import { openWebhookFixture, type Shop, type WebhookFixture } from './webhooks-fixture.ts';

let fixture: WebhookFixture;
let shop: Shop;
let target: Receiver;
beforeAll(async () => {
  fixture = await openWebhookFixture();
});
afterAll(() => fixture?.close());
beforeEach(async () => {
  shop = await fixture.shop();
  target = await fixture.receiver();
});
afterEach(() => fixture.rest());

const since = '2020-01-01T00:00:00.000Z';
const bought = 'item.purchased';
const failed = 'payment.failed';
/** An event that is earlier, by the clock, than what follows. */
const event = async (type: string) => {
  const made = await anEvent(fixture.database, shop.client, { type });
  await passTime(
    2,
    'the clock tells whole milliseconds, and a type that is added counts from its own',
  );
  return made;
};
const change = (id: string, body: object) => shop.ask(`PATCH /v1/webhook-endpoints/${id}`, body);
/** Returns what a redelivery of that status sends. */
const redeliverAndList = async (id: string, status: 'failed' | 'all') => {
  const before = target.received.length;
  await shop.ask(`POST /v1/webhook-endpoints/${id}/redeliver`, { since, status });
  await fixture.deliver();
  return target.received.slice(before).map(({ headers }) => headers['webhook-id']);
};

describe('redeliverToEndpoint after a change of eventTypes', () => {
  it('Contract §7 redelivery of what failed leaves out what an added type was before it was added; all takes it', async () => {
    const { id } = await shop.endpoint(target.url, { eventTypes: [bought] });
    const unwanted = await event(failed);
    await change(id, { eventTypes: [bought, failed] });
    expect(await redeliverAndList(id, 'failed')).toEqual([]);
    expect(await redeliverAndList(id, 'all')).toEqual([unwanted.wireId]);
  });

  it('Contract §7 redelivery of what failed takes what was missed of a type that it took all along', async () => {
    const filters = [[bought, failed], null, [failed, bought], [bought]];
    for (const eventTypes of filters) {
      const { id } = await shop.endpoint(target.url, { eventTypes: [bought] });
      await change(id, { isEnabled: false });
      const missed = await event(bought);
      await event(failed);
      await change(id, { eventTypes, isEnabled: true });
      expect(await redeliverAndList(id, 'failed'), String(eventTypes)).toEqual([missed.wireId]);
      await shop.ask(`DELETE /v1/webhook-endpoints/${id}`);
    }
  });

  it('of an endpoint that took all types each is one that it took, whatever the filter became', async () => {
    const { id } = await shop.endpoint(target.url);
    await change(id, { isEnabled: false });
    const missed = [await event(bought), await event(failed)];
    await change(id, { eventTypes: [failed], isEnabled: true });
    await change(id, { eventTypes: [failed, 'refund.created'] });
    expect(await redeliverAndList(id, 'failed')).toEqual([missed[1]?.wireId]);
    await change(id, { eventTypes: null });
    expect(await redeliverAndList(id, 'failed')).toEqual([]);
  });

  it('a type that was taken out and put back is one that was added', async () => {
    const { id } = await shop.endpoint(target.url, { eventTypes: [bought, failed] });
    await change(id, { isEnabled: false });
    await event(failed);
    const kept = await event(bought);
    await change(id, { eventTypes: [bought] });
    await change(id, { eventTypes: [failed, bought] });
    const missed = await event(failed);
    await change(id, { eventTypes: [bought, failed], isEnabled: true });
    const came = await redeliverAndList(id, 'failed');
    expect(came.toSorted()).toEqual([kept.wireId, missed.wireId].toSorted());
  });
});

describe('redeliverEvent to an endpoint that is named', () => {
  const redeliverTo = async (eventId: string, endpointId: string) => {
    const body = { endpointIds: [endpointId] };
    return (await shop.ask(`POST /v1/events/${eventId}/redeliver`, body)).body.deliveries;
  };

  it('what is said of it goes to the others, and keeps no test of it waiting', async () => {
    const failing = await fixture.receiver((_, response) => response.writeHead(500).end());
    const { id } = await shop.endpoint(failing.url);
    const other = await shop.endpoint(target.url);
    await change(id, { isEnabled: false });
    await change(id, { isEnabled: true });
    await fixture.deliver();
    const told = String(target.received[0]?.headers['webhook-id']);
    expect(await redeliverTo(told, id)).toBe(0);
    expect(await redeliverTo(told, other.id)).toBe(1);
    await fixture.deliver();
    expect([failing.received.length, target.received.length]).toEqual([0, 2]);
    expect((await shop.ask(`POST /v1/webhook-endpoints/${id}/test`)).status).toBe(200);
  });
});
