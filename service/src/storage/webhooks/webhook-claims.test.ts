import { describe, expect, it } from 'vitest';
import { DeliveryFixture } from '../../../test/webhooks/deliveries.ts';
import { readClock } from '../database/clock.ts';
import { sql } from '../database/sql.ts';
import { acknowledgeDelivery } from './webhook-attempts.ts';
import { claimDeliveries, findDueWork, inClaimTransaction } from './webhook-deliveries.ts';

const analyze = sql('test_analyze', 'analyze webhook_deliveries');
const queue = sql(
  'test_queue',
  `with made as (
     insert into events (id, client_id, type, resource_type, resource_id, sequence, payload,
       created_at)
     select gen_random_uuid(), $1, 'payment.authorized', 'payment', gen_random_uuid(), 1, '{}',
       $3
     from generate_series(1, 1000) returning id, resource_id)
   insert into webhook_deliveries (event_id, endpoint_id, client_id, resource_id, sequence,
     next_attempt_at, created_at)
   select made.id, $2, $1, made.resource_id, 1, $3, $3 from made`,
);
/**
 * Inserts deliveries that are all due at one time, as a redelivery does, in parts that fit the
 * statement timeout.
 */
async function queueMany(endpointId: string): Promise<void> {
  const now = await fixture.database.transaction(fixture.client.id, readClock);
  for (let thousands = 0; thousands < 30; thousands++) {
    await fixture.database.write(queue, [fixture.client.id, endpointId, now]);
  }
}
const readVisits = sql<{ visits: number }>(
  'test_visits',
  `select (idx_tup_fetch + seq_tup_read)::int as visits from pg_stat_xact_user_tables
   where relname = 'webhook_deliveries'`,
);

const readAllVisits = sql<{ visits: number }>(
  'test_all_visits',
  `select (idx_tup_fetch + seq_tup_read)::int as visits from pg_stat_user_tables
   where relname = 'webhook_deliveries'`,
);

const tell = sql('test_tell', 'select pg_stat_force_next_flush(), pg_sleep(0.05)');

const fixture = new DeliveryFixture();
/**
 * Returns the reads of all sessions, each of which reports first: they are kept busy, so that none
 * is asked twice.
 */
const visitsOf = async () => {
  const tells = Array.from({ length: 32 }, () => fixture.database.write(tell, []));
  await Promise.all(tells);
  return (await fixture.database.read(readAllVisits, []))[0]?.visits ?? 0;
};

const lockedAt = { ours: new Date(), real: new Date() };

describe('claimDeliveries', () => {
  // Enough rows to make one index larger than the other, so that the planner may choose the wrong
  // one.
  it('reads what it takes and little more, with a plan from before thousands of one time came', async () => {
    const { id } = await fixture.endpointAt('http://127.0.0.1:9/');
    await fixture.database.write(analyze, []);
    await queueMany(id);
    const place = {
      id,
      clientId: fixture.client.id,
      lockedAt,
      places: 4,
      isReordered: false,
      heldByClient: 0,
    };
    for (let n = 0; n < 3; n++) {
      const [claimed, visits] = await inClaimTransaction(fixture.database, async (tx) => {
        const all = await claimDeliveries(tx, [{ ...place, places: 4 * (n + 1) }], 100);
        return [all.length, (await tx.query(readVisits, []))[0]?.visits];
      });
      expect(claimed).toBe(4);
      expect(visits).toBeGreaterThan(0);
      expect(visits).toBeLessThan(100);
    }
    const before = await visitsOf();
    expect(await findDueWork(fixture.database)).toMatchObject({ endpointIds: [id] });
    expect((await visitsOf()) - before).toBeLessThan(100);
  });
});

describe('acknowledgeDelivery', () => {
  it('reads what it ends, with a plan from before thousands came', async () => {
    const { id } = await fixture.endpointAt('http://127.0.0.1:9/');
    await fixture.database.write(analyze, []);
    await queueMany(id);
    const place = {
      id,
      clientId: fixture.client.id,
      lockedAt,
      places: 64,
      isReordered: false,
      heldByClient: 0,
    };
    const claimed = await inClaimTransaction(fixture.database, (tx) =>
      claimDeliveries(tx, [place], 64),
    );
    const before = await visitsOf();
    const result = { url: 'http://127.0.0.1:9/', status: 200, error: null, excerpt: null };
    const sent = { ...result, durationMs: 1, startedAt: new Date() };
    const ended = claimed.map((one) => acknowledgeDelivery(fixture.database, one, sent));
    expect(await Promise.all(ended)).toEqual(Array(64).fill(true));
    const visits = (await visitsOf()) - before;
    expect(visits).toBeGreaterThanOrEqual(64);
    expect(visits).toBeLessThan(1000);
  });
});
