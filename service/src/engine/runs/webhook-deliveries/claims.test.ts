import { passTime } from '@svc/tools/pass-time';
import pg from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { aClient, moveClock } from '../../../../test/harness.ts';
import { DeliveryFixture, limits } from '../../../../test/webhooks/deliveries.ts';
import {
  anEvent,
  aWebhookEndpoint,
  deliveryPorts,
  type TestEndpoint,
} from '../../../../test/webhooks/webhooks.ts';
import { leaseMs } from '../../../domain/protocol/webhook-schedule.ts';
import { type Database, DatabaseUnavailable } from '../../../storage/database/database.ts';
import { sql } from '../../../storage/database/sql.ts';
import { deliverDue, startDueDeliveries } from './deliver-due.ts';
import type { DeliveryPorts } from './delivery-ports.ts';
import { DeliverySlots } from './delivery-slots.ts';

const secondMs = 1000;
const countStates = sql<{ state: string; n: number }>(
  'test_states',
  `select state, count(*)::int as n from webhook_deliveries where endpoint_id = $1 group by state`,
);
const endLease = sql(
  'test_end_lease',
  `update webhook_deliveries set lease_until = svc_clock(), next_attempt_at = svc_clock()
   where event_id = $1`,
);

const fixture = new DeliveryFixture();
const { attemptsOf, endpointAt, endpointRow, heldReceiver, pass, receiver, stateOf } = fixture;

/** Starts a delivery twice: the second process takes it over because the lease of the first has ended. */
async function startTwice() {
  const target = await heldReceiver();
  const endpoint = await endpointAt(target.url);
  const event = await anEvent(fixture.database, fixture.client);
  const slow = await startDueDeliveries(fixture.ports, limits);
  await target.arrived(1);
  await fixture.database.write(endLease, [event.id]);
  const next = await startDueDeliveries(fixture.ports, limits);
  await target.arrived(2);
  return { target, endpoint, event, slow, next };
}

