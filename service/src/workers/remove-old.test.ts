import { expect, it } from 'vitest';
import { moveClock, portsFor } from '../../test/harness.ts';
import { DeliveryFixture } from '../../test/webhooks/deliveries.ts';
import { anEvent } from '../../test/webhooks/webhooks.ts';
import { sql } from '../storage/database/sql.ts';
import { startRemoveOld } from './remove-old.ts';

const countKept = sql<{ deliveries: number; attempts: number; events: number }>(
  'test_remove_old',
  `select (select count(*)::int from webhook_deliveries) as deliveries,
     (select count(*)::int from webhook_attempts) as attempts,
     (select count(*)::int from events) as events`,
);

const fixture = new DeliveryFixture();

it('remove-old: deliveries after 90 days, and not before; a worker that was stopped leaves it to the next', async () => {
  const target = await fixture.receiver();
  await fixture.endpointAt(target.url);
  await anEvent(fixture.database, fixture.client);
  await fixture.pass();
  const kept = async () => (await fixture.database.read(countKept, []))[0];
  const errors: object[] = [];
  const ports = portsFor(fixture.database);
  const options = { log: { error: (facts: object) => void errors.push(facts) }, pollMs: 10 };
  const first = startRemoveOld(ports, options);
  await moveClock(fixture.database, 89 * 86_400_000);
  await first.stop();
  expect(await kept()).toEqual({ deliveries: 1, attempts: 1, events: 1 });
  await moveClock(fixture.database, 86_400_000);
  const second = startRemoveOld(ports, options);
  await expect.poll(kept).toEqual({ deliveries: 0, attempts: 0, events: 1 });
  await second.stop();
  expect(errors).toEqual([]);
});
