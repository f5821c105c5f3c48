import assert from 'node:assert';
import { describe, expect, it } from 'vitest';
import { DeliveryFixture } from '../../../test/webhooks/deliveries.ts';
import { anEvent } from '../../../test/webhooks/webhooks.ts';
import type { Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { type AttemptResult, acknowledgeDelivery } from './webhook-attempts.ts';
import { type ClaimedDelivery, claimDeliveries, inClaimTransaction } from './webhook-deliveries.ts';
import { redeliverEventTo, redeliverSpan } from './webhook-redeliveries.ts';

const takeOver = sql(
  'test_take_over',
  'update webhook_deliveries set epoch = epoch + 1 where event_id = $1',
);
const fail = sql(
  'test_fail_endpoint',
  'update webhook_endpoints set failing_since = svc_clock(), warned_at = svc_clock() where id = $1',
);

const fixture = new DeliveryFixture();
const { attemptsOf, endpointAt, endpointRow, stateOf } = fixture;

const url = 'http://127.0.0.1:9/';
const result: AttemptResult = {
  url,
  status: 204,
  error: null,
  excerpt: null,
  durationMs: 7,
  startedAt: new Date('2026-03-01T12:00:00Z'),
};

/** A response that is recorded twice, with a redelivery of the same event in between. */
const lockedAt = { ours: new Date(), real: new Date() };

describe('acknowledgeDelivery, repeated late', () => {
  it.each<[string, (tx: Tx, delivery: ClaimedDelivery) => Promise<unknown>]>([
    [
      'one event',
      (tx, { eventId, endpointId, clientId }) =>
        redeliverEventTo(tx, { ...facts, clientId, id: eventId }, [endpointId]),
    ],
    [
      'a span',
      (tx, { endpointId, clientId }) => redeliverSpan(tx, { ...span, clientId, endpointId }),
    ],
  ])('does not end the redelivery: %s', async (_, redeliver) => {
    const { endpoint, all } = await createClaimed(1);
    const [delivery] = all;
    assert(delivery);
    expect(await acknowledgeDelivery(fixture.database, delivery, result)).toBe(true);
    await fixture.database.transaction(delivery.clientId, (tx) => redeliver(tx, delivery));
    expect(await acknowledgeDelivery(fixture.database, delivery, result)).toBe(false);
    expect(await stateOf({ id: delivery.eventId }, endpoint)).toMatchObject({ state: 'pending' });
  });

  const facts = { type: 'payment.authorized', resourceId: '' };
  const span = { since: new Date(0), until: null, status: 'all', limit: 10 } as const;
});

async function createClaimed(count: number) {
  const endpoint = await endpointAt(url);
  for (let n = 0; n < count; n++) await anEvent(fixture.database, fixture.client);
  const place = {
    id: endpoint.id,
    clientId: fixture.client.id,
    lockedAt,
    places: count,
    isReordered: false,
    heldByClient: 0,
  };
  const all = await inClaimTransaction(fixture.database, (tx) =>
    claimDeliveries(tx, [place], count),
  );
  expect(all).toHaveLength(count);
  return { endpoint, all };
}

describe('acknowledgeDelivery, many at once', () => {
  it('each is recorded, but one whose lease was lost: its attempt is kept and nothing else', async () => {
    const { endpoint, all } = await createClaimed(5);
    const lost = all[2]?.eventId ?? '';
    await fixture.database.write(takeOver, [lost]);
    const mine = await Promise.all(
      all.map((one) => acknowledgeDelivery(fixture.database, one, result)),
    );
    expect(mine).toEqual([true, true, false, true, true]);
    for (const { eventId } of all) {
      expect(await stateOf({ id: eventId }, endpoint)).toMatchObject(
        eventId === lost ? { state: 'pending', attempts: 0 } : { state: 'delivered', attempts: 1 },
      );
      expect(await attemptsOf({ id: eventId }, endpoint)).toMatchObject([
        { attempt: 1, epoch: 1, outcome: 'delivered', http_status: 204 },
      ]);
    }
  });

  it('again: nothing twice, and none of them is mine any more', async () => {
    const { endpoint, all } = await createClaimed(3);
    for (const isFirst of [true, false]) {
      const mine = await Promise.all(
        all.map((one) => acknowledgeDelivery(fixture.database, one, result)),
      );
      expect(mine).toEqual(Array(3).fill(isFirst));
    }
    for (const { eventId } of all) {
      expect(await attemptsOf({ id: eventId }, endpoint)).toHaveLength(1);
    }
  });

  it('an endpoint that failed has recovered', async () => {
    const { endpoint, all } = await createClaimed(3);
    await fixture.database.write(fail, [endpoint.id]);
    await Promise.all(all.map((one) => acknowledgeDelivery(fixture.database, one, result)));
    expect((await endpointRow(endpoint))?.failing_since).toBeNull();
  });
});

describe('acknowledgeDelivery, where it says nothing of health', () => {
  const acknowledgeAll = (all: readonly ClaimedDelivery[]) =>
    Promise.all(all.map((one) => acknowledgeDelivery(fixture.database, one, result)));

  it.each([1, 3])('of a test: an endpoint that failed still does, of %i at once', async (count) => {
    const { endpoint, all } = await createClaimed(count);
    await fixture.database.write(fail, [endpoint.id]);
    const ended = await acknowledgeAll(all.map((one) => ({ ...one, isTest: true })));
    expect(ended).toEqual(Array(count).fill(true));
    expect((await endpointRow(endpoint))?.failing_since).not.toBeNull();
  });

  it.each([1, 3])(
    'without its lease: an endpoint that failed still does, of %i at once',
    async (count) => {
      const { endpoint, all } = await createClaimed(count);
      await fixture.database.write(fail, [endpoint.id]);
      for (const { eventId } of all) await fixture.database.write(takeOver, [eventId]);
      expect(await acknowledgeAll(all)).toEqual(Array(count).fill(false));
      expect((await endpointRow(endpoint))?.failing_since).not.toBeNull();
    },
  );

  it('of several, those that end here decide, each for its own endpoint', async () => {
    const one = await createClaimed(2);
    await fixture.cancelAll();
    const other = await createClaimed(2);
    for (const { endpoint } of [one, other]) await fixture.database.write(fail, [endpoint.id]);
    for (const { eventId } of one.all) await fixture.database.write(takeOver, [eventId]);
    const [test, real] = other.all;
    assert(test && real);
    await acknowledgeAll([...one.all, { ...test, isTest: true }, real]);
    expect((await endpointRow(one.endpoint))?.failing_since).not.toBeNull();
    expect((await endpointRow(other.endpoint))?.failing_since).toBeNull();
  });
});
