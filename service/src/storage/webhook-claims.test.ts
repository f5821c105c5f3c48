import { describe, expect, it } from 'vitest';
import { DeliveryGround } from '../../test/deliveries.ts';
import { everyClient } from './database.ts';
import { sql } from './sql.ts';
import { claimDeliveries, findDueWork } from './webhook-deliveries.ts';

const analyze = sql('test_analyze', 'analyze webhook_deliveries');
// All of one time, as a redelivery makes them.
const queueMany = sql(
  'test_queue_many',
  `with clock as materialized (select svc_clock() as now),
   made as (
     insert into events (id, client_id, type, resource_type, resource_id, sequence, payload,
       created_at)
     select gen_random_uuid(), $1, 'payment.authorized', 'payment', gen_random_uuid(), 1, '\\x00',
       clock.now
     from generate_series(1, $3::int), clock returning id, resource_id)
   insert into webhook_deliveries (event_id, endpoint_id, client_id, resource_id, sequence,
     next_attempt_at, created_at)
   select made.id, $2, $1, made.resource_id, 1, clock.now, clock.now from made, clock`,
);
const readVisits = sql<{ visits: number }>(
  'test_visits',
  `select (idx_tup_fetch + seq_tup_read)::int as visits from pg_stat_xact_user_tables
   where relname = 'webhook_deliveries'`,
);

const ground = new DeliveryGround();

describe('claimDeliveries', () => {
  // So many that one index is larger than the other, which makes the wrong choice likely.
  it('reads what it takes and little more, with a plan from before thousands of one time came', async () => {
    const { id } = await ground.endpointAt('http://127.0.0.1:9/');
    await ground.database.write(analyze, []);
    await ground.database.write(queueMany, [ground.client.id, id, 30_000]);
    const place = { id, places: 4, isReordered: false, heldByClient: 0 };
    for (let n = 0; n < 3; n++) {
      const [claimed, visits] = await ground.database.transaction(everyClient, async (tx) => {
        const all = await claimDeliveries(tx, [{ ...place, places: 4 * (n + 1) }], 100);
        return [all.length, (await tx.query(readVisits, []))[0]?.visits];
      });
      expect(claimed).toBe(4);
      expect(visits).toBeGreaterThan(0);
      expect(visits).toBeLessThan(100);
    }
    expect(await findDueWork(ground.database)).toMatchObject({ endpointIds: [id] });
  });
});
