// The views readable_events and readable_operations on rows that the service wrote: they contain
// what the API and `svc show` return, and row-level security applies to them too.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { callerOf } from '../../../test/harness.ts';
import { aHold, moveHold, startWorld, type World } from '../../../test/world.ts';
import { newRequestId } from '../../http/wire/request-id.ts';
import { everyClient } from './database.ts';
import { sql } from './sql.ts';

type OperationText = {
  kind: string;
  response_body: unknown;
  request_id: string | null;
  asked_with: string | null;
  credential_id: string | null;
  user_id: string | null;
  network: string | null;
};
const readOperations = sql<OperationText>(
  't_readable_operations',
  `select kind, response_body, request_id, asked_with, credential_id::text, user_id::text,
     network::text from readable_operations where payment_id = $1 order by created_at, id`,
);
const readEvents = sql<{ id: string; type: string; payload: unknown }>(
  't_readable_events',
  'select id, type, payload from readable_events where resource_id = $1 order by sequence',
);
const countEvents = sql<{ count: number }>(
  't_readable_count',
  'select count(*)::int as count from readable_events where resource_id = $1',
);

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

async function captureFrom(address: string) {
  const { paymentId } = await aHold(world);
  const requestId = newRequestId();
  const caller = { ...callerOf(world.token), requestId, address };
  await moveHold(world, 'capturePayment', { paymentId, key: `k-${requestId}`, caller });
  return { paymentId, requestId };
}

it.each([
  ['an IPv4 address', '203.0.113.9', '203.0.113.9/32'],
  ['an IPv6 network', '2001:db8:12:abcd::/64', '2001:db8:12:abcd::/64'],
])('an operation names its answer, request, credential and %s', async (_, address, network) => {
  const { paymentId, requestId } = await captureFrom(address);
  const operations = await world.database.read(readOperations, [paymentId]);
  expect(operations.map(({ kind }) => kind)).toEqual(['authorize', 'capture']);
  expect(operations[1]).toMatchObject({
    response_body: { id: paymentId, object: 'payment', status: 'succeeded' },
    request_id: requestId,
    asked_with: 'api_token',
    credential_id: world.token.id,
    user_id: null,
    network,
  });
});

it('an event is the JSON that endpoints are sent', async () => {
  const { paymentId } = await captureFrom('203.0.113.9');
  const events = await world.database.read(readEvents, [paymentId]);
  expect(events.map(({ type }) => type)).toEqual(['payment.authorized', 'item.purchased']);
  for (const { id, type, payload } of events) {
    expect(payload).toMatchObject({
      id: `evt_${id.replaceAll('-', '')}`,
      object: 'event',
      type,
      data: { object: { [type === 'item.purchased' ? 'paymentId' : 'id']: paymentId } },
    });
  }
});

it('shows a merchant’s rows in a transaction of that merchant alone', async () => {
  const { paymentId } = await captureFrom('203.0.113.9');
  const countAsClient = (clientId: string | typeof everyClient) =>
    world.database.transaction(clientId, (tx) => tx.query(countEvents, [paymentId]));
  expect(await countAsClient(everyClient)).toEqual([{ count: 2 }]);
  expect(await countAsClient(crypto.randomUUID())).toEqual([{ count: 0 }]);
});
