// The payment that `npm start` makes, and a developer's own endpoint of the same merchant.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { moveClock, newId } from '../../../test/harness.ts';
import { aSession, moveHold, pay, startWorld, type World } from '../../../test/world.ts';
import { runAudit, type Violation } from '../../engine/runs/audit/run-audit.ts';
import { readClock } from '../../storage/database/clock.ts';
import { sql } from '../../storage/database/sql.ts';
import { demoEndpointName } from '../../storage/webhooks/events.ts';
import { redeliverSpan } from '../../storage/webhooks/webhook-redeliveries.ts';

const insertEndpoint = sql(
  'test_start_proof_endpoint',
  `insert into webhook_endpoints (id, client_id, url, secret_sealed, api_version, description,
     created_at, updated_at)
   values ($1, $2, 'http://127.0.0.1:9/', '', '2026-01-01', $3, svc_clock(), svc_clock())`,
);

const deleteEndpoint = sql(
  'test_start_proof_delete',
  'update webhook_endpoints set is_enabled = false, deleted_at = svc_clock() where id = $1',
);

async function expectNoViolation(): Promise<void> {
  const violations: Violation[] = [];
  await runAudit({ url: world.url, onViolation: (one) => void violations.push(one) });
  expect(violations).toEqual([]);
}

let world: World;
let shop: { id: string };
let developer: { id: string };
beforeAll(async () => {
  world = await startWorld();
  shop = await anEndpoint(demoEndpointName);
  developer = await anEndpoint();
  // The audit requires every event for an endpoint that is old enough.
  await moveClock(world.database, 120_000);
});
afterAll(() => world?.close());

async function anEndpoint(description: string | null = null): Promise<{ id: string }> {
  const id = newId();
  await world.database.write(insertEndpoint, [id, world.client.id, description]);
  return { id };
}

const told = sql<{ type: string; payload: string; endpoints: string[] }>(
  'test_start_proof_told',
  `select e.type, e.payload, array_agg(d.endpoint_id) as endpoints from events e
   join webhook_deliveries d on d.event_id = e.id where e.resource_id = any($1)
   group by e.id order by e.created_at, e.type`,
);

async function buyWith(metadata: Record<string, string>) {
  const session = await aSession(world, { metadata });
  const answer = await pay(world, session);
  if (!('body' in answer)) throw new Error('process has a body');
  const paymentId = answer.body.paymentId ?? '';
  await moveHold(world, 'capturePayment', { paymentId, key: newId() });
  const rows = await world.database.read(told, [[paymentId, session.sessionId]]);
  return rows.map(({ type, payload, endpoints }) => ({
    type,
    endpoints: endpoints.sort(),
    isStartProof: JSON.parse(payload).data.isStartProof as unknown,
  }));
}

const types = ['checkout.session.completed', 'item.purchased', 'payment.authorized'];

describe('the payment of a start', () => {
  it('its events say so and go to the demo shop alone, in no redelivery to others, and the audit agrees', async () => {
    const proof = await buyWith({ isStartProof: 'true' });
    expect(proof.map(({ type }) => type).sort()).toEqual(types);
    for (const one of proof)
      expect(one).toMatchObject({ endpoints: [shop.id], isStartProof: true });

    const order = await buyWith({ order: '7' });
    expect(order.map(({ type }) => type).sort()).toEqual(types);
    for (const one of order) {
      expect(one.endpoints).toEqual([shop.id, developer.id].sort());
      expect(one.isStartProof).toBeUndefined();
    }

    const span = {
      clientId: world.client.id,
      since: new Date(
        (await world.database.transaction(world.client.id, readClock)).getTime() - 60_000,
      ),
      until: null,
      status: 'failed' as const,
      limit: 100,
    };
    const redeliverAgain = (endpointId: string) =>
      world.database.transaction(world.client.id, (tx) =>
        redeliverSpan(tx, { ...span, endpointId, status: 'all' }),
      );
    expect((await redeliverAgain(developer.id)).deliveries).toBe(0);

    await expectNoViolation();
  });

  it('its events go to the endpoint that a start has made after a person deleted the first one', async () => {
    await world.database.write(deleteEndpoint, [shop.id]);
    await expectNoViolation();
    const again = await anEndpoint(demoEndpointName);
    const proof = await buyWith({ isStartProof: 'true' });
    expect(proof.map(({ endpoints }) => endpoints)).toEqual(types.map(() => [again.id]));
    await expectNoViolation();
  });
});
