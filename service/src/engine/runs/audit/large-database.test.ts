// The audit in bounded memory. It runs in a process that other tests have not filled.

import { expect, it } from 'vitest';
import { freshDatabase } from '../../../../test/harness.ts';
import { plantInDatabase } from '../../../../test/payments/planted.ts';
import { runAudit } from './run-audit.ts';

it('50 000 payments, a few of them broken: found, in bounded memory', async () => {
  const db = await freshDatabase();
  const many = 50_000;
  await plantInDatabase(db.ownerUrl, async (run) => {
    await run(
      `insert into payments (id, client_id, type, provider, gateway_id, amount_minor, currency,
         capture_method, status, is_live, created_at, updated_at)
       select ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, gen_random_uuid(),
         'purchase', 'cardprovider', gen_random_uuid(), 100, 'EUR', 'manual', 'failed', false,
         now(), now()
       from generate_series(1, $1) n`,
      [many],
    );
    await run(
      `insert into payment_history select id, 0, 'pending', null, 0, 0, 0, now() from payments`,
    );
    await run(`update payments set version = 1, event_seq = 1`);
    await run(
      `insert into payment_history select id, 1, 'failed', null, 0, 0, 1, now() from payments`,
    );
    await run(
      `insert into events (id, client_id, type, resource_type, resource_id, sequence, payload,
         created_at)
       select id, client_id, 'payment.failed', 'payment', id, 1, '{"id":"evt_' || replace(id::text, '-', '') || '","type":"payment.failed","clientId":"'
         || client_id || '","sequence":1,"more":0}', now() from payments`,
    );
    await run('analyze');
  });
  // Every event is broken: the audit counts as many violations as payments and keeps none of them
  // in memory.
  await plantInDatabase(db.ownerUrl, (run) => run(`update events set payload = '{}'`));
  const seen: number[] = [];
  const before = process.memoryUsage().heapUsed;
  let heap = before;
  const { results, violations, payments } = await runAudit({
    url: db.url,
    onProgress: (done) => void seen.push(done),
    onViolation: () => {
      heap = Math.max(heap, process.memoryUsage().heapUsed);
    },
  });
  expect({ violations, payments }).toEqual({ violations: many, payments: many });
  expect(seen.length).toBeGreaterThan(20);
  expect(results.find(({ rule }) => rule === 'E6')?.examples).toHaveLength(3);
  expect((heap - before) / 1e6).toBeLessThan(80);
  await db.close();
});
