import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aClient, freshDatabase, newId, type TestDatabase } from '../../../test/harness.ts';
import { aWebhookEndpoint } from '../../../test/webhooks/webhooks.ts';
import { sql } from '../database/sql.ts';
import { type RedeliverySpan, redeliverSpan } from './webhook-redeliveries.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await freshDatabase();
});
afterAll(() => db?.close());

// Microseconds from a start, so that many events share a millisecond or an instant.
const insertEvents = sql(
  'test_redelivery_events',
  `insert into events (id, client_id, type, resource_type, resource_id, sequence, payload,
     created_at)
   select e.id, $1, 'payment.authorized', 'payment', e.id, 1, '{}',
     '2026-01-01T00:00:00Z'::timestamptz + make_interval(secs => e.at / 1000000.0)
   from unnest($2::uuid[], $3::int[]) as e(id, at)`,
);
const insertDeliveries = sql(
  'test_redelivery_deliveries',
  `insert into webhook_deliveries (event_id, endpoint_id, client_id, resource_id, sequence, state,
     next_attempt_at, created_at)
   select v.id, $2, $1, v.id, 1, d.state, v.created_at, v.created_at
   from unnest($3::uuid[], $4::text[]) as d(id, state) join events v on v.id = d.id`,
);
const readPending = sql<{ event_id: string; redeliveries: number }>(
  'test_redelivery_pending',
  `select event_id, redeliveries from webhook_deliveries
   where endpoint_id = $1 and redeliveries > 0`,
);

const states = ['none', 'pending', 'delivered', 'dead', 'cancelled'] as const;
const anEvent = fc.record({
  atUs: fc.oneof(fc.integer({ min: 0, max: 4000 }), fc.constantFrom(0, 999, 1000, 1001, 2000)),
  state: fc.constantFrom(...states),
});
const aSpan = fc.record({
  events: fc.array(anEvent, { maxLength: 14 }),
  sinceMs: fc.integer({ min: 0, max: 4 }),
  untilMs: fc.option(fc.integer({ min: 0, max: 5 })),
  status: fc.constantFrom('failed' as const, 'all' as const),
  limit: fc.integer({ min: 1, max: 4 }),
});

const start = Date.parse('2026-01-01T00:00:00.000Z');
const timeAt = (ms: number) => new Date(start + ms);

describe('redeliverSpan', () => {
  it('over as many calls as it takes, each event once: none lost, none twice, none beside', async () => {
    await fc.assert(
      fc.asyncProperty(aSpan, async ({ events, sinceMs, untilMs, status, limit }) => {
        const client = await aClient(db.database);
        const endpoint = await aWebhookEndpoint(db.database, client, { url: 'https://a.example/' });
        const made = events.map((each) => ({ ...each, id: newId() }));
        const ids = made.map(({ id }) => id);
        await db.database.write(insertEvents, [client.id, ids, made.map(({ atUs }) => atUs)]);
        const begun = made.filter(({ state }) => state !== 'none');
        await db.database.write(insertDeliveries, [
          ...[client.id, endpoint.id, begun.map(({ id }) => id)],
          begun.map(({ state }) => state),
        ]);
        const until = untilMs === null ? null : timeAt(untilMs);
        let since: Date | null = timeAt(sinceMs);
        let counted = 0;
        let calls = 0;
        while (since) {
          const span: RedeliverySpan = {
            clientId: client.id,
            endpointId: endpoint.id,
            since,
            until,
            status,
            limit,
          };
          const put = await db.database.transaction(client.id, (tx) => redeliverSpan(tx, span));
          counted += put.deliveries;
          calls += 1;
          expect(calls).toBeLessThan(20);
          since = put.continueFrom;
        }
        // The endpoint is younger than the events: deliveries that were never begun are not failed
        // ones.
        const wanted =
          status === 'all' ? ['none', 'delivered', 'dead', 'cancelled'] : ['dead', 'cancelled'];
        const expected = made.filter(
          ({ atUs, state }) =>
            wanted.includes(state) &&
            atUs >= sinceMs * 1000 &&
            (untilMs === null || atUs < untilMs * 1000),
        );
        const rows = await db.database.read(readPending, [endpoint.id]);
        expect(rows.map((row) => row.event_id).sort()).toEqual(expected.map(({ id }) => id).sort());
        expect(rows.every(({ redeliveries }) => redeliveries === 1)).toBe(true);
        expect(counted).toBe(expected.length);
      }),
      { numRuns: 60 },
    );
  });
});
