// The events of refund requests: one for each change, written with it. Contract §7; docs/decisions/refunds.md.

import { randomBytes } from 'node:crypto';
import { eventTypes } from '@svc/contract/rows/event-types';
import { apiVersion } from '@svc/contract/rows/versions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Svc } from '../../../../libraries/server/src/index.ts';
import { moveClock, newId } from '../../../test/harness.ts';
import {
  type CallAnswer,
  type Colleague,
  type Office,
  openOffice,
} from '../../../test/people/office.ts';
import { limits } from '../../../test/webhooks/deliveries.ts';
import { aReceiver, loopback, type Receiver } from '../../../test/webhooks/webhooks.ts';
import { newWebhookSecret } from '../../domain/protocol/webhook-secret.ts';
import { deliverDue } from '../../engine/runs/webhook-deliveries/deliver-due.ts';
import { expireRefundRequests } from '../../engine/steps/refund-requests/expire-refund-requests.ts';
import { sql } from '../../storage/database/sql.ts';
import {
  insertWebhookEndpoint,
  webhookSecretPlace,
} from '../../storage/webhooks/webhook-endpoints.ts';
import { webhookSender } from '../../webhooks/send.ts';

let office: Office;
let owner: Colleague;
let admin: Colleague;
let support: Colleague;
let receiver: Receiver;
let secret: string;
beforeAll(async () => {
  office = await openOffice();
  owner = await office.join('owner');
  admin = await office.join('admin');
  support = await office.join('support');
  receiver = await aReceiver();
  const { world } = office;
  secret = newWebhookSecret(randomBytes(32));
  const [id, clientId] = [newId(), world.client.id];
  const secretSealed = await world.ports.sealed.seal(webhookSecretPlace(clientId, id), secret);
  await world.database.transaction(clientId, (tx) =>
    insertWebhookEndpoint(tx, {
      ...{ id, clientId, url: receiver.url, secretSealed, apiVersion },
      eventTypes: eventTypes.filter((type) => type.startsWith('refund_request.')),
    }),
  );
});
afterAll(async () => {
  await receiver?.close();
  await office?.close();
});

const { webhooks } = new Svc('sk_1');
const day = 24 * 3_600_000;

const storedEvents = sql<{ payload: string; deliveries: number }>(
  'test_events_of_request',
  `select e.payload,
     (select count(*)::int from webhook_deliveries d where d.event_id = e.id) as deliveries
   from events e where e.resource_id = $1 order by e.sequence`,
);

async function eventsOf({ body }: CallAnswer) {
  const rows = await office.world.database.read(storedEvents, [body.id]);
  return rows.map(({ payload, deliveries }) => ({ ...JSON.parse(payload), deliveries }));
}
const typesOf = async (made: CallAnswer) => (await eventsOf(made)).map(({ type }) => type);
const expirePass = () =>
  expireRefundRequests(office.world.ports, {
    limit: 50,
    onError: (_, error) => {
      throw error;
    },
  });

const bareDecision = sql(
  'test_bare_decision',
  `update refund_requests set status = 'declined', decided_by = $2, decided_at = svc_clock(),
     version = version + 1, event_seq = event_seq + 1 where id = $1`,
);
const earlyExpiry = sql(
  'test_early_expiry',
  `update refund_requests set status = 'expired', version = version + 1 where id = $1`,
);

