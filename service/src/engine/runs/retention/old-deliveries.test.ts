import { describe, expect, it } from 'vitest';
import { moveClock } from '../../../../test/harness.ts';
import { DeliveryFixture, limits } from '../../../../test/webhooks/deliveries.ts';
import { anEvent } from '../../../../test/webhooks/webhooks.ts';
import { sql } from '../../../storage/database/sql.ts';
import { removeOld } from '../../../storage/retention/retention.ts';
import {
  findEventFacts,
  redeliverEventTo,
  redeliverSpan,
} from '../../../storage/webhooks/webhook-redeliveries.ts';
import { runAudit, type Violation } from '../audit/run-audit.ts';
import { deliverDue } from '../webhook-deliveries/deliver-due.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const fixture = new DeliveryFixture();
const { attemptsOf, endpointAt, heldReceiver, pass, receiver, stateOf } = fixture;

/** Returns what rule E5 reports about deliveries that ended. */
async function audited(): Promise<string[]> {
  const found: string[] = [];
  const onViolation = ({ rule, found: what }: Violation) => {
    if (rule === 'E5') found.push(what);
  };
  await runAudit({ url: fixture.url, onViolation });
  return found;
}

const neverBegun = sql('test_never_begun', 'delete from webhook_deliveries where event_id = $1');

const sweep = async () =>
  (await removeOld(fixture.database, { kind: 'deliveries', days: 90 }, 100)).removed;

describe('a delivery that is removed', () => {
  it('E5: goes with all of its attempts, 90 days after its end, however old its first attempt is', async () => {
    let status = 500;
    const target = await receiver((_, response) => response.writeHead(status).end());
    const endpoint = await endpointAt(target.url);
    const event = await anEvent(fixture.database, fixture.client);
    await pass();
    await moveClock(fixture.database, 10 * minuteMs);
    await pass();
    await moveClock(fixture.database, 10 * minuteMs);
    status = 200;
    await pass();
    expect(await stateOf(event, endpoint)).toMatchObject({ state: 'delivered', attempts: 3 });
    await moveClock(fixture.database, 90 * dayMs - 5 * minuteMs);
    expect(await sweep()).toBe(0);
    expect(await attemptsOf(event, endpoint)).toHaveLength(3);
    expect(await audited()).toEqual([]);
    await moveClock(fixture.database, 6 * minuteMs);
    expect(await sweep()).toBe(1);
    expect(await attemptsOf(event, endpoint)).toEqual([]);
    expect(await audited()).toEqual([]);
  });

  it('E5: one attempt that was answered late is kept as long as its delivery', async () => {
    const target = await heldReceiver();
    const endpoint = await endpointAt(target.url);
    const event = await anEvent(fixture.database, fixture.client);
    const delivering = deliverDue(fixture.ports, limits);
    await target.arrived(1);
    await moveClock(fixture.database, 20_000);
    for (const response of target.held) response.end();
    await delivering;
    expect(await stateOf(event, endpoint)).toMatchObject({ state: 'delivered', attempts: 1 });
    await moveClock(fixture.database, 90 * dayMs - 10_000);
    expect(await sweep()).toBe(0);
    expect(await attemptsOf(event, endpoint)).toHaveLength(1);
    expect(await audited()).toEqual([]);
    await moveClock(fixture.database, 11_000);
    expect(await sweep()).toBe(1);
    expect(await attemptsOf(event, endpoint)).toEqual([]);
  });

  it('E5: one that was asked for again is kept 90 days after its new end, with the attempts of before', async () => {
    const target = await receiver();
    const endpoint = await endpointAt(target.url);
    const { id } = await anEvent(fixture.database, fixture.client);
    const clientId = fixture.client.id;
    await pass();
    await moveClock(fixture.database, 89 * dayMs);
    const facts = await findEventFacts(fixture.database, clientId, id);
    await fixture.database.transaction(clientId, async (tx) => {
      expect(facts && (await redeliverEventTo(tx, facts, [endpoint.id]))).toBe(1);
    });
    await pass();
    await moveClock(fixture.database, 2 * dayMs);
    expect(await sweep()).toBe(0);
    expect(await attemptsOf({ id }, endpoint)).toHaveLength(2);
    expect(await audited()).toEqual([]);
    await moveClock(fixture.database, 89 * dayMs);
    expect(await sweep()).toBe(1);
    expect(await attemptsOf({ id }, endpoint)).toEqual([]);
  });

  it('counts as delivered when failed ones are asked for again, and one that never began does not', async () => {
    const target = await receiver();
    const endpoint = await endpointAt(target.url);
    await anEvent(fixture.database, fixture.client);
    await pass();
    const clientId = fixture.client.id;
    const again = () =>
      fixture.database.transaction(clientId, (tx) =>
        redeliverSpan(tx, {
          ...{ clientId, endpointId: endpoint.id, status: 'failed', limit: 100 },
          ...{ since: new Date(0), until: null },
        }),
      );
    await moveClock(fixture.database, 91 * dayMs);
    expect(await sweep()).toBe(1);
    expect((await again()).deliveries).toBe(0);
    const { id } = await anEvent(fixture.database, fixture.client);
    await fixture.database.write(neverBegun, [id]);
    expect((await again()).deliveries).toBe(1);
  });
});
