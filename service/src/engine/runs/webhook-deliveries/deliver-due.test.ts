import { createHmac } from 'node:crypto';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { aClient, moveClock, newId } from '../../../../test/harness.ts';
import { DeliveryFixture, limits, tick } from '../../../../test/webhooks/deliveries.ts';
import {
  anEvent,
  aReceiver,
  aWebhookEndpoint,
  type Receiver,
  sealedFor,
} from '../../../../test/webhooks/webhooks.ts';
import { newWebhookSecret } from '../../../domain/protocol/webhook-secret.ts';
import { sql } from '../../../storage/database/sql.ts';
import { webhookSecretPlace } from '../../../storage/webhooks/webhook-endpoints.ts';
import { startDueDeliveries } from './deliver-due.ts';

const secondMs = 1000;
const hourMs = 3_600_000;
const rotate = sql(
  'test_rotate',
  `update webhook_endpoints set previous_secret_sealed = secret_sealed, secret_sealed = $2,
     previous_secret_until = svc_clock() + interval '24 hours' where id = $1`,
);

const fixture = new DeliveryFixture();
const { attemptsOf, endpointAt, heldReceiver, pass, receiver, stateOf } = fixture;

describe('a delivery', () => {
  it('arrives signed, is acknowledged, and is not sent again', async () => {
    const target = await receiver();
    const endpoint = await endpointAt(target.url);
    const event = await anEvent(fixture.database, fixture.client);
    expect(await pass()).toMatchObject({ sent: 1 });
    expect(await pass()).toMatchObject({ sent: 0 });
    const [one, ...more] = target.received;
    expect(more).toEqual([]);
    expect(one?.body.equals(Buffer.from(event.payload))).toBe(true);
    expect(one?.headers['webhook-id']).toBe(event.wireId);
    const header = String(one?.headers['svc-signature']);
    const [, t = '', v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header) ?? [];
    const signed = Buffer.concat([Buffer.from(`${t}.`), one?.body ?? Buffer.alloc(0)]);
    expect(v1).toBe(createHmac('sha256', endpoint.secret).update(signed).digest('hex'));
    expect(await stateOf(event, endpoint)).toMatchObject({
      state: 'delivered',
      attempts: 1,
      epoch: 1,
      lastStatus: 200,
      lastError: null,
      isLeased: false,
    });
    expect(await attemptsOf(event, endpoint)).toMatchObject([
      { attempt: 1, epoch: 1, outcome: 'delivered', http_status: 200, response_excerpt: 'ok' },
    ]);
  });

  it('goes to every endpoint that was subscribed, each with its own secret', async () => {
    const [first, second, third] = [await receiver(), await receiver(), await receiver()];
    const one = await endpointAt(first.url);
    const two = await endpointAt(second.url);
    await aWebhookEndpoint(fixture.database, fixture.client, {
      url: third.url,
      eventTypes: ['item.purchased'],
    });
    const foreign = await aClient(fixture.database);
    await anEvent(fixture.database, foreign);
    await anEvent(fixture.database, fixture.client);
    expect(await pass()).toMatchObject({ sent: 2 });
    expect([first, second, third].map(({ received }) => received.length)).toEqual([1, 1, 0]);
    expect(one.secret).not.toBe(two.secret);
    const signatures = [first, second].map(({ received }) => received[0]?.headers['svc-signature']);
    expect(signatures[0]).not.toBe(signatures[1]);
  });

  it('E6: body bytes and id are the same on every attempt; each is signed at its real time', async () => {
    let status = 500;
    const target = await receiver((_, response) => response.writeHead(status).end());
    const endpoint = await endpointAt(target.url);
    const event = await anEvent(fixture.database, fixture.client);
    await pass();
    await moveClock(fixture.database, 7 * secondMs);
    await pass();
    await moveClock(fixture.database, 400 * secondMs);
    status = 200;
    await pass();
    expect(target.received).toHaveLength(3);
    const expected = Buffer.from(event.payload);
    expect(target.received.every(({ body }) => body.equals(expected))).toBe(true);
    const headerValues = (name: string) =>
      new Set(target.received.map(({ headers }) => headers[name]));
    expect(headerValues('webhook-id').size).toBe(1);
    // The receiver's clock does not move with ours.
    for (const { headers } of target.received) {
      const signedAt = Number(headers['webhook-timestamp']);
      expect(Math.abs(signedAt - Date.now() / 1000)).toBeLessThan(30);
      expect(headers['svc-signature']).toContain(`t=${signedAt},`);
    }
    expect(await stateOf(event, endpoint)).toMatchObject({ state: 'delivered', attempts: 3 });
  });

  it('E10: both secrets sign during a rotation, and only the new one after it', async () => {
    const target = await receiver();
    const endpoint = await endpointAt(target.url);
    const secret = newWebhookSecret(Buffer.alloc(32, 5));
    const place = webhookSecretPlace(fixture.client.id, endpoint.id);
    await fixture.database.write(rotate, [
      endpoint.id,
      await sealedFor(fixture.database).seal(place, secret),
    ]);
    await anEvent(fixture.database, fixture.client);
    await pass();
    await moveClock(fixture.database, 24 * hourMs);
    await anEvent(fixture.database, fixture.client);
    await pass();
    const valid = target.received.map(({ headers, body }) => {
      const [t = '', ...signatures] = String(headers['svc-signature']).split(',');
      return [secret, endpoint.secret].map((key) =>
        signatures.includes(
          `v1=${createHmac('sha256', key)
            .update(`${t.slice(2)}.${body}`)
            .digest('hex')}`,
        ),
      );
    });
    expect(valid).toEqual([
      [true, true],
      [true, false],
    ]);
  });

  it('secret_unreadable: a secret that was swapped signs nothing and stops nobody else', async () => {
    const target = await receiver();
    const broken = await endpointAt(target.url);
    const sound = await endpointAt(target.url);
    const place = webhookSecretPlace(fixture.client.id, sound.id);
    await fixture.database.write(rotate, [
      broken.id,
      await sealedFor(fixture.database).seal(place, 'x'),
    ]);
    const event = await anEvent(fixture.database, fixture.client);
    await pass();
    expect(target.received).toHaveLength(1);
    expect(await stateOf(event, broken)).toMatchObject({
      state: 'pending',
      attempts: 1,
      lastStatus: null,
      lastError: 'secret_unreadable',
    });
    expect(await stateOf(event, sound)).toMatchObject({ state: 'delivered' });
  });
});

