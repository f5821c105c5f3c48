// The texts of old events go; that they happened, their order, and what waits for its delivery stay.

import type { rows } from '@svc/contract';
import type { InputOf } from '@svc/contract/rows/row';
import { expect, it } from 'vitest';
import {
  aToken,
  callerOf,
  moveClock,
  newId,
  portsFor,
  type TestToken,
} from '../../../../test/harness.ts';
import { DeliveryFixture } from '../../../../test/webhooks/deliveries.ts';
import { anEvent } from '../../../../test/webhooks/webhooks.ts';
import { operations } from '../../../operations/index.ts';
import { sql } from '../../../storage/database/sql.ts';
import { removeOld } from '../../../storage/retention/retention.ts';
import { refuse } from '../../implement.ts';

const dayMs = 86_400_000;
const fixture = new DeliveryFixture();
const { endpointAt, pass, receiver, stateOf } = fixture;
const remove = () => removeOld(fixture.database, { kind: 'events', days: 400 }, 100);

type Input = InputOf<typeof rows.listEvents>;

async function listed(token: TestToken, given: Partial<Input> = {}): Promise<string[]> {
  const input: Input = {
    ...{ page: 1, limit: 20, sortField: 'createdAt', sortDirection: 'ASC', filters: [] },
    ...given,
  };
  const caller = callerOf(token);
  const found = await operations.listEvents(input, caller, portsFor(fixture.database), refuse);
  if (!('body' in found)) throw new Error('no page');
  expect(found.body.total).toBe(found.body.data.length);
  return found.body.data.map(({ id }) => id);
}

const blank = sql('test_events_blank', `update events set payload = '' where id = $1`);
const rename = sql(
  'test_events_rename',
  `update events set payload = '', type = 'x' where id = $1`,
);
const drop = sql('test_events_drop', 'delete from events where id = $1');
const missing = { code: 'event_not_found' };

it('Contract §7: an event is listed, read and sent again for 400 days, one that waits as long as it waits', async () => {
  let status = 200;
  const target = await receiver((_, response) => response.writeHead(status).end());
  const endpoint = await endpointAt(target.url);
  const token = await aToken(fixture.database, fixture.client);
  const resourceId = newId();
  const first = await anEvent(fixture.database, fixture.client, { resourceId });
  const second = await anEvent(fixture.database, fixture.client, { resourceId, sequence: 2 });
  await pass();
  await pass();
  status = 500;
  const waiting = await anEvent(fixture.database, fixture.client);
  await pass();
  expect(await stateOf(second, endpoint)).toMatchObject({ state: 'delivered' });
  expect(await stateOf(waiting, endpoint)).toMatchObject({ state: 'pending' });
  await moveClock(fixture.database, 399 * dayMs);
  expect((await remove()).removed).toBe(0);
  expect(await listed(token)).toEqual([first.wireId, second.wireId, waiting.wireId]);

  await moveClock(fixture.database, 3 * dayMs);
  const forACentury = removeOld(fixture.database, { kind: 'events', days: 36_500 }, 100);
  expect(await forACentury).toEqual({ removed: 0, isMore: false });
  expect((await remove()).removed).toBe(2);
  const young = await anEvent(fixture.database, fixture.client);
  const nil = `evt_${'0'.repeat(32)}`;
  expect(await listed(token)).toEqual([young.wireId]);
  expect(await listed(token, { after: nil })).toEqual([young.wireId]);
  // Whoever has read the last of the old ones has missed nothing.
  expect(await listed(token, { after: waiting.wireId })).toEqual([young.wireId]);
  await expect(listed(token, { after: first.wireId })).rejects.toMatchObject(missing);

  const caller = callerOf(token);
  const ports = portsFor(fixture.database);
  const readEvent = (eventId: string) => operations.getEvent({ eventId }, caller, ports, refuse);
  await expect(readEvent(first.wireId)).rejects.toMatchObject(missing);
  expect(await readEvent(waiting.wireId)).toMatchObject({ status: 200 });
  const again = operations.redeliverEvent(
    { eventId: first.wireId, body: { endpointIds: [endpoint.id] } },
    caller,
    ports,
    refuse,
  );
  await expect(again).rejects.toMatchObject(missing);
  const body = { since: '2020-01-01T00:00:00Z', status: 'all' } as const;
  const span = { id: endpoint.id, body };
  expect(await operations.redeliverToEndpoint(span, caller, ports, refuse)).toMatchObject({
    body: { deliveries: 0 },
  });

  status = 200;
  // One that has failed is sent one at a time.
  await pass();
  await pass();
  const sent = target.received.slice(-2).map(({ body: bytes }) => bytes.toString());
  expect(sent.toSorted()).toEqual([waiting.payload, young.payload].toSorted());
});

it('the database refuses: an event younger than 90 days, one that waits, and any other change', async () => {
  const target = await receiver((_, response) => response.writeHead(500).end());
  const young = await anEvent(fixture.database, fixture.client);
  const refused = { code: '23000' };
  await expect(fixture.database.write(blank, [young.id])).rejects.toMatchObject(refused);
  await endpointAt(target.url);
  const waiting = await anEvent(fixture.database, fixture.client);
  await moveClock(fixture.database, 91 * dayMs);
  await expect(fixture.database.write(blank, [waiting.id])).rejects.toMatchObject(refused);
  for (const statement of [rename, drop]) {
    await expect(fixture.database.write(statement, [young.id])).rejects.toMatchObject(refused);
  }
  await fixture.database.write(blank, [young.id]);
});
