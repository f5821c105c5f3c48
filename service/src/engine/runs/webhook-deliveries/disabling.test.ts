import { describe, expect, it } from 'vitest';
import { moveClock, newId } from '../../../../test/harness.ts';
import { DeliveryFixture, limits } from '../../../../test/webhooks/deliveries.ts';
import { anEvent } from '../../../../test/webhooks/webhooks.ts';
import { sql } from '../../../storage/database/sql.ts';
import { startDueDeliveries } from './deliver-due.ts';

const hourMs = 3_600_000;
const readEvents = sql<{ type: string; sequence: number; payload: string }>(
  'test_events_of',
  'select type, sequence, payload from events where resource_id = $1 order by sequence',
);
const enable = sql('test_enable', 'update webhook_endpoints set is_enabled = $2 where id = $1');

const move = sql('test_move', 'update webhook_endpoints set url = $2 where id = $1');

const fixture = new DeliveryFixture();
const { cancelAll, endpointAt, endpointRow, heldReceiver, pass, receiver, stateOf } = fixture;

describe('an endpoint', () => {
  it('410: disabled at once, what waits is cancelled, the client hears of it elsewhere', async () => {
    const gone = await receiver((_, response) => response.writeHead(410).end());
    const sound = await receiver();
    const endpoint = await endpointAt(gone.url);
    await endpointAt(sound.url);
    const resourceId = newId();
    const first = await anEvent(fixture.database, fixture.client, { resourceId, sequence: 1 });
    const second = await anEvent(fixture.database, fixture.client, { resourceId, sequence: 2 });
    await pass();
    expect(await endpointRow(endpoint)).toMatchObject({
      is_enabled: false,
      disabled_reason: 'gone',
    });
    expect(await stateOf(first, endpoint)).toMatchObject({ state: 'dead', lastStatus: 410 });
    expect(await stateOf(second, endpoint)).toMatchObject({ state: 'cancelled', attempts: 0 });
    await pass();
    expect(gone.received).toHaveLength(1);
    const [event, ...more] = await fixture.database.read(readEvents, [endpoint.id]);
    expect(more).toEqual([]);
    expect(event).toMatchObject({ type: 'webhook_endpoint.disabled', sequence: 1 });
    const text = event?.payload ?? '';
    expect(JSON.parse(text)).toMatchObject({
      type: 'webhook_endpoint.disabled',
      clientId: fixture.client.id,
      resource: { type: 'webhook_endpoint', id: endpoint.id },
      data: { object: { id: endpoint.id, isEnabled: false, disabledReason: 'gone' } },
    });
    expect(sound.received.map(({ body }) => JSON.parse(body.toString()).type).sort()).toEqual([
      'payment.authorized',
      'payment.authorized',
      'webhook_endpoint.disabled',
    ]);
    expect(text).not.toContain(endpoint.secret);
  });

  it('disabled while a delivery is in flight: its success counts, its failure cancels', async () => {
    const target = await heldReceiver();
    const endpoint = await endpointAt(target.url);
    const resourceId = newId();
    const events = [
      await anEvent(fixture.database, fixture.client, { resourceId }),
      await anEvent(fixture.database, fixture.client),
    ];
    const waiting = await anEvent(fixture.database, fixture.client, { resourceId, sequence: 2 });
    const { started } = await startDueDeliveries(fixture.ports, limits);
    await target.arrived(2);
    await fixture.database.write(enable, [endpoint.id, false]);
    await pass();
    expect(await stateOf(waiting, endpoint)).toMatchObject({ state: 'cancelled' });
    target.held[0]?.end();
    target.held[1]?.writeHead(500).end();
    await Promise.all(started.map(({ recorded }) => recorded));
    const states = await Promise.all(events.map((event) => stateOf(event, endpoint)));
    expect(states.map(({ state }) => state).sort()).toEqual(['cancelled', 'delivered']);
    expect(await fixture.database.read(readEvents, [endpoint.id])).toEqual([]);
  });

  it.each([410, 500])(
    'given another address while one is in flight: a %s of the one before is no word on it',
    async (status) => {
      const [before, after] = [await heldReceiver(), await receiver()];
      const endpoint = await endpointAt(before.url);
      const resourceId = newId();
      const event = await anEvent(fixture.database, fixture.client, { resourceId });
      const waiting = await anEvent(fixture.database, fixture.client, { resourceId, sequence: 2 });
      const { started } = await startDueDeliveries(fixture.ports, limits);
      await before.arrived(1);
      await fixture.database.write(move, [endpoint.id, after.url]);
      before.held[0]?.writeHead(status).end();
      const [result] = await Promise.all(started.map(({ recorded }) => recorded));
      expect(result).toMatchObject({ status, outcome: 'retry', disabledBy: null });
      expect(await endpointRow(endpoint)).toMatchObject({ is_enabled: true, failing_since: null });
      await moveClock(fixture.database, 7000);
      await pass();
      await pass();
      for (const one of [event, waiting]) {
        expect(await stateOf(one, endpoint)).toMatchObject({ state: 'delivered' });
      }
      expect(after.received).toHaveLength(2);
    },
  );

  it('given another address while one is in flight: the one before puts nothing off', async () => {
    const [before, after] = [await heldReceiver(), await receiver()];
    const endpoint = await endpointAt(before.url);
    const event = await anEvent(fixture.database, fixture.client);
    const { started } = await startDueDeliveries(fixture.ports, limits);
    await before.arrived(1);
    await fixture.database.write(move, [endpoint.id, after.url]);
    before.held[0]?.writeHead(503, { 'retry-after': '7200' }).end();
    await Promise.all(started.map(({ recorded }) => recorded));
    await moveClock(fixture.database, 7000);
    await pass();
    expect(await stateOf(event, endpoint)).toMatchObject({ state: 'delivered' });
  });

  it.each([1, 3])(
    'given another address that fails: %i good answers of the one before do not end that',
    async (count) => {
      const before = await heldReceiver();
      const after = await receiver((_, response) => response.writeHead(500).end());
      const endpoint = await endpointAt(before.url);
      for (let n = 0; n < count; n++) await anEvent(fixture.database, fixture.client);
      const { started } = await startDueDeliveries(fixture.ports, limits);
      await before.arrived(count);
      await fixture.database.write(move, [endpoint.id, after.url]);
      await anEvent(fixture.database, fixture.client);
      const failed = await startDueDeliveries(fixture.ports, limits);
      await Promise.all(failed.started.map(({ recorded }) => recorded));
      expect(await endpointRow(endpoint)).toMatchObject({ failing_since: expect.any(Date) });
      for (const response of before.held) response.end();
      const results = await Promise.all(started.map(({ recorded }) => recorded));
      expect(results.map(({ outcome }) => outcome)).toEqual(Array(count).fill('delivered'));
      expect(await endpointRow(endpoint)).toMatchObject({ failing_since: expect.any(Date) });
    },
  );

  it('deliveries that were added while it was being disabled are cancelled', async () => {
    const target = await receiver();
    const endpoint = await endpointAt(target.url);
    const event = await anEvent(fixture.database, fixture.client);
    await fixture.database.write(enable, [endpoint.id, false]);
    await pass();
    expect(await stateOf(event, endpoint)).toMatchObject({ state: 'cancelled' });
    expect(target.received).toHaveLength(0);
  });

  it('Contract §7 webhook_endpoint.disabled: failing for 120 hours: disabled, and not before', async () => {
    const target = await receiver((_, response) => response.writeHead(500).end());
    const endpoint = await endpointAt(target.url);
    await anEvent(fixture.database, fixture.client);
    await pass();
    await cancelAll();
    await moveClock(fixture.database, 119 * hourMs);
    const before = await anEvent(fixture.database, fixture.client);
    await pass();
    expect(await stateOf(before, endpoint)).toMatchObject({ state: 'pending' });
    await cancelAll();
    await moveClock(fixture.database, hourMs);
    const last = await anEvent(fixture.database, fixture.client);
    const waiting = await anEvent(fixture.database, fixture.client);
    await pass();
    expect(await endpointRow(endpoint)).toMatchObject({
      is_enabled: false,
      disabled_reason: 'failing',
    });
    for (const event of [last, waiting]) {
      expect(await stateOf(event, endpoint)).toMatchObject({ state: 'cancelled' });
    }
  });

  it('one success in between starts the 120 hours anew', async () => {
    let status = 500;
    const target = await receiver((_, response) => response.writeHead(status).end());
    const endpoint = await endpointAt(target.url);
    await anEvent(fixture.database, fixture.client);
    await pass();
    await cancelAll();
    await moveClock(fixture.database, 100 * hourMs);
    status = 200;
    await anEvent(fixture.database, fixture.client);
    await pass();
    status = 500;
    await moveClock(fixture.database, 100 * hourMs);
    await anEvent(fixture.database, fixture.client);
    await pass();
    expect(await endpointRow(endpoint)).toMatchObject({ is_enabled: true });
  });

  it('disabled a second time: its events count on', async () => {
    const gone = await receiver((_, response) => response.writeHead(410).end());
    const endpoint = await endpointAt(gone.url);
    for (const sequence of [1, 2]) {
      await fixture.database.write(enable, [endpoint.id, true]);
      await anEvent(fixture.database, fixture.client);
      await pass();
      expect((await fixture.database.read(readEvents, [endpoint.id])).at(-1)?.sequence).toBe(
        sequence,
      );
    }
  });
});
