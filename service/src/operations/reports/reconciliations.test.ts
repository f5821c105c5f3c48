// What the hourly comparison with the provider found, through the real route.

import type { Reconciliation } from '@svc/contract/reports/reconciliations';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aClient, aToken, callAs, newId, type TestToken } from '../../../test/harness.ts';
import { advance, plantInDatabase } from '../../../test/payments/planted.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { aHold, startWorld, type World } from '../../../test/world.ts';
import { readClock } from '../../storage/database/clock.ts';
import { everyClient } from '../../storage/database/database.ts';
import {
  type FoundDifference,
  insertReconciliation,
} from '../../storage/reports/reconciliations.ts';
import { startReconcile } from '../../workers/reconcile.ts';

let world: World;
let server: TestServer;
beforeAll(async () => {
  world = await startWorld();
  server = await aServer(world.ports);
});
afterAll(async () => {
  await server?.close();
  await world?.close();
});

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const getReconciliations = async (
  as: TestToken = world.token,
  query = '',
): Promise<Reconciliation[]> =>
  (await callAs(server.app, as, `GET /v1/reconciliations${query}`)).json().data;

describe('getReconciliations', () => {
  it('has nothing before the first run; then what it found, which Home shows as well', async () => {
    expect(await getReconciliations()).toEqual([]);
    const { paymentId } = await aHold(world);
    // The provider has no record of the payment.
    await plantInDatabase(world.ownerUrl, (plant) =>
      plant(`update payments set provider_intent_id = 'pi_gone' where id = $1`, [paymentId]),
    );
    // Payments that changed just now are left to the requests that work on them.
    await advance(world, 3600);
    const worker = startReconcile(world.ports, { log, firstAfterMs: 0, pollMs: 5 });
    await expect.poll(async () => (await getReconciliations()).length).toBe(1);
    await worker.stop();
    const [run] = await getReconciliations();
    expect(run).toMatchObject({ isWhole: true, total: 1, open: 1 });
    expect(run?.differences).toEqual([
      {
        ...{ paymentId, isSettled: false },
        ...{ kind: 'missing', description: expect.stringContaining('the provider') },
      },
    ]);
    const overview = (await callAs(server.app, world.token, 'GET /v1/overview')).json();
    expect(overview.differences).toEqual({ total: 1, data: run?.differences });
    const stranger = await aToken(world.database, await aClient(world.database));
    expect(await getReconciliations(stranger)).toMatchObject([
      { total: 0, open: 0, differences: [] },
    ]);
  });

  it('counts open differences apart, shows them first, and keeps each run for thirty days', async () => {
    const settled = await aHold(world);
    const open = await aHold(world);
    const found = (paymentId: string, isSettled: boolean): FoundDifference => ({
      ...{ clientId: world.client.id, paymentId, isSettled },
      ...{ kind: 'status', description: 'we say …' },
    });
    const run = (id: string, differences: FoundDifference[]) =>
      world.database.transaction(everyClient, async (tx) => {
        const beganAt = await readClock(tx);
        await insertReconciliation(tx, { id, beganAt, isWhole: true }, differences);
        return id;
      });
    const month = 30 * 86_400;
    const first = await run(newId(), [
      found(settled.paymentId, true),
      found(open.paymentId, false),
    ]);
    await advance(world, month - 3600);
    const second = await run(newId(), []);
    const [last, before] = await getReconciliations();
    expect(last).toMatchObject({ id: second, total: 0, open: 0, differences: [] });
    expect(before).toMatchObject({ id: first, total: 2, open: 1 });
    expect(before?.differences.map(({ paymentId }) => paymentId)).toEqual([
      ...[open.paymentId, settled.paymentId],
    ]);
    expect(await getReconciliations(world.token, '?limit=1')).toEqual([last]);
    await advance(world, 7200);
    const third = await run(newId(), []);
    expect((await getReconciliations()).map(({ id }) => id)).toEqual([third, second]);
  });

  it('400 invalid_query: a limit beyond 50; 403 insufficient_scope', async () => {
    const tooMany = await callAs(server.app, world.token, 'GET /v1/reconciliations?limit=51');
    expect([tooMany.statusCode, tooMany.json().code]).toEqual([400, 'invalid_query']);
    const narrow = await aToken(world.database, world.client, { scopes: ['catalog:read'] });
    const refused = await callAs(server.app, narrow, 'GET /v1/reconciliations');
    expect([refused.statusCode, refused.json().code]).toEqual([403, 'insufficient_scope']);
  });
});
