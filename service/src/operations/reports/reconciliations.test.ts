// What the hourly comparison with the provider found, through the real route.

import type { Reconciliation } from '@svc/contract/reconciliations';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aClient, aToken, callAs, type TestToken } from '../../../test/harness.ts';
import { advance, plantIn } from '../../../test/planted.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { aHold, startWorld, type World } from '../../../test/world.ts';
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
const get = async (as: TestToken = world.token, query = ''): Promise<Reconciliation[]> =>
  (await callAs(server.app, as, `GET /v1/reconciliations${query}`)).json().data;

describe('getReconciliations', () => {
  it('has nothing before the first run; then what it found, which Home shows as well', async () => {
    expect(await get()).toEqual([]);
    const { paymentId } = await aHold(world);
    // The provider has no record of the payment.
    await plantIn(world.ownerUrl, (plant) =>
      plant(`update payments set provider_intent_id = 'pi_gone' where id = $1`, [paymentId]),
    );
    // Payments that changed just now are left to the requests that work on them.
    await advance(world, 3600);
    const worker = startReconcile(world.ports, { log, firstAfterMs: 0, pollMs: 5 });
    await expect.poll(async () => (await get()).length).toBe(1);
    await worker.stop();
    const [run] = await get();
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
    expect(await get(stranger)).toMatchObject([{ total: 0, open: 0, differences: [] }]);
  });

  it('400 invalid_query: a limit beyond 50; 403 insufficient_scope', async () => {
    const tooMany = await callAs(server.app, world.token, 'GET /v1/reconciliations?limit=51');
    expect([tooMany.statusCode, tooMany.json().code]).toEqual([400, 'invalid_query']);
    const narrow = await aToken(world.database, world.client, { scopes: ['catalog:read'] });
    const refused = await callAs(server.app, narrow, 'GET /v1/reconciliations');
    expect([refused.statusCode, refused.json().code]).toEqual([403, 'insufficient_scope']);
  });
});