describe('events of a refund request', () => {
  it('Contract §7 refund_request.created: the request as the call answers it, with its key', async () => {
    const key = crypto.randomUUID();
    const paymentId = await office.purchase();
    const asked = { amount: 12, note: 'Broken mug', key };
    const made = await office.request(support, paymentId, asked);
    expect((await office.request(support, paymentId, asked)).status).toBe(201);
    expect(await eventsOf(made)).toEqual([
      expect.objectContaining({
        type: 'refund_request.created',
        timestamp: made.body.createdAt,
        sequence: 1,
        resource: { type: 'refund_request', id: made.body.id, version: 0 },
        request: { id: expect.any(String), idempotencyKey: key },
        data: { object: made.body },
        deliveries: 1,
      }),
    ]);
  });

  it('Contract §7 refund_request.approved: with its refund, before the provider is asked', async () => {
    const made = await office.request(support, await office.purchase(), { amount: 3 });
    const said = await office.decide(admin, 'approve', made);
    const [, event, ...more] = await eventsOf(made);
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      type: 'refund_request.approved',
      timestamp: said.body.decidedAt,
      sequence: 2,
      resource: { version: 1 },
      data: {
        object: { ...said.body, refundStatus: 'pending' },
        previousAttributes: { status: 'waiting' },
      },
    });
    expect(event.data.object.refundId).toEqual(expect.any(String));
  });

  it('Contract §7 refund_request.declined: once, also of who takes the request back', async () => {
    const made = await office.request(support, await office.purchase(), { amount: 3 });
    const said = await office.decide(support, 'decline', made);
    await office.decide(owner, 'decline', made);
    const [, event, ...more] = await eventsOf(made);
    expect(more).toEqual([]);
    expect(event).toMatchObject({ type: 'refund_request.declined', data: { object: said.body } });
    expect(event.data.object.decidedBy).toEqual(event.data.object.requestedBy);
  });

  it('two people at once: one event, of what was decided', async () => {
    for (let turn = 0; turn < 4; turn++) {
      const made = await office.request(support, await office.purchase(), { amount: 3 });
      await Promise.all([
        office.decide(admin, 'approve', made),
        office.decide(owner, 'decline', made),
        office.decide(owner, 'approve', made),
      ]);
      const { status } = (await office.as(owner, `GET /v1/refund-requests/${made.body.id}`)).body;
      expect(await typesOf(made)).toEqual(['refund_request.created', `refund_request.${status}`]);
    }
  });

  it('none where the change is rolled back: refused by the rest, and by the person who asked', async () => {
    const paymentId = await office.purchase();
    const made = await office.request(owner, paymentId, { amount: 12 });
    expect((await office.decide(owner, 'approve', made)).status).toBe(403);
    await office.refund(owner, paymentId, 10);
    expect((await office.decide(admin, 'approve', made)).status).toBe(422);
    expect(await typesOf(made)).toEqual(['refund_request.created']);
  });

  it('the database refuses a decision whose event number has no event', async () => {
    const made = await office.request(support, await office.purchase(), { amount: 3 });
    const deciding = office.world.database.write(bareDecision, [made.body.id, admin.id]);
    await expect(deciding).rejects.toThrow('event 2 is missing');
    await expect(office.world.database.write(earlyExpiry, [made.body.id])).rejects.toThrow(
      'not expired',
    );
  });

  it('delivered in order, byte for byte, and verified by the server library', async () => {
    const { database, ports } = office.world;
    const sending = { ...ports, sendWebhook: webhookSender({ allow: loopback }) };
    const deliver = async () => {
      while ((await deliverDue(sending, limits)).sent > 0);
    };
    await deliver();
    receiver.received.splice(0);
    const made = await office.request(support, await office.purchase(), { amount: 3 });
    await office.decide(admin, 'approve', made);
    await deliver();
    const stored = await database.read(storedEvents, [made.body.id]);
    expect(receiver.received.map(({ body }) => String(body))).toEqual(
      stored.map(({ payload }) => payload),
    );
    const events = receiver.received.map(({ body, headers }) =>
      webhooks.constructEvent(body, headers['svc-signature'], secret),
    );
    expect(events.map(({ type }) => type)).toEqual([
      'refund_request.created',
      'refund_request.approved',
    ]);
    const [delivered] = receiver.received;
    const forged = String(delivered?.body).replace('"amount":3', '"amount":9');
    expect(() =>
      webhooks.constructEvent(forged, delivered?.headers['svc-signature'], secret),
    ).toThrow();
  });
});

// Runs last, because sign-ins expire when the clock moves by days.
describe('a refund request that nobody decides', () => {
  it('Contract §7 refund_request.expired: once, by any number of processes, and not before its time', async () => {
    const made = await office.request(support, await office.purchase(), { amount: 3 });
    await moveClock(office.world.database, 7 * day - 60_000);
    await expirePass();
    expect(await typesOf(made)).toEqual(['refund_request.created']);
    await moveClock(office.world.database, 60_000 + 1000);
    await Promise.all([expirePass(), expirePass(), expirePass()]);
    expect(await expirePass()).toBe(0);
    const [, event, ...more] = await eventsOf(made);
    expect(more).toEqual([]);
    const again = await office.join('admin');
    const { body } = await office.as(again, `GET /v1/refund-requests/${made.body.id}`);
    expect(body).toMatchObject({ status: 'expired', version: 1, decidedBy: null });
    expect(event).toMatchObject({
      type: 'refund_request.expired',
      request: null,
      data: { object: body, previousAttributes: { status: 'waiting' } },
    });
    expect(await office.decide(again, 'approve', made)).toMatchObject({
      status: 409,
      code: 'refund_request_expired',
    });
  });
});