describe('claims', () => {
  it('at most four in flight per endpoint, one while it fails', async () => {
    const target = await heldReceiver();
    const endpoint = await endpointAt(target.url);
    for (let n = 0; n < 9; n++) await anEvent(fixture.database, fixture.client);
    const first = await startDueDeliveries(fixture.ports, limits);
    expect(first.started).toHaveLength(4);
    expect((await startDueDeliveries(fixture.ports, limits)).started).toHaveLength(0);
    await target.arrived(4);
    for (const response of target.held.splice(0)) response.writeHead(500).end();
    await Promise.all(first.started.map(({ recorded }) => recorded));
    const second = await startDueDeliveries(fixture.ports, limits);
    expect(second.started).toHaveLength(1);
    expect((await endpointRow(endpoint))?.failing_since).not.toBeNull();
    await target.arrived(5);
    for (const response of target.held.splice(0)) response.end();
    await Promise.all(second.started.map(({ recorded }) => recorded));
    const row = await endpointRow(endpoint);
    expect(row?.failing_since).toBeNull();
    const third = await startDueDeliveries(fixture.ports, limits);
    expect(third.started).toHaveLength(4);
    await target.arrived(9);
    for (const response of target.held.splice(0)) response.end();
    await Promise.all(third.started.map(({ recorded }) => recorded));
  });

  it('E9: many passes at once never send one attempt twice, and keep to the cap', async () => {
    const target = await receiver((_, response) =>
      passTime(15, 'deliveries overlap').then(() => response.end()),
    );
    const endpoint = await endpointAt(target.url);
    // The passes share nothing but the database, like separate processes.
    const others = [1, 2, 3].map(() => deliveryPorts(fixture.database));
    const events = [];
    for (let n = 0; n < 40; n++) events.push(await anEvent(fixture.database, fixture.client));
    for (let round = 0; round < 200 && target.received.length < 40; round++) {
      await Promise.all([fixture.ports, ...others].map((one) => deliverDue(one, limits)));
    }
    const ids = target.received.map(({ headers }) => headers['webhook-id']);
    expect(ids).toHaveLength(40);
    expect(new Set(ids).size).toBe(40);
    expect(target.most()).toBeGreaterThan(1);
    expect(target.most()).toBeLessThanOrEqual(4);
    const states = await fixture.database.read(countStates, [endpoint.id]);
    expect(states).toEqual([{ state: 'delivered', n: 40 }]);
  });

  it('a crash after sending, before recording: sent again under the same id after the lease', async () => {
    const target = await receiver();
    const endpoint = await endpointAt(target.url);
    const event = await anEvent(fixture.database, fixture.client);
    const dying: DeliveryPorts = {
      ...fixture.ports,
      sendWebhook: async (call) => {
        await fixture.ports.sendWebhook(call);
        throw new Error('killed here');
      },
    };
    await expect(deliverDue(dying, limits)).rejects.toThrow('killed here');
    expect(await stateOf(event, endpoint)).toMatchObject({
      state: 'pending',
      attempts: 0,
      epoch: 1,
      isLeased: true,
    });
    await moveClock(fixture.database, leaseMs - 2 * secondMs);
    expect(await pass()).toMatchObject({ sent: 0 });
    await moveClock(fixture.database, 2 * secondMs);
    expect(await pass()).toMatchObject({ sent: 1 });
    expect(target.received.map(({ headers }) => headers['webhook-id'])).toEqual([
      event.wireId,
      event.wireId,
    ]);
    expect(await stateOf(event, endpoint)).toMatchObject({
      state: 'delivered',
      attempts: 1,
      epoch: 2,
    });
  });

  it('a holder whose lease was lost changes nothing, and its attempt is kept', async () => {
    const { target, endpoint, event, slow, next } = await startTwice();
    target.held[1]?.end();
    await Promise.all(next.started.map(({ recorded }) => recorded));
    target.held[0]?.writeHead(500).end();
    const [result] = await Promise.all(slow.started.map(({ recorded }) => recorded));
    expect(result?.outcome).toBe('lease_lost');
    expect(await stateOf(event, endpoint)).toMatchObject({
      state: 'delivered',
      attempts: 1,
      epoch: 2,
      lastStatus: 200,
    });
    const attempts = await attemptsOf(event, endpoint);
    expect(attempts.map(({ epoch, outcome }) => [epoch, outcome])).toEqual([
      [1, 'failed'],
      [2, 'delivered'],
    ]);
  });

  it('a late success of a lost lease leaves the delivery to its holder', async () => {
    const { target, endpoint, event, slow, next } = await startTwice();
    target.held[0]?.end();
    const [result] = await Promise.all(slow.started.map(({ recorded }) => recorded));
    expect(result?.outcome).toBe('lease_lost');
    expect(await stateOf(event, endpoint)).toMatchObject({ state: 'pending', isLeased: true });
    target.held[1]?.end();
    await Promise.all(next.started.map(({ recorded }) => recorded));
    expect(await stateOf(event, endpoint)).toMatchObject({ state: 'delivered', epoch: 2 });
  });

  it('a process that was paused after its claim does not begin to send', async () => {
    const target = await receiver();
    const endpoint = await endpointAt(target.url);
    const event = await anEvent(fixture.database, fixture.client);
    const now = performance.now.bind(performance);
    let pausedMs = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + pausedMs);
    const { sealed } = fixture.ports;
    const paused: DeliveryPorts = {
      ...fixture.ports,
      sealed: {
        ...sealed,
        open: (...call) => {
          pausedMs = 31 * secondMs;
          return sealed.open(...call);
        },
      },
    };
    const sendDue = async () => {
      const { started } = await startDueDeliveries(paused, limits);
      return Promise.all(started.map(({ recorded }) => recorded));
    };
    const [result] = await sendDue().finally(() => clock.mockRestore());
    expect(result?.outcome).toBe('given_back');
    expect(target.received).toHaveLength(0);
    expect(await attemptsOf(event, endpoint)).toEqual([]);
    await moveClock(fixture.database, 60 * secondMs);
    expect(await pass()).toMatchObject({ sent: 1 });
    expect(await stateOf(event, endpoint)).toMatchObject({ state: 'delivered', attempts: 1 });
  });

  it('the limit of a pass holds, and failing endpoints take no more than their share', async () => {
    const target = await receiver();
    const failing = await receiver((_, response) => response.writeHead(500).end());
    await endpointAt(target.url);
    const bad = await Promise.all([1, 2, 3].map(() => endpointAt(failing.url)));
    await anEvent(fixture.database, fixture.client);
    await pass();
    for (let n = 0; n < 3; n++) await anEvent(fixture.database, fixture.client);
    const sent = target.received.length;
    const areFailing = (all: readonly { endpointId: string }[]) =>
      all.map(({ endpointId }) => bad.some(({ id }) => id === endpointId)).toSorted();
    const { started } = await startDueDeliveries(fixture.ports, { limit: 4, failingLimit: 2 });
    await Promise.all(started.map(({ recorded }) => recorded));
    expect(areFailing(started)).toEqual([false, false, true, true]);
    const more = await startDueDeliveries(fixture.ports, { limit: 50, failingLimit: 2 });
    await Promise.all(more.started.map(({ recorded }) => recorded));
    expect(areFailing(more.started)).toEqual([false, true, true]);
    expect(target.received.length - sent).toBe(3);
  });

  it("a merchant's long and old queue leaves room in each pass for everybody else's", async () => {
    const target = await receiver();
    const big = await Promise.all([1, 2, 3, 4].map(() => endpointAt(target.url)));
    for (let n = 0; n < 4; n++) await anEvent(fixture.database, fixture.client);
    const small = [];
    for (let n = 0; n < 2; n++) {
      const other = await aClient(fixture.database);
      small.push(await aWebhookEndpoint(fixture.database, other, { url: target.url }));
      await anEvent(fixture.database, other);
    }
    const gate = new DeliverySlots(1);
    const claim = async (limit: number) => {
      const { started } = await startDueDeliveries(fixture.ports, { ...limits, limit, gate });
      return started;
    };
    const countOf = (
      started: readonly { endpointId: string }[],
      endpoints: readonly TestEndpoint[],
    ) => started.filter(({ endpointId }) => endpoints.some(({ id }) => id === endpointId)).length;
    const first = await claim(3);
    expect([countOf(first, big), countOf(first, small)]).toEqual([1, 2]);
    const later = await anEvent(fixture.database, { id: small[1]?.clientId ?? '' });
    const second = await claim(4);
    expect(later).toBeDefined();
    expect([countOf(second, big), countOf(second, small)]).toEqual([3, 1]);
    await Promise.all([...first, ...second].map(({ recorded }) => recorded));
  });

  it('says when the next delivery is due', async () => {
    expect(await pass()).toEqual({ sent: 0, nextDueInMs: null });
    const target = await receiver((_, response) => response.writeHead(500).end());
    const endpoint = await endpointAt(target.url);
    const event = await anEvent(fixture.database, fixture.client);
    await pass();
    const { nextDueInMs } = await pass();
    const { dueInMs } = await stateOf(event, endpoint);
    expect(Math.abs((nextDueInMs ?? 0) - dueInMs)).toBeLessThan(1000);
    expect(nextDueInMs).toBeGreaterThan(0);
  });

  it('no transaction is open while a receiver is waited for', async () => {
    const target = await heldReceiver();
    await endpointAt(target.url);
    await anEvent(fixture.database, fixture.client);
    const { started } = await startDueDeliveries(fixture.ports, limits);
    await target.arrived(1);
    // Connects as the service's own role: it would see no sessions of another role.
    const watcher = new pg.Client({ connectionString: fixture.url });
    await watcher.connect();
    const { rows } = await watcher.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null`,
    );
    await watcher.end();
    target.held[0]?.end();
    await Promise.all(started.map(({ recorded }) => recorded));
    expect(rows).toEqual([{ n: 0 }]);
  });
});

describe('a database that is away for a moment', () => {
  it('the result is recorded over a new connection, and the event is not sent twice', async () => {
    const target = await heldReceiver();
    const endpoint = await endpointAt(target.url);
    const event = await anEvent(fixture.database, fixture.client);
    const { started } = await startDueDeliveries(fixture.ports, limits);
    await target.arrived(1);
    const admin = new pg.Client({ connectionString: fixture.url });
    await admin.connect();
    await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    );
    await admin.end();
    target.held[0]?.end();
    await Promise.all(started.map(({ recorded }) => recorded));
    expect(await stateOf(event, endpoint)).toMatchObject({ state: 'delivered', epoch: 1 });
    expect(target.received).toHaveLength(1);
  });

  it.each([200, 500])(
    'a commit whose answer was lost is repeated without harm: %i',
    async (status) => {
      const target = await receiver((_, response) => response.writeHead(status).end());
      const endpoint = await endpointAt(target.url);
      const event = await anEvent(fixture.database, fixture.client);
      let lost = 0;
      const loseResult = async <T>(result: Promise<T>, isCommit: boolean): Promise<T> => {
        const value = await result;
        if (isCommit && lost++ < 2) throw Object.assign(new Error('terminated'), { code: '57P01' });
        return value;
      };
      let isClaimed = false;
      const flaky: DeliveryPorts = {
        ...fixture.ports,
        database: {
          ...fixture.database,
          write: (...call) => loseResult(fixture.database.write(...call), isClaimed),
          transaction: async (client, work) => {
            const result = loseResult(fixture.database.transaction(client, work), isClaimed);
            isClaimed = true;
            return result;
          },
        },
      };
      await deliverDue(flaky, limits);
      expect(lost).toBe(3);
      const state = await stateOf(event, endpoint);
      expect(state).toMatchObject({
        state: status === 200 ? 'delivered' : 'pending',
        attempts: 1,
        isLeased: false,
      });
      if (status === 500) expect(state.dueInMs).toBeLessThanOrEqual(6000);
      expect(await attemptsOf(event, endpoint)).toHaveLength(1);
      expect(target.received).toHaveLength(1);
    },
  );

  it.each<[string, Error]>([
    ['no connection is free', new DatabaseUnavailable(new Error('none'))],
    ['a lock is not had in time', Object.assign(new Error('lock'), { code: '55P03' })],
    ['a statement takes too long', Object.assign(new Error('late'), { code: '57014' })],
  ])('the result is written down later, and the event is not sent twice: %s', async (_, error) => {
    const target = await receiver();
    const endpoint = await endpointAt(target.url);
    const event = await anEvent(fixture.database, fixture.client);
    let refused = 0;
    const write: Database['write'] = async (...call) => {
      if (refused++ < 2) throw error;
      return fixture.database.write(...call);
    };
    await deliverDue({ ...fixture.ports, database: { ...fixture.database, write } }, limits);
    expect(refused).toBe(3);
    expect(await stateOf(event, endpoint)).toMatchObject({ state: 'delivered', epoch: 1 });
    expect(await attemptsOf(event, endpoint)).toHaveLength(1);
    expect(target.received).toHaveLength(1);
  });
});