describe('a failed attempt', () => {
  it('follows the schedule to the tenth attempt, then the delivery is dead with all recorded', async () => {
    const target = await receiver((_, response) => response.writeHead(500).end('oops'));
    const endpoint = await endpointAt(target.url);
    const event = await anEvent(fixture.database, fixture.client);
    const plan = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
    for (const [index, seconds] of plan.entries()) {
      expect(await pass()).toMatchObject({ sent: 1 });
      const state = await stateOf(event, endpoint);
      expect(state).toMatchObject({ state: 'pending', attempts: index + 1, isLeased: false });
      expect(state.dueInMs).toBeGreaterThan(seconds * 800 - 2000);
      expect(state.dueInMs).toBeLessThanOrEqual(seconds * 1200);
      await moveClock(fixture.database, state.dueInMs - 2000);
      expect(await pass()).toMatchObject({ sent: 0 });
      await moveClock(fixture.database, 2000);
    }
    expect(await pass()).toMatchObject({ sent: 1 });
    expect(await stateOf(event, endpoint)).toMatchObject({
      state: 'dead',
      attempts: 10,
      lastStatus: 500,
      lastError: 'not_2xx',
    });
    const attempts = await attemptsOf(event, endpoint);
    expect(attempts.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(attempts[3]).toMatchObject({
      outcome: 'failed',
      http_status: 500,
      error: 'not_2xx',
      response_excerpt: 'oops',
    });
    await moveClock(fixture.database, 100 * hourMs);
    expect(await pass()).toMatchObject({ sent: 0 });
  });

  it('Retry-After is honoured, up to 24 hours', async () => {
    let asked = '600';
    const target = await receiver((_, response) =>
      response.writeHead(429, { 'retry-after': asked }).end(),
    );
    const endpoint = await endpointAt(target.url);
    const first = await anEvent(fixture.database, fixture.client);
    await pass();
    const { dueInMs } = await stateOf(first, endpoint);
    expect(dueInMs / secondMs).toBeGreaterThan(595);
    expect(dueInMs / secondMs).toBeLessThanOrEqual(600);
    asked = '999999999';
    await moveClock(fixture.database, dueInMs);
    await pass();
    const again = await stateOf(first, endpoint);
    expect(again.dueInMs / hourMs).toBeGreaterThan(23.9);
    expect(again.dueInMs / hourMs).toBeLessThanOrEqual(24);
  });

  it('no answer at all is kept with our own word for it', async () => {
    const target = await aReceiver();
    await target.close();
    const endpoint = await endpointAt(target.url);
    const inside = await endpointAt('https://10.0.0.1/');
    const event = await anEvent(fixture.database, fixture.client);
    await pass();
    expect(await stateOf(event, endpoint)).toMatchObject({
      state: 'pending',
      lastStatus: null,
      lastError: 'connection_refused',
    });
    expect(await stateOf(event, inside)).toMatchObject({ lastError: 'address_refused' });
  });
});

describe('order', () => {
  const sequenceOf = (target: Receiver, events: { wireId: string }[]) =>
    target.received.map(
      ({ headers }) => events.findIndex(({ wireId }) => wireId === headers['webhook-id']) + 1,
    );

  it('Spec 6 rule 5: E7: a later event waits for the success of the earlier one, for 60 s', async () => {
    let status = 500;
    const target = await receiver((_, response) => response.writeHead(status).end());
    await endpointAt(target.url);
    const resourceId = newId();
    const events = [
      await anEvent(fixture.database, fixture.client, { resourceId, sequence: 1 }),
      await anEvent(fixture.database, fixture.client, { resourceId, sequence: 2 }),
    ];
    await pass();
    await pass();
    expect(sequenceOf(target, events)).toEqual([1]);
    await moveClock(fixture.database, 7 * secondMs);
    await pass();
    expect(sequenceOf(target, events)).toEqual([1, 1]);
    await moveClock(fixture.database, 50 * secondMs);
    await pass();
    expect(sequenceOf(target, events)).toEqual([1, 1]);
    await moveClock(fixture.database, 4 * secondMs);
    status = 200;
    await pass();
    expect(sequenceOf(target, events)).toEqual([1, 1, 2]);
  });

  it('E7: in sequence order at once when all goes well, across passes', async () => {
    const target = await receiver();
    await endpointAt(target.url);
    const resourceId = newId();
    const events = [];
    for (const sequence of [1, 2, 3]) {
      events.push(await anEvent(fixture.database, fixture.client, { resourceId, sequence }));
    }
    for (let n = 0; n < 3; n++) expect(await pass()).toMatchObject({ sent: 1 });
    expect(sequenceOf(target, events)).toEqual([1, 2, 3]);
  });

  it('an event in flight holds the next one back, other resources and endpoints go on', async () => {
    const slow = await heldReceiver();
    const quick = await receiver();
    const slowEndpoint = await endpointAt(slow.url);
    const quickEndpoint = await endpointAt(quick.url);
    const resourceId = newId();
    const first = await anEvent(fixture.database, fixture.client, { resourceId, sequence: 1 });
    const second = await anEvent(fixture.database, fixture.client, { resourceId, sequence: 2 });
    const other = await anEvent(fixture.database, fixture.client);
    const { started } = await startDueDeliveries(fixture.ports, limits);
    await slow.arrived(2);
    expect(slow.received.map(({ headers }) => headers['webhook-id']).sort()).toEqual([
      first.wireId,
      other.wireId,
    ]);
    expect(started).toHaveLength(4);
    await quick.arrived(2);
    while ((await stateOf(first, quickEndpoint)).state !== 'delivered') await tick();
    expect(await pass()).toMatchObject({ sent: 1 });
    expect(await stateOf(second, quickEndpoint)).toMatchObject({ state: 'delivered' });
    expect(await stateOf(second, slowEndpoint)).toMatchObject({ state: 'pending', epoch: 0 });
    for (const response of slow.held) response.end();
    await Promise.all(started.map(({ recorded }) => recorded));
  });

  it('E12: an event that commits late, under a low id, is delivered', async () => {
    const target = await receiver();
    const endpoint = await endpointAt(target.url);
    const lowId = newId();
    const late = new pg.Client({ connectionString: fixture.url });
    await late.connect();
    await late.query('begin');
    await late.query(
      `insert into events (id, client_id, type, resource_type, resource_id, sequence, payload,
         created_at) values ($1, $2, 'payment.failed', 'payment', $3, 1, '{"late":true}',
         svc_clock())`,
      [lowId, fixture.client.id, newId()],
    );
    await late.query(
      `insert into webhook_deliveries (event_id, endpoint_id, client_id, resource_id, sequence,
         next_attempt_at, created_at)
       select id, $2, client_id, resource_id, sequence, created_at, created_at
       from events where id = $1`,
      [lowId, endpoint.id],
    );
    const early = [
      await anEvent(fixture.database, fixture.client),
      await anEvent(fixture.database, fixture.client),
    ];
    expect(await pass()).toMatchObject({ sent: 2 });
    expect(early.every(({ id }) => id > lowId)).toBe(true);
    await late.query('commit');
    await late.end();
    expect(await pass()).toMatchObject({ sent: 1 });
    expect(target.received.at(-1)?.body.toString()).toBe('{"late":true}');
  });
});
